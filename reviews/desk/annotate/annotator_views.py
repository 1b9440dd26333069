"""The annotator's side: their campaigns, one item after the other, drafts, skips and undo."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reviews import access, pagination
from reviews.annotation import answers, assignment, campaigns
from reviews.annotation.custom_questions import read_questions
from reviews.annotation.schema import Answer
from reviews.annotation.suggestions import suggestion_for
from reviews.desk.annotate import finding, meanings
from reviews.desk.annotate.blind_case import blind_case
from reviews.desk.annotate.forms import MAX_SECONDS, AnswerForm, initial_of, initial_of_draft, marked_in
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.review.call_json import write_arguments
from reviews.desk.review.case.sources import unfold_text
from reviews.errors import ConflictError, InvalidCursorError, InvalidError, NotFoundError, found
from reviews.models import Annotation, Annotator, Assignment, Campaign, CampaignState, Draft
from reviews.provenance.core.context import Case
from reviews.records.dataset_items import case_of_item

SKIP_REASONS: Final = (
    "I cannot judge this without knowledge I lack",
    "The text is broken or cut off",
    "I know this case",
)
# Answers on a page of one's own.
OWN_ANSWERS: Final = 50
# What a draft keeps of a form. Everything else, such as the token of the form, is not the person's.
_DRAFTED: Final = (
    "judgement", "misalignment", "relation", "first_misaligned_step", "evidence", "corrected_tool",
    "corrected_arguments", "interpretations", "note", "flagged",
)  # fmt: skip


@require_safe
@member_page
def campaign_list(request: MemberRequest) -> HttpResponse:
    """The member's campaigns: those they answer in, or for administrators all of the workspace."""
    membership = request.membership
    manages = access.can(membership, access.Permission.ADMINISTER)
    if not manages:
        access.require(membership, access.Permission.ANNOTATE)
    rows = [(campaign, campaigns.measure_progress(campaign)) for campaign in access.campaigns_for(membership)]
    mine = {
        person.annotator.campaign_id: person
        for _, progress in rows
        for person in progress.people
        if person.annotator.user_id == membership.user_id
    }
    listed = [(campaign, progress, mine.get(campaign.pk)) for campaign, progress in rows]
    return render(request, "annotate/campaigns.html", {"rows": listed, "manages": manages})


@require_POST
@member_page
def open_next_item(request: MemberRequest, campaign_id: UUID) -> HttpResponse:
    """Open the item the person is at, or the next one."""
    return _open_next(request, _find_annotator(request, campaign_id).campaign)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def item_page(request: MemberRequest, campaign_id: UUID, item_id: UUID) -> HttpResponse:
    """One item of the campaign; sent, the answer is stored and the next item opens."""
    annotator = _find_annotator(request, campaign_id)
    if request.method != "POST" and assignment.was_given_away(annotator, item_id):
        return _refuse_to_list(
            request, "Meanwhile others were asked about this item. What you entered is kept as a draft."
        )
    slot = _find_slot(annotator, item_id)
    case = case_of_item(slot.item)
    steps, own_questions = blind_case(case).steps, read_questions(annotator.campaign.custom_questions)
    if request.method != "POST":
        initial = _initial_values(annotator, slot, case)
        return _render_item(
            request, slot, AnswerForm(initial=initial, case=case, steps=steps, custom_questions=own_questions)
        )
    form = AnswerForm(request.POST, case=case, steps=steps, custom_questions=own_questions)
    if not form.is_valid():
        return _render_item(request, slot, form, status=422)
    try:
        answers.store_answer(
            campaign=annotator.campaign,
            item=item_id,
            membership=request.membership,
            answer=form.answer(),
            seconds=form.cleaned_data["seconds"] or 0.0,
            flagged=form.cleaned_data["flagged"],
            custom=form.custom(),
        )
    except InvalidError as error:
        form.refuse(error)
        return _render_item(request, slot, form, status=422)
    except ConflictError as error:
        _keep_draft(request, annotator, item_id)
        is_paused = annotator.campaign.state == CampaignState.PAUSED
        draft_notice = " What you entered is kept as a draft, for when it goes on." if is_paused else ""
        return _refuse_to_list(request, f"{error}{draft_notice}")
    return _open_next(request, annotator.campaign)


@require_POST
@member_page
def save_draft(request: MemberRequest, campaign_id: UUID, item_id: UUID) -> HttpResponse:
    """Keep what is typed; says when it was kept."""
    annotator = _find_annotator(request, campaign_id)
    try:
        is_theirs = _keep_draft(request, annotator, item_id, opened_at=_opened_at(request))
    except (ConflictError, InvalidError) as error:
        return HttpResponse(str(error), status=error.status_code, content_type="text/plain")
    return render(request, "annotate/kept.html", {"held": is_theirs, "at": timezone.now()})


@require_POST
@member_page
def skip_item(request: MemberRequest, campaign_id: UUID, item_id: UUID) -> HttpResponse:
    """Give the item back for a reason and open the next one."""
    annotator = _find_annotator(request, campaign_id)
    try:
        answers.skip_item(
            campaign=annotator.campaign,
            item=item_id,
            membership=request.membership,
            reason=request.POST.get("skip_reason", ""),
            seconds=_seconds_in_view(request),
            flagged=bool(request.POST.get("flagged")),
        )
    except (ConflictError, InvalidError) as error:
        return _refuse_to_list(request, str(error))
    return _open_next(request, annotator.campaign)


@require_POST
@member_page
def undo_latest(request: MemberRequest, campaign_id: UUID) -> HttpResponse:
    """Take the latest answer back and open its item with what was said."""
    annotator = _find_annotator(request, campaign_id)
    try:
        item = answers.undo_latest_answer(campaign=annotator.campaign, membership=request.membership)
    except ConflictError as error:
        return _refuse_to_list(request, str(error))
    if item is None:
        messages.info(request, "There is nothing to undo.")
        return _open_next(request, annotator.campaign)
    messages.success(request, "Taken back. What you said is in the form.")
    return redirect("annotate", campaign_id, item)


@require_safe
@member_page
def unfold_source(request: MemberRequest, campaign_id: UUID, item_id: UUID) -> HttpResponse:
    """The next chunk of a text that the page folded."""
    annotator = _find_annotator(request, campaign_id)
    slot = _find_slot(annotator, item_id)
    return render_unfolded(request, case_of_item(slot.item), reverse("annotate-source", args=[campaign_id, item_id]))


@require_safe
@member_page
def find_words(request: MemberRequest, campaign_id: UUID, item_id: UUID) -> HttpResponse:
    """Every place of the conversation where these words stand: the same for all who answer."""
    slot = _find_slot(_find_annotator(request, campaign_id), item_id)
    places = finding.find_places(case_of_item(slot.item).context, request.GET.get("words", ""))
    part = "annotate/places.html" if request.htmx else "annotate/places_page.html"
    return render(request, part, {"places": places, "campaign": slot.campaign_id, "item": item_id})


@require_safe
@member_page
def own_answers(request: MemberRequest, campaign_id: UUID) -> HttpResponse:
    """What the person has answered in a campaign, the latest first; open to change while it runs."""
    annotator = _find_annotator(request, campaign_id)
    rows = annotator.annotations.filter(in_force=True, item__erased_at__isnull=True).select_related("item")
    rows, order = rows.defer("item__case"), ("-created_at", "-id")
    try:
        page = pagination.keyset(rows, order=order, cursor=request.GET.get("after") or None, limit=OWN_ANSWERS)
    except InvalidCursorError:
        page = pagination.keyset(rows, order=order, cursor=None, limit=OWN_ANSWERS)
    context = {
        "campaign": annotator.campaign,
        "rows": page.items,
        "further": page.next_cursor,
        "mine": campaigns.measure_own_progress(annotator),
    }
    return render(request, "annotate/own_answers.html", context)


def render_unfolded(request: MemberRequest, case: Case, address: str) -> HttpResponse:
    """The stretch of a source that the request names, without any mark."""
    blind = blind_case(case)
    try:
        start, end = (int(request.GET.get(bound, "")[:12]) for bound in ("start", "end"))
        name = request.GET.get("source", "")
        pieces = unfold_text(case.context, case.action.arguments, blind.evidence, source=name, start=start, end=end)
    except (KeyError, ValueError):
        raise Http404("There is no such text.") from None
    context = {"unfold_at": address, "pieces": pieces, "source": name, "unfolded": True}
    # Stripped, because the chunk lands in the middle of a text, where a line break of the template would show.
    return HttpResponse(render_to_string("review/pieces.html", context, request).strip())


def _find_annotator(request: MemberRequest, campaign_id: UUID) -> Annotator:
    return found(access.annotators_for(request.membership).filter(campaign=campaign_id).first(), "campaign")


def _find_slot(annotator: Annotator, item_id: UUID) -> Assignment:
    """The person's slot of the item. Raises `NotFoundError` for any other item: it is not theirs to see."""
    slots = annotator.assignments.filter(item=item_id, item__erased_at__isnull=True)
    slot = slots.select_related("item__action__trace__query", "item__action__tool_set", "item__action__profile").first()
    if slot is None:
        raise NotFoundError("This item is not assigned to you.")
    return slot


def _initial_values(annotator: Annotator, slot: Assignment, case: Case) -> dict[str, Any]:
    """What the form opens with: the draft, else the answer in force, else nothing."""
    of_person = {"annotator": annotator, "item": slot.item_id}
    draft = Draft.objects.filter(**of_person).first()
    if draft is not None:
        return {**initial_of_draft(draft.content, case), "seconds": draft.seconds}
    stored = Annotation.objects.filter(**of_person, in_force=True).first()
    if stored is not None:
        return {
            **initial_of(Answer.from_row(stored), case),
            **stored.custom,
            "flagged": stored.flagged,
            "seconds": stored.seconds,
        }
    return {"seconds": 0}


def _render_item(request: MemberRequest, slot: Assignment, form: AnswerForm, *, status: int = 200) -> HttpResponse:
    annotator, case = _find_annotator(request, slot.campaign_id), form.case
    sent = form.data if form.is_bound else form.initial
    mine = campaigns.measure_own_progress(annotator)
    context = {
        "campaign": annotator.campaign,
        "slot": slot,
        "opened_at": timezone.now().isoformat(),
        "form": form,
        "file": blind_case(case, marked_in(sent, case)),
        "unfold_at": reverse("annotate-source", args=[slot.campaign_id, slot.item_id]),
        "mine": mine,
        "suggestion": suggestion_for(annotator.campaign, slot),
        "find_at": reverse("annotate-find", args=[slot.campaign_id, slot.item_id]),
        "proposed": write_arguments(dict(case.action.arguments)),
        "skip_reasons": SKIP_REASONS,
        "questions": set(annotator.campaign.questions),
        "meanings": meanings.list_meanings(annotator.campaign.questions),
        "newcomer": not mine.answered,
    }
    return render(request, "annotate/item.html", context, status=status)


def _open_next(request: MemberRequest, campaign: Campaign) -> HttpResponse:
    """The person's next item; their list when there is none, or the campaign does not run."""
    try:
        slot = assignment.next_item(campaign=campaign, membership=request.membership)
    except ConflictError as error:
        return _refuse_to_list(request, str(error))
    if slot is None:
        messages.success(request, f"Nothing is left for you in {campaign.name}.")
        return redirect("campaigns")
    return redirect("annotate", campaign.pk, slot.item_id)


def _refuse_to_list(request: MemberRequest, why: str) -> HttpResponse:
    """Back to the list, which says why."""
    messages.error(request, why)
    return redirect("campaigns")


def _keep_draft(
    request: MemberRequest, annotator: Annotator, item_id: UUID, *, opened_at: datetime | None = None
) -> bool:
    content: dict[str, Any] = {name: request.POST[name] for name in _DRAFTED if name in request.POST}
    # Several may be chosen of one question; a field that takes one value takes the last of a list.
    several = {question.name for question in read_questions(annotator.campaign.custom_questions)}
    for name in several & request.POST.keys():
        values = request.POST.getlist(name)
        content[name] = values if len(values) > 1 else values[0]
    return answers.save_draft(
        campaign=annotator.campaign,
        item=item_id,
        membership=request.membership,
        content=content,
        seconds=_seconds_in_view(request),
        opened_at=opened_at,
    )


def _opened_at(request: MemberRequest) -> datetime | None:
    """When the server made the page that the draft comes from; None where it does not say."""
    try:
        at = parse_datetime(request.POST.get("opened_at", ""))
    except ValueError:
        return None
    return at if at and is_aware(at) else None


def _seconds_in_view(request: MemberRequest) -> float:
    """Seconds that the page counted; 0 for anything that is no such number."""
    try:
        seconds = float(request.POST.get("seconds", "0"))
    except ValueError:
        return 0.0
    # Also false for a value that is not a number, which compares with nothing.
    return seconds if 0 <= seconds <= MAX_SECONDS else 0.0
