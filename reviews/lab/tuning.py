"""Fit a detector's threshold to what people decided, and store it in the guard profile (InferAct paper, 4.3).

It is fitted to operational labels, or to the ground truth of a frozen dataset version, never to both. Two limits of
operational labels: InferAct asks a further question only when the first answer falls below the threshold in
force, so its scores above that threshold are lower bounds. And people see only what was stopped: of what passed, audits
that were drawn tell, each for as many calls as it was drawn from (Horvitz and Thompson 1952). What somebody chose to
look at stands for nothing but itself, and is left out. Without audits a threshold leans towards the calls that few
detectors stop.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Case, Exists, F, FloatField, OuterRef, Q, Subquery, When

from reviews import access
from reviews.errors import ConflictError, FieldProblem, InvalidProfileError, TooFewLabelsError
from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.thresholds import Scored, best_threshold, macro_f1
from reviews.evaluation.runs.runner import run_detector
from reviews.judging.build import judge_for
from reviews.models import Check, CheckStatus, Decision, GuardProfile, Label, LabelSource, Workspace
from reviews.profiles import versions
from reviews.profiles.options import detector_options
from reviews.provenance.detectors import DETECTORS, build

# A judge that is asked over the network answers some questions at once, and no endpoint counts as many as an attack.
_CONCURRENCY: Final = 4

# With fewer, one label more or less moves the best threshold by several points: it would follow chance.
MIN_LABELLED: Final = 20
"""Labelled actions that a threshold is fitted to at least."""


# Months of a busy desk, read within one request.
MAX_LABELLED: Final = 20_000
"""Latest labelled scores that are learned from."""


class LabelledScore(NamedTuple):
    """One score of a call that a person has labelled."""

    score: float
    aligned: bool
    trace: UUID
    weight: float = 1.0
    """For how many calls it stands: an audit of one in N for N."""
    is_audit: bool = False
    """Whether it passed, and was drawn for audit."""


@dataclass(frozen=True)
class Tuning:
    """A threshold and the one that fits best, measured on the same labelled actions."""

    detector: str
    count: int
    threshold_before: float
    threshold: float
    macro_f1_before: float
    macro_f1: float
    failed: int = 0
    """Cases that the judge could not answer: they are left out."""


def propose_threshold(
    workspace: Workspace, detector: str, *, minimum: int = MIN_LABELLED, cases: Iterable[LabelledCase] | None = None
) -> Tuning:
    """The threshold that would have served best. Stores nothing.

    With `cases`, ground truth, those that say right or wrong are judged anew with the judge now in force. Otherwise
    counted are actions that a person has decided, or that were drawn for audit, by the latest label, and that this
    version of the detector has scored, enforced or in shadow, with the judge now in force: another model's scores mean
    something else.
    Raises `TooFewLabelsError`, and `InvalidProfileError` when there is no such detector or all labels say the same.
    """
    if detector not in DETECTORS:
        raise InvalidProfileError(FieldProblem("/thresholds", f"There is no detector “{detector}”."))
    profile = access.current_profile(workspace)
    rows = list_labelled_scores(profile, detector) if cases is None else []
    scores, failed = (scores_of(rows), 0) if cases is None else _judged_scores(profile, detector, cases)
    weights = None if cases is not None else [row.weight for row in rows]
    # At least one, whatever was asked for: there is no best threshold for nothing.
    if len(scores) < max(1, minimum):
        raise TooFewLabelsError(len(scores), minimum, failed=failed)
    if len({right for _, right in scores}) == 1:
        raise InvalidProfileError(FieldProblem("/thresholds", "It takes right calls and wrong ones."))
    before, best = detector_options(profile, detector).threshold, best_threshold(scores, weights)
    measured = macro_f1(scores, before, weights), best.macro_f1
    return Tuning(detector, len(scores), before, best.threshold, *measured, failed)


def store_threshold(
    workspace: Workspace, detector: str, *, minimum: int = MIN_LABELLED, cases: Sequence[LabelledCase] | None = None
) -> tuple[Tuning, GuardProfile]:
    """Store the proposed threshold as a new version of the profile, audited as a change by the operator.

    Raises `InvalidProfileError`, `TooFewLabelsError`, and `ConflictError` when the profile has changed meanwhile.
    """
    fitted_to = access.current_profile(workspace)
    # Before the lock: a judge may take minutes for the cases.
    tuning = propose_threshold(workspace, detector, minimum=minimum, cases=cases)
    with transaction.atomic():
        # From here on nobody else changes the profile: the other detectors' thresholds must not be lost.
        Workspace.objects.select_for_update().get(pk=workspace.pk)
        current = access.current_profile(workspace)
        if current.pk != fitted_to.pk:
            raise ConflictError("The guard profile has changed while this was fitted: run it again.")
        thresholds = current.thresholds | {detector: tuning.threshold}
        return tuning, versions.store_version(workspace, {"thresholds": thresholds}, by=None)


def _judged_scores(profile: GuardProfile, detector: str, cases: Iterable[LabelledCase]) -> tuple[list[Scored], int]:
    """Each score of a judged case with whether the call is right, and how many cases the judge could not answer.

    Cases without a score do not count.
    """
    labelled = [case for case in cases if case.wrong is not None]
    built = build(detector, detector_options(profile, detector))
    results = asyncio.run(run_detector(labelled, built, judge_for(profile), concurrency=_CONCURRENCY))
    judged = [(results[case.key], not case.wrong) for case in labelled]
    scores = [(result.score, right) for result, right in judged if result.score is not None]
    return scores, sum(bool(result.error) for result, _ in judged)


def scores_of(rows: Iterable[LabelledScore]) -> list[Scored]:
    """Each score with whether a person found the call right."""
    return [(row.score, row.aligned) for row in rows]


def list_labelled_scores(profile: GuardProfile, detector: str) -> list[LabelledScore]:
    """What this version of the detector, with the judge in force, said of each call that a person has labelled."""
    version = build(detector, detector_options(profile, detector)).version
    # The last label of an action counts, whatever it comes from: a correction is a new row.
    labels = Label.objects.filter(action=OuterRef("action")).order_by("-id")
    drawn = Decision.objects.filter(action=OuterRef("action"), audit_probability__gt=0).order_by("id")
    scored = Check.objects.filter(
        action__workspace=profile.workspace_id,
        detector=detector,
        detector_version=version,
        judge=judge_for(profile).name,
        status=CheckStatus.DONE,
        score__isnull=False,
    )
    labelled = scored.annotate(
        aligned=Subquery(labels.values("aligned")[:1]),
        is_audit=~Exists(labels.filter(source=LabelSource.OPERATIONAL)),
        likely=Subquery(drawn.values("audit_probability")[:1]),
    ).filter(Q(is_audit=False) | Q(aligned__isnull=False, likely__isnull=False))
    weighed = labelled.annotate(
        weight=Case(When(is_audit=False, then=1.0), default=1 / F("likely"), output_field=FloatField())
    )
    rows = weighed.order_by("-id").values_list("score", "aligned", "action__trace", "weight", "is_audit")
    return list(map(LabelledScore._make, rows[:MAX_LABELLED]))


def require_labelled_scores(profile: GuardProfile, detector: str) -> list[LabelledScore]:
    """The same. Raises `TooFewLabelsError` where there are fewer than anything is learned from."""
    rows = list_labelled_scores(profile, detector)
    if len(rows) < MIN_LABELLED:
        raise TooFewLabelsError(len(rows), MIN_LABELLED)
    return rows
