"""Ground truth from the shell: imported, and used to evaluate, compare and tune."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from reviews import access
from reviews.lab import tuning
from reviews.models import DatasetItem, ExportFormat
from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import Finding, Relation, StageResult
from reviews.provenance.detectors import InferActProb
from reviews.provenance.detectors.base import Stages
from reviews.provenance.judges import Judge, JudgeError
from tests.cast import Cast
from tests.datasets.collections import exported, line, made_version, write_lines

PROB = InferActProb.name


def output_of(capsys: pytest.CaptureFixture[str], *arguments: Any) -> str:
    call_command(*map(str, arguments))
    return capsys.readouterr().out


def test_a_collection_is_imported_and_its_bad_records_are_told(
    cast: Cast, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_lines(tmp_path / "calls.jsonl", [line(0), "{", line(1)])
    output = output_of(capsys, "import_benchmark", "items", path, "--workspace", "acme", "--dataset", "mail")
    assert output.startswith("2: calls.jsonl, line 2: ")
    assert "3 records: 2 calls loaded into “mail”, 0 it held already, 1 records" in output
    assert DatasetItem.objects.count() == 2


@pytest.mark.parametrize(("workspace", "file"), [("nowhere", "calls.jsonl"), ("acme", "missing.jsonl")])
def test_an_import_that_cannot_begin_says_why(cast: Cast, tmp_path: Path, workspace: str, file: str) -> None:
    write_lines(tmp_path / "calls.jsonl", [line(0)])
    with pytest.raises(CommandError, match=r"no workspace|does not exist"):
        call_command("import_benchmark", "items", str(tmp_path / file), "--workspace", workspace)


@pytest.fixture
def export(cast: Cast, tmp_path: Path) -> Path:
    """A frozen version's export, half of it for tests."""
    return exported(made_version(cast, tmp_path, shares={"train": 0.5, "test": 0.5}), ExportFormat.JSONL, tmp_path)


def test_a_frozen_version_is_evaluated(export: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "of 4)" in output_of(capsys, "evaluate", "items", export)
    assert "of 4)" not in output_of(capsys, "evaluate", "items", export, "--split", "test")


def test_a_frozen_version_is_a_benchmark_to_compare_on(
    export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results"
    output = output_of(capsys, "compare", "items", export, results, "--report-only", "--detectors", "direct-prompt")
    assert "items" in output


class Scoring:
    """A detector that is surer of right calls: 0.9 of those that are, 0.6 of the others."""

    name = PROB
    version = "1"

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        score = 0.6 if case.action.arguments["n"] % 3 == 0 else 0.9
        yield StageResult("alignment", findings=(Finding(Relation.CONTRIBUTE_TO, "", True, "So.", score=score),))


def test_a_threshold_is_tuned_on_a_frozen_version(
    cast: Cast, export: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tuning, "build", lambda name, options: Scoring())
    tune = ("tune", "acme", PROB, "--minimum=1", f"--items={export}")
    assert "Labelled actions  10" in output_of(capsys, *tune, "--dry-run")
    assert access.current_profile(cast.workspace).version == 1
    output_of(capsys, *tune)
    assert access.current_profile(cast.workspace).thresholds == {PROB: pytest.approx(0.75)}


def test_cases_that_the_judge_cannot_answer_are_told_when_a_threshold_is_tuned(
    cast: Cast, export: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Failing(Scoring):
        async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
            if case.action.arguments["n"] in (1, 2):
                raise JudgeError("no answer")
            async for stage in super().stages(case, judge, done):
                yield stage

    monkeypatch.setattr(tuning, "build", lambda name, options: Failing())
    call_command("tune", "acme", PROB, "--minimum=1", f"--items={export}", "--dry-run")
    told = capsys.readouterr()
    assert "2 cases could not be judged" in told.err
    assert "Labelled actions  8" in told.out
    # Also where they are why too few are left.
    with pytest.raises(CommandError, match=r": 8\. At least 9 are needed\. 2 cases could not be judged"):
        call_command("tune", "acme", PROB, "--minimum=9", f"--items={export}", "--dry-run")
