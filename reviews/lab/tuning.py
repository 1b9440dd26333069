"""Fit a detector's threshold to what people decided, and store it in the guard profile (InferAct paper, 4.3).

What a score cannot tell: InferAct asks a further question only when the first answer falls below the threshold in
force, so its scores above that threshold are lower bounds. And people see what was stopped: what passed carries no
label until it is audited, so a threshold tuned on few detectors' reviews leans towards the calls they stop.
"""

from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import OuterRef, Subquery

from reviews import access
from reviews.errors import FieldProblem, InvalidProfileError, TooFewLabelsError
from reviews.evaluation.measures.thresholds import Scored, best_threshold, macro_f1
from reviews.judging import build as judging
from reviews.models import Check, CheckStatus, GuardProfile, Label, LabelSource, Workspace
from reviews.profiles import versions
from reviews.profiles.options import detector_options
from reviews.provenance.detectors import DETECTORS, build

FEWEST: Final = 20
"""Labelled actions below which no threshold means anything."""


@dataclass(frozen=True)
class Tuning:
    """What a threshold is and what it would better be, on the same labelled actions."""

    detector: str
    count: int
    threshold_before: float
    threshold: float
    macro_f1_before: float
    macro_f1: float


def propose(workspace: Workspace, detector: str, *, minimum: int = FEWEST) -> Tuning:
    """The threshold that would have served best. Stores nothing.

    Counted are actions that a person has labelled, by their last label, and that this version of the detector has
    scored, enforced or in shadow, with the judge now in force: another model's scores mean something else.
    Raises `InvalidProfileError` when there is no such detector and `TooFewLabelsError`.
    """
    if detector not in DETECTORS:
        raise InvalidProfileError(FieldProblem("/thresholds", f"There is no detector “{detector}”."))
    profile = access.current_profile(workspace)
    scores = _labelled_scores(profile, detector)
    if len(scores) < max(1, minimum):
        raise TooFewLabelsError(len(scores), minimum)
    before, best = detector_options(profile, detector).threshold, best_threshold(scores)
    return Tuning(detector, len(scores), before, best.threshold, macro_f1(scores, before), best.macro_f1)


@transaction.atomic
def tune(workspace: Workspace, detector: str, *, minimum: int = FEWEST) -> tuple[Tuning, GuardProfile]:
    """Store the proposed threshold as a new version of the profile, audited as a change by the operator.

    Raises `InvalidProfileError` and `TooFewLabelsError`.
    """
    # From here on nobody else changes the profile: the other detectors' thresholds must not be lost.
    Workspace.objects.select_for_update().get(pk=workspace.pk)
    found = propose(workspace, detector, minimum=minimum)
    thresholds = access.current_profile(workspace).thresholds | {detector: found.threshold}
    return found, versions.store(workspace, {"thresholds": thresholds}, by=None)


def _labelled_scores(profile: GuardProfile, detector: str) -> list[Scored]:
    version = build(detector, detector_options(profile, detector)).version
    labels = Label.objects.filter(action=OuterRef("action"), source=LabelSource.OPERATIONAL).order_by("-id")
    scored = Check.objects.filter(
        action__workspace=profile.workspace_id,
        detector=detector,
        detector_version=version,
        judge=judging.judge_for(profile).name,
        status=CheckStatus.DONE,
        score__isnull=False,
    )
    right = scored.annotate(right=Subquery(labels.values("aligned")[:1])).filter(right__isnull=False)
    return [(score, told) for score, told in right.values_list("score", "right") if score is not None]
