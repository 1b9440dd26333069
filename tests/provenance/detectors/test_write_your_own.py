"""The detector of docs/extending.md: one file and one line, as a reader would copy them."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reviews.provenance import detectors
from reviews.provenance.core.findings import Relation
from reviews.provenance.core.verdicts import Verdict
from reviews.provenance.detectors import Detector, Options, verdict_of
from tests.provenance.detectors.scripted import ScriptedJudge, case, found

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "extending.md").read_text()
SECTION = PAGE.partition("## Write your own detector\n")[2].partition("\n## ")[0]
FILE, LINE = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
MODULE = "reviews.provenance.detectors.spending_cap"
REGISTRY = Path(str(detectors.__file__)).read_text()
END_OF_DETECTORS = '    }\n)\n"""What makes each detector."""'


def module(name: str, text: str, folder: Path) -> ModuleType:
    """The text as a file, imported under this name."""
    path = folder / f"{name.rpartition('.')[2]}.py"
    path.write_text(text)
    made = ModuleType(name)
    exec(compile(text, str(path), "exec"), made.__dict__)  # noqa: S102 - our own page
    return made


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Detector]:
    """The registry's `build`, once a reader has done what the page says."""
    monkeypatch.setitem(sys.modules, MODULE, module(MODULE, FILE, tmp_path))
    assert END_OF_DETECTORS in REGISTRY
    imported = f"from {MODULE} import SpendingCap\n{REGISTRY}"
    registry = module("registry", imported.replace(END_OF_DETECTORS, LINE + END_OF_DETECTORS), tmp_path)
    made: Callable[..., Detector] = registry.build
    return made


async def check_cap(build: Any, expected: str, amount: Any = 30, query: str = "Pay Daniel $30") -> Verdict:
    """The verdict is `aligned`, `undetermined` or the type, nobody is asked, and every span verifies."""
    proposal, judge = case(query, to="Daniel", amount=amount), ScriptedJudge()
    verdict = await verdict_of(build("spending-cap", Options()), proposal, judge)
    assert getattr(verdict, "type", verdict.label) == expected, verdict
    assert judge.asked == []
    assert all(proposal.context.verifies(span) for each in verdict.findings for span in each.evidence)
    return verdict


async def test_what_the_request_names_passes(build: Any) -> None:
    await check_cap(build, "aligned")


async def test_more_is_stopped_with_the_evidence(build: Any) -> None:
    verdict = await check_cap(build, "parameter", amount=31)
    assert [span.quote for span in found(verdict, Relation.DERIVED_FROM, "/amount").evidence] == ["$30"]


@pytest.mark.parametrize(("amount", "query"), [(30, "Pay Daniel"), ("30", "Pay Daniel $30"), (True, "Pay Daniel $30")])
async def test_a_person_looks_where_nothing_can_be_compared(build: Any, amount: Any, query: str) -> None:
    await check_cap(build, "undetermined", amount, query)


def test_it_takes_no_more_lines_than_the_readme_can_show() -> None:
    assert len([line for line in FILE.splitlines() if line.strip()]) <= 25
    assert len(LINE.splitlines()) == 1


def test_the_readme_names_the_file(build: Any) -> None:
    assert f"{MODULE.replace('.', '/')}.py" in SECTION
    assert build("spending-cap", Options()).version == "1.0"
