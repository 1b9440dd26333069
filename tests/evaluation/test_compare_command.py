import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from reviews.evaluation.benchmarks.workbench_cases import WorkbenchCases
from reviews.evaluation.runs import run_identity
from reviews.evaluation.runs.results import read_results
from reviews.management.benchmark_registry import BENCHMARKS
from reviews.provenance.prompts.prompt import prompt_versions
from tests.endpoint import ScriptedEndpoint
from tests.evaluation.data import (
    ASB_RUNS,
    TAUBENCH,
    WEBSHOP,
    WORKBENCH,
    needs_asb,
    needs_taubench,
    needs_webshop,
    needs_workbench,
)

ALIGNED = {"aligned": True, "misalignment": None, "rationale": "As asked."}
FILES = ("direct-prompt.jsonl", "provenance-guard-paper.jsonl", "provenance-guard.jsonl")


@pytest.fixture
def endpoint(settings: Any) -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(alignment=ALIGNED) as serving:
        settings.GUARD = settings.GUARD.model_copy(update={"openai_base_url": serving.base_url, "guard_model": "m"})
        yield serving


def compared(capsys: pytest.CaptureFixture[str], results: Path, *options: str) -> str:
    call_command("compare", "workbench", str(WORKBENCH), str(results), "--sample=2", "--balanced", *options)
    return capsys.readouterr().out


@needs_workbench
def test_detectors_are_shown_side_by_side(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [name.removesuffix(".jsonl") for name in FILES]
    output = compared(capsys, tmp_path, "--missed", "--detectors", *names)
    assert all(name in output for name in names)
    assert [len(read_results(tmp_path / name)) for name in FILES] == [2, 2, 2]


@needs_workbench
def test_a_run_goes_on_where_another_stopped(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compared(capsys, tmp_path, "--detectors", "direct-prompt")
    compared(capsys, tmp_path, "--detectors", "direct-prompt")
    assert endpoint.questions["alignment"] == 2


@needs_workbench
def test_a_report_asks_nobody(endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "n/a" in compared(capsys, tmp_path, "--report-only")
    assert not endpoint.questions


@needs_workbench
def test_verdicts_that_could_not_be_had_are_told_after_the_table(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.down = True
    with pytest.raises(CommandError, match=r"2 verdicts could not be had .* InternalServerError, status 503"):
        compared(capsys, tmp_path, "--detectors", "direct-prompt")
    assert "n/a" in capsys.readouterr().out


def test_a_run_that_is_stopped_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(self: WorkbenchCases) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(WorkbenchCases, "read_traces", stopped)
    with pytest.raises(CommandError, match="the same command goes on"):
        call_command("compare", "workbench", str(tmp_path), str(tmp_path / "results"))


def test_a_results_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("")
    with pytest.raises(CommandError, match="results cannot be written"):
        call_command("compare", "workbench", str(tmp_path), str(tmp_path / "results"))


@pytest.mark.parametrize("timeout", ["0", "-1", "nan", "inf", "soon"])
def test_a_timeout_is_a_time(timeout: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="not a number of seconds above 0"):
        call_command("compare", "workbench", str(tmp_path), str(tmp_path / "results"), f"--timeout={timeout}")


def test_missing_traces_are_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no GPT-4 traces"):
        call_command("compare", "workbench", str(tmp_path), str(tmp_path / "results"))


@needs_workbench
def test_two_processes_from_both_ends_judge_each_case_once(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compared(capsys, tmp_path, "--detectors", "direct-prompt")
    compared(capsys, tmp_path, "--detectors", "direct-prompt", "--reverse", "--sample=4")
    lines = (tmp_path / "direct-prompt.jsonl").read_text().splitlines()
    keys = [json.loads(line)["key"] for line in lines]
    assert endpoint.questions["alignment"] == len(set(keys)) == 4
    assert keys[2:] == sorted(keys[2:], reverse=True)


@needs_workbench
@needs_asb
def test_benchmarks_are_told_one_by_one_and_together(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    call_command("compare", "asb", str(ASB_RUNS), str(other), "--runs=2", "--detectors", "direct-prompt")
    capsys.readouterr()
    output = compared(
        capsys, one, "--detectors=direct-prompt", "--markdown", "--also", "asb", str(ASB_RUNS), str(other)
    )
    titles = [line.strip("*").partition(": ")[::2] for line in output.splitlines() if line.startswith("**")]
    # Behind each table of measures; a benchmark of attacks has one of its whole runs, too.
    assert [name for name, of in titles if "should be stopped" in of] == ["workbench", "asb", "all together"]
    assert [name for name, of in titles if of.startswith("attacked runs")] == ["asb", "all together"]


@pytest.mark.parametrize("options", [["--also", "asb", "a", "missing"], ["--latex", "--beside", "m", "missing"]])
def test_results_that_are_not_there_are_told_before_anything_is_judged(options: list[str], tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="missing holds no results"):
        call_command("compare", "asb", "no-such-folder", str(tmp_path), *options)


@needs_webshop
def test_an_unknown_benchmark_beside_is_told(tmp_path: Path) -> None:
    (tmp_path / "provenance-guard.jsonl").touch()
    with pytest.raises(CommandError, match="no benchmark chess"):
        call_command(
            "compare", "webshop", str(WEBSHOP), str(tmp_path), "--report-only", "--also", "chess", "a", str(tmp_path),
            "--detectors", "direct-prompt",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--published-split"], "--published-split is of workbench"),
        (["--setting", "all"], "--setting all is of workbench"),
        (["--split", "test"], "--split is of items"),
        (["--most-calls", "2"], "--most-calls is of --runs"),
        (["--runs", "2", "--balanced"], "--balanced is of --sample"),
        (["--window", "3", "--detectors", "argus"], "--window is of intent-guard"),
        (["--aggregate", "min", "--detectors", "argus"], "--aggregate is of multi-step"),
        (["--reconstruct-subtasks", "--detectors", "provenance-guard-rules"], "--reconstruct-subtasks is of"),
    ],
)
def test_a_choice_that_would_change_nothing_is_refused(tmp_path: Path, options: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("compare", "bfcl", str(tmp_path), str(tmp_path / "results"), *options)
    assert not (tmp_path / "results").exists()


def test_a_file_without_a_call_gives_no_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "items.jsonl").write_text("")
    with pytest.raises(CommandError, match="no call to judge"):
        call_command("compare", "items", str(tmp_path / "items.jsonl"), str(tmp_path / "results"))
    assert not capsys.readouterr().out


def test_only_who_takes_part_is_compared_with(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="argus is not among"):
        call_command("compare", "asb", "a", str(tmp_path), "--against", "argus", "--detectors", "direct-prompt")


@needs_workbench
def test_tuned_thresholds_and_the_chance_stand_beside(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.probability = 0.9
    endpoint.answers["correctness"] = {"holds": True}
    arguments = ("--sample=6", "--detectors", "token-probability", "--tuned", "--against", "token-probability")
    output = compared(capsys, tmp_path, *arguments)
    assert "token-probability, tuned to" in output
    # What a threshold was tuned on is kept apart: no table is made of it.
    tables, apart = (
        read_results(folder / "token-probability.jsonl") for folder in (tmp_path, tmp_path / "development")
    )
    assert (len(tables), len(apart)) == (6, 50)
    assert not tables.keys() & apart.keys()
    assert "p against token-probability" in output


@needs_workbench
def test_stale_verdicts_are_judged_again_and_never_believed(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared(capsys, tmp_path, "--detectors", "direct-prompt")
    reworded = {**prompt_versions(), "alignment": "0" * 12}
    monkeypatch.setattr(run_identity, "prompt_versions", lambda: reworded)
    assert "n/a" in compared(capsys, tmp_path, "--detectors", "direct-prompt", "--report-only")
    compared(capsys, tmp_path, "--detectors", "direct-prompt")
    assert endpoint.questions["alignment"] == 4


@needs_workbench
def test_the_table_says_how_its_calls_were_drawn(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("compare", "workbench", str(WORKBENCH), str(tmp_path), "--sample=2", "--detectors", "direct-prompt")
    call_command(*arguments)
    assert "2 calls, a natural sample" in capsys.readouterr().out
    call_command(*arguments, "--balanced")
    assert "2 calls, a balanced sample" in capsys.readouterr().out


@needs_workbench
def test_each_repeat_is_a_run_of_its_own_at_the_endpoints_sampling(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compared(capsys, tmp_path, "--detectors", "direct-prompt", "--repeats=3")
    assert endpoint.questions["alignment"] == 6
    assert not any("temperature" in request for request in endpoint.requests)
    compared(capsys, tmp_path, "--detectors", "direct-prompt", "--repeats=3")
    assert endpoint.questions["alignment"] == 6


@needs_webshop
def test_a_purchase_is_asked_about_completion_alone_and_halted_episodes_count(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.answers |= {"inference": {"task": "Buy socks"}, "completion": {"holds": False}}
    call_command("compare", "webshop", str(WEBSHOP), str(tmp_path), "--sample=1", "--detectors", "infer-act-verb")
    assert endpoint.questions == {"inference": 1, "completion": 1}
    assert "episodes that got stuck go straight to a person" in capsys.readouterr().out


def test_answers_to_questions_take_part_in_a_comparison() -> None:
    assert "hotpotqa" in BENCHMARKS


@needs_taubench
def test_wrong_calls_made_of_right_ones_are_half_of_a_balanced_sample(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command(
        "compare", "taubench", str(TAUBENCH), str(tmp_path), "--sample=30", "--balanced", "--mutate", "sibling",
        "--detectors", "provenance-guard-rules",
    )  # fmt: skip
    assert "30 calls, a balanced sample" in capsys.readouterr().out
    assert not endpoint.questions


@needs_workbench
def test_a_paper_s_table_has_a_row_for_each_models_folder_of_results(
    endpoint: ScriptedEndpoint, settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("--detectors", "direct-prompt", "provenance-guard-rules")
    compared(capsys, tmp_path / "m", *names)
    settings.GUARD = settings.GUARD.model_copy(update={"guard_model": "Other/model_2"})
    output = compared(
        capsys, tmp_path / "other", *names, "--latex", "--against=direct-prompt", "--beside", "m", str(tmp_path / "m")
    )
    # The model sides with both calls, of which one is wrong; the second row is the other folder's.
    assert output.count(r"\begin{table}") == 2
    rows = [line.partition(" & ")[::2] for line in output.splitlines() if line.startswith(("m &", "Other"))]
    assert [model for model, _ in rows] == [r"Other/model\_2", "m"] * 2
    assert [cells[:5] for _, cells in rows] == ["1.000"] * 2 + ["0.000"] * 2
    assert endpoint.questions["alignment"] == 4


def test_another_models_row_needs_the_table_it_stands_in(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--beside is a row of --latex"):
        call_command("compare", "asb", "a", str(tmp_path), "--beside", "m", str(tmp_path))
