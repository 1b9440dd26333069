"""The examples of docs/extending.md, as a reader would copy them."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from reviews.provenance.grounding.objections import registry
from reviews.provenance.language import base
from reviews.provenance.request.asked_for import match

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import objections as folder
from tests.provenance.grounding.checks import grounded

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "extending.md").read_text()
(TOML,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
(PYTHON,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
CACHED = (base.languages, base.languages_of)


@pytest.fixture
def objecting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The objection's file lies beside the others."""
    (tmp_path / "weekend.py").write_text(PYTHON)
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
    registry.objections.cache_clear()
    yield
    registry.objections.cache_clear()


@pytest.fixture
def speaking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The language's file lies beside the others."""
    for path in Path(str(base.__file__)).parent.glob("*.toml"):
        shutil.copy(path, tmp_path)
    (tmp_path / "sv.toml").write_text(TOML)
    monkeypatch.setattr(base, "_FOLDER", tmp_path)
    for each in CACHED:
        each.cache_clear()
    yield
    for each in CACHED:
        each.cache_clear()


@pytest.mark.usefixtures("objecting")
@pytest.mark.parametrize(("day", "how"), [("2026-03-14", Grounding.UNGROUNDED), ("2026-03-13", Grounding.NORMALIZE)])
def test_the_objection_works_by_being_there(day: str, how: Grounding) -> None:
    request = "Deliver it on a working day, on March 13 or March 14"
    assert grounded(day, in_text=request, name="delivery_date").how is how


@pytest.mark.usefixtures("speaking")
def test_the_language_works_by_being_there() -> None:
    tool = ToolDoc("cancel_meeting", "Cancels a meeting.")
    assert match(tool, ("Kan du avboka mötet med Åsa på fredag?",))
    assert not match(tool, ("Avboka inte min resa till Åsa, och det är bra",))


def test_without_its_file_the_language_is_not_known() -> None:
    assert "sv" not in [language.code for language in base.languages()]
