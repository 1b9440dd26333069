"""Calls are proposed under the profile in force, what was found about them goes on record, and a draft is previewed."""

from typing import Any

from django.utils import timezone

from reviews import access
from reviews.checks import routing
from reviews.judging.build import judge_for
from reviews.lab import profile_preview
from reviews.lab.profile_preview import Preview, Route
from reviews.models import Action, Check, CheckStatus, JudgeKind
from reviews.profiles import versions
from reviews.profiles.options import detector_options
from reviews.provenance.core.context import ProposedAction
from reviews.provenance.detectors import build
from tests.cast import WRONG, Cast, propose

PASSED, REVIEWED, UNKNOWN = Route.PASSED, Route.REVIEWED, Route.UNKNOWN
READING = ProposedAction("search_contacts", {"name": "Daniel"}, "Find Daniel")


def preview(cast: Cast, **changes: Any) -> Preview:
    """What the profile in force with these changes would have done."""
    draft = versions.validate_profile(access.current_profile(cast.workspace), **changes)
    return profile_preview.preview_profile(membership=cast.admin, draft=draft)


def check_routes(cast: Cast, *routes: Route, **changes: Any) -> Preview:
    """The calls, in the order they were proposed, would become this."""
    found = preview(cast, **changes)
    assert [call.becomes for call in reversed(found.calls)] == list(routes)
    return found


def llm(cast: Cast, *detectors: str, **changes: Any) -> None:
    """Put a profile in force under which a model judges."""
    versions.new_version(membership=cast.admin, judge=JudgeKind.OPENAI, model="m", detectors=list(detectors), **changes)


def recorded(cast: Cast, verdict: str, action: ProposedAction = WRONG, **columns: Any) -> Action:
    """A call of which every detector of the profile in force, enforced or in shadow, has said this."""
    proposed = propose(cast, action, trace_id=f"conv-{Action.objects.count()}")
    for check in proposed.checks.all():
        options = detector_options(proposed.profile, check.detector)
        done = {
            "status": CheckStatus.DONE,
            "finished_at": timezone.now(),
            "judge": judge_for(proposed.profile).name,
            "detector_version": build(check.detector, options).version,
            "verdict": verdict,
            "established": verdict == "aligned",
            "misalignment": "plan" if verdict == "misaligned" else "",
            "reason": f"{check.detector} says {verdict}.",
        }
        Check.objects.filter(pk=check.pk).update(**done | columns)
    routing.settle_action(proposed.pk)
    return proposed


def change_verdicts(action: Action, **verdicts: str) -> None:
    """Single detectors said something else."""
    for name, verdict in verdicts.items():
        kind = "plan" if verdict == "misaligned" else ""
        detector = name.replace("_", "-")
        Check.objects.filter(action=action, detector=detector).update(
            verdict=verdict, misalignment=kind, established=verdict == "aligned"
        )
