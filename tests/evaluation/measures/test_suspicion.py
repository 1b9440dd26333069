import random
from dataclasses import asdict

import pytest

from reviews.evaluation.measures.suspicion import SuspicionModel, name_feature
from reviews.evaluation.measures.suspicion_learning import LabelledFindings, _area, learn_suspicion

DICE = random.Random(11)
BAD, ODD, ALWAYS = name_feature("guard", "near_copy", False), name_feature("argus", "SATISFIES", None), "guard: x holds"


def made_call(number: int) -> LabelledFindings:
    """A call that is more often wrong where the first finding stands, whatever the second says."""
    is_wrong = DICE.random() < 0.4
    features = {ALWAYS} | ({BAD} if DICE.random() < (0.8 if is_wrong else 0.2) else set())
    return LabelledFindings(features | ({ODD} if DICE.random() < 0.5 else set()), is_wrong, number // 2)


CALLS = [made_call(number) for number in range(400)]


def test_a_finding_of_wrong_calls_weighs_and_one_that_every_call_has_does_not() -> None:
    learned = learn_suspicion(CALLS)
    assert learned is not None
    weights = learned.model.weights
    assert ALWAYS not in weights
    assert weights[BAD] > 2 > abs(weights[ODD])
    assert learned.auc is not None
    assert learned.interval is not None
    # Of a finding that 80 % of wrong calls and 20 % of right ones have it is 0.8.
    assert 0.65 < learned.interval[0] < learned.auc < learned.interval[1] < 0.9


def test_it_says_what_scikit_learn_says() -> None:
    # Not above: every process that collects tests would spend a second on it.
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    learned = learn_suspicion(CALLS)
    assert learned is not None
    table = [[BAD in call.features, ODD in call.features] for call in CALLS]
    fitted = LogisticRegression(max_iter=1000).fit(table, [call.is_wrong for call in CALLS])
    expected = fitted.predict_proba([[True, False]])[0, 1]
    assert SuspicionModel.read(asdict(learned.model)).estimate({BAD}) == pytest.approx(expected, abs=1e-3)


def test_the_area_is_that_of_scikit_learn_with_each_call_so_often() -> None:
    from sklearn.metrics import roc_auc_score  # noqa: PLC0415 - as above

    np = pytest.importorskip("numpy")
    said = np.array([0.1, 0.4, 0.4, 0.8, 0.9])
    wrong = np.array([False, True, False, False, True])
    times = np.array([2, 1, 3, 1, 2])
    assert _area(said, wrong) == pytest.approx(roc_auc_score(wrong, said))
    assert _area(said, wrong, times) == pytest.approx(roc_auc_score(wrong, said, sample_weight=times))


def test_labels_of_one_kind_teach_nothing() -> None:
    assert learn_suspicion([call for call in CALLS if call.is_wrong]) is None
    assert learn_suspicion([call._replace(features=()) for call in CALLS]) is None


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"intercept": "x", "weights": {}},
        {"intercept": 0, "weights": [1]},
        {"intercept": float("inf"), "weights": {}},
    ],
)
def test_what_is_no_model_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"model|convert"):
        SuspicionModel.read(stored)
