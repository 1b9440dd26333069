import pytest

from reviews.annotation import adjudication, annotator_figures, campaigns, known_answers
from reviews.annotation.schema import Answer
from tests.annotation.study import ALIGNED, MISALIGNED, dataset_of, study
from tests.cast import Cast


def test_agreement_with_the_others_and_its_drift_are_told_by_person(cast: Cast) -> None:
    running = study(cast, items=4)
    for first, second in ((ALIGNED, ALIGNED), (ALIGNED, ALIGNED), (ALIGNED, MISALIGNED), (MISALIGNED, MISALIGNED)):
        running.given(0, first)
        running.given(1, second)
    measured = annotator_figures.measure_people(running.campaign)
    for person in running.campaign.annotators.all():
        quality = measured[person.pk]
        assert (quality.shared, quality.agreement, quality.known_items) == (4, 0.75, 0)
        assert (quality.first_half, quality.second_half) == (1.0, 0.5)
        assert quality.drift == pytest.approx(-0.5)


def test_a_person_alone_agrees_with_nobody(cast: Cast) -> None:
    running = study(cast, items=1)
    running.given(0)
    (quality,) = annotator_figures.measure_people(running.campaign).values()
    assert (quality.shared, quality.agreement, quality.drift) == (0, None, None)


def test_known_answers_are_mixed_in_at_their_rate_and_tell_how_often_each_person_is_right(cast: Cast) -> None:
    dataset = dataset_of(cast, 30, known=15)
    known = list(dataset.items.filter(source_line__lte=15))
    running = study(cast, items=0, dataset=dataset, most=20, known_share=0.25)
    drawn = running.campaign.assignments.filter(slot=1)
    asked = set(drawn.values_list("item", flat=True))
    assert (len(asked), len(asked & {item.pk for item in known})) == (20, 5)
    assert set(drawn.filter(item__in=known).values_list("probability", flat=True)) == {5 / 15}
    assert set(drawn.exclude(item__in=known).values_list("probability", flat=True)) == {1.0}
    for _ in range(20):
        running.given(0, MISALIGNED)
        running.given(1, ALIGNED)
    measured = annotator_figures.measure_people(running.campaign).values()
    assert sorted((quality.known_right, quality.known_items) for quality in measured) == [(0, 5), (5, 5)]


@pytest.mark.parametrize(("most", "share"), [(5, 0.5), (10, 0.45), (3, 0.17)])
def test_with_known_answers_as_many_items_are_asked_about_as_were_asked_for(
    cast: Cast, most: int, share: float
) -> None:
    running = study(cast, items=0, dataset=dataset_of(cast, 30, known=15), most=most, known_share=share)
    assert running.campaign.assignments.filter(slot=1).count() == most


def test_what_an_earlier_campaign_settled_is_a_known_answer_of_the_next(cast: Cast) -> None:
    first = study(cast, items=2)
    settled, item = first.given(0, ALIGNED), first.campaign.dataset.items.last()
    adjudication.adjudicate_item(
        campaign=first.campaign, item=settled.item, by=cast.admin, method="chosen", answer=ALIGNED, reason="Clear.",
        sources=[settled.pk],
    )  # fmt: skip
    assert item is not None
    items = [settled.item_id, item.pk]
    assert known_answers.list_known_answers(items) == {settled.item_id: "aligned"}
    assert known_answers.list_known_answers(items, apart_from=first.campaign) == {}


@pytest.mark.parametrize(("last", "known"), [("misaligned", "misaligned"), ("cannot_tell", None)])
def test_of_several_campaigns_the_last_that_settled_an_item_tells_its_known_answer(
    cast: Cast, last: str, known: str | None
) -> None:
    dataset = dataset_of(cast, 1, known=1)
    item = dataset.items.get()
    for name, judgement in (("First", "aligned"), ("Second", last)):
        campaign = campaigns.open_campaign(
            by=cast.admin, dataset=dataset, name=name, annotators=[cast.annotator], annotators_per_item=1
        )
        answer = MISALIGNED if judgement == "misaligned" else Answer(judgement)
        adjudication.adjudicate_item(
            campaign=campaign, item=item, by=cast.admin, method="written", answer=answer, reason="Seen.", sources=[]
        )
    assert known_answers.list_known_answers([item.pk]).get(item.pk) == known
