"""A model of findings orders calls of one priority within a quarter of an hour, once somebody switches it on."""

from datetime import UTC, datetime, timedelta

import pytest

from reviews import access, tasks
from reviews.errors import InvalidProfileError, TooFewLabelsError
from reviews.evaluation.measures.suspicion import SuspicionModel, name_feature
from reviews.lab import learned_settings, suspicion_training
from reviews.models import Check, Finding, Review
from reviews.queue.learned_order import place_in_class
from tests.cast import Cast, flagged
from tests.lab.test_tuning import labelled

MODEL = SuspicionModel(0.0, {"a": 3.0, "b": -3.0})


def test_the_more_suspect_comes_first_within_its_quarter_of_an_hour_and_not_before() -> None:
    due = datetime(2026, 3, 5, 12, 14, 59, tzinfo=UTC)
    begun = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
    suspect, mild = (place_in_class(due, MODEL, features) for features in ({"a"}, {"b"}))
    assert begun <= suspect < mild < begun + timedelta(minutes=15)
    certain = SuspicionModel(-1e9, {})
    assert place_in_class(due, certain, ()) < place_in_class(begun + timedelta(minutes=15), MODEL, {"a"})


def learned(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stored model of eight calls: what the rejected ones have in common speaks for a wrong call."""
    monkeypatch.setattr(suspicion_training, "MIN_CALLS", 8)
    labelled(cast, *((score, score > 0.5) for score in (0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9)))
    wrong = Check.objects.filter(score__lt=0.5).values("action")
    Finding.objects.filter(check_run__action__in=wrong).update(rule="doubts.stands_nowhere", holds=False)
    tasks.learn_suspicion(str(cast.admin.pk))


def test_what_labels_taught_orders_the_queue_once_it_is_switched_on(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned(cast, monkeypatch)
    profile = access.current_profile(cast.workspace)
    (detector,) = set(Check.objects.enforced().values_list("detector", flat=True))
    assert profile.suspicion["weights"][name_feature(detector, "doubts.stands_nowhere", False)] > 0
    assert (profile.suspicion["calls"], profile.suspicion["wrong"]) == (8, 4)
    before = flagged(cast, trace_id="before")
    assert before.order_at == before.due_at
    suspicion_training.switch_ordering(cast.admin, on=True)
    after = Review.objects.get(pk=flagged(cast, trace_id="after").pk)
    assert after.order_at != after.due_at
    assert abs(after.order_at - after.due_at) < timedelta(minutes=15)
    learned_settings.put_back(cast.admin, "suspicion", 1)
    again = flagged(cast, trace_id="again")
    assert again.order_at == again.due_at


def test_learning_the_same_again_stores_nothing(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    learned(cast, monkeypatch)
    version = access.current_profile(cast.workspace).version
    tasks.learn_suspicion(str(cast.admin.pk))
    assert access.current_profile(cast.workspace).version == version


def test_without_labels_nothing_is_learned_and_without_a_model_nothing_ordered(cast: Cast) -> None:
    with pytest.raises(TooFewLabelsError):
        suspicion_training.request_training(cast.admin)
    with pytest.raises(InvalidProfileError, match="No model"):
        suspicion_training.switch_ordering(cast.admin, on=True)
    assert suspicion_training.train(cast.admin.pk) is None
