"""The manager's side: open a campaign, see how far it is and how far people agree, settle what they differ about."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reviews import access
from reviews.annotation import adjudication, agreement, campaigns
from reviews.annotation.agreement import Agreement
from reviews.annotation.agreement_words import describe_agreement
from reviews.annotation.schema import Answer
from reviews.datasets import curation
from reviews.desk.annotate import meanings
from reviews.desk.annotate.blind_case import blind_case
from reviews.desk.annotate.charts import Bar, bars_of, shade_matrix
from reviews.desk.annotate.forms import AdjudicationForm, CampaignForm, ReserveForm, initial_of
from reviews.desk.annotate.workspace import render_unfolded
from reviews.desk.membership import MemberRequest, member_page
from reviews.errors import ConflictError, InvalidError, NotFoundError, found
from reviews.models import Campaign, CampaignState, DatasetItem, Membership
from reviews.records.dataset_items import case_of_item

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
    report = agreement.measure_agreement(campaign)
    disputed = adjudication.list_disputed_items(campaign)
    context = {
        "campaign": campaign,
        "progress": campaigns.measure_progress(campaign),
        "fields": [Measured(name, entry, bars_of(entry)) for name, entry in report.fields if entry.items],
        "tools": [Measured(name, entry, bars_of(entry)) for name, entry in report.tools if entry.items],
        "report": report,
        "sentence": describe_agreement(report),
        "matrix": shade_matrix(report.confusion),
        "disputed": disputed,
        "left": sum(not dispute.settled for dispute in disputed),
        "states": CampaignState,
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
        messages.success(request, f"{count} items are put aside for {name}.")
    else:
        messages.error(request, "Choose a person of the campaign and how many items, from 1.")
    return redirect("campaign", campaign_id)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def adjudicate_item(request: MemberRequest, campaign_id: UUID, item_id: UUID) -> HttpResponse:
    """All answers about one item side by side; sent, the label that is settled. No answer can be changed here."""
    campaign = _find_campaign(request, campaign_id)
    item = _find_item(campaign, item_id)
    case = case_of_item(item)
    # Skips left out, in the order of their names.
    annotations = access.annotations_for(request.membership).filter(campaign=campaign, item=item, in_force=True)
    judged = annotations.exclude(judgement="").select_related("annotator__user").order_by("annotator__user__username")
    answers = list(judged)
    settled = campaign.adjudications.filter(item=item, in_force=True).select_related("adjudicator").first()
    blind = blind_case(case, opinions=[Answer.from_row(row).evidence for row in answers])
    initial = initial_of(Answer.from_row(settled), case) if settled else {"method": "chosen"}
    sent = request.POST if request.method == "POST" else None
    form = AdjudicationForm(sent, initial=initial, case=case, steps=blind.steps, answers=judged)
    if form.is_bound and form.is_valid():
        try:
            adjudication.adjudicate_item(
                campaign=campaign,
                item=item,
                by=request.membership,
                method=form.cleaned_data["method"],
                answer=form.answer(),
                reason=form.cleaned_data["reason"],
                sources=form.sources(),
            )
        except InvalidError as error:
            form.refuse(error)
        else:
            return _next_disputed(request, campaign)
    context = {
        "campaign": campaign,
        "item": item,
        "form": form,
        "file": blind,
        "answers": answers,
        "settled": settled,
        "unfold_at": reverse("adjudicate-source", args=[campaign.pk, item.pk]),
        "questions": set(campaign.questions),
        "meanings": meanings.list_meanings(campaign.questions),
    }
    return render(request, "annotate/adjudicate.html", context, status=422 if form.is_bound else 200)


@require_safe
@member_page
def unfold_source(request: MemberRequest, campaign_id: UUID, item_id: UUID) -> HttpResponse:
    """The next chunk of a text that the adjudication page folded."""
    item = _find_item(_find_campaign(request, campaign_id), item_id)
    return render_unfolded(request, case_of_item(item), reverse("adjudicate-source", args=[campaign_id, item_id]))


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
    waiting = next((entry for entry in adjudication.list_disputed_items(campaign) if not entry.settled), None)
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
        most=cleaned["most"],
    )
