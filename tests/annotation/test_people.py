import pytest

from reviews.annotation import people
from tests.annotation.study import ALIGNED, MISALIGNED, study
from tests.cast import Cast


def test_agreement_with_the_others_and_its_drift_are_told_by_person(cast: Cast) -> None:
    running = study(cast, items=4)
    for first, second in ((ALIGNED, ALIGNED), (ALIGNED, ALIGNED), (ALIGNED, MISALIGNED), (MISALIGNED, MISALIGNED)):
        running.given(0, first)
        running.given(1, second)
    measured = people.measure_people(running.campaign)
    for person in running.campaign.annotators.all():
        quality = measured[person.pk]
        assert (quality.shared, quality.agreement, quality.known_items) == (4, 0.75, 0)
        assert (quality.first_half, quality.second_half) == (1.0, 0.5)
        assert quality.drift == pytest.approx(-0.5)


def test_a_person_alone_agrees_with_nobody(cast: Cast) -> None:
    running = study(cast, items=1)
    running.given(0)
    (quality,) = people.measure_people(running.campaign).values()
    assert (quality.shared, quality.agreement, quality.drift) == (0, None, None)
