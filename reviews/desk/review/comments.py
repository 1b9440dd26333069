"""What people say about an item, on its page."""

from http import HTTPStatus
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.review import canaries, responses
from reviews.desk.review.forms import CommentForm
from reviews.errors import ConflictError
from reviews.models import Review
from reviews.queue import comments


@require_safe
@never_cache
@member_page
def comment_list(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """The comments on the item; 204 where the latest is the one that the page shows already (`since`)."""
    review = canaries.find_shown(request, review_id)
    listed = list(comments.comments_on(review, request.membership))
    if request.GET.get("since", "") == (str(listed[-1].pk) if listed else ""):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return render(request, "review/comment_list.html", {"review": review, "comments": listed})


@require_POST
@member_page
@canaries.reveals_canary
def add_comment(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Say something about the item; what is refused stays in the form."""
    review = responses.find_review(request, review_id)
    form = CommentForm(request.POST)
    if form.is_valid():
        try:
            comments.add_comment(review=review, membership=request.membership, body=form.cleaned_data["body"])
        except ConflictError as error:
            form.add_error("body", str(error))
    return _show_comments(request, review, form)


def _show_comments(request: MemberRequest, review: Review, form: CommentForm) -> HttpResponse:
    """The panel alone for htmx, else the item's page."""
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    if not request.htmx and not form.errors:
        return redirect(responses.address_of(request, review) + "#comments")
    comment_form = form if form.errors else CommentForm()
    if not request.htmx:
        return responses.render_page(request, review, comment_form=comment_form, status=status)
    context = {
        "review": review,
        "comments": list(comments.comments_on(review, request.membership)),
        "comment_form": comment_form,
    }
    return render(request, "review/comments.html", context, status=status)
