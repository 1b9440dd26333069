"""What the review desk answers with: the page, a refused form, what stands now, or the next item."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect, reswap, retarget, trigger_client_event

from reviews import access
from reviews.desk.membership import MemberRequest
from reviews.desk.review.case.shadow_results import shadow_results
from reviews.desk.review.case.status import Standing, standing_of
from reviews.desk.review.forms import SNOOZES, DecisionForm, EditForm, RejectForm, RespondForm
from reviews.desk.review.page import CaseFile, open_casefile
from reviews.errors import ConflictError, NotFoundError
from reviews.models import Check, Interpretation, Plan, Review
from reviews.provenance.core.invisible import spelled_out
from reviews.provenance.detectors.intent_guard import detector
from reviews.queue import order


@dataclass(frozen=True)
class Refused:
    """A form that was sent and not accepted."""

    outcome: str
    form: DecisionForm
    status: int


def find_review(request: MemberRequest, review_id: UUID) -> Review:
    """The item, when it is the workspace's. Raises `NotFoundError`."""
    reviews = access.reviews_for(request.membership).select_related("action__tool_set", "action__profile")
    review = reviews.filter(pk=review_id).first()
    if review is None:
        raise NotFoundError("There is no such item.")
    return review


def checks_of(request: MemberRequest, review: Review) -> list[Check]:
    """What the detectors said, with findings and interpretations at hand."""
    return list(access.checks_for(request.membership).filter(action=review.action_id).order_by("created_at"))


def plan_of(request: MemberRequest, review: Review) -> Plan | None:
    """The last plan that the agent submitted before the action, where the workspace holds calls against plans."""
    action = review.action
    if detector.NAME not in action.profile.detectors:
        return None
    plans = access.plans_for(request.membership).filter(trace__external_id=action.trace.external_id)
    return plans.filter(created_at__lte=action.created_at).order_by("-created_at", "-id").first()


def standing(request: MemberRequest, review: Review) -> Standing:
    """Where the item stands for whoever asks."""
    return standing_of(review, request.membership)


def following(request: MemberRequest, review: Review) -> Review | None:
    """What would open after this item."""
    return order.next_review(membership=request.membership, after=review)


def edit_form(request: MemberRequest, review: Review) -> EditForm:
    """The edit form as the address asks for it: from the proposed call, or from one of its readings."""
    wanted = request.GET.get("reading", "")
    readings = Interpretation.objects.filter(
        check_run__in=access.checks_for(request.membership).filter(action=review.action_id)
    )
    reading = next((each for each in readings if str(each.pk) == wanted), None)
    return EditForm.starting_from(review.action, reading, request.GET.get("at", ""))


def page(
    request: MemberRequest, review: Review, refused: Refused | None = None, *, status: int = 200, kept: str = ""
) -> HttpResponse:
    """The whole page; a refused form stands on it as it was typed."""
    casefile, stands = _casefile(request, review), standing(request, review)
    forms: dict[str, DecisionForm] = {
        "reject": RejectForm(initial={"misalignment": casefile.type_of_failure}),
        "respond": RespondForm(),
    }
    if refused:
        forms[refused.outcome] = refused.form
    editing_now = "edit" in request.GET or "edit" in forms
    context = {
        "review": review,
        "file": casefile,
        "standing": stands,
        "shadows": shadow_results(casefile.panel.shadows, stands),
        "place": order.position_of(review=review, membership=request.membership),
        "next": following(request, review),
        "previous": order.previous_review(membership=request.membership, before=review),
        "reject_form": forms["reject"],
        "respond_form": forms["respond"],
        "edit_form": (forms.get("edit") or edit_form(request, review)) if editing_now else None,
        "refused": refused,
        "kept": kept,
        "snoozes": SNOOZES,
    }
    return render(request, "review/page.html", context, status=refused.status if refused else status)


def _casefile(request: MemberRequest, review: Review) -> CaseFile:
    return open_casefile(review, checks_of(request, review), plan_of(request, review))


def again(request: MemberRequest, review: Review, refused: Refused) -> HttpResponse:
    """The form again with its errors: alone for htmx, else on the whole page."""
    if not request.htmx:
        return page(request, review, refused)
    context = {"review": review, f"{refused.outcome}_form": refused.form}
    return render(request, f"review/{refused.outcome}.html", context, status=refused.status)


def overtaken(
    request: MemberRequest, review: Review, error: ConflictError, refused: Refused | None = None
) -> HttpResponse:
    """Somebody or the clock was faster: show what stands now, and what was typed beside it."""
    review = find_review(request, review.pk)
    kept = "\n\n".join(filter(None, (request.POST.get("arguments"), request.POST.get("message"))))
    if not request.htmx:
        return page(request, review, refused, status=error.status_code, kept=kept)
    context = {
        "review": review,
        "standing": standing(request, review),
        "next": following(request, review),
        "kept": kept,
    }
    response = render(request, "review/state.html", context, status=error.status_code)
    return trigger_client_event(reswap(retarget(response, "#state"), "outerHTML"), "overtaken")


def open_next(request: MemberRequest, review: Review, done: str) -> HttpResponse:
    """Open the next item, or the queue when nothing else waits."""
    upcoming = following(request, review)
    return go(request, reverse("review", args=[upcoming.pk]) if upcoming else reverse("queue"), done)


def go(request: MemberRequest, address: str, done: str) -> HttpResponse:
    """Go to another page, which tells what was done."""
    messages.success(request, spelled_out(done))
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
