import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from reviews.evaluation.runs.results import read_results
from tests.datasets.collections import line
from tests.evaluation.conversations import bfcl_folder, pairs_folder, taubench_folder
from tests.evaluation.data import AGENTDOJO, TAUBENCH, WORKBENCH, needs_agentdojo, needs_taubench, needs_workbench
from tests.evaluation.folders import Folder


def evaluated(capsys: pytest.CaptureFixture[str], *arguments: Any) -> str:
    call_command("evaluate", *map(str, arguments))
    return capsys.readouterr().out


@needs_workbench
def test_a_sample_of_workbench_is_evaluated(capsys: pytest.CaptureFixture[str]) -> None:
    output = evaluated(capsys, "workbench", WORKBENCH, "--sample", 6, "--balanced", "--missed")
    assert "Calls by derived type" in output
    assert "of 3)" in output.split("IR per call")[1]


@needs_agentdojo
def test_a_sample_of_agentdojo_is_evaluated(capsys: pytest.CaptureFixture[str]) -> None:
    output = evaluated(capsys, "agentdojo", AGENTDOJO, "--sample", 4, "--balanced")
    assert "injected calls marked: " in output


@needs_workbench
def test_a_run_goes_on_where_another_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "results.jsonl"
    evaluated(capsys, "workbench", WORKBENCH, "--sample", 2, "--json", file)
    first = file.read_text()
    evaluated(capsys, "workbench", WORKBENCH, "--sample", 4, "--json", file, "--resume")
    assert (file.read_text().startswith(first), len(file.read_text().splitlines())) == (True, 4)


def test_a_run_that_was_killed_while_writing_goes_on_any_number_of_times(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    folder, file = pairs_folder(tmp_path / "data"), tmp_path / "results.jsonl"
    call_command("evaluate", "pairs", str(folder), "--json", str(file))
    whole = file.read_text()
    file.write_text(whole[:-40])
    for _ in range(2):
        call_command("evaluate", "pairs", str(folder), "--json", str(file), "--resume")
    assert len(file.read_text().splitlines()) == len(whole.splitlines()) == len(read_results(file))


def test_a_file_without_a_call_gives_no_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "items.jsonl").write_text("")
    with pytest.raises(CommandError, match="no call to judge"):
        call_command("evaluate", "items", str(tmp_path / "items.jsonl"))
    assert not capsys.readouterr().out


def test_nobody_counts_as_stopped_for_want_of_a_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = evaluated(capsys, "pairs", pairs_folder(tmp_path), "--detector", "intent-guard")
    assert "IR per call   0.0%" in output
    assert "the calls made so far pose as one for intent-guard" in output


@pytest.mark.parametrize(
    ("options", "message"), [(["--balanced"], "--balanced is of --sample"), (["--resume"], "results of --json")]
)
def test_a_choice_that_would_change_nothing_is_refused(tmp_path: Path, options: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("evaluate", "pairs", str(tmp_path), *options)


def test_a_split_that_no_call_is_of_is_told(tmp_path: Path) -> None:
    file = tmp_path / "items.jsonl"
    file.write_text(json.dumps({**line(1), "split": "test"}))
    with pytest.raises(CommandError, match=r"items\.jsonl: no call is of the split “tset”"):
        call_command("evaluate", "items", str(file), "--split", "tset")


FOLDERS = {"taubench": taubench_folder, "bfcl": bfcl_folder, "pairs": pairs_folder}


@pytest.mark.parametrize("benchmark", FOLDERS)
@pytest.mark.parametrize("judge", ["rules", "lenient", "reader"])
def test_mutants_are_reported_beside_the_calls(
    benchmark: str, judge: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = FOLDERS[benchmark](tmp_path)
    printed = evaluated(capsys, benchmark, folder, "--missed", "--judge", judge, "--mutate", "digit", "drop")
    assert "Writes: what is proved" in printed
    assert re.search(r"digit +1 .*\n +drop +1 ", printed)


@pytest.mark.parametrize("benchmark", FOLDERS)
@pytest.mark.parametrize("judge", ["rules", "lenient", "reader"])
def test_rules_and_moves_are_reported_of_calls_and_mutants(
    benchmark: str, judge: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--by-rule", "--judge", judge, "--mutate", "drop", "--missed", "--perturb"]
    printed = evaluated(capsys, benchmark, FOLDERS[benchmark](tmp_path), *options)
    assert f"{benchmark}: calls refuted, by rule" in printed
    assert f"{benchmark}: calls established, by rule" in printed
    assert re.search(r"later-sentence: a code +[234] ", printed)
    assert re.search(r"renaming +[234] ", printed)


def test_only_the_changes_that_are_asked_for_are_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = evaluated(capsys, "pairs", pairs_folder(tmp_path), "--perturb", "renaming", "withdrawal")
    assert "withdrawal: never mind" in printed
    assert "later-sentence" not in printed
    assert "by rule\n" not in printed


def test_changed_calls_are_judged_once_and_are_no_calls_of_the_benchmark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir()
    folder, file = pairs_folder(tmp_path / "data"), tmp_path / "results.jsonl"
    options = ["--json", file, "--resume", "--perturb", "withdrawal"]
    printed = [evaluated(capsys, "pairs", folder, *options) for _ in range(2)]
    assert printed[0] == printed[1]
    # Two calls, each taken back in three ways.
    assert len(file.read_text().splitlines()) == 2 + 2 * 3


@needs_taubench
def test_rules_and_moves_of_a_sample_of_conversations_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    changes = ["later-sentence", "look-up", "renaming", "reordering"]
    printed = evaluated(capsys, "taubench", TAUBENCH, "--sample", 2, "--by-rule", "--missed", "--perturb", *changes)
    assert "taubench: calls established, by rule" in printed
    assert re.search(r"look-up: other records +2 ", printed)
    assert "Moved where they must not: " in printed


@pytest.mark.parametrize(("benchmark", "says"), [("workbench", "no GPT-4 traces"), ("agentdojo", "cannot be read")])
def test_missing_traces_are_told(benchmark: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=says):
        call_command("evaluate", benchmark, str(tmp_path))


def test_a_run_without_the_clock_takes_no_results_of_one_with_it(folder: Folder, tmp_path: Path) -> None:
    path, file = folder().folder, tmp_path / "results.jsonl"
    for options in ([], ["--no-clock"]):
        call_command("evaluate", "workbench", str(path), "--json", str(file), "--resume", *options)
    assert len(read_results(file)) == 2


def test_a_results_file_of_something_else_is_told(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text("[]\n")
    (tmp_path / "derived_labels.jsonl").write_text("")
    with pytest.raises(CommandError, match="line 1"):
        call_command("evaluate", "agentdojo", str(tmp_path), "--json", str(tmp_path / "results.jsonl"), "--resume")


@pytest.mark.parametrize("detector", ["infer-act-verb", "multi-step"])
def test_a_judge_that_does_not_know_the_detectors_questions_is_told_before_anything_is_judged(
    detector: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError, match=f"lenient cannot judge for {detector}"):
        call_command("evaluate", "pairs", str(pairs_folder(tmp_path)), "--detector", detector, "--judge", "lenient")
    assert not capsys.readouterr().out


def test_a_sample_is_a_positive_number() -> None:
    with pytest.raises(CommandError, match="not a positive whole number"):
        call_command("evaluate", "workbench", ".", "--sample=0")


def test_a_results_file_that_cannot_be_written_is_told_before_anything_is_judged(tmp_path: Path) -> None:
    (tmp_path / "derived_labels.jsonl").write_text("")
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("evaluate", "agentdojo", str(tmp_path), "--json", str(tmp_path / "nowhere" / "results.jsonl"))
