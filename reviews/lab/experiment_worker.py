"""Run experiments in a worker: one at a time, in processes that can be killed, each verdict once."""

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from reviews.datasets import job_leases, job_process
from reviews.lab import experiment_final_figures
from reviews.lab.experiment_calls import Subject, list_calls, with_cases
from reviews.lab.experiment_judging import Result, Round, judge_entries, verdict_row
from reviews.lab.experiments import (
    TASK,
    dearest_call_usd,
    describe_choices,
    is_current,
    profile_of_arm,
    runs_of,
    spent_usd,
)
from reviews.models import Experiment, ExperimentArm, ExperimentVerdict, JobStatus, JudgeKind
from reviews.scheduling import broker

# Names the lock under which one worker at a time chooses an experiment.
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended('experiments', 0))"
# What rules find is stored together; what a model says was paid for, and a killed worker loses no more than this.
_BATCH_OF_RULES: Final = 50
_BATCH_OF_MODEL: Final = 4
# Calls in a row that one process judges: a conversation's calls, and every process ends at about the same time.
_STRETCH: Final = 20
_TOOK_TOO_LONG: Final = "The call took longer than it may, or more memory."
_CHANGED: Final = "The guard has changed since this experiment began, so that its verdicts would not be comparable."
_USED_UP: Final = "The budget of this experiment is used up."


# Long beside the second or two in which its processes begin anew, short enough for whoever waits.
_TURN: Final = timedelta(seconds=60)
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
# Each takes a core from the checks that agents wait for, and the memory of one.
_MAX_PROCESSES: Final = 4


class _Share(NamedTuple):
    """The calls that one process judges: of as many stretches in a row as there are processes the one at `place`."""

    place: int
    processes: int
    in_turns: bool = False
    """Whether it is handed back once its turn is over."""


_WHOLE: Final = _Share(0, 1)


def run_waiting_experiments() -> None:
    """Run experiments in turn until nothing waits that may run now, and count what was forgotten since."""
    while experiment := take_next_experiment():
        run_in_own_processes(experiment, in_turns=True)
    for arm in _uncounted_arms():
        experiment_final_figures.store_figures(arm)


def requeue_stalled() -> None:
    """Ask for a worker again where an experiment lost its own, or its figures."""
    if any(job_leases.list_stalled_jobs(Experiment)) or _uncounted_arms().exists():
        broker.enqueue_task(TASK)


def _uncounted_arms() -> QuerySet[ExperimentArm]:
    """The arms of experiments that are over and have no figures: stopped, or something they judged was erased since."""
    # Until its lease ends, a worker may still store what it had judged when the experiment was stopped.
    at_rest = Q(experiment__leased_until=None) | Q(experiment__leased_until__lt=timezone.now())
    stopped = at_rest & Q(experiment__status__in=(JobStatus.CANCELLED, JobStatus.FAILED))
    over = ExperimentArm.objects.filter(stopped | Q(experiment__status=JobStatus.DONE), figures={})
    return over.select_related("experiment__version")


def take_next_experiment() -> Experiment | None:
    """The experiment whose turn it is, under a new lease; None while another runs: checks need the other cores."""
    now = timezone.now()
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_LOCK)
        if Experiment.objects.filter(status=JobStatus.RUNNING, leased_until__gte=now).exists():
            return None
        for experiment_id in _experiments_in_turn(now):
            if experiment := job_leases.take_job(Experiment, experiment_id):
                return experiment
    return None


def _experiments_in_turn(now: datetime) -> list[UUID]:
    """The oldest that waits of each workspace, the workspace first that was served longest ago."""
    rows = _waiting_experiments(now).order_by("workspace", "created_at").distinct("workspace")
    oldest = list(rows.values_list("workspace", "created_at", "pk"))
    begun = Experiment.objects.filter(workspace__in=[workspace for workspace, *_ in oldest], started_at__isnull=False)
    served = dict(begun.order_by().values_list("workspace").annotate(Max("started_at")))
    return [pk for workspace, at, pk in sorted(oldest, key=lambda row: (served.get(row[0], _LONG_AGO), row[1]))]


def _waiting_experiments(now: datetime) -> QuerySet[Experiment]:
    waiting = Experiment.objects.filter(paused=False, attempts__lt=job_leases.MAX_ATTEMPTS)
    return waiting.filter(Q(status=JobStatus.QUEUED) | Q(status=JobStatus.RUNNING, leased_until__lt=now))


def run_in_own_processes(experiment: Experiment, *, in_turns: bool = False) -> None:
    """Run an experiment that was taken, in processes of its own. A call that ends one of them has no verdict.

    `in_turns`: for as long as a turn lasts where another workspace's waits, which is then left to whoever comes next.
    """
    if not is_current(experiment):
        return job_leases.fail_job(experiment, _CHANGED)
    count = _count_processes(experiment)
    works = [partial(_run_leased_share, share=_Share(place, count, in_turns)) for place in range(count)]
    try:
        while (ordinal := job_process.run_side_by_side(works, experiment)) is not None:
            if ordinal == job_process.NOWHERE:
                return job_leases.fail_job(experiment, "The process was ended outside of any call.")
            _record_killed_call(experiment, ordinal)
        _finish_experiment(experiment)
    except job_leases.JobLostError:
        return None


def run_here(experiment_id: UUID) -> Experiment | None:
    """Run the experiment in this process; None when another worker has it. Harmless to repeat."""
    experiment = job_leases.take_job(Experiment, experiment_id)
    if experiment is None:
        return None
    if not is_current(experiment):
        job_leases.fail_job(experiment, _CHANGED)
    elif _judge_share(experiment, job_process.Place(), _WHOLE):
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
    _judge_share(job_leases.get_leased_job(Experiment, job_id, lease), place, share)


def _judge_share(experiment: Experiment, place: job_process.Place, share: _Share) -> bool:
    """Judge all that is left of the share. Returns whether it came to its end. Raises `JobLostError`."""
    for arm, run in _rounds(experiment):
        choices = describe_choices(profile_of_arm(arm), arm, experiment)
        if not choices.items() <= arm.configuration.items():
            job_leases.fail_job(experiment, _CHANGED)
            return False
        turn = Round.begin(arm, run)
        ordinals = _list_unjudged(arm, run, share)
        while ordinals:
            # Before a batch and not behind it: one that is at its end waits for no higher limit.
            if _is_over_budget(experiment):
                job_leases.hand_back_job(experiment, paused=True, failure=_USED_UP)
                return False
            # No cursor is left open while a model is waited for.
            size = _size_batch(experiment, turn)
            batch, ordinals = _read_calls(experiment, ordinals[:size]), ordinals[size:]
            # None where all of them were erased since they were listed.
            if batch:
                _store_results(turn, judge_entries(batch, turn, place))
            _store_progress(experiment)
            if share.in_turns and _is_turn_over(experiment):
                job_leases.hand_back_job(experiment)
                return False
    return True


def _size_batch(experiment: Experiment, turn: Round) -> int:
    """Calls that are judged together; of a model at most as many as what is left of the budget pays for."""
    if turn.asks_nobody:
        return max(1, _BATCH_OF_RULES // turn.max_verdicts)
    if experiment.max_usd is None:
        return _BATCH_OF_MODEL
    # Each at the price of the arm's dearest call. Of the first nothing is known but that one is the least.
    dearest = dearest_call_usd(turn.arm)
    affordable = int((experiment.max_usd - spent_usd(experiment)) / dearest) if dearest else 1
    return min(max(1, affordable), _BATCH_OF_MODEL)


def _is_turn_over(experiment: Experiment) -> bool:
    """Whether it ran for as long as it may while an experiment of another workspace waits."""
    now = timezone.now()
    if experiment.started_at is None or now - experiment.started_at < _TURN:
        return False
    return _waiting_experiments(now).exclude(workspace=experiment.workspace_id).exists()


def _store_progress(experiment: Experiment) -> None:
    done = _count_verdicts(experiment)
    # What moves on does not end its workers: of an attempt that got further, the ones before do not count any more.
    progress = {"done": done, "attempts": 1} if done > experiment.done else {"done": done}
    job_leases.renew_lease(experiment, **progress)


def _finish_experiment(experiment: Experiment) -> None:
    # One that was handed back is not over, and nothing of it is counted yet.
    job_leases.renew_lease(experiment)
    for arm in experiment.arms.all():
        experiment_final_figures.store_figures(arm)
        job_leases.renew_lease(experiment)
    job_leases.finish_job(experiment, done=_count_verdicts(experiment))


def _rounds(experiment: Experiment) -> Iterator[tuple[ExperimentArm, int]]:
    arms = list(experiment.arms.all())
    # All arms judge once before any judges again: partial results compare all of them.
    for run in range(1, experiment.runs + 1):
        for arm in arms:
            if run <= runs_of(profile_of_arm(arm), experiment.runs):
                yield arm, run


def _list_unjudged(arm: ExperimentArm, run: int, share: _Share) -> list[int]:
    """Ordinals of the calls of the share that have no verdict yet."""
    # Only unchanged ones: a call is stored with all of its variants, or not at all.
    verdicts = ExperimentVerdict.objects.unchanged().filter(arm=arm, run=run)
    judged = verdicts.values_list(f"{arm.experiment.subject}__ordinal", flat=True)
    unjudged = set(list_calls(arm.experiment).values_list("ordinal", flat=True)).difference(judged)
    # In stretches: calls of one conversation stand beside each other, and one process reads their sources once.
    return sorted(ordinal for ordinal in unjudged if ordinal // _STRETCH % share.processes == share.place)


def _read_calls(experiment: Experiment, ordinals: Sequence[int]) -> list[Subject]:
    # Without what was erased meanwhile.
    return list(with_cases(experiment, list_calls(experiment).filter(ordinal__in=ordinals)))


@transaction.atomic
def _store_results(turn: Round, results: Sequence[Result]) -> None:
    """Keep what was found, but for what was erased while it was judged."""
    ordinals = {result.subject.ordinal for result in results}
    calls = list_calls(turn.arm.experiment).filter(ordinal__in=ordinals).select_for_update(of=("self",), no_key=True)
    # An erasure either waits for these rows and empties them, or has been here before.
    remaining = set(calls.values_list("pk", flat=True))
    rows = (verdict_row(turn, result) for result in results if result.subject.pk in remaining)
    # What another worker stored meanwhile stands.
    ExperimentVerdict.objects.bulk_create(rows, ignore_conflicts=True)


def _record_killed_call(experiment: Experiment, ordinal: int) -> None:
    """Leave the call without a verdict in the first round that has none of it: that round ended the process."""
    subject = {experiment.subject: list_calls(experiment).get(ordinal=ordinal)}
    for arm, run in _rounds(experiment):
        if not ExperimentVerdict.objects.filter(arm=arm, run=run, **subject).exists():
            ExperimentVerdict.objects.create(arm=arm, run=run, reason=_TOOK_TOO_LONG, **subject)
            return


def _count_verdicts(experiment: Experiment) -> int:
    return ExperimentVerdict.objects.unchanged().filter(arm__experiment=experiment).count()


def _is_over_budget(experiment: Experiment) -> bool:
    return experiment.max_usd is not None and spent_usd(experiment) >= experiment.max_usd
