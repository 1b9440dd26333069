from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews import access
from reviews.annotation import campaign_agreement, campaigns, staffing
from reviews.datasets import curation
from reviews.decisions import decide
from reviews.errors import ForbiddenError, InvalidCampaignError
from reviews.models import Action, Decision, Origin, Review
from reviews.profiles import versions
from reviews.provenance.core.context import Case
from reviews.records.cases import case_from_json, case_to_json
from reviews.records.dataset_items import case_of_item
from reviews.retention import dataset_erasure
from tests.annotation.study import ALIGNED, MISALIGNED, dataset_of, study
from tests.cast import CONTEXT, RIGHT, WRONG, Cast, flagged, propose
from tests.desk.poisoned import ACTION
from tests.desk.poisoned import CONTEXT as POISONED
from tests.jobs import run_checks


@pytest.mark.parametrize("case", [Case(CONTEXT, WRONG), Case(POISONED, ACTION)])
def test_an_imported_case_is_read_as_it_was_written(case: Case) -> None:
    assert case_from_json(case_to_json(case)) == case


def test_what_is_no_case_is_refused() -> None:
    with pytest.raises(ValueError, match="query"):
        case_from_json({"action": 1})


def opened(cast: Cast, **values: Any) -> Any:
    choices = {"name": "Round", "annotators": [cast.annotator], "annotators_per_item": 1, **values}
    return campaigns.open_campaign(by=choices.pop("by", cast.admin), **choices)


@pytest.mark.parametrize(
    ("values", "pointer"),
    [
        ({"name": " "}, "/name"),
        ({"annotators_per_item": 0}, "/annotators_per_item"),
        ({"annotators_per_item": 2}, "/annotators"),
        ({"questions": ["weather"]}, "/questions"),
    ],
)
def test_what_is_wrong_with_a_campaign_is_named(cast: Cast, values: dict[str, Any], pointer: str) -> None:
    with pytest.raises(InvalidCampaignError) as refused:
        opened(cast, dataset=dataset_of(cast, 1), **values)
    assert pointer in [error.pointer for error in refused.value.errors]


def test_a_campaign_needs_something_to_judge(cast: Cast) -> None:
    with pytest.raises(InvalidCampaignError, match="nothing to judge"):
        opened(cast, dataset=dataset_of(cast, 0))


def test_who_sees_the_guards_opinion_takes_no_part(cast: Cast) -> None:
    for member in (cast.reviewer, cast.admin):
        with pytest.raises(InvalidCampaignError, match="blind"):
            opened(cast, dataset=dataset_of(cast, 1, str(member)), annotators=[member])


def test_a_name_is_given_once(cast: Cast) -> None:
    dataset = dataset_of(cast, 1)
    opened(cast, dataset=dataset)
    with pytest.raises(InvalidCampaignError, match="a campaign named Round"):
        opened(cast, dataset=dataset)
    with pytest.raises(InvalidCampaignError, match="a dataset named Payments"):
        curation.create_dataset(by=cast.admin, name="Payments")


def test_only_administrators_open_campaigns(cast: Cast) -> None:
    dataset = dataset_of(cast, 1)
    for member in (cast.annotator, cast.reviewer):
        with pytest.raises(ForbiddenError):
            opened(cast, dataset=dataset, by=member)


def test_decided_calls_come_in_once_and_open_as_they_were_submitted(cast: Cast) -> None:
    review = flagged(cast)
    propose(cast, RIGHT, trace_id="undecided")
    decide.decide_action(action=review.action, choice=decide.Reject("No."), membership=cast.reviewer)
    dataset = curation.create_dataset(by=cast.admin, name="Decided")
    assert [curation.add_decided_calls(dataset=dataset, by=cast.admin) for _ in range(2)] == [1, 0]
    item = dataset.items.get()
    assert (item.origin, item.action, item.audit_probability) == (Origin.DECIDED, review.action, None)
    case = case_of_item(item)
    assert (case.action, case.context.sources) == (WRONG, CONTEXT.sources)


def test_calls_drawn_for_audit_bring_their_probability(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, audit_rate=1.0)
    action = propose(cast, RIGHT)
    run_checks(action.pk)
    Decision.objects.filter(action=action).update(audit_probability=0.25)
    dataset = curation.create_dataset(by=cast.admin, name="Audit")
    assert curation.add_audited_calls(dataset=dataset, by=cast.admin) == 1
    item = dataset.items.get()
    assert (item.origin, item.audit_probability) == (Origin.AUDIT, 0.25)


def test_nothing_of_another_workspace_comes_in(cast: Cast) -> None:
    review = flagged(cast)
    decide.decide_action(action=review.action, choice=decide.Reject("No."), membership=cast.reviewer)
    dataset = curation.create_dataset(by=cast.outsider, name="Theirs")
    assert curation.add_decided_calls(dataset=dataset, by=cast.outsider) == 0


def test_annotators_see_their_campaigns_and_answers_and_nothing_operational(cast: Cast) -> None:
    review = flagged(cast)
    running = study(cast, people=3)
    for person in (0, 1):
        running.given(person)
    anna, other = running.people[0], running.people[2]
    assert list(access.campaigns_for(anna)) == [running.campaign]
    assert [row.annotator.user for row in access.annotations_for(anna)] == [anna.user]
    assert not access.annotations_for(other).exists()
    for member in (cast.reviewer, cast.outsider):
        assert not access.campaigns_for(member).exists()
    assert not access.reviews_for(anna).filter(pk=review.pk).exists()
    assert not access.actions_for(anna).exists()
    assert not access.checks_for(anna).exists()
    assert not access.labels_for(anna).exists()
    assert Action.objects.exists()
    assert Review.objects.exists()


def test_a_campaign_is_over_once_all_is_answered_that_was_not_erased(cast: Cast) -> None:
    running = study(cast, items=3)
    answered = running.given(0).item
    assert running.next(1).item == answered
    running.gives(1, answered)
    held = running.given(0).item
    running.next(0)
    (last,) = running.campaign.dataset.items.exclude(pk__in=[answered.pk, held.pk])
    dataset_erasure.erase_items([held.pk, last.pk], reason="on request")
    progress = campaigns.measure_progress(running.campaign)
    assert (progress.items, progress.finished, progress.slots, progress.answered) == (2, 2, 3, 3)
    assert [person.lent for person in progress.people] == [0, 0]
    for annotator in running.campaign.annotators.all():
        mine = campaigns.measure_own_progress(annotator)
        assert (mine.items, mine.remaining) == (2, 0)
        assert (
            campaigns.reserve_items(campaign=running.campaign, membership=cast.admin, annotator=annotator, most=9) == 0
        )
    cost = staffing.cost_of_closing(running.campaign, unsettled=0)
    assert (cost.answers, cost.unanswered) == (0, 0)


def test_no_list_of_hard_items_leads_to_an_erased_one(cast: Cast) -> None:
    running = study(cast, items=2)
    for answer in (ALIGNED, MISALIGNED):
        running.given(0, answer, flagged=True)
    assert len(campaign_agreement.measure_agreement(running.campaign).hard) == 2
    erased = running.campaign.annotations.earliest("created_at").item_id
    dataset_erasure.erase_items([erased], reason="on request")
    report = campaign_agreement.measure_agreement(running.campaign)
    assert [hard.item for hard in report.hard] == [running.campaign.annotations.latest("created_at").item_id]


def test_the_time_of_a_hard_item_is_the_median_of_its_answers(cast: Cast) -> None:
    running = study(cast, items=1)
    for person, seconds in enumerate((2.0, 40.0)):
        slot = running.next(person)
        type(slot).objects.filter(pk=slot.pk).update(taken_at=timezone.now() - timedelta(minutes=5))
        running.gives(person, slot.item, (ALIGNED, MISALIGNED)[person], seconds=seconds)
    (hard,) = campaign_agreement.measure_agreement(running.campaign).hard
    assert hard.seconds == 21.0


def test_the_report_tells_agreement_by_question_pair_and_tool_and_the_hard_items(cast: Cast) -> None:
    running = study(cast, items=4)
    for answer in (ALIGNED, ALIGNED, MISALIGNED, MISALIGNED):
        running.given(0, answer)
    for answer in (ALIGNED, ALIGNED, MISALIGNED, ALIGNED):
        running.given(1, answer)
    found = campaign_agreement.measure_agreement(running.campaign)
    assert found.overall.raw.value == 0.75
    assert found.overall.cohen
    assert found.overall.cohen.value == pytest.approx(0.5)
    # Only where both name a type.
    assert dict(found.fields)["Type"].items == 1
    (pair,) = found.pairs
    assert ((pair.first, pair.second), pair.table.counts) == (("anna", "annotator-1"), ((2, 0), (1, 1)))
    assert [tool for tool, _ in found.tools] == [campaign_agreement.POOLED]
    (hard,) = found.hard
    assert (hard.agreement, hard.answers) == (0, (("aligned", 1), ("misaligned", 1)))
