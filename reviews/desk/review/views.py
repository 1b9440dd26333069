"""The review page of one item, and what a person may do about it."""

import json
import re
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from reviews import access
from reviews.decisions import edits, holds, user_confirmation
from reviews.decisions.decide import Approve, Edit, decide_action
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.queue.filters import Filters
from reviews.desk.review import canaries, responses, seen
from reviews.desk.review.case.consequence import weigh_action
from reviews.desk.review.case.edit_preview import summary_of
from reviews.desk.review.case.sources import CHUNK, unfold_text
from reviews.desk.review.case.status import read_standing
from reviews.desk.review.forms import DecisionForm, EditForm, LeavingForm, SnoozeForm, choose_form
from reviews.desk.review.page import CaseFile, open_casefile
from reviews.errors import (
    ConflictError,
    ExpiresSoonError,
    InvalidEditError,
    NotFoundError,
    NotSeenError,
    ToldError,
    found,
)
from reviews.models import Action, Decision, Outcome, Review
from reviews.queue import review_claims
from reviews.records import w3c_prov

# Offsets in a text: no text is longer than twelve digits can say, and Python refuses to read thousands of them.
_OFFSET: Final = re.compile(r"[0-9]{1,12}")
_NOTICES: Final = {
    Outcome.APPROVE: "Approved {tool} · the agent is told",
    Outcome.EDIT: "Edited {tool} · the agent is told",
    Outcome.REJECT: "Rejected {tool} · the agent is told, which is final",
    Outcome.RESPOND: "Answered the agent about {tool}",
}


@require_safe
@never_cache
@member_page
def review_page(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """The item, or only its edit form for htmx. Looking changes nothing: the page claims it with another request."""
    try:
        review = canaries.find_shown(request, review_id)
    except NotFoundError:
        if result := canaries.render_result(request, review_id):
            return result
        raise
    if request.htmx and "edit" in request.GET:
        return responses.render_form(request, review, Outcome.EDIT, responses.build_edit_form(request, review))
    return responses.render_page(request, review)


@require_safe
@never_cache
@member_page
def unfold_source(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """The next chunk of a text that the page folded."""
    review = canaries.find_shown(request, review_id)
    stretch = read_positions(request)
    # The whole case is opened, because the chunk carries the marks of everything that points into it.
    casefile = open_casefile(review, responses.list_checks(request, review))
    return render_unfolded(request, casefile, stretch, {"review": review})


def read_positions(request: MemberRequest) -> tuple[str, int, int]:
    """Which stretch of which source the address names. Raises `Http404`."""
    for bound in ("start", "end"):
        if not _OFFSET.fullmatch(request.GET.get(bound, "")):
            raise Http404(f"{bound} is a position in the text.")
    return request.GET.get("source", ""), int(request.GET["start"]), int(request.GET["end"])


def render_unfolded(
    request: MemberRequest, casefile: CaseFile, stretch: tuple[str, int, int], context: dict[str, Any]
) -> HttpResponse:
    """The stretch of the source with its marks. Raises `Http404`."""
    case, arguments = casefile.case, casefile.action.arguments
    name, start, end = stretch
    try:
        pieces = unfold_text(case.context, arguments, casefile.evidence, source=name, start=start, end=end)
    except KeyError:
        raise Http404("There is no such source.") from None
    context = {**context, "pieces": pieces, "source": name, "unfolded": True}
    # Stripped, because the chunk lands in the middle of a text, where a line break of the template would show.
    return HttpResponse(render_to_string("review/pieces.html", context, request).strip())


@require_safe
@never_cache
@member_page
def download_provenance(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """The item's record as W3C PROV-JSON, to be kept as a file."""
    action = responses.find_review(request, review_id).action
    # An attachment, so that no browser displays it: half of it is what an agent wrote.
    headers = {"Content-Disposition": f'attachment; filename="provenance-{action.pk}.json"'}
    return HttpResponse(w3c_prov.prov_json(action), content_type=w3c_prov.MEDIA_TYPE, headers=headers)


@require_POST
@member_page
def decide_review(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Approve, edit, reject or answer, then open the next item. A refused form comes back with what was typed."""
    review = canaries.find_to_decide(request, review_id)
    outcome, form = choose_form(request.POST, review.action)
    if not form.is_valid():
        return responses.render_refused_form(request, review, responses.RefusedForm(outcome, form, 422))
    choice = form.choice()
    try:
        shown_at = seen.check_seen(request, review)
    except NotSeenError as error:
        return responses.render_impossible(
            request, review, error, responses.RefusedForm(outcome, form, error.status_code)
        )
    if isinstance(choice, Approve) and _must_be_confirmed(request, review.action):
        return responses.go_to(request, reverse("approve", args=[review.pk]) + Filters.of(request.GET).within)
    try:
        return _decide(request, review, form, shown_at)
    except InvalidEditError as error:
        form.refuse(error)
        return responses.render_refused_form(request, review, responses.RefusedForm(outcome, form, 422))
    except ConflictError as error:
        return responses.render_overtaken(request, review, error, responses.RefusedForm(outcome, form, 409))


def _decide(request: MemberRequest, review: Review, form: DecisionForm, shown_at: datetime) -> HttpResponse:
    """Decide the item and open the next one; a canary is answered instead. Raises as `decide_action` does."""
    choice, edited = form.choice(), None
    # Before the decision, whose locks must not be held as long as a check may take.
    if isinstance(choice, Edit):
        edited = edits.check_edit(action=review.action, tool=choice.tool, arguments=choice.arguments)
    if canaries.is_canary(review):
        return canaries.take_answer(request, review, choice)
    decision = decide_action(
        action=review.action,
        choice=choice,
        membership=request.membership,
        judgement=form.judgement,
        edited=edited,
        shown_at=shown_at,
    )
    return responses.open_next(request, review, _notice_of(decision))


def _notice_of(decision: Decision) -> str:
    """What the next page says of it. What is held says so by itself, on every page, until the agent is told."""
    if decision.awaits_second:
        return f"Your approval of {decision.tool} is recorded · it waits for another person's"
    return "" if decision.held_until else _NOTICES[Outcome(decision.outcome)].format(tool=decision.action.tool)


def _must_be_confirmed(request: MemberRequest, action: Action) -> bool:
    """Whether a single click is too little and came alone: the page's script sends the second with the first.

    Without a script the person is asked on a page of its own.
    """
    return request.POST.get("confirmed") != "1" and weigh_action(action).asks_twice


@require_safe
@never_cache
@member_page
def approve_page(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Ask once more before a call that is grave, or found wrong, is approved: below the last part of its arguments.

    What can no longer be decided is shown as it is.
    """
    review = canaries.find_shown(request, review_id)
    standing = read_standing(review, request.membership)
    if not standing.decidable:
        return redirect("review", review.pk)
    action = review.action
    text = json.dumps(action.arguments, indent=2, ensure_ascii=False)
    parts = Paginator([text[start : start + CHUNK] for start in range(0, len(text), CHUNK)], 1)
    context = {
        **responses.keep_filters(Filters.of(request.GET)),
        "review": review,
        "seen": seen.keep_token(request, review),
        "standing": standing,
        "consequence": weigh_action(action),
        "part": parts.get_page(request.GET.get("part")),
        "characters": len(text),
        "part_length": CHUNK,
    }
    return render(request, "review/approve.html", context)


@require_POST
@member_page
def undo_decision(request: MemberRequest, decision_id: UUID) -> HttpResponse:
    """Take a decision back of which the agent has not been told; its item opens again."""
    access.require(request.membership, access.Permission.DECIDE)
    decision = found(access.own_decisions_for(request.membership).filter(pk=decision_id).first(), "decision")
    review = found(access.reviews_for(request.membership).filter(action=decision.action_id).first(), "item")
    try:
        holds.undo_decision(decision=decision, membership=request.membership)
    except ToldError as error:
        messages.error(request, f"{error} The agent was told of it, or the call has ended.")
        return redirect("review", review.pk)
    address = responses.address_of(request, review)
    return responses.go_to(request, address, f"Taken back · {decision.tool} waits again")


@require_POST
@member_page
def preview_edit(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """What the edited call changes and what is wrong with it, as it is typed; or the form in its other shape."""
    review = canaries.find_shown(request, review_id)
    form = EditForm(request.POST, action=review.action)
    if "switch" in request.GET:
        return responses.render_form(request, review, Outcome.EDIT, form.switched())
    summary = None
    if form.is_valid():
        tool, arguments = form.cleaned_data["tool"], form.cleaned_data["arguments"]
        preview = edits.preview_edit(action=review.action, tool=tool, arguments=arguments)
        summary = summary_of(preview, arguments, proposed=review.action.tool, tool=tool)
    return render(request, "review/preview.html", {"form": form, "preview": summary})


@require_POST
@member_page
def claim_review(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Claim the item, or renew the claim; returns its state, or 204 when the page shows that already.

    Tells the page until when its claim lasts, which is the one that it gives back when it is left.
    """
    review = canaries.find_shown(request, review_id)
    try:
        # Whoever approved first and looks again does not keep the item from the second person.
        if not (canaries.is_canary(review) or read_standing(review, request.membership).is_own):
            review = review_claims.claim_review(review=review, membership=request.membership)
    except ConflictError:
        # Another reviewer has it, or it is closed: the state that is returned says which.
        review = responses.find_review(request, review_id)
    # A swap would take the focus away, so nothing is sent while nothing has changed.
    is_shown = read_standing(review, request.membership).token == request.POST.get("shown")
    response = HttpResponse(status=204) if is_shown else responses.render_state(request, review)
    until = review.claimed_until if review.claimed_by_id == request.membership.user_id else None
    return trigger_client_event(response, "claimed", {"until": until.isoformat() if until else ""})


@require_POST
@member_page
def release_review(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Give the item back and return to the queue; 204 for a page that sends this while it is closed.

    Such a page gives back its own claim alone: where it is loaded anew, the new one may have claimed before this comes.
    """
    review = canaries.find_shown(request, review_id, is_open=False)
    if "leaving" in request.POST:
        form = LeavingForm(request.POST)
        if form.is_valid():
            until = form.cleaned_data["leaving"]
            review_claims.release_claim(review=review, membership=request.membership, until=until)
        return HttpResponse(status=204)
    review_claims.release_claim(review=review, membership=request.membership)
    return responses.go_to(
        request, Filters.of(request.GET).href(), f"Released {review.action.tool} · it is free for others"
    )


@require_POST
@member_page
def snooze_review(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Hide the item for a while and open the next one."""
    review = canaries.find_shown(request, review_id)
    form = SnoozeForm(request.POST)
    if not form.is_valid():
        return responses.render_page(request, review, status=422)
    try:
        # A canary comes again with another item, until its time is over.
        if not canaries.is_canary(review):
            review_claims.snooze_review(
                review=review, membership=request.membership, seconds=form.cleaned_data["seconds"]
            )
    except ExpiresSoonError as error:
        return responses.render_impossible(request, review, error)
    except ConflictError as error:
        return responses.render_overtaken(request, review, error)
    return responses.open_next(request, review, f"Put off {review.action.tool} · it is back before it expires")


@require_POST
@never_cache
@member_page
@canaries.reveals_canary
def ask_user(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Let the acting user decide; the page shows the link to hand on."""
    review = responses.find_review(request, review_id)
    try:
        path = user_confirmation.ask_user(action=review.action, by=request.membership)
    except ConflictError as error:
        return responses.render_overtaken(request, review, error)
    link = settings.GUARD.public_url + path
    return render(request, "review/user_link.html", {"review": review, "link": link})
