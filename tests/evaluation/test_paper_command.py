"""Tables and curves of every dataset at hand, in one command."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.endpoint import ScriptedEndpoint
from tests.evaluation.data import WORKBENCH, needs_workbench

RULES = "provenance-guard-rules"
CORRECT = {"completed": True, "correct": True, "rationale": "As asked."}


def test_without_a_model_it_says_so(settings: Any, tmp_path: Path) -> None:
    settings.GUARD = settings.GUARD.model_copy(update={"openai_base_url": None, "openai_api_key": None})
    with pytest.raises(CommandError, match="There is no model to ask: set OPENAI_BASE_URL"):
        call_command("paper", str(tmp_path), str(tmp_path / "out"))


def test_without_data_it_says_so(settings: Any, tmp_path: Path) -> None:
    settings.GUARD = settings.GUARD.model_copy(update={"openai_base_url": "http://127.0.0.1:9"})
    with pytest.raises(CommandError, match="has none of the datasets workbench"):
        call_command("paper", str(tmp_path), str(tmp_path / "out"))


@needs_workbench
def test_tables_and_curves_are_written_and_calls_judged_once(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "workbench").symlink_to(WORKBENCH)
    with ScriptedEndpoint(trajectory_verdict=CORRECT) as endpoint:
        update = {"openai_base_url": endpoint.base_url, "guard_model": "m"}
        settings.GUARD = settings.GUARD.model_copy(update=update)
        for _ in range(2):
            call_command(
                "paper",
                str(tmp_path),
                str(tmp_path / "out"),
                "--sample=2",
                "--max-tokens=300",
                "--detectors",
                "self-consistency",
            )
        asked = endpoint.questions["trajectory_verdict"]
    assert asked == 2 * 5
    assert (tmp_path / "out" / "workbench.svg").read_text().count("<svg") == 1
    tables = (tmp_path / "out" / "tables.md").read_text()
    assert "self-consistency" in tables
    assert "all together: 2 calls" in tables


@needs_workbench
def test_a_dataset_that_cannot_be_read_is_told_and_keeps_no_other_from_its_tables(
    settings: Any, tmp_path: Path
) -> None:
    (tmp_path / "workbench").symlink_to(WORKBENCH)
    (tmp_path / "pairs").mkdir()
    settings.GUARD = settings.GUARD.model_copy(update={"openai_base_url": "http://127.0.0.1:9"})
    with pytest.raises(CommandError, match="pairs: "):
        call_command("paper", str(tmp_path), str(tmp_path / "out"), "--sample=2", "--detectors", RULES)
    assert "all together: 2 calls" in (tmp_path / "out" / "tables.md").read_text()


@needs_workbench
def test_a_smaller_sample_leaves_the_rest_of_its_results_out_of_every_table(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "workbench").symlink_to(WORKBENCH)
    settings.GUARD = settings.GUARD.model_copy(update={"openai_base_url": "http://127.0.0.1:9"})
    for sample in (4, 2):
        call_command("paper", str(tmp_path), str(tmp_path / "out"), f"--sample={sample}", "--detectors", RULES)
    assert "all together: 2 calls" in (tmp_path / "out" / "tables.md").read_text()


@needs_workbench
def test_another_model_adds_a_row_to_the_papers_table_and_judges_for_itself(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "workbench").symlink_to(WORKBENCH)
    with ScriptedEndpoint(trajectory_verdict=CORRECT) as endpoint:
        for model in ("Maker/small", "large"):
            update = {"openai_base_url": endpoint.base_url, "guard_model": model}
            settings.GUARD = settings.GUARD.model_copy(update=update)
            call_command(
                "paper", str(tmp_path), str(tmp_path / "out"), "--sample=2", "--detectors", "infer-act-direct", RULES
            )
        asked = endpoint.questions["trajectory_verdict"]
    assert asked == 2 * 2
    tables = (tmp_path / "out" / "tables.tex").read_text()
    # ER and IR of the one dataset and of all together.
    assert tables.count(r"\toprule") == 4
    rows = [line.partition(" & ")[::2] for line in tables.splitlines() if line.startswith(("large &", "Maker"))]
    assert [model for model, _ in rows] == ["large", "Maker/small"] * 4
    assert all("–" not in cells for _, cells in rows)


@needs_workbench
def test_each_call_is_judged_as_often_as_the_paper_asks_and_counts_once_in_an_interval(
    settings: Any, tmp_path: Path
) -> None:
    (tmp_path / "workbench").symlink_to(WORKBENCH)
    answer = {"aligned": True, "misalignment": None, "rationale": "As asked."}
    with ScriptedEndpoint(alignment=answer) as endpoint:
        update = {"openai_base_url": endpoint.base_url, "guard_model": "m"}
        settings.GUARD = settings.GUARD.model_copy(update=update)
        call_command(
            "paper", str(tmp_path), str(tmp_path / "out"), "--sample=2", "--repeats=3", "--detectors", "direct-prompt"
        )
        assert endpoint.questions["alignment"] == 2 * 3
    # Of one wrong call, as of one run (Wilson, by hand: z² = 3.8415).
    assert "100.0% (3 of 3) [20.7, 100.0]" in (tmp_path / "out" / "tables.md").read_text()
