"""Types, first steps and risk, detector by detector."""

from dataclasses import replace

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.reports import comparison
from reviews.evaluation.reports.breakdowns import list_breakdowns
from reviews.evaluation.runs.contestants import Contestant, Round
from reviews.provenance.core.context import Case, Context, ProposedAction, ToolDoc
from reviews.provenance.core.findings import Misalignment
from reviews.provenance.detectors import DirectPrompt
from reviews.provenance.judges import RulesJudge
from tests.evaluation.made import ALIGNED, STOPPED, case, judged, trace

Ends = dict[LabelledCase, str]


def ending(name: str, *runs: dict[int, str], cases: tuple[LabelledCase, ...]) -> Contestant:
    """Each run says by a case's position that it passes, is undetermined, or of which type it is."""
    first, *repeats = (
        Contestant(name, DirectPrompt(), RulesJudge(), {cases[at].key: _end(cases[at], end) for at, end in run.items()})
        for run in runs
    )
    return replace(first, repeats=tuple(repeats))


def _end(of: LabelledCase, end: str) -> Judged:
    is_type = end in set(Misalignment)
    return replace(judged(of, STOPPED if is_type else end), type=Misalignment(end) if is_type else None)


def calling(tool: str, description: str) -> LabelledCase:
    document = ToolDoc(tool, description, {"type": "object", "properties": {}})
    return replace(case(wrong=True, label="wrong"), case=Case(Context("Do it", (document,)), ProposedAction(tool, {})))


TYPED = tuple(case(wrong=True, label=label) for label in ("tool", "parameter", "parameter", "interpretation"))


def test_labelled_types_are_held_against_the_named_ones_over_all_runs() -> None:
    ours = ending(
        "ours",
        {0: "tool", 1: "parameter", 2: "tool", 3: "undetermined"},
        {0: "tool", 1: "parameter", 2: ALIGNED, 3: "interpretation"},
        cases=TYPED,
    )
    ((title, columns, rows),) = list_breakdowns(Round("made", TYPED, [ours]))
    assert title.startswith("made: wrong calls by labelled type")
    assert columns[2:-1] == ("passed", "tool", "parameter", "interpretation", "injection", "plan", "undetermined")
    by_type = {row[1]: (row[2:-1], str(row[-1])) for row in rows}
    assert by_type == {
        "tool": ((0, 2, 0, 0, 0, 0, 0), "100.0% (2 of 2)"),
        "parameter": ((1, 1, 2, 0, 0, 0, 0), "66.7% (2 of 3)"),
        "interpretation": ((0, 0, 0, 1, 0, 0, 1), "100.0% (1 of 1)"),
    }


def test_a_method_that_knows_no_types_has_none_to_confuse() -> None:
    infer_act = ending("infer-act", dict.fromkeys(range(4), "plan"), cases=TYPED)
    # What a tuned threshold stops has no type at all.
    tuned = ending("tuned", dict.fromkeys(range(4), STOPPED), cases=TYPED)
    assert not list(list_breakdowns(Round("made", TYPED, [infer_act, tuned])))


def test_a_misaligned_trace_is_counted_by_where_it_was_first_stopped() -> None:
    traces = [trace(Outcome.MISALIGNED, False, True) for _ in range(4)]
    cases = tuple(each for one in traces for each in one.cases)
    ends = [(ALIGNED, STOPPED), (STOPPED, STOPPED), (ALIGNED, ALIGNED), (ALIGNED, STOPPED)]
    said = dict(enumerate(end for pair in ends for end in pair))
    table = Round("made", cases, [ending("ours", said, said, cases=cases)], traces=traces)
    rows = [row for title, _, row in list_breakdowns(table) if "first stopped" in title]
    # Two of four, in both runs alike: as wide an interval as of one run (Wilson, by hand: z² = 3.8415).
    assert rows == [[("ours", "50.0% (4 of 8) [15.0, 85.0]", 2, 0, 2)]]


def test_a_trace_of_which_not_every_call_was_drawn_has_no_first_step() -> None:
    one = trace(Outcome.MISALIGNED, False, True)
    drawn = one.cases[1:]
    table = Round("made", drawn, [ending("ours", {0: STOPPED}, cases=drawn)], traces=[one])
    assert not [title for title, _, _ in list_breakdowns(table) if "first stopped" in title]


def test_traces_of_a_single_call_have_no_first_step_to_find() -> None:
    one = trace(Outcome.MISALIGNED, True)
    table = Round("made", one.cases, [ending("ours", {0: STOPPED}, cases=one.cases)], traces=[one])
    assert not [title for title, _, _ in list_breakdowns(table) if "first stopped" in title]


def test_misses_are_told_by_what_the_call_would_have_done() -> None:
    cases = (
        calling("send_email", "Sends an email."),
        calling("send_email", "Sends an email."),
        calling("delete_file", "Deletes a file."),
        calling("rename_folder", "Renames a folder."),
        # Nobody can tell what this does.
        calling("frobnicate", ""),
    )
    ours = ending("ours", {0: ALIGNED, 1: STOPPED, 2: STOPPED, 3: ALIGNED, 4: ALIGNED}, cases=cases)
    ((title, columns, rows),) = list_breakdowns(Round("made", cases, [ours]))
    assert "FNR of wrong calls by what they would have done" in title
    assert columns == ("detector", "sends", "deletes", "mild")
    ((_, *cells),) = rows
    assert [str(cell).partition(" [")[0] for cell in cells] == ["50.0% (1 of 2)", "0.0% (0 of 1)", "100.0% (1 of 1)"]


def test_the_report_prints_what_can_be_told_behind_the_measures() -> None:
    traces = [LabelledTrace("made/1", "made", Outcome.MISALIGNED, TYPED)]
    ours = ending("ours", {0: "tool", 1: "parameter", 2: "tool", 3: ALIGNED}, cases=TYPED)
    printed = comparison.render_markdown(Round("made", TYPED, [ours], traces=traces))
    assert "| ours | parameter | 0 | 1 | 1 |" in printed
    assert "| ours | 100.0% (1 of 1) [20.7, 100.0] | 0 | 0 | 0 |" in printed
