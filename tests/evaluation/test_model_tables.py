"""The papers' layout: models in rows, detectors in columns, with Δ and p against one of them."""

import re

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.reports.model_tables import render_latex
from reviews.evaluation.reports.tables import Bold, latex_table, markdown_table
from reviews.evaluation.runs.contestants import Contestant, Round
from reviews.provenance.detectors import DirectPrompt
from reviews.provenance.judges import RulesJudge
from tests.evaluation.made import ALIGNED, STOPPED, case, judged

WRONG = tuple(case(wrong=True) for _ in range(6))
RIGHT = tuple(case(wrong=False) for _ in range(2))


def erring(name: str, *errors: int) -> Contestant:
    """Of the wrong calls so many of the first pass, in each run; every right call passes."""
    first, *repeats = (_run(name, count) for count in errors)
    first.repeats = tuple(repeats)
    return first


def _run(name: str, errors: int) -> Contestant:
    ends = [ALIGNED] * errors + [STOPPED] * (len(WRONG) - errors) + [ALIGNED] * len(RIGHT)
    verdicts = (judged(of, end) for of, end in zip((*WRONG, *RIGHT), ends, strict=True))
    return Contestant(name, DirectPrompt(), RulesJudge(), {each.key: each for each in verdicts})


def compared(*contestants: Contestant, cases: tuple[LabelledCase, ...] = (*WRONG, *RIGHT)) -> Round:
    return Round("made", cases, contestants)


def row_of(table: str, model: str) -> list[str]:
    (line,) = re.findall(rf"^{model} & (.*) \\\\$", table, re.M)
    return str(line).split(" & ")


def test_each_rate_has_its_difference_and_chance_and_is_bold_where_holm_leaves_it_significant() -> None:
    # Of six differences of one sign the exact p is 1 of 2⁶, of five 1 of 2⁵, of four 1 of 2⁴. Holm: 3/64 = 0.047,
    # 2/32 = 0.0625 and 1/16 = 0.0625, so that 0.031 is significant alone and not among three.
    rows = {f"model-{n}": compared(erring("other", n), erring("ours", 0)) for n in (6, 5, 4)}
    errors, interventions = render_latex(rows, "ours").split("\n\n")
    assert row_of(errors, "model-6") == ["0.000", r"\textbf{1.000 ($-$1.000, 0.016)}"]
    assert row_of(errors, "model-5") == ["0.000", "0.833 ($-$0.833, 0.031)"]
    assert row_of(errors, "model-4") == ["0.000", "0.667 ($-$0.667, 0.062)"]
    assert row_of(interventions, "model-6") == ["0.000", "0.000 (0.000, 1.000)"]


def test_runs_are_averaged_by_call_before_they_are_compared() -> None:
    # Every call errs in one of two runs: a rate of one half, and six differences of one sign.
    errors, _ = render_latex({"m": compared(erring("ours", 0, 0), erring("other", 6, 0))}, "ours").split("\n\n")
    assert row_of(errors, "m") == ["0.000", r"\textbf{0.500 ($-$0.500, 0.016)}"]


def test_a_small_p_is_told_to_be_small_and_a_worse_reference_has_a_plus() -> None:
    many = tuple(case(wrong=True) for _ in range(10))
    ends = {"ours": STOPPED, "other": ALIGNED}
    entered = [
        Contestant(name, DirectPrompt(), RulesJudge(), {each.key: judged(each, end) for each in many})
        for name, end in ends.items()
    ]
    better, _ = render_latex({"m": compared(*entered, cases=many)}, "ours").split("\n\n")
    worse, _ = render_latex({"m": compared(*entered, cases=many)}, "other").split("\n\n")
    assert row_of(better, "m") == ["0.000", r"\textbf{1.000 ($-$1.000, $<$0.001)}"]
    assert row_of(worse, "m") == ["1.000", "0.000 (+1.000, 1.000)"]


def test_without_a_reference_the_rates_stand_alone() -> None:
    errors, _ = render_latex({"m": compared(erring("ours", 0), erring("other", 3))}).split("\n\n")
    assert row_of(errors, "m") == ["0.000", "0.500"]
    assert "permutation" not in errors


def test_a_detector_that_a_model_was_not_asked_with_has_an_empty_cell() -> None:
    rows = {"one": compared(erring("ours", 0), erring("other", 6)), "two": compared(erring("ours", 3))}
    errors, _ = render_latex(rows, "ours").split("\n\n")
    assert row_of(errors, "two") == ["0.500", "--"]


def test_a_model_that_has_judged_fewer_calls_says_so_in_its_row() -> None:
    fewer = erring("ours", 3)
    del fewer.results[WRONG[0].key]
    errors, interventions = render_latex({"all": compared(erring("ours", 3)), "few": compared(fewer)}).split("\n\n")
    # Of the five that are left two passed.
    assert row_of(errors, r"few \(5 of 6 calls\)") == ["0.400"]
    assert row_of(errors, "all") == ["0.500"]
    assert row_of(interventions, "few") == ["0.000"]


def test_the_caption_tells_rate_calls_and_test() -> None:
    errors, interventions = render_latex({"m": compared(erring("ours", 0), erring("other", 6))}, "ours").split("\n\n")
    assert r"\caption{ER by model on made, 6 calls that should be stopped." in errors
    assert r"\caption{IR by model on made, 2 calls that should pass." in interventions
    assert "one-sided paired permutation test" in errors
    assert "p $<$ 0.05 after Holm" in errors


def test_a_table_for_a_paper_is_ruled_by_booktabs_and_its_text_is_escaped() -> None:
    table = latex_table("50 % of a_b", ("model", "x & y"), [("Qwen/Qwen_2", Bold("<1 {a} \\ ~ ^ # $"))])
    assert [rule in table for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\hline")] == [
        True,
        True,
        True,
        False,
    ]
    assert r"\caption{50 \% of a\_b}" in table
    assert r"model & x \& y \\" in table
    assert r"Qwen/Qwen\_2 & \textbf{$<$1 \{a\} \textbackslash{} \textasciitilde{} \textasciicircum{} \# \$} \\" in table


def test_a_bold_cell_is_plain_in_a_document() -> None:
    assert "| m | 1.0 |" in markdown_table("t", ("a", "b"), [("m", Bold("1.0"))])


def test_no_name_breaks_out_of_its_cell_in_a_document() -> None:
    rows = markdown_table("t", ("rule", "tool"), [("r", "send | 100 %\n| forged")]).splitlines()
    assert rows[4:] == [r"| r | send \| 100 % \| forged |"]
