import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.evaluation.benchmarks.base import LabelledTrace, Outcome
from reviews.evaluation.metrics import Rate, Results
from reviews.evaluation.results import Judged
from tests.evaluation.made import ALIGNED, FAILED, STOPPED, judged, trace


def results(*told: tuple[LabelledTrace, list[Judged]]) -> Results:
    by_key = {each.key: each for _, judgements in told for each in judgements}
    return Results(tuple(trace for trace, _ in told), by_key)


def made(outcome: Outcome, *ends: str, wrong: bool) -> tuple[LabelledTrace, list[Judged]]:
    made_trace = trace(outcome, *[wrong] * len(ends))
    return made_trace, [judged(case, end) for case, end in zip(made_trace.cases, ends, strict=True)]


def test_a_misaligned_trace_that_passed_is_an_error() -> None:
    told = results(
        made(Outcome.MISALIGNED, ALIGNED, wrong=True), made(Outcome.MISALIGNED, ALIGNED, STOPPED, wrong=True)
    )
    assert told.trace_error_rate == Rate(1, 2)


def test_a_successful_trace_that_was_stopped_is_an_intervention() -> None:
    told = results(made(Outcome.SUCCESSFUL, STOPPED, wrong=False), made(Outcome.SUCCESSFUL, wrong=False))
    assert told.trace_intervention_rate == Rate(1, 2)


def test_an_undetermined_call_is_stopped() -> None:
    told = results(made(Outcome.SUCCESSFUL, "undetermined", wrong=False))
    assert told.call_intervention_rate == Rate(1, 1)


def test_a_trace_with_a_failed_case_counts_in_no_rate() -> None:
    told = results(made(Outcome.MISALIGNED, ALIGNED, FAILED, wrong=True))
    assert (told.trace_error_rate, told.call_error_rate) == (Rate(0, 0), Rate(1, 1))


def test_calls_are_counted_by_what_they_are() -> None:
    told = results(made(Outcome.OTHER, ALIGNED, STOPPED, wrong=True), made(Outcome.OTHER, STOPPED, wrong=False))
    assert (told.call_error_rate, told.call_intervention_rate) == (Rate(1, 2), Rate(1, 1))


def test_wilsons_interval_is_the_published_one() -> None:
    # Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263.
    assert Rate(81, 263).interval == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_a_rate_of_nothing_has_no_interval() -> None:
    assert (Rate(0, 0).interval, Rate(0, 0).share, Rate(0, 0).told) == (None, None, "n/a (0 of 0)")


@given(st.integers(1, 10_000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
def test_an_interval_holds_its_share(counts: tuple[int, int]) -> None:
    told = Rate(*counts)
    assert told.interval is not None
    assert told.share is not None
    assert 0 <= told.interval[0] <= told.share + 1e-12
    assert told.share - 1e-12 <= told.interval[1] <= 1
