"""Scores of checks as probabilities for people to read, where the profile holds a map that fits."""

from reviews.evaluation.measures.calibration_map import CalibrationMap
from reviews.models import Check, GuardProfile


def probability_of(check: Check, profile: GuardProfile) -> float | None:
    """How likely the call is right by the check's score; None without a score, or a map for what gave it."""
    stored = profile.calibrations.get(check.detector)
    if stored is None or check.score is None:
        return None
    # Of another version, or with another model, the same score means something else.
    if (stored.get("version"), stored.get("judge")) != (check.detector_version, check.judge):
        return None
    return CalibrationMap.read(stored).apply(check.score)
