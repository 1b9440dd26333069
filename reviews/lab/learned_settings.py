"""What was learned from labels and stored in the guard profile, version by version, and putting an earlier one back."""

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from reviews import access
from reviews.errors import FieldProblem, InvalidProfileError, found
from reviews.evaluation.measures.calibration_learning import fit_map
from reviews.evaluation.measures.calibration_map import Method
from reviews.judging import build
from reviews.lab.tuning import require_labelled_scores, scores_of
from reviews.models import GuardProfile, Membership
from reviews.profiles import versions
from reviews.profiles.options import detector_options
from reviews.provenance import detectors

LearnedSetting: TypeAlias = Literal["calibrations", "suspicion"]
"""Settings of the profile that are learned as a whole, and that no form holds."""
# Earlier states that a page offers: what was learned before the last ten times fits other calls.
MAX_STATES: Final = 10
# Latest versions that are looked through for them.
_MAX_VERSIONS: Final = 500


@dataclass(frozen=True)
class LearnedState:
    """What a setting said from one version on."""

    profile: GuardProfile
    """The first version of it."""
    value: Any
    is_in_force: bool


def store_calibration(membership: Membership, detector: str, method: Method) -> GuardProfile:
    """Learn how likely each score of the detector means a right call, and show that to people from now on.

    Raises `ForbiddenError`, `TooFewLabelsError`, and `InvalidProfileError` where all labels say the same.
    """
    access.require(membership, access.Permission.ADMINISTER)
    profile = access.current_profile(membership.workspace)
    rows = require_labelled_scores(profile, detector)
    fitted = fit_map(scores_of(rows), method, [row.weight for row in rows])
    if fitted is None:
        raise InvalidProfileError(FieldProblem("/calibrations", "It takes right calls and wrong ones."))
    built = detectors.build(detector, detector_options(profile, detector))
    learned = {**fitted.stored, "version": built.version, "judge": build.judge_for(profile).name, "labels": len(rows)}
    calibrations = profile.calibrations | {detector: learned}
    # Based on what was read: a change that somebody else makes meanwhile is not overwritten.
    return versions.new_version(membership=membership, based_on=profile.version, calibrations=calibrations)


def remove_calibration(membership: Membership, detector: str) -> GuardProfile:
    """Show the detector's scores as they are again. Raises `ForbiddenError`."""
    access.require(membership, access.Permission.ADMINISTER)
    profile = access.current_profile(membership.workspace)
    calibrations = {name: stored for name, stored in profile.calibrations.items() if name != detector}
    return versions.new_version(membership=membership, based_on=profile.version, calibrations=calibrations)


def list_states(membership: Membership, setting: LearnedSetting) -> list[LearnedState]:
    """What the setting said, the latest first; the first is in force."""
    profiles = access.profiles_for(membership).select_related(None).order_by("-version")
    states: list[LearnedState] = []
    for profile in reversed(profiles.only("version", "created_at", setting)[:_MAX_VERSIONS]):
        value = getattr(profile, setting)
        if not states or states[-1].value != value:
            states.append(LearnedState(profile, value, is_in_force=False))
    latest = states.pop()
    return [LearnedState(latest.profile, latest.value, is_in_force=True), *reversed(states)][: MAX_STATES + 1]


def put_back(membership: Membership, setting: LearnedSetting, number: int) -> GuardProfile:
    """Put in force what the setting said in the version of this number, and change nothing else.

    Raises `ForbiddenError`, `NotFoundError` and `InvalidProfileError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    earlier = found(access.profiles_for(membership).filter(version=number).first(), "version")
    current = access.current_profile(membership.workspace)
    value = getattr(earlier, setting)
    return versions.new_version(membership=membership, based_on=current.version, **{setting: value})
