import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from reviews.management.connection import address_and_key
from tests.evaluation.data import WORKBENCH, needs_workbench


def options(**given: Any) -> dict[str, Any]:
    return {"url": None, "key": None, "demo": Path("missing.json"), **given}


@needs_workbench
def test_every_domains_trace_is_replayed_without_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("replay", "workbench", str(WORKBENCH), "--setting", "domains", "--in-process")
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last.startswith("444 traces, 390 calls in ")
    assert last.endswith(" 0 errors")


def test_missing_traces_are_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no GPT-4 traces"):
        call_command("replay", "workbench", str(tmp_path), "--in-process")


@pytest.mark.parametrize("limit", ["0", "-1", "many"])
def test_a_limit_is_a_positive_number(limit: str) -> None:
    with pytest.raises(CommandError, match="not a positive whole number"):
        call_command("replay", "workbench", ".", f"--limit={limit}")


def test_the_demonstration_tells_address_and_key(tmp_path: Path) -> None:
    file = tmp_path / "demo.json"
    file.write_text(json.dumps({"url": "http://here", "agent_key": "k"}))
    assert address_and_key(options(demo=file)) == ("http://here", "k")


def test_options_need_no_demonstration() -> None:
    assert address_and_key(options(url="http://there", key="k")) == ("http://there", "k")


@pytest.mark.parametrize("content", [None, "{", "[]", "{}"])
def test_without_either_the_user_is_told_what_to_do(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "demo.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(CommandError, match="make demo"):
        address_and_key(options(demo=file))
