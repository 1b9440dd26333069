"""The review page: one item on the table, and what a person may do about it."""

import re
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect, reswap, retarget, trigger_client_event

from reviews import access, decisions, editing, reviewing
from reviews.errors import ConflictError, InvalidEditError, NotFoundError
from reviews.models import Check, Interpretation, Outcome, Review
from reviews.web.casefile import open_casefile
from reviews.web.casefile.exhibits import unfolded
from reviews.web.casefile.preview import show_preview
from reviews.web.casefile.standing import Standing, standing_of
from reviews.web.decision_forms import (
    SNOOZES,
    DecisionForm,
    EditForm,
    RejectForm,
    RespondForm,
    SnoozeForm,
    form_for,
)
from reviews.web.membership import MemberRequest, member_page

_DONE = {
    Outcome.APPROVE: "Approved {tool} · the agent is told",
    Outcome.EDIT: "Edited {tool} · the agent is told",
    Outcome.REJECT: "Rejected {tool} · the agent is told",
    Outcome.RESPOND: "Answered the agent about {tool}",
}


@dataclass(frozen=True)
class Refused:
    """A form that was sent and not accepted."""

    outcome: str
    form: DecisionForm
    status: int


@require_safe
@never_cache
@member_page
def review_page(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """The item. Looking changes nothing: the page claims it with a request of its own."""
    review = _review(request, review_id)
    if request.htmx and "edit" in request.GET:
        context = {"review": review, "edit_form": _edit_form(request, review), "standing": _standing(request, review)}
        return render(request, "review/edit.html", context)
    return _page(request, review)


@require_safe
@never_cache
@member_page
def source(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """The next stretch of a text that the page folded."""
    review = _review(request, review_id)
    casefile = open_casefile(review, _checks(request, review))
    name, start, end = request.GET.get("source", ""), _number(request, "start"), _number(request, "end")
    try:
        pieces = unfolded(casefile.case.context, review.action, casefile.evidence, source=name, start=start, end=end)
    except KeyError:
        raise Http404("There is no such source.") from None
    return render(request, "review/unfolded.html", {"review": review, "pieces": pieces, "source": name})


@require_POST
@member_page
def decide(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Approve, edit, reject or answer; then the next item opens. A refusal keeps what was typed."""
    review = _review(request, review_id)
    outcome, form = form_for(request.POST, review.action)
    if not form.is_valid():
        return _again(request, review, Refused(outcome, form, 422))
    try:
        decisions.decide(
            action=review.action,
            choice=form.choice(),
            membership=request.membership,
            misalignment=form.cleaned_data.get("misalignment", ""),
        )
    except InvalidEditError as error:
        form.refuse(error)
        return _again(request, review, Refused(outcome, form, 422))
    except ConflictError as error:
        return _overtaken(request, review, error, Refused(outcome, form, 409))
    return _next(request, review, _DONE[Outcome(outcome)].format(tool=review.action.tool))


@require_POST
@member_page
def preview_edit(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """What releasing the edited call would mean, while it is being typed."""
    review = _review(request, review_id)
    form = EditForm(request.POST, action=review.action)
    shown = None
    if form.is_valid():
        cleaned = form.cleaned_data
        edited = editing.preview_edit(action=review.action, tool=cleaned["tool"], arguments=cleaned["arguments"])
        shown = show_preview(edited)
    return render(request, "review/preview.html", {"form": form, "preview": shown})


@require_POST
@member_page
def claim(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Hold the item, or renew the hold; answers with where it stands, or 204 when the page shows that already."""
    review = _review(request, review_id)
    try:
        review = reviewing.claim(review=review, membership=request.membership)
    except ConflictError:
        review = _review(request, review_id)
    standing = _standing(request, review)
    if standing.token == request.POST.get("shown"):
        return HttpResponse(status=204)
    return render(
        request, "review/state.html", {"review": review, "standing": standing, "next": _after(request, review)}
    )


@require_POST
@member_page
def release(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Give the item back and return to the queue."""
    review = _review(request, review_id)
    reviewing.release(review=review, membership=request.membership)
    return _go(request, reverse("queue"), f"Released {review.action.tool} · it is free for others")


@require_POST
@member_page
def snooze(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Hide the item for a while and open the next one."""
    review = _review(request, review_id)
    form = SnoozeForm(request.POST)
    if not form.is_valid():
        return _page(request, review, status=422)
    try:
        reviewing.snooze(review=review, membership=request.membership, seconds=form.cleaned_data["seconds"])
    except ConflictError as error:
        return _overtaken(request, review, error)
    return _next(request, review, f"Snoozed {review.action.tool} · it still expires when it is due")


@require_POST
@member_page
def escalate(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Put the item on top for somebody else and open the next one."""
    review = _review(request, review_id)
    try:
        reviewing.escalate(review=review, membership=request.membership)
    except ConflictError as error:
        return _overtaken(request, review, error)
    return _next(request, review, f"Escalated {review.action.tool} · it is on top of the queue")


def _review(request: MemberRequest, review_id: UUID) -> Review:
    reviews = access.reviews_for(request.membership).select_related("action__tool_set", "action__profile")
    review = reviews.filter(pk=review_id).first()
    if review is None:
        raise NotFoundError("There is no such item.")
    return review


def _checks(request: MemberRequest, review: Review) -> list[Check]:
    return list(access.checks_for(request.membership).filter(action=review.action_id).order_by("created_at"))


def _standing(request: MemberRequest, review: Review) -> Standing:
    return standing_of(review, request.membership)


def _after(request: MemberRequest, review: Review) -> Review | None:
    return reviewing.next_review(membership=request.membership, after=review)


def _edit_form(request: MemberRequest, review: Review, at: str = "") -> EditForm:
    wanted = request.GET.get("reading", "")
    readings = Interpretation.objects.filter(check_run__action=review.action_id)
    reading = next((each for each in readings if str(each.pk) == wanted), None)
    return EditForm.starting_from(review.action, reading, at or request.GET.get("at", ""))


def _number(request: MemberRequest, name: str) -> int:
    text = request.GET.get(name, "")
    if not re.fullmatch(r"[0-9]{1,12}", text):
        raise Http404(f"{name} is a position in the text.")
    return int(text)


def _page(
    request: MemberRequest, review: Review, refused: Refused | None = None, *, status: int = 200, kept: str = ""
) -> HttpResponse:
    casefile = open_casefile(review, _checks(request, review))
    forms = {"reject": RejectForm(initial={"misalignment": casefile.type_of_failure}), "respond": RespondForm()}
    if refused:
        forms[refused.outcome] = refused.form
    editing_now = "edit" in request.GET or "edit" in forms
    context = {
        "review": review,
        "file": casefile,
        "standing": _standing(request, review),
        "place": reviewing.place_of(review=review, membership=request.membership),
        "next": _after(request, review),
        "previous": reviewing.previous_review(membership=request.membership, before=review),
        "reject_form": forms["reject"],
        "respond_form": forms["respond"],
        "edit_form": (forms.get("edit") or _edit_form(request, review)) if editing_now else None,
        "refused": refused,
        "kept": kept,
        "snoozes": SNOOZES,
    }
    return render(request, "review/page.html", context, status=refused.status if refused else status)


def _again(request: MemberRequest, review: Review, refused: Refused) -> HttpResponse:
    if not request.htmx:
        return _page(request, review, refused)
    context = {"review": review, f"{refused.outcome}_form": refused.form, "standing": _standing(request, review)}
    return render(request, f"review/{refused.outcome}.html", context, status=refused.status)


def _overtaken(
    request: MemberRequest, review: Review, error: ConflictError, refused: Refused | None = None
) -> HttpResponse:
    """Somebody or the clock was faster: show what stands now, and what was typed beside it."""
    review = _review(request, review.pk)
    kept = request.POST.get("message", "")
    if not request.htmx:
        return _page(request, review, refused, status=error.status_code, kept=kept)
    context = {"review": review, "standing": _standing(request, review), "next": _after(request, review), "kept": kept}
    response = render(request, "review/state.html", context, status=error.status_code)
    return trigger_client_event(reswap(retarget(response, "#state"), "outerHTML"), "overtaken")


def _next(request: MemberRequest, review: Review, done: str) -> HttpResponse:
    following = _after(request, review)
    return _go(request, reverse("review", args=[following.pk]) if following else reverse("queue"), done)


def _go(request: MemberRequest, address: str, done: str) -> HttpResponse:
    messages.success(request, done)
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
