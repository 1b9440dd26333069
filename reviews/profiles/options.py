"""The options that a profile sets for a detector."""

from reviews.models import GuardProfile, OnUnknown
from reviews.provenance.detectors.base import Options
from reviews.provenance.detectors.critical_actions import CriticalAction


def detector_options(profile: GuardProfile, name: str) -> Options:
    """What the profile chooses for the detector of this name."""
    # Matched by value: the engine has its own words, which do not change with the names of choices in a form.
    return Options(
        unknown="pass" if profile.on_unknown == OnUnknown.PASS else "review",
        threshold=profile.thresholds.get(name, Options.threshold),
        critical=tuple(CriticalAction(**kind) for kind in profile.critical_actions),
    )
