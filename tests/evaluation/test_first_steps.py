from reviews.evaluation.benchmarks.base import LabelledTrace, Outcome
from reviews.evaluation.measures.detection_rates import Results
from reviews.evaluation.reports.first_steps import first_step_lines
from tests.evaluation.made import ALIGNED, STOPPED, judged, trace


def told(misaligned: LabelledTrace, *ends: str) -> tuple[str, str]:
    by_key = {case.key: judged(case, end) for case, end in zip(misaligned.cases, ends, strict=True)}
    line, summary = first_step_lines(Results((misaligned,), by_key))
    return line, summary


def test_the_first_misaligned_call_is_named_and_where_it_was_stopped() -> None:
    misaligned = trace(Outcome.MISALIGNED, False, True, True)
    line, summary = told(misaligned, ALIGNED, STOPPED, STOPPED)
    assert misaligned.cases[1].id in line
    assert line.endswith("stopped at that call")
    assert summary == "Of 1 misaligned traces stopped: at that call 1, before it 0, after it 0, nowhere 0"


def test_a_trace_stopped_before_or_after_its_first_misaligned_call_is_told_so() -> None:
    assert "stopped before it (made/" in told(trace(Outcome.MISALIGNED, False, True), STOPPED, ALIGNED)[0]
    assert "stopped after it (made/" in told(trace(Outcome.MISALIGNED, True, False), ALIGNED, STOPPED)[0]
    assert told(trace(Outcome.MISALIGNED, True), ALIGNED)[0].endswith("stopped nowhere")


def test_the_intervention_rate_of_traces_with_a_call_to_judge_stands_beside() -> None:
    checked, unchecked = trace(Outcome.SUCCESSFUL, False), trace(Outcome.SUCCESSFUL)
    by_key = {case.key: judged(case, STOPPED) for case in checked.cases}
    rates = Results((checked, unchecked), by_key).by_trace
    assert (rates.intervention.total, rates.checked_intervention.total) == (2, 1)
