"""Campaigns of annotation as the API answers them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final
from uuid import UUID

from reviews.annotation import adjudication, campaigns
from reviews.annotation.agreement import Agreement, AgreementReport, Coefficient
from reviews.annotation.agreement_words import describe_agreement
from reviews.annotation.gold import adjudication_to_json, answer_to_json
from reviews.api.schemas import campaign_answers as answers
from reviews.models import Adjudication, Annotation, Campaign, CampaignState, ItemChoice

# With every answer to each of them in full; the counts are always whole.
MAX_DISPUTES: Final = 100


def campaign(stored: Campaign) -> answers.Campaign:
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


def with_progress(stored: Campaign) -> answers.CampaignWithProgress:
    """The campaign and how far it is."""
    made = campaigns.measure_progress(stored)
    disputed = adjudication.list_disputed_items(stored)
    people = [
        answers.PersonProgress(
            annotator=each.annotator.user.get_username(),
            answered=each.answered,
            skipped=each.skipped,
            flagged=each.flagged,
            held=each.lent,
            seconds=each.seconds,
            last_at=each.last_at,
        )
        for each in made.people
    ]
    progress = answers.Progress(
        items=made.items,
        finished=made.finished,
        answers=made.answered,
        answers_wanted=made.slots,
        skipped=made.skipped,
        flagged=made.flagged,
        seconds=made.seconds,
        seconds_left=None if made.remaining is None else made.remaining.total_seconds(),
        disputed=len(disputed),
        settled=sum(each.settled for each in disputed),
        people=people,
    )
    return answers.CampaignWithProgress(**campaign(stored).model_dump(), progress=progress)


def agreement(report: AgreementReport) -> answers.AgreementReport:
    """How far the answers agree."""
    return answers.AgreementReport(
        summary=describe_agreement(report),
        confusion=answers.Confusion(
            categories=[str(category) for category in report.confusion.categories],
            counts=[list(row) for row in report.confusion.counts],
        ),
        evidence_f1=report.evidence,
        fields=[answers.NamedMeasures(name=name, **_measures(each).model_dump()) for name, each in report.fields],
        pairs=[
            answers.PairMeasures(first=each.first, second=each.second, **_measures(each.agreement).model_dump())
            for each in report.pairs
        ],
        tools=[answers.NamedMeasures(name=name, **_measures(each).model_dump()) for name, each in report.tools],
        hard=[answers.HardItem(**{**asdict(each), "answers": dict(each.answers)}) for each in report.hard],
    )


def disputes(listed: Sequence[adjudication.DisputedItem], settled: Mapping[UUID, Adjudication]) -> answers.Disputes:
    """What there is to settle, with every single answer and every reason."""
    return answers.Disputes(
        count=len(listed),
        left=sum(not dispute.settled for dispute in listed),
        disputes=[
            answers.Dispute(
                item=dispute.item.pk,
                tool=dispute.item.tool,
                answers=[single_answer(row) for row in dispute.answers],
                adjudication=settled_label(settled[dispute.item.pk]) if dispute.settled else None,
            )
            for dispute in listed[:MAX_DISPUTES]
        ],
    )


def single_answer(row: Annotation) -> answers.SingleAnswer:
    """One person's answer, without the name."""
    return answers.SingleAnswer(id=row.pk, **answer_to_json(row))


def settled_label(row: Adjudication) -> answers.SettledLabel:
    """How a label was settled, and why."""
    return answers.SettledLabel(**adjudication_to_json(row))


def _measures(measured: Agreement) -> answers.Measures:
    return answers.Measures(
        items=measured.items,
        answers=measured.answers,
        raw=_coefficient(measured.raw),
        cohen_kappa=None if measured.cohen is None else _coefficient(measured.cohen),
        fleiss_kappa=_coefficient(measured.fleiss),
        krippendorff_alpha=_coefficient(measured.krippendorff),
        gwet_ac1=_coefficient(measured.gwet),
    )


def _coefficient(measured: Coefficient) -> answers.Coefficient:
    low, high = measured.interval or (None, None)
    return answers.Coefficient(value=measured.value, low=low, high=high)
