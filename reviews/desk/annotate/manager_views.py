"""The manager's side: open a campaign, see how far it is and how far people agree, settle what they differ about."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reviews import access
from reviews.annotation import (
    adjudication,
    annotator_figures,
    campaign_agreement,
    campaigns,
    known_answers,
    sampling,
    staffing,
)
from reviews.annotation.agreement_words import describe_agreement
from reviews.annotation.campaign_agreement import Agreement
from reviews.annotation.custom_questions import read_questions, spell_answers
from reviews.annotation.owed_items import owed_among, owed_in
from reviews.annotation.schema import Answer
from reviews.datasets import curation
from reviews.desk.annotate import meanings
from reviews.desk.annotate.annotator_views import render_unfolded
from reviews.desk.annotate.blind_case import blind_case
from reviews.desk.annotate.charts import Bar, bars_of, shade_matrix
from reviews.desk.annotate.forms import AdjudicationForm, CampaignForm, ReleaseForm, ReserveForm, initial_of
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.text.item_gists import list_gists
from reviews.errors import ConflictError, InvalidError, NotFoundError, found
from reviews.models import Adjudication, Annotation, Campaign, CampaignState, DatasetItem, ItemChoice, Membership
from reviews.records.dataset_items import case_of_item

# Flags and reasons that a page lists; all are items of the dataset's own list, filtered.
MAX_CASES: Final = 50
# Differences of a campaign that a page lists, the unsettled first.
MAX_DISPUTES: Final = 200
_MOVES = {"pause": campaigns.pause_campaign, "resume": campaigns.resume_campaign, "close": campaigns.close_campaign}


@dataclass(frozen=True)
class Measured:
    """A row of the agreement tables."""

    name: str
    agreement: Agreement
    bars: list[Bar]


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def new_campaign(request: MemberRequest) -> HttpResponse:
    """The form for a new campaign; sent, it is opened."""
    membership = request.membership
    access.require(membership, access.Permission.ADMINISTER)
    # A dataset's page names itself; anything else is no choice of the field, and none is chosen.
    begun = {"source": request.GET["source"]} if "source" in request.GET else {}
    form = CampaignForm(request.POST if request.method == "POST" else None, initial=begun, membership=membership)
    if request.method == "POST" and form.is_valid():
        try:
            return redirect("campaign", _open_campaign(form, membership).pk)
        except InvalidError as error:
            form.refuse(error)
    return render(request, "annotate/new.html", {"form": form}, status=422 if form.is_bound else 200)


@require_safe
@member_page
def campaign_page(request: MemberRequest, campaign_id: UUID) -> HttpResponse:
    """Everything about one campaign."""
    campaign = _find_campaign(request, campaign_id)
    report = campaign_agreement.measure_agreement(campaign)
    disputed = adjudication.list_disputed_items(campaign)
    progress, quality = campaigns.measure_progress(campaign), annotator_figures.measure_people(campaign)
    unsettled = sum(not dispute.settled for dispute in disputed)
    # What the manager still has to answer is counted, and nothing is said of it.
    owed = owed_in(request.membership, campaign)
    cases = _list_cases(campaign, apart_from=owed)
    hard = [item for item in report.hard if item.item not in owed]
    visible = [dispute for dispute in disputed if dispute.item.pk not in owed][:MAX_DISPUTES]
    gists = list_gists(
        {
            *(dispute.item.pk for dispute in visible),
            *(case.answer.item_id for case in cases),
            *(item.item for item in hard),
        }
    )
    context = {
        "campaign": campaign,
        "progress": progress,
        "people": [(person, quality.get(person.annotator.pk)) for person in progress.people],
        "cases": [(case, gists[case.answer.item_id]) for case in cases],
        "open_cases": sum(not case.settled for case in cases),
        "known_count": _count_known(campaign),
        "cost": staffing.cost_of_closing(campaign, unsettled=unsettled),
        "fresh": len(staffing.new_items(campaign)) if campaign.state != CampaignState.CLOSED else 0,
        "fields": [Measured(name, entry, bars_of(entry)) for name, entry in report.fields if entry.items],
        "tools": [Measured(name, entry, bars_of(entry)) for name, entry in report.tools if entry.items],
        "report": report,
        "sentence": describe_agreement(report),
        "matrix": shade_matrix(report.confusion),
        "hard": [(item, gists[item.item]) for item in hard],
        "disputed": disputed,
        "shown": [(dispute, gists[dispute.item.pk]) for dispute in visible],
        "left": unsettled,
        "is_complete": progress.answered == progress.slots and not unsettled,
        "states": CampaignState,
        "uncertain_weight": sampling.UNCERTAIN_WEIGHT,
        "bias": sampling.measure_bias(campaign) if campaign.choice == ItemChoice.UNCERTAIN else None,
    }
    return render(request, "annotate/campaign.html", context)


@require_POST
@member_page
def change_state(request: MemberRequest, campaign_id: UUID) -> HttpResponse:
    """Pause the campaign, go on with it, or close it."""
    campaign = _find_campaign(request, campaign_id)
    act = _MOVES.get(request.POST.get("move", ""))
    if act is None:
        raise NotFoundError("A campaign is paused, resumed or closed.")
    try:
        act(campaign=campaign, by=request.membership)
    except ConflictError as error:
        messages.error(request, str(error))
    return redirect("campaign", campaign_id)


@require_POST
@member_page
def reserve_items(request: MemberRequest, campaign_id: UUID) -> HttpResponse:
    """Put free items aside for one person."""
    campaign = _find_campaign(request, campaign_id)
    form = ReserveForm(request.POST, campaign=campaign)
    if form.is_valid():
        count = campaigns.reserve_items(campaign=campaign, membership=request.membership, **form.cleaned_data)
        name = form.cleaned_data["annotator"].user.get_username()
        if count:
            messages.success(request, f"{count} item{' is' if count == 1 else 's are'} put aside for {name}.")
        else:
            messages.info(request, f"Nothing is put aside: no free item is left that {name} has not had or seen.")
    else:
        messages.error(request, "Choose a person who still answers in the campaign, and how many items, from 1.")
    return redirect("campaign", campaign_id)


@require_POST
@member_page
def release_items(request: MemberRequest, campaign_id: UUID) -> HttpResponse:
    """Give what a person has not answered to others."""
    campaign = _find_campaign(request, campaign_id)
    form = ReleaseForm(request.POST, campaign=campaign)
    if form.is_valid() and form.cleaned_data["annotator"] != form.cleaned_data["to"]:
        count = staffing.release_items(campaign=campaign, membership=request.membership, **form.cleaned_data)
        messages.success(request, f"{count} open item{'' if count == 1 else 's'} given on. Drafts are kept.")
    else:
        messages.error(request, "Choose whose items are given on, and somebody else who still answers, or nobody.")
    return redirect("campaign", campaign_id)


@require_POST
@member_page
def extend_campaign(request: MemberRequest, campaign_id: UUID) -> HttpResponse:
    """Ask about what came into the dataset since."""
    campaign = _find_campaign(request, campaign_id)
    try:
        count = staffing.extend_campaign(campaign=campaign, membership=request.membership)
        messages.success(request, f"{count} new item{'' if count == 1 else 's'} will be asked about.")
    except ConflictError as error:
        messages.error(request, str(error))
    return redirect("campaign", campaign_id)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def adjudicate_item(request: MemberRequest, campaign_id: UUID, item_id: UUID) -> HttpResponse:
    """All answers about one item side by side; sent, the label that is settled. No answer can be changed here."""
    campaign = _find_campaign(request, campaign_id)
    item = _find_item(campaign, item_id)
    if owed_among(request.membership, [item.pk]):
        messages.error(request, "Answer this item yourself first: its answers would not be blind to you.")
        return redirect("campaign", campaign.pk)
    case, own_questions = case_of_item(item), read_questions(campaign.custom_questions)
    # Skips left out, in the order of their names.
    annotations = access.annotations_for(request.membership).filter(campaign=campaign, item=item, in_force=True)
    judged = annotations.exclude(judgement="").select_related("annotator__user").order_by("annotator__user__username")
    answers = list(judged)
    standing = campaign.adjudications.filter(item=item, in_force=True).select_related("adjudicator")
    settled = standing.first()
    blind = blind_case(case, opinions=[Answer.from_row(row).evidence for row in answers])
    initial = initial_of(Answer.from_row(settled), case) if settled else {"method": "chosen"}
    sent = request.POST if request.method == "POST" else None
    seen_key = sent.get("seen", "") if sent else _key_of(settled)
    form = AdjudicationForm(sent, initial=initial, case=case, steps=blind.steps, answers=judged)
    if form.is_bound and form.is_valid():
        if _settle(request, campaign, item, form, seen_key):
            return _next_disputed(request, campaign)
        # The page shows what stands now: whoever sends it again has read that.
        settled = standing.first()
        seen_key = _key_of(settled)
    context = {
        "campaign": campaign,
        "item": item,
        "form": form,
        "file": blind,
        "answers": [(row, spell_answers(own_questions, row.custom)) for row in answers],
        "skips": annotations.exclude(skip_reason="").select_related("annotator__user"),
        "settled": settled,
        "seen": seen_key,
        "unfold_at": reverse("adjudicate-source", args=[campaign.pk, item.pk]),
        "questions": set(campaign.questions),
        "meanings": meanings.list_meanings(campaign.questions),
    }
    return render(request, "annotate/adjudicate.html", context, status=422 if form.is_bound else 200)


def _settle(
    request: MemberRequest, campaign: Campaign, item: DatasetItem, form: AdjudicationForm, seen_key: str
) -> bool:
    """Settle the label as it was sent; False where that is refused, and the form says why."""
    try:
        adjudication.adjudicate_item(
            campaign=campaign,
            item=item,
            by=request.membership,
            method=form.cleaned_data["method"],
            answer=form.answer(),
            reason=form.cleaned_data["reason"],
            sources=form.sources(),
            seen_key=seen_key,
        )
    except InvalidError as error:
        form.refuse(error)
        return False
    except ConflictError as error:
        form.add_error(None, str(error))
        return False
    return True


def _key_of(settled: Adjudication | None) -> str:
    return str(settled.pk) if settled else ""


@require_safe
@member_page
def unfold_source(request: MemberRequest, campaign_id: UUID, item_id: UUID) -> HttpResponse:
    """The next chunk of a text that the adjudication page folded."""
    item = _find_item(_find_campaign(request, campaign_id), item_id)
    return render_unfolded(request, case_of_item(item), reverse("adjudicate-source", args=[campaign_id, item_id]))


@dataclass(frozen=True)
class Case:
    """What an annotator gave back for a reason or flagged for discussion."""

    answer: Annotation
    settled: bool


def _list_cases(campaign: Campaign, *, apart_from: Collection[UUID]) -> list[Case]:
    """The cases, those that nobody has settled first, then the latest."""
    rows = campaign.annotations.filter(in_force=True, item__erased_at__isnull=True).exclude(item__in=apart_from)
    settled = campaign.adjudications.filter(item=OuterRef("item"), in_force=True)
    marked = rows.filter(Q(flagged=True) | ~Q(skip_reason="")).select_related("annotator__user", "item")
    in_order = marked.annotate(settled=Exists(settled)).order_by("settled", "-created_at")
    return [Case(row, row.settled) for row in in_order.defer("item__case")[:MAX_CASES]]


def _count_known(campaign: Campaign) -> int:
    """Items of the campaign whose answer is known, where it was opened with some."""
    if not campaign.known_share:
        return 0
    items = campaign.assignments.filter(slot=1).values_list("item", flat=True)
    return len(known_answers.list_known_answers(items, apart_from=campaign))


def _find_campaign(request: MemberRequest, campaign_id: UUID) -> Campaign:
    access.require(request.membership, access.Permission.ADMINISTER)
    return found(access.campaigns_for(request.membership).filter(pk=campaign_id).first(), "campaign")


def _find_item(campaign: Campaign, item_id: UUID) -> DatasetItem:
    items = campaign.dataset.items.filter(pk=item_id, assignments__campaign=campaign, erased_at__isnull=True)
    return found(
        items.select_related("action__trace__query", "action__tool_set", "action__profile").distinct().first(),
        "item in this campaign",
    )


def _next_disputed(request: MemberRequest, campaign: Campaign) -> HttpResponse:
    """The next item that is not settled, or the campaign when all are."""
    messages.success(request, "Settled. The answers stay as they were given.")
    owed = owed_in(request.membership, campaign)
    disputed = adjudication.list_disputed_items(campaign)
    waiting = next((entry for entry in disputed if not entry.settled and entry.item.pk not in owed), None)
    if waiting is None:
        return redirect("campaign", campaign.pk)
    return redirect("adjudicate", campaign.pk, waiting.item.pk)


@transaction.atomic
def _open_campaign(form: CampaignForm, membership: Membership) -> Campaign:
    """The campaign, with a dataset of its own, named like it, unless one was chosen: both or neither."""
    cleaned = form.cleaned_data
    dataset = form.dataset(membership)
    if dataset is None:
        dataset = curation.create_dataset(by=membership, name=cleaned["name"])
        add = curation.add_decided_calls if cleaned["source"] == "decided" else curation.add_audited_calls
        add(dataset=dataset, by=membership, most=cleaned["most"])
    return campaigns.open_campaign(
        by=membership,
        dataset=dataset,
        name=cleaned["name"],
        annotators=cleaned["annotators"],
        annotators_per_item=cleaned["per_item"],
        guidelines=cleaned["guidelines"],
        questions=cleaned["questions"],
        custom_questions=cleaned["custom_questions"],
        most=cleaned["most"],
        choice=cleaned["choice"] or ItemChoice.RANDOM,
        shows_suggestions=cleaned["shows_suggestions"],
        known_share=(cleaned["known_percent"] or 0) / 100,
    )
