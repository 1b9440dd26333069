"""Campaigns of annotation as the API answers them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final
from uuid import UUID

from reviews.annotation import adjudication, campaigns
from reviews.annotation.agreement_words import describe_agreement
from reviews.annotation.campaign_agreement import Agreement, AgreementReport, Coefficient
from reviews.annotation.gold_labels import adjudication_to_json, answer_to_json
from reviews.api.schemas import campaign_answers as answers
from reviews.models import Adjudication, Annotation, Campaign, CampaignState, ItemChoice

# With every answer to each of them in full; the counts are always whole.
MAX_DISPUTES: Final = 100


def serialize_campaign(stored: Campaign) -> answers.Campaign:
    """The campaign without its progress."""
    return answers.Campaign(
        id=stored.pk,
        name=stored.name,
        dataset=stored.dataset_id,
        state=CampaignState(stored.state),
        annotators_per_item=stored.annotators_per_item,
        choice=ItemChoice(stored.choice),
        known_share=stored.known_share,
        shows_suggestions=stored.shows_suggestions,
        questions=stored.questions,
        guidelines=stored.guidelines,
        seed=stored.seed,
        created_at=stored.created_at,
        closed_at=stored.closed_at,
    )


def serialize_with_progress(stored: Campaign) -> answers.CampaignWithProgress:
    """The campaign and how far it is."""
    measured = campaigns.measure_progress(stored)
    disputed = adjudication.list_disputed_items(stored)
    people = [
        answers.PersonProgress(
            annotator=row.annotator.user.get_username(),
            answered=row.answered,
            skipped=row.skipped,
            flagged=row.flagged,
            held=row.lent,
            seconds=row.seconds,
            last_at=row.last_at,
        )
        for row in measured.people
    ]
    progress = answers.Progress(
        items=measured.items,
        finished=measured.finished,
        answers=measured.answered,
        answers_wanted=measured.slots,
        skipped=measured.skipped,
        flagged=measured.flagged,
        seconds=measured.seconds,
        seconds_left=None if measured.remaining is None else measured.remaining.total_seconds(),
        disputed=len(disputed),
        settled=sum(row.settled for row in disputed),
        people=people,
    )
    return answers.CampaignWithProgress(**serialize_campaign(stored).model_dump(), progress=progress)


def serialize_agreement(report: AgreementReport, *, apart_from: Collection[UUID]) -> answers.AgreementReport:
    """How far the answers agree; nothing of these items by itself."""
    return answers.AgreementReport(
        summary=describe_agreement(report),
        confusion=answers.Confusion(
            categories=[str(category) for category in report.confusion.categories],
            counts=[list(row) for row in report.confusion.counts],
        ),
        evidence_f1=report.evidence,
        fields=[answers.NamedMeasures(name=name, **_dump_measures(part)) for name, part in report.fields],
        pairs=[
            answers.PairMeasures(first=part.first, second=part.second, **_dump_measures(part.agreement))
            for part in report.pairs
        ],
        tools=[answers.NamedMeasures(name=name, **_dump_measures(part)) for name, part in report.tools],
        hard=[
            answers.HardItem(**{**asdict(part), "answers": dict(part.answers)})
            for part in report.hard
            if part.item not in apart_from
        ],
    )


def serialize_disputes(
    listed: Sequence[adjudication.DisputedItem],
    settled: Mapping[UUID, Adjudication],
    *,
    apart_from: Collection[UUID],
) -> answers.Disputes:
    """What there is to settle, with every single answer and every reason; these items are counted and not listed."""
    visible = [dispute for dispute in listed if dispute.item.pk not in apart_from]
    return answers.Disputes(
        count=len(listed),
        left=sum(not dispute.settled for dispute in listed),
        disputes=[
            answers.Dispute(
                item=dispute.item.pk,
                tool=dispute.item.tool,
                answers=[serialize_answer(row) for row in dispute.answers],
                adjudication=serialize_settled_label(settled[dispute.item.pk]) if dispute.settled else None,
            )
            for dispute in visible[:MAX_DISPUTES]
        ],
    )


def serialize_answer(row: Annotation) -> answers.SingleAnswer:
    """One person's answer, without the name."""
    return answers.SingleAnswer(id=row.pk, **answer_to_json(row))


def serialize_settled_label(row: Adjudication) -> answers.SettledLabel:
    """How a label was settled, and why."""
    return answers.SettledLabel(**adjudication_to_json(row))


def _dump_measures(measured: Agreement) -> dict[str, Any]:
    return answers.Measures(
        items=measured.items,
        answers=measured.answers,
        raw=_serialize_coefficient(measured.raw),
        cohen_kappa=None if measured.cohen is None else _serialize_coefficient(measured.cohen),
        fleiss_kappa=_serialize_coefficient(measured.fleiss),
        krippendorff_alpha=_serialize_coefficient(measured.krippendorff),
        gwet_ac1=_serialize_coefficient(measured.gwet),
    ).model_dump()


def _serialize_coefficient(measured: Coefficient) -> answers.Coefficient:
    low, high = measured.interval or (None, None)
    return answers.Coefficient(value=measured.value, low=low, high=high)
