"""Campaigns of annotation as the API answers them."""

from dataclasses import asdict

from reviews.annotation import adjudication, campaigns
from reviews.annotation.agreement import Agreement, AgreementReport, Coefficient
from reviews.api.schemas import campaign_answers as answers
from reviews.models import Campaign, CampaignState


def campaign(stored: Campaign) -> answers.Campaign:
    """The campaign without its progress."""
    return answers.Campaign(
        id=stored.pk,
        name=stored.name,
        dataset=stored.dataset_id,
        state=CampaignState(stored.state),
        annotators_per_item=stored.annotators_per_item,
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
        fields=[answers.NamedMeasures(name=name, **_measures(each).model_dump()) for name, each in report.fields],
        pairs=[
            answers.PairMeasures(first=each.first, second=each.second, **_measures(each.agreement).model_dump())
            for each in report.pairs
        ],
        tools=[answers.NamedMeasures(name=name, **_measures(each).model_dump()) for name, each in report.tools],
        hard=[answers.HardItem(**{**asdict(each), "answers": dict(each.answers)}) for each in report.hard],
    )


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
