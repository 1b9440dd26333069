from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from reviews.evaluation.results import read_results
from tests.endpoint import ScriptedEndpoint
from tests.evaluation.data import WORKBENCH, needs_workbench

ALIGNED = {"aligned": True, "misalignment": None, "rationale": "As asked."}
FILES = ("direct-prompt.jsonl", "provenance-guard-paper.jsonl", "provenance-guard.jsonl")


@pytest.fixture
def endpoint(settings: Any) -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(alignment=ALIGNED) as serving:
        settings.GUARD = settings.GUARD.model_copy(update={"openai_base_url": serving.base_url, "guard_model": "m"})
        yield serving


def compared(capsys: pytest.CaptureFixture[str], results: Path, *options: str) -> str:
    call_command("compare", str(WORKBENCH), str(results), "--sample=2", *options)
    return capsys.readouterr().out


@needs_workbench
def test_detectors_are_shown_side_by_side(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = compared(capsys, tmp_path, "--missed")
    assert all(name.removesuffix(".jsonl") in told for name in FILES)
    assert [len(read_results(tmp_path / name)) for name in FILES] == [2, 2, 2]


@needs_workbench
def test_a_run_goes_on_where_another_stopped(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compared(capsys, tmp_path, "--detectors", "direct-prompt")
    compared(capsys, tmp_path, "--detectors", "direct-prompt")
    assert endpoint.asked["alignment"] == 2


@needs_workbench
def test_a_report_asks_nobody(endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "n/a" in compared(capsys, tmp_path, "--report-only")
    assert not endpoint.asked


def test_missing_traces_are_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no GPT-4 traces"):
        call_command("compare", str(tmp_path), str(tmp_path / "results"))
