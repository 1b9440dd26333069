import random
from uuid import UUID

import pytest

from reviews.annotation import campaigns, gold_labels, sampling
from reviews.datasets import curation
from reviews.models import Check, ItemChoice
from tests.annotation.study import dataset_of, study
from tests.cast import Cast, approved


def keys(count: int) -> list[UUID]:
    # The same in every run, as is chance: what is drawn goes by the order of keys, too.
    return [UUID(int=number) for number in range(count)]


def test_probabilities_add_up_and_none_is_above_one() -> None:
    weights = dict(zip(keys(6), (100.0, 4.0, 4.0, 1.0, 1.0, 1.0), strict=True))
    found = sampling.inclusion_probabilities(weights, 3)
    assert sum(found.values()) == pytest.approx(3)
    assert max(found.values()) == 1.0
    assert min(found.values()) > 0


def test_each_item_is_drawn_as_often_as_its_probability_says() -> None:
    weights = dict(zip(keys(20), [4.0] * 5 + [1.0] * 15, strict=True))
    probabilities = sampling.inclusion_probabilities(weights, 7)
    counts = dict.fromkeys(weights, 0)
    chance = random.Random(1)
    for _ in range(4_000):
        drawn = sampling.draw_systematically(probabilities, chance.random())
        assert len(drawn) == 7
        for item in drawn:
            counts[item] += 1
    assert all(counts[item] / 4_000 == pytest.approx(probabilities[item], abs=0.03) for item in weights)


def test_a_weighed_rate_is_unbiased() -> None:
    wrong = {item: number < 5 for number, item in enumerate(keys(20))}
    weights = {item: 4.0 if bad else 1.0 for item, bad in wrong.items()}
    probabilities = sampling.inclusion_probabilities(weights, 8)
    chance, plain, weighed = random.Random(2), [], []
    for _ in range(4_000):
        drawn = sampling.draw_systematically(probabilities, chance.random())
        plain.append(sum(wrong[item] for item in drawn) / len(drawn))
        weighed.append(sum(wrong[item] / probabilities[item] for item in drawn) / len(wrong))
    assert sum(weighed) / len(weighed) == pytest.approx(0.25, abs=0.01)
    assert sum(plain) / len(plain) > 0.45


def test_calls_that_detectors_judge_differently_are_uncertain(cast: Cast) -> None:
    action = approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="Recorded")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    item = dataset.items.get()
    Check.objects.filter(action=action).update(verdict="aligned", misalignment="", score=None)
    assert sampling.find_uncertain([item.pk]) == set()
    Check.objects.filter(action=action).update(verdict="undetermined")
    assert sampling.find_uncertain([item.pk]) == {item.pk}


def test_a_campaign_keeps_each_items_probability_and_answers_carry_it(cast: Cast) -> None:
    running = study(cast, items=4, people=1, per_item=1, most=2)
    assert set(running.campaign.assignments.values_list("probability", flat=True)) == {0.5}
    given = running.given(0)
    label = gold_labels.labels_of([given.item])[given.item_id]
    assert label is not None
    assert label["answers"][0]["probability"] == 0.5
    hard = campaigns.open_campaign(
        by=cast.admin, dataset=dataset_of(cast, 3, "More"), name="Hard", annotators=[cast.annotator],
        annotators_per_item=1, most=2, choice=ItemChoice.UNCERTAIN,
    )  # fmt: skip
    # Nothing was recorded of imported items: all are alike.
    assert hard.assignments.count() == 2
    assert all(row.probability == pytest.approx(2 / 3) for row in hard.assignments.all())
    assert sampling.measure_bias(running.campaign) == sampling.ChoiceBias(0.0, 0.0)
