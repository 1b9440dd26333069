"""Save the filters of a listing under a name, and remove such a view."""

from typing import Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from reviews import access
from reviews.desk.actions.filters import ActionFilters
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.queue.filters import Filters
from reviews.errors import ConflictError, found
from reviews.models import SavedPage
from reviews.queue import saved_views

# As many filters of their greatest lengths as a page has, in an address.
MAX_QUERY_LENGTH: Final = 8_000


class ViewForm(forms.Form):
    """A name and the filters that the page has."""

    page = forms.ChoiceField(choices=SavedPage.choices)
    name = forms.CharField(max_length=80)
    query = forms.CharField(max_length=MAX_QUERY_LENGTH)

    def clean_query(self) -> str:
        """The filters as the page writes them, so that equal ones are equal texts."""
        query = QueryDict(self.cleaned_data["query"])
        if self.cleaned_data.get("page") == SavedPage.ACTIONS:
            filters = ActionFilters.of(query).within(after="").removeprefix("?")
        else:
            filters = Filters.of(query).first_page().query
        if not filters:
            raise forms.ValidationError("Choose a filter first: a view of everything is the page itself.")
        return filters


@require_POST
@member_page
def save_view(request: MemberRequest) -> HttpResponse:
    """Keep the filters, and show them."""
    access.require(request.membership, access.Permission.VIEW)
    form = ViewForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect("queue")
    try:
        view = saved_views.save_view(membership=request.membership, **form.cleaned_data)
    except ConflictError as error:
        messages.error(request, str(error))
        return redirect(f"{reverse(form.cleaned_data['page'])}?{form.cleaned_data['query']}")
    messages.success(request, f"Saved as {view.name}")
    return redirect(f"{reverse(view.page)}?{view.query}")


@require_POST
@member_page
def remove_view(request: MemberRequest, view_id: UUID) -> HttpResponse:
    """Remove a view of one's own; administrators remove any."""
    access.require(request.membership, access.Permission.VIEW)
    view = found(access.saved_views_for(request.membership).filter(pk=view_id).first(), "view")
    saved_views.remove_view(view=view, membership=request.membership)
    messages.success(request, f"Removed the view {view.name}")
    return redirect(view.page)
