import random

import numpy as np
import pytest

from reviews.evaluation.measures.calibration import calibration_error
from reviews.evaluation.measures.calibration_learning import FOLDS, calibrate_across, fit_map
from reviews.evaluation.measures.calibration_map import MAX_KNOTS, CalibrationMap, Method

DICE = random.Random(7)
# Far too sure: what it calls 95 % is right in two of three cases. Three calls a conversation.
SURE = [(DICE.choice([0.05, 0.95]), DICE.random()) for _ in range(300)]
SCORES = [(score, dice < (2 / 3 if score > 0.5 else 1 / 3)) for score, dice in SURE]
CONVERSATIONS = [number // 3 for number in range(300)]


@pytest.mark.parametrize("method", Method)
def test_scores_that_are_too_sure_are_brought_back_to_what_is_right(method: Method) -> None:
    calibrated = calibrate_across(SCORES, CONVERSATIONS, method)
    assert calibrated is not None
    assert (calibration_error(SCORES) or 0) > 0.25
    assert (calibration_error(calibrated) or 1) < 0.08


@pytest.mark.parametrize("method", Method)
def test_each_is_what_scikit_learn_predicts_of_the_fold(method: Method) -> None:
    values, right = np.array([score for score, _ in SCORES]), np.array([is_right for _, is_right in SCORES])
    # Not above: every process that collects tests would spend a second on it.
    from sklearn.isotonic import IsotonicRegression  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.model_selection import GroupKFold, cross_val_predict  # noqa: PLC0415

    folds = GroupKFold(FOLDS)
    if method is Method.ISOTONIC:
        model = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        expected = cross_val_predict(model, values, right, groups=CONVERSATIONS, cv=folds)
    else:
        chosen = LogisticRegression(C=1e6)
        column = values.reshape(-1, 1)
        expected = cross_val_predict(chosen, column, right, groups=CONVERSATIONS, cv=folds, method="predict_proba")[
            :, 1
        ]
    ours = [score for score, _ in calibrate_across(SCORES, CONVERSATIONS, method) or []]
    assert ours == pytest.approx(list(expected))


def test_one_conversation_or_one_kind_of_label_teaches_nothing() -> None:
    assert calibrate_across(SCORES, [1] * len(SCORES), Method.PLATT) is None
    assert calibrate_across([(0.1, True), (0.9, True)], [1, 2], Method.ISOTONIC) is None


def test_finding_the_conversations_of_calls_costs_no_more_a_call_where_there_are_more_of_them() -> None:
    compared = 0

    class Conversation(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

    # Equal to the earlier ones and not the same objects, as keys that a database gives are.
    named = [Conversation(number // 3) for number in range(len(SCORES))]
    assert calibrate_across(SCORES, named, Method.PLATT) == calibrate_across(SCORES, CONVERSATIONS, Method.PLATT)
    assert compared < 10 * len(SCORES)


@pytest.mark.parametrize("method", Method)
def test_a_stored_map_says_what_the_fitted_one_says(method: Method) -> None:
    scores = [(number / 1000, DICE.random() < number / 1000) for number in range(1000)]
    fitted = fit_map(scores, method)
    assert fitted is not None
    assert len(fitted.knots) <= MAX_KNOTS
    stored = CalibrationMap.read(fitted.stored)
    for score in (-1.0, 0.0, 0.123, 0.5, 0.77, 1.0, 2.0):
        assert stored.apply(score) == pytest.approx(fitted.apply(score), abs=1e-4)
        assert 0 <= stored.apply(score) <= 1


@pytest.mark.parametrize(
    "stored",
    [
        {}, {"method": "magic"}, {"method": "isotonic", "knots": []},
        {"method": "isotonic", "knots": [[0, 0.9], [1, 0.1]]},
        {"method": "isotonic", "knots": [[0, 0.1], [0, 0.2]]}, {"method": "isotonic", "knots": [[0, 0], [1, 7]]},
        {"method": "isotonic", "knots": 3}, {"method": "platt", "slope": float("nan"), "intercept": 0},
    ],
)  # fmt: skip
def test_what_is_no_map_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"map|Method"):
        CalibrationMap.read(stored)
