"""Campaigns of annotation: open, pause and close them, see how far they are and how far people agree.

Answers themselves are given by people, on the pages. Reading takes a key that may read all labels of its workspace,
everything else one that manages ground truth.
"""

from types import MappingProxyType
from typing import Final
from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from reviews import access
from reviews.annotation import adjudication, campaign_agreement, campaigns
from reviews.annotation.owed_items import owed_in
from reviews.annotation.schema import Answer
from reviews.api.authentication import caller
from reviews.api.responses import answer, answer_header, documented, refused
from reviews.api.schemas import campaign_answers as answers
from reviews.api.serializers import campaigns as representation
from reviews.api.views.datasets import dataset_of
from reviews.api.views.endpoint import Endpoint
from reviews.errors import FieldProblem, InvalidCampaignError, found
from reviews.intake.wire.pydantic_errors import validate_model
from reviews.models import Campaign, CampaignState, Dataset, Membership
from reviews.provenance.core.context import Span

# A workspace has some dozens; the answer is built in memory.
_MAX_CAMPAIGNS: Final = 500
_MOVES: Final = MappingProxyType(
    {
        CampaignState.PAUSED: campaigns.pause_campaign,
        CampaignState.RUNNING: campaigns.resume_campaign,
        CampaignState.CLOSED: campaigns.close_campaign,
    }
)


class CampaignsView(Endpoint):
    """The workspace's campaigns."""

    @extend_schema(
        operation_id="campaigns_list",
        summary="List the campaigns",
        tags=["campaigns"],
        responses={**documented(ok_200=(answers.Campaigns, "Newest first; none without the right.")), **refused()},
    )
    def get(self, request: Request) -> HttpResponse:
        """Every campaign. A key needs the right to read all labels, or to manage ground truth."""
        readable = access.campaigns_for(caller(request))[:_MAX_CAMPAIGNS]
        return answer(
            answers.Campaigns(campaigns=[representation.serialize_campaign(campaign) for campaign in readable])
        )

    @extend_schema(
        operation_id="campaigns_open",
        summary="Open a campaign",
        tags=["campaigns"],
        request=answers.CampaignRequest,
        parameters=[answer_header("Location", "Where the campaign is read.", 200, 201)],
        responses={
            **documented(
                known_200=(answers.CampaignWithProgress, "It was opened before."),
                opened_201=(answers.CampaignWithProgress, "It is open."),
            ),
            **refused(400, 403, 404, 413, 415, 422),
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """Put questions about what a dataset holds now to some people, who do not see each other's answers.

        Sent again with the same people, questions and other choices (`most` is not compared) it is the same campaign.
        """
        access.require_curator(caller(request))
        sent = validate_model(answers.CampaignRequest, request.data)
        dataset = dataset_of(request, sent.dataset)
        existing = _find_same(request, dataset, sent)
        try:
            campaign = existing or self._open(request, dataset, sent)
        except InvalidCampaignError:
            # Of two that are sent at once the second meets the first one's name.
            existing = _find_same(request, dataset, sent)
            if existing is None:
                raise
            campaign = existing
        where = reverse("api:campaign", args=[campaign.pk])
        return answer(representation.serialize_with_progress(campaign), 200 if existing else 201, {"Location": where})

    @staticmethod
    def _open(request: Request, dataset: Dataset, sent: answers.CampaignRequest) -> Campaign:
        """Raises `InvalidCampaignError`."""
        return campaigns.open_campaign(
            by=caller(request),
            dataset=dataset,
            name=sent.name,
            annotators=_find_annotators(request, sent.annotators),
            annotators_per_item=sent.annotators_per_item,
            guidelines=sent.guidelines,
            questions=sent.questions,
            seed=sent.seed,
            most=sent.most,
            choice=sent.choice,
            known_share=sent.known_share,
            shows_suggestions=sent.shows_suggestions,
        )


class CampaignView(Endpoint):
    """One campaign."""

    @extend_schema(
        operation_id="campaigns_read",
        summary="Read how far a campaign is",
        tags=["campaigns"],
        responses={**documented(ok_200=(answers.CampaignWithProgress, "The campaign.")), **refused(404)},
    )
    def get(self, request: Request, campaign_id: UUID) -> HttpResponse:
        """The campaign, what was answered, by whom, and how much people differ about."""
        return answer(representation.serialize_with_progress(_campaign_of(request, campaign_id)))

    @extend_schema(
        operation_id="campaigns_move",
        summary="Pause, resume or close a campaign",
        tags=["campaigns"],
        request=answers.CampaignChange,
        responses={
            **documented(ok_200=(answers.CampaignWithProgress, "As it is now.")),
            **refused(400, 403, 404, 409, 413, 415, 422),
        },
    )
    def patch(self, request: Request, campaign_id: UUID) -> HttpResponse:
        """Pause the campaign, go on with it, or close it for good. A state that it has already changes nothing."""
        campaign = _campaign_of(request, campaign_id)
        access.require_curator(caller(request))
        state = validate_model(answers.CampaignChange, request.data).state
        if campaign.state != state:
            _MOVES[state](campaign=campaign, by=caller(request))
        return answer(representation.serialize_with_progress(campaign))


class AgreementView(Endpoint):
    """How far the people of a campaign agree."""

    @extend_schema(
        operation_id="campaigns_agreement",
        summary="Read how far people agree",
        tags=["campaigns"],
        responses={**documented(ok_200=(answers.AgreementReport, "The figures.")), **refused(404)},
    )
    def get(self, request: Request, campaign_id: UUID) -> HttpResponse:
        """Agreement by question, pair of people and tool, each with its 95 % interval, and the hardest items."""
        campaign = _campaign_of(request, campaign_id)
        report = campaign_agreement.measure_agreement(campaign)
        return answer(representation.serialize_agreement(report, apart_from=owed_in(caller(request), campaign)))


class DisputesView(Endpoint):
    """What people of a campaign differ about."""

    @extend_schema(
        operation_id="campaigns_disputes",
        summary="List what is to settle",
        tags=["campaigns"],
        responses={**documented(ok_200=(answers.Disputes, "The unsettled first.")), **refused(404)},
    )
    def get(self, request: Request, campaign_id: UUID) -> HttpResponse:
        """Items about whose judgement or type people differ, each with every answer and how it was settled.

        Those that whoever issued the key still has to answer are counted and not listed.
        """
        campaign = _campaign_of(request, campaign_id)
        listed = adjudication.list_disputed_items(campaign, every_column=True)
        settled = {row.item_id: row for row in campaign.adjudications.filter(in_force=True)}
        owed = owed_in(caller(request), campaign)
        return answer(representation.serialize_disputes(listed, settled, apart_from=owed))


class AdjudicationView(Endpoint):
    """The settled label of one item."""

    @extend_schema(
        operation_id="campaigns_adjudicate",
        summary="Settle a label",
        tags=["campaigns"],
        request=answers.AdjudicationRequest,
        responses={
            **documented(ok_200=(answers.SettledLabel, "It is settled.")),
            **refused(400, 403, 404, 413, 415, 422),
        },
    )
    def put(self, request: Request, campaign_id: UUID, item_id: UUID) -> HttpResponse:
        """Settle the label, in the name of whoever issued the key. What was settled before stays on record."""
        campaign = _campaign_of(request, campaign_id)
        access.require_curator(caller(request))
        sent = validate_model(answers.AdjudicationRequest, request.data)
        items = campaign.dataset.items.filter(pk=item_id, assignments__campaign=campaign, erased_at__isnull=True)
        settled = adjudication.adjudicate_item(
            campaign=campaign,
            item=found(items.distinct().first(), "item in this campaign"),
            by=caller(request),
            method=sent.method,
            answer=Answer(
                judgement=sent.judgement or "",
                misalignment=sent.misalignment or "",
                relation=sent.relation,
                first_misaligned_step=sent.first_misaligned_step,
                evidence=tuple(Span(span.source, span.start, span.end, span.quote) for span in sent.evidence),
                corrected_tool=sent.corrected_tool,
                corrected_arguments=sent.corrected_arguments,
                interpretations=tuple(sent.interpretations),
                note=sent.note,
            ),
            reason=sent.reason,
            sources=sent.sources,
        )
        return answer(representation.serialize_settled_label(settled))


def _campaign_of(request: Request, campaign_id: UUID) -> Campaign:
    """Raises `NotFoundError`."""
    return found(
        access.campaigns_for(caller(request)).filter(pk=campaign_id).first(), "campaign that this key may read"
    )


def _find_same(request: Request, dataset: Dataset, sent: answers.CampaignRequest) -> Campaign | None:
    """The campaign that was opened by the same request; the seed is compared where one is sent."""
    campaign = (
        access.campaigns_for(caller(request))
        .filter(
            name=sent.name.strip(),
            dataset=dataset,
            guidelines=sent.guidelines,
            questions=sent.questions,
            annotators_per_item=sent.annotators_per_item,
            choice=sent.choice,
            known_share=sent.known_share,
            shows_suggestions=sent.shows_suggestions,
            **({} if sent.seed is None else {"seed": sent.seed}),
        )
        .first()
    )
    people = set(campaign.annotators.values_list("user__username", flat=True)) if campaign else set()
    return campaign if people == set(sent.annotators) else None


def _find_annotators(request: Request, names: list[str]) -> list[Membership]:
    """The members of these user names. Raises `InvalidCampaignError` pointing at each that is no member."""
    members = access.members_for(caller(request)).filter(user__username__in=names)
    by_name = {member.user.get_username(): member for member in members}
    unknown = [
        FieldProblem(f"/annotators/{place}", "There is no member of this name.")
        for place, name in enumerate(names)
        if name not in by_name
    ]
    if unknown:
        raise InvalidCampaignError(*unknown)
    return [by_name[name] for name in dict.fromkeys(names)]
