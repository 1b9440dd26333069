"""Run experiments in a worker: one at a time, in processes that can be killed, each verdict once."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, F, FloatField, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Cast
from django.utils import timezone

from reviews.datasets import job_process, jobs
from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.judged import Judged
from reviews.evaluation.measures.rules import rule_of
from reviews.evaluation.runs.runner import judge_case
from reviews.judging import build
from reviews.lab.experiments import TASK, describe_configuration, profile_of_arm, runs_of
from reviews.models import Experiment, ExperimentArm, ExperimentVerdict, JobStatus, JudgeKind, VersionEntry
from reviews.profiles.options import detector_options
from reviews.provenance import detectors
from reviews.provenance.judges import Judge, RulesJudge
from reviews.records.dataset_items import case_of_item
from reviews.scheduling import broker, event_loop

# Names the lock under which one worker at a time chooses an experiment.
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended('experiments', 0))"
# What rules find is stored together; what a model says was paid for, and a killed worker loses no more than this.
_BATCH_OF_RULES: Final = 50
_BATCH_OF_MODEL: Final = 4
# Seconds of one verdict. A model may be asked a dozen questions, each with its retries.
_SECONDS_OF_RULES: Final = 30.0
_SECONDS_OF_MODEL: Final = 600.0
_TOOK_TOO_LONG: Final = "The call took longer than it may, or more memory."
_CHANGED: Final = "The guard has changed since this experiment began, so that its verdicts would not be comparable."
_USED_UP: Final = "The budget of this experiment is used up."


# Each takes a core from the checks that agents wait for, and the memory of one.
_MAX_PROCESSES: Final = 4


class _Round(NamedTuple):
    """One run of one arm."""

    arm: ExperimentArm
    run: int


class _Share(NamedTuple):
    """The entries that one process judges: of as many in a row as there are processes the one at `place`."""

    place: int
    processes: int


_WHOLE: Final = _Share(0, 1)


def run_waiting_experiments() -> None:
    """Run experiments in turn until nothing waits that may run now."""
    while experiment := take_next_experiment():
        run_in_own_processes(experiment)


def requeue_stalled() -> None:
    """Ask for a worker again where an experiment lost its own."""
    if any(jobs.list_stalled_jobs(Experiment)):
        broker.enqueue_task(TASK)


def take_next_experiment() -> Experiment | None:
    """The oldest experiment that waits, under a new lease; None while another runs: checks need the other cores."""
    now = timezone.now()
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_LOCK)
        if Experiment.objects.filter(status=JobStatus.RUNNING, leased_until__gte=now).exists():
            return None
        waiting = Experiment.objects.filter(paused=False, attempts__lt=jobs.MAX_ATTEMPTS).filter(
            Q(status=JobStatus.QUEUED) | Q(status=JobStatus.RUNNING, leased_until__lt=now)
        )
        for experiment_id in waiting.order_by("created_at").values_list("pk", flat=True):
            if experiment := jobs.take_job(Experiment, experiment_id):
                return experiment
    return None


def run_in_own_processes(experiment: Experiment) -> None:
    """Run an experiment that was taken, in processes of its own. A call that ends one of them has no verdict."""
    count = _count_processes(experiment)
    works = [partial(_run_leased_share, share=_Share(place, count)) for place in range(count)]
    try:
        while (ordinal := job_process.run_side_by_side(works, experiment)) is not None:
            if ordinal == job_process.NOWHERE:
                return jobs.fail_job(experiment, "The process was ended outside of any call.")
            _record_killed_call(experiment, ordinal)
        _finish_experiment(experiment)
    except jobs.JobLostError:
        return None


def run_here(experiment_id: UUID) -> Experiment | None:
    """Run the experiment in this process; None when another worker has it. Harmless to repeat."""
    experiment = jobs.take_job(Experiment, experiment_id)
    if experiment is not None and _judge_share(experiment, job_process.Place(), _WHOLE):
        _finish_experiment(experiment)
    return experiment


def _count_processes(experiment: Experiment) -> int:
    """One a core where rules judge. A model is waited for, and one process keeps the budget and shares its answers."""
    if any(arm.settings.get("judge") != JudgeKind.RULES for arm in experiment.arms.all()):
        return 1
    # A process begins in a second or two, in which a batch is judged several times over.
    return min(len(os.sched_getaffinity(0)), _MAX_PROCESSES, (experiment.total or 0) // _BATCH_OF_RULES + 1)


def _run_leased_share(job_id: UUID, lease: UUID, place: job_process.Place, *, share: _Share) -> None:
    """Raises `JobLostError`."""
    _judge_share(jobs.get_leased_job(Experiment, job_id, lease), place, share)


def _judge_share(experiment: Experiment, place: job_process.Place, share: _Share) -> bool:
    """Judge all that is left of the share. Returns whether it came to its end. Raises `JobLostError`."""
    for arm, run in _rounds(experiment):
        draft = profile_of_arm(arm)
        if describe_configuration(draft, arm.detector, experiment.version) != arm.configuration:
            jobs.fail_job(experiment, _CHANGED)
            return False
        detector = detectors.build(arm.detector, detector_options(draft, arm.detector))
        # A run of its own asks anew: answers of another run would say the same again.
        judge = build.judge_for(draft, draw=f"{experiment.pk}/{run}" if run > 1 else "")
        size = _BATCH_OF_RULES if draft.judge == JudgeKind.RULES else _BATCH_OF_MODEL
        entries, last = _unjudged_entries(_Round(arm, run), share), 0
        # No cursor is left open while a model is waited for.
        while batch := list(entries.filter(ordinal__gt=last)[:size]):
            last = batch[-1].ordinal
            _store_verdicts(_Round(arm, run), batch, _judge_entries(batch, detector, judge, place))
            jobs.renew_lease(experiment, done=_count_verdicts(experiment))
            if _is_over_budget(experiment):
                jobs.hand_back_job(experiment, paused=True, failure=_USED_UP)
                return False
    return True


def _finish_experiment(experiment: Experiment) -> None:
    jobs.finish_job(experiment, done=_count_verdicts(experiment))


def _rounds(experiment: Experiment) -> Iterator[_Round]:
    arms = list(experiment.arms.all())
    # All arms judge once before any judges again: partial results compare all of them.
    for run in range(1, experiment.runs + 1):
        for arm in arms:
            if run <= runs_of(profile_of_arm(arm), experiment.runs):
                yield _Round(arm, run)


def _unjudged_entries(turn: _Round, share: _Share) -> QuerySet[VersionEntry]:
    judged = ExperimentVerdict.objects.filter(arm=turn.arm, run=turn.run, entry=OuterRef("pk"))
    entries = turn.arm.experiment.version.entries.filter(~Exists(judged), erased_at__isnull=True)
    entries = entries.alias(place=F("ordinal") % share.processes).filter(place=share.place)
    related = ("item__action__trace__query", "item__action__tool_set", "item__action__profile")
    return entries.order_by("ordinal").select_related(*related)


def _judge_entries(
    batch: Sequence[VersionEntry], detector: detectors.Detector, judge: Judge, place: job_process.Place
) -> list[Judged]:
    """What the detector makes of each entry; one that ends the process is told by its place."""
    cases = [labelled_case(entry) for entry in batch]
    if not isinstance(judge, RulesJudge):
        # Of a few that wait together the first is noted; the others are judged again.
        with place.working_on(batch[0].ordinal, _SECONDS_OF_MODEL):
            # On the loop that the model's connections belong to, which outlives the batch.
            return asyncio.run_coroutine_threadsafe(
                _judge_together(cases, detector, judge), event_loop.running_loop()
            ).result()
    results = []
    # One loop for the batch: making one takes a fifth of a verdict.
    with asyncio.Runner() as runner:
        for entry, case in zip(batch, cases, strict=True):
            with place.working_on(entry.ordinal, _SECONDS_OF_RULES):
                results.append(runner.run(judge_case(case, detector, judge, traced=False)))
    return results


async def _judge_together(cases: Sequence[LabelledCase], detector: detectors.Detector, judge: Judge) -> list[Judged]:
    return await asyncio.gather(*(judge_case(case, detector, judge, traced=False) for case in cases))


def labelled_case(entry: VersionEntry) -> LabelledCase:
    """The entry's call with what its label says of it."""
    aligned = (entry.label or {}).get("aligned")
    wrong = None if aligned is None else not aligned
    return LabelledCase(str(entry.pk), "", case_of_item(entry.item), wrong)


def _store_verdicts(turn: _Round, batch: Sequence[VersionEntry], results: Sequence[Judged]) -> None:
    # What another worker stored meanwhile stands.
    ExperimentVerdict.objects.bulk_create(
        (_verdict_row(turn, entry, judged) for entry, judged in zip(batch, results, strict=True)),
        ignore_conflicts=True,
    )


def _verdict_row(turn: _Round, entry: VersionEntry, judged: Judged) -> ExperimentVerdict:
    refuting = [finding for finding in judged.findings if finding.holds is False]
    deciding = refuting or [finding for finding in judged.findings if finding.holds is None] or judged.findings
    return ExperimentVerdict(
        arm=turn.arm,
        run=turn.run,
        entry=entry,
        verdict=judged.verdict,
        misalignment=judged.type or "",
        reason=judged.error or ("" if judged.has_passed else next((finding.rationale for finding in deciding), "")),
        rules=sorted({rule_of(finding) for finding in deciding}),
        score=judged.score,
        usage=asdict(judged.usage),
        seconds=judged.seconds,
    )


def _record_killed_call(experiment: Experiment, ordinal: int) -> None:
    """Leave the call without a verdict in the first round that has none of it: that round ended the process."""
    entry = experiment.version.entries.get(ordinal=ordinal)
    for arm, run in _rounds(experiment):
        judged = ExperimentVerdict(arm=arm, run=run, entry=entry, reason=_TOOK_TOO_LONG)
        if not ExperimentVerdict.objects.filter(arm=arm, run=run, entry=entry).exists():
            judged.save(force_insert=True)
            return


def _count_verdicts(experiment: Experiment) -> int:
    return ExperimentVerdict.objects.filter(arm__experiment=experiment).count()


def _is_over_budget(experiment: Experiment) -> bool:
    if experiment.max_usd is None:
        return False
    cost = Cast("usage__cost_usd", FloatField())
    spent = ExperimentVerdict.objects.filter(arm__experiment=experiment).aggregate(usd=Sum(cost))["usd"]
    return (spent or 0) >= experiment.max_usd
