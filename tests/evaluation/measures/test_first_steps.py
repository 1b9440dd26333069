from reviews.evaluation.measures.detection_rates import Rate
from reviews.evaluation.measures.first_steps import JudgedStep, count_first_steps


def steps(*calls: tuple[bool, bool], named: int | None = None, first: int = 1) -> list[JudgedStep]:
    """A conversation of calls that are wrong or not, and have passed or not."""
    return [
        JudgedStep("talk", first + place, is_wrong, named, has_passed)
        for place, (is_wrong, has_passed) in enumerate(calls)
    ]


RIGHT_PASSED, RIGHT_STOPPED, WRONG_PASSED, WRONG_STOPPED = (False, True), (False, False), (True, True), (True, False)


def test_a_conversation_stopped_at_its_first_wrong_call_is_a_hit() -> None:
    assert count_first_steps(steps(RIGHT_PASSED, WRONG_STOPPED, WRONG_STOPPED)) == Rate(1, 1)


def test_one_stopped_before_after_or_nowhere_is_none() -> None:
    assert count_first_steps(steps(RIGHT_STOPPED, WRONG_STOPPED)) == Rate(0, 1)
    assert count_first_steps(steps(WRONG_PASSED, WRONG_STOPPED)) == Rate(0, 1)
    assert count_first_steps(steps(RIGHT_PASSED, WRONG_PASSED)) == Rate(0, 1)


def test_the_step_that_a_label_names_goes_before_the_first_wrong_call() -> None:
    assert count_first_steps(steps(RIGHT_STOPPED, WRONG_PASSED, named=1)) == Rate(1, 1)


def test_right_conversations_single_calls_and_steps_that_nobody_judged_count_nowhere() -> None:
    assert count_first_steps(steps(RIGHT_PASSED, RIGHT_STOPPED)) == Rate(0, 0)
    assert count_first_steps(steps(WRONG_STOPPED)) == Rate(0, 0)
    assert count_first_steps(steps(RIGHT_PASSED, WRONG_STOPPED, named=1, first=2)) == Rate(0, 0)
