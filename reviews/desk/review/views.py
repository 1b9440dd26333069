"""The review page: one item on the table, and what a person may do about it."""

import re
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from reviews.decisions import edits
from reviews.decisions.decide import decide
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.review import responses
from reviews.desk.review.case.edit_preview import show_preview
from reviews.desk.review.case.sources import unfolded
from reviews.desk.review.forms import EditForm, SnoozeForm, form_for
from reviews.desk.review.page import open_casefile
from reviews.errors import ConflictError, InvalidEditError
from reviews.models import Outcome
from reviews.queue import claims
from reviews.records import prov

_DONE = {
    Outcome.APPROVE: "Approved {tool} · the agent is told",
    Outcome.EDIT: "Edited {tool} · the agent is told",
    Outcome.REJECT: "Rejected {tool} · the agent is told",
    Outcome.RESPOND: "Answered the agent about {tool}",
}


@require_safe
@never_cache
@member_page
def review_page(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """The item. Looking changes nothing: the page claims it with a request of its own."""
    review = responses.find_review(request, review_id)
    if request.htmx and "edit" in request.GET:
        return render(
            request, "review/edit.html", {"review": review, "edit_form": responses.edit_form(request, review)}
        )
    return responses.page(request, review)


@require_safe
@never_cache
@member_page
def source(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """The next stretch of a text that the page folded."""
    review = responses.find_review(request, review_id)
    casefile = open_casefile(review, responses.checks_of(request, review))
    name, start, end = request.GET.get("source", ""), _number(request, "start"), _number(request, "end")
    try:
        pieces = unfolded(casefile.case.context, review.action, casefile.evidence, source=name, start=start, end=end)
    except KeyError:
        raise Http404("There is no such source.") from None
    context = {"review": review, "pieces": pieces, "source": name, "unfolded": True}
    # Not a character may be added: the answer lands in the middle of a text.
    return HttpResponse(render_to_string("review/pieces.html", context, request).strip())


@require_safe
@never_cache
@member_page
def provenance(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """The item's record as W3C PROV-JSON, to be kept as a file."""
    action = responses.find_review(request, review_id).action
    # An attachment whatever the browser thinks: half of it is what an agent wrote.
    headers = {"Content-Disposition": f'attachment; filename="provenance-{action.pk}.json"'}
    return HttpResponse(prov.prov_json(action), content_type=prov.MEDIA_TYPE, headers=headers)


@require_POST
@member_page
def decide_review(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Approve, edit, reject or answer; then the next item opens. A refusal keeps what was typed."""
    review = responses.find_review(request, review_id)
    outcome, form = form_for(request.POST, review.action)
    if not form.is_valid():
        return responses.again(request, review, responses.Refused(outcome, form, 422))
    try:
        decide(
            action=review.action,
            choice=form.choice(),
            membership=request.membership,
            misalignment=form.cleaned_data.get("misalignment", ""),
        )
    except InvalidEditError as error:
        form.refuse(error)
        return responses.again(request, review, responses.Refused(outcome, form, 422))
    except ConflictError as error:
        return responses.overtaken(request, review, error, responses.Refused(outcome, form, 409))
    return responses.open_next(request, review, _DONE[Outcome(outcome)].format(tool=review.action.tool))


@require_POST
@member_page
def preview_edit(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """What releasing the edited call would mean, while it is being typed."""
    review = responses.find_review(request, review_id)
    form = EditForm(request.POST, action=review.action)
    shown = None
    if form.is_valid():
        cleaned = form.cleaned_data
        edited = edits.preview_edit(action=review.action, tool=cleaned["tool"], arguments=cleaned["arguments"])
        shown = show_preview(edited, proposed=review.action.tool, tool=cleaned["tool"])
    return render(request, "review/preview.html", {"form": form, "preview": shown})


@require_POST
@member_page
def claim(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Hold the item, or renew the hold; answers with where it stands, or 204 when the page shows that already."""
    review = responses.find_review(request, review_id)
    try:
        review = claims.claim(review=review, membership=request.membership)
    except ConflictError:
        review = responses.find_review(request, review_id)
    standing = responses.standing(request, review)
    if standing.token == request.POST.get("shown"):
        return HttpResponse(status=204)
    return render(
        request,
        "review/state.html",
        {"review": review, "standing": standing, "next": responses.following(request, review)},
    )


@require_POST
@member_page
def release(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Give the item back and return to the queue; a page that is being left asks for no answer."""
    review = responses.find_review(request, review_id)
    claims.release(review=review, membership=request.membership)
    if "leaving" in request.POST:
        return HttpResponse(status=204)
    return responses.go(request, reverse("queue"), f"Released {review.action.tool} · it is free for others")


@require_POST
@member_page
def snooze(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Hide the item for a while and open the next one."""
    review = responses.find_review(request, review_id)
    form = SnoozeForm(request.POST)
    if not form.is_valid():
        return responses.page(request, review, status=422)
    try:
        claims.snooze(review=review, membership=request.membership, seconds=form.cleaned_data["seconds"])
    except ConflictError as error:
        return responses.overtaken(request, review, error)
    return responses.open_next(request, review, f"Snoozed {review.action.tool} · it still expires when it is due")


@require_POST
@member_page
def escalate(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Put the item on top for somebody else and open the next one."""
    review = responses.find_review(request, review_id)
    try:
        claims.escalate(review=review, membership=request.membership)
    except ConflictError as error:
        return responses.overtaken(request, review, error)
    return responses.open_next(request, review, f"Escalated {review.action.tool} · it is on top of the queue")


def _number(request: MemberRequest, name: str) -> int:
    text = request.GET.get(name, "")
    if not re.fullmatch(r"[0-9]{1,12}", text):
        raise Http404(f"{name} is a position in the text.")
    return int(text)
