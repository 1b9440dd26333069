"""The responses of the review page: the page itself, a refused form, a decision that came first, or the next item."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect, reswap, retarget, trigger_client_event

from reviews import access
from reviews.decisions import two_person_rule
from reviews.decisions.user_confirmation import reason_not_to_ask
from reviews.desk import navigation
from reviews.desk.membership import MemberRequest
from reviews.desk.queue.filters import Filters
from reviews.desk.review import seen
from reviews.desk.review.call_json import write_arguments
from reviews.desk.review.case.status import read_standing
from reviews.desk.review.case.verdicts import compare_shadows
from reviews.desk.review.forms import (
    CommentForm,
    DecisionForm,
    EditForm,
    HandoverForm,
    RejectForm,
    RespondForm,
    list_snoozes,
)
from reviews.desk.review.page import CaseFile, open_casefile
from reviews.desk.review.snippets import list_snippets
from reviews.errors import ConflictError, NotFoundError
from reviews.labels import operational
from reviews.models import OPEN, Check, Plan, Review
from reviews.provenance.core.invisible import spelled_out
from reviews.provenance.detectors.intent_guard import detector
from reviews.queue import canaries, comments, ordering
from reviews.records.enforced_checks import read_enforced


@dataclass(frozen=True)
class RefusedForm:
    """A form that was sent and not accepted."""

    outcome: str
    form: DecisionForm
    status: int


def find_review(request: MemberRequest, review_id: UUID) -> Review:
    """The item, when it is the workspace's, with what its page shows. Raises `NotFoundError`."""
    return _require_found(access.review_to_show(request.membership, review_id))


def find_to_decide(request: MemberRequest, review_id: UUID) -> Review:
    """The item without the conversation around it, which may be long. Raises `NotFoundError`."""
    return _require_found(access.review_to_decide(request.membership, review_id))


def _require_found(review: Review | None) -> Review:
    if review is None:
        raise NotFoundError("There is no such item.")
    return review


def list_checks(request: MemberRequest, review: Review) -> list[Check]:
    """The checks that this member may see, with their findings and interpretations."""
    if review.action.status in OPEN:
        # Also of a canary, whose action is decided in truth.
        return read_enforced(review.action_id)
    return list(access.checks_for(request.membership).filter(action=review.action_id))


def build_edit_form(request: MemberRequest, review: Review, casefile: CaseFile | None = None) -> EditForm:
    """The edit form that the address names: filled with the proposed call, or with what puts it right."""
    reading = None
    wanted = {(name, request.GET[name]) for name in ("reading", "mend", "record") if name in request.GET}
    if wanted:
        choices = (casefile or open_casefile(review, list_checks(request, review))).choices
        reading = next((row for row in choices if set(parse_qsl(row.address)) <= wanted), None)
    as_json = request.GET.get("shown") == "json"
    first = two_person_rule.find_first_approval(review.action) if "first" in request.GET else None
    if first is not None:
        return EditForm.repeating(review.action, first, as_json=as_json)
    return EditForm.starting_from(review.action, reading, at=request.GET.get("at", ""), as_json=as_json)


def render_page(
    request: MemberRequest,
    review: Review,
    refused: RefusedForm | None = None,
    *,
    status: int = 200,
    unsent: str = "",
    **forms_sent: Form,
) -> HttpResponse:
    """The whole page; a refused form stands on it as it was typed, one that decides nothing by its name there."""
    casefile = open_casefile(review, list_checks(request, review), _find_plan(request, review))
    membership, standing = request.membership, read_standing(review, request.membership)
    forms = _list_forms(request, review, casefile, refused)
    filters = Filters.of(request.GET)
    within: dict[str, Any] = {"membership": membership, "selection": filters.selection}
    place = ordering.position_of(review=review, **within)
    if not filters.selection.narrows:
        navigation.note_pending(request, place.waiting)
    context = {
        **keep_filters(filters),
        "review": review,
        "seen": seen.keep_token(request, review),
        "file": casefile,
        "standing": standing,
        "shadows": compare_shadows(casefile.panel.shadows, standing.decision),
        "place": place,
        "next": ordering.next_review(after=review, **within),
        "previous": ordering.previous_review(before=review, **within),
        "reject_form": forms["reject"],
        "respond_form": forms["respond"],
        "edit_form": forms.get("edit"),
        "refused": refused,
        "answers": "answer" in request.GET,
        "asks_user": not reason_not_to_ask(review.action),
        "snippets": list_snippets(membership),
        "unsent": unsent,
        "snoozes": list_snoozes(review),
        "comments": list(comments.comments_on(review, membership)),
        "comment_form": CommentForm(),
        "handover_form": HandoverForm(membership=membership),
        "administers": access.can(membership, access.Permission.ADMINISTER),
        **forms_sent,
    }
    return render(request, "review/page.html", context, status=refused.status if refused else status)


def _list_forms(
    request: MemberRequest, review: Review, casefile: CaseFile, refused: RefusedForm | None
) -> dict[str, DecisionForm]:
    """The forms on the page by their outcome; a refused one as it was typed."""
    worst, question = casefile.main_reason, casefile.question
    failure, relation = operational.objection_to(review.action_id)() or ("", "")
    forms: dict[str, DecisionForm] = {
        # What the guard has proven is the likeliest reason to reject, so it is written and chosen already. Of a doubt
        # only the person can say whether it is one.
        "reject": RejectForm.suggesting(spelled_out(worst.statement), failure, relation),
        "respond": RespondForm(initial={"message": spelled_out(question.message) if question else ""}),
    }
    if refused:
        forms[refused.outcome] = refused.form
    if "edit" in request.GET and "edit" not in forms:
        forms["edit"] = build_edit_form(request, review, casefile)
    return forms


def render_refused_form(request: MemberRequest, review: Review, refused: RefusedForm) -> HttpResponse:
    """The form again with its errors: alone for htmx, else on the whole page."""
    if not request.htmx:
        return render_page(request, review, refused)
    return render_form(request, review, refused.outcome, refused.form, status=refused.status)


def render_form(
    request: MemberRequest, review: Review, outcome: str, form: DecisionForm, *, status: int = 200
) -> HttpResponse:
    """One form of the page, for htmx."""
    token, filters = seen.keep_token(request, review), keep_filters(Filters.of(request.GET))
    context = {**filters, "review": review, "seen": token, f"{outcome}_form": form}
    return render(request, f"review/{outcome}.html", context, status=status)


def render_refused_handover(request: MemberRequest, review: Review, form: HandoverForm) -> HttpResponse:
    """The form again with its errors and what was typed: alone for htmx, else on the whole page."""
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    if not request.htmx:
        return render_page(request, review, status=status, handover_form=form)
    context = {**keep_filters(Filters.of(request.GET)), "review": review, "handover_form": form}
    # What is accepted changes the state, and that is what the form expects in return.
    return retarget(render(request, "review/handover.html", context, status=status), "#handover-form")


def render_impossible(
    request: MemberRequest, review: Review, error: ConflictError, refused: RefusedForm | None = None
) -> HttpResponse:
    """Why nothing was done. What was typed stays where it is: alone for htmx, else on the whole page."""
    if not request.htmx:
        messages.error(request, str(error))
        return render_page(request, find_review(request, review.pk), refused, status=error.status_code)
    response = reswap(HttpResponse(status=error.status_code), "none")
    return trigger_client_event(response, "toast", {"text": str(error), "kind": "bad"})


def render_state(
    request: MemberRequest, review: Review, *, status: int = 200, unsent: str = "", overtaken: bool = False
) -> HttpResponse:
    """The item's state alone, as in the head of the page; `unsent` is what was typed and could not be sent.

    `overtaken`: a decision came too late.
    """
    filters = Filters.of(request.GET)
    context = {
        **keep_filters(filters),
        "review": review,
        "standing": read_standing(review, request.membership),
        "administers": access.can(request.membership, access.Permission.ADMINISTER),
        "next": ordering.next_review(membership=request.membership, after=review, selection=filters.selection),
        "unsent": unsent,
        "overtaken": overtaken,
    }
    return render(request, "review/state.html", context, status=status)


def render_overtaken(
    request: MemberRequest, review: Review, error: ConflictError, refused: RefusedForm | None = None
) -> HttpResponse:
    """The item as it is now that somebody else or its deadline was faster, and what the person had typed."""
    review = find_review(request, review.pk)
    # The JSON beside a call's fields is still the proposed one.
    edit = refused.form if refused and isinstance(refused.form, EditForm) else None
    call = write_arguments(edit.cleaned_data["arguments"]) if edit else ""
    unsent = "\n\n".join(filter(None, (call, request.POST.get("message"), request.POST.get("note"))))
    if not request.htmx:
        return render_page(request, review, refused, status=error.status_code, unsent=unsent)
    response = render_state(request, review, status=error.status_code, unsent=unsent, overtaken=refused is not None)
    # The form that was sent expects a form in return: the state belongs into the head of the page instead.
    return trigger_client_event(reswap(retarget(response, "#state"), "outerHTML"), "overtaken")


def open_next(request: MemberRequest, review: Review, notice: str = "") -> HttpResponse:
    """Open the next item with this notice, or the queue when nothing else waits."""
    filters = Filters.of(request.GET)
    # Among items of one kind it would stand out; and behind one another they would be too many.
    if not filters.narrowed and not review._state.adding:
        canary = canaries.draw_canary(request.membership, behind=review)
        if canary is not None:
            return go_to(request, reverse("review", args=[canary.pk]), notice)
    following = ordering.next_review(membership=request.membership, after=review, selection=filters.selection)
    return go_to(request, address_of(request, following) if following else filters.href(), notice)


def address_of(request: MemberRequest, review: Review) -> str:
    """The item's page within the filters of the queue."""
    return reverse("review", args=[review.pk]) + Filters.of(request.GET).within


def go_to(request: MemberRequest, address: str, notice: str = "") -> HttpResponse:
    """Open another page with a notice of what was done, in which an agent's words may stand."""
    if notice:
        messages.success(request, spelled_out(notice))
    # htmx would follow a redirect and swap the page into the form.
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


def keep_filters(filters: Filters) -> dict[str, str]:
    """What the page's addresses end with, so that the filters of the queue are kept."""
    return {"within": filters.within, "and_within": f"&{filters.query}" if filters.query else ""}


def _find_plan(request: MemberRequest, review: Review) -> Plan | None:
    """The last plan that the agent submitted before the action, where the workspace checks calls against plans."""
    action = review.action
    if detector.NAME not in action.profile.detectors:
        return None
    plans = access.plans_for(request.membership).filter(
        trace__agent=action.trace.agent_id, trace__external_id=action.trace.external_id
    )
    # A later plan is not the one that this call was checked against.
    return plans.filter(created_at__lte=action.created_at).order_by("-created_at", "-id").first()
