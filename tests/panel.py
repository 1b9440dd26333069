"""Several detectors on one action: what the profile asks for, and what each of them says."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import pytest

from reviews.models import Action
from reviews.profiles import versions
from reviews.provenance.core.findings import Misalignment, StageResult
from reviews.provenance.detectors import Options
from tests.cast import REJECTED, Cast, ScriptedDetector, propose
from tests.jobs import run_checks

FIRST, SECOND, THIRD = PANEL = ("provenance-guard", "direct-prompt", "prove-prompt")
INJECTED: Final = StageResult("alignment", findings=REJECTED.findings, misalignment=Misalignment.INJECTION)

Say: TypeAlias = Callable[..., None]


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Say:
    """Make the detectors, in the order of `PANEL`, end with these stages or raise what stands among them."""

    def install(*results: StageResult | Exception) -> None:
        by_name = {name: ScriptedDetector(each) for name, each in zip(PANEL, results, strict=False)}

        def build(name: str, _: Options) -> ScriptedDetector:
            return by_name[name]

        monkeypatch.setattr("reviews.provenance.detectors.build", build)

    return install


def looked_at(cast: Cast, **profile: Any) -> Action:
    """A call that every check there is of it has tried to judge under a profile with these changes."""
    versions.new_version(membership=cast.admin, **profile)
    action = propose(cast)
    run_checks(action.pk)
    action.refresh_from_db()
    return action
