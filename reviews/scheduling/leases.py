"""Whose turn at a detector's work it is: one worker takes it under a lease, and what it costs to lose its process.

A killed worker's successor resumes behind the last stage. Work that has used up its attempts ends undetermined, so that
a person looks.
"""

from datetime import datetime, timedelta
from typing import Final, TypeVar
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import Func, Q, QuerySet, TextField, Value
from django.utils import timezone

from reviews.models import CheckStatus, Examination, GuardProfile
from reviews.scheduling.attempts import Attempt, JobKind, deadline_reason
from reviews.scheduling.process_sharing import Sharing

E = TypeVar("E", bound=Examination)

# Once may be an accident of the machine. Whatever kills its process twice would kill the next one, too.
MAX_KILLED: Final = 2
# Whoever was in a process that ended is taken by itself: if that one ends too, it is known whose fault it was.
MAY_SHARE_PROCESS: Final = Q(status=CheckStatus.QUEUED, killed=0)

# Said with the row that is taken: the lease is not waited for on the disk. A database that crashes forgets it, and the
# check is taken anew.
_RELAXED: Final = Func(
    Value("synchronous_commit"), Value("off"), Value(True), function="set_config", output_field=TextField()
)


def fetch_job(
    kind: JobKind[E], rows: QuerySet[E], *, only_overdue: bool = False, sharing: Sharing = Sharing.NONE
) -> "Attempt[E] | None":
    """Take the first of the rows that is due and that nobody holds; None when there is none.

    With `only_overdue` it is left alone if it may run again. `sharing`: whether its process has others beside it.
    """
    if sharing == Sharing.ACTIVE:
        rows = rows.filter(MAY_SHARE_PROCESS)
    now = timezone.now()
    with transaction.atomic():
        # Of two workers with the same message only one finds the row, and neither waits for the other. The key stays as
        # it is, so that rows which refer to it may be stored meanwhile.
        free = due_rows(kind.with_context(rows)).annotate(relaxed=_RELAXED)
        examined = free.select_for_update(skip_locked=True, of=("self",), no_key=True).first()
        if examined is None:
            return None
        profile = kind.profile_of(examined)
        give_up_reason = _count_killed(examined, profile, now)
        if only_overdue and not give_up_reason:
            return None
        deadline = (examined.started_at or now) + timedelta(seconds=profile.seconds_of_a_check)
        attempt = Attempt(kind, examined, uuid4(), deadline, give_up_reason)
        lost_with_others = examined.status == CheckStatus.RUNNING and examined.beside_others
        examined.attempts += not lost_with_others
        examined.beside_others = (
            examined.status == CheckStatus.QUEUED and not examined.killed and sharing.is_shared_by(profile)
        )
        # Attempts are counted as they begin, because one that kills its worker never gets to the end.
        kind.all_rows().filter(pk=examined.pk).update(
            status=CheckStatus.RUNNING,
            lease=attempt.lease,
            leased_until=attempt.lease_end(),
            attempts=examined.attempts,
            started_at=examined.started_at,
            killed=examined.killed,
            beside_others=examined.beside_others,
        )
    return attempt


def due_rows(rows: QuerySet[E]) -> QuerySet[E]:
    """Of these, what may be taken now: nobody holds it, and no delay of a retry is left."""
    now = timezone.now()
    free = Q(status=CheckStatus.QUEUED) | Q(status=CheckStatus.RUNNING, leased_until__lte=now)
    in_time = Q(not_before__isnull=True) | Q(not_before__lte=now)
    # Done ones are excluded in so many words, because that is the condition of the indexes.
    return rows.exclude(status=CheckStatus.DONE).filter(free & in_time)


def _count_killed(examined: Examination, profile: GuardProfile, now: datetime) -> str:
    """Bring `killed` and `started_at` up to date for an attempt that begins now.

    Returns why there must be no further one, in words for a person; empty if there may.
    """
    if examined.started_at is None:
        examined.started_at = now
        # A row that was taken before deadlines were kept has attempts, but no start.
        examined.killed += examined.status == CheckStatus.RUNNING
        return ""
    ended = examined.started_at + timedelta(seconds=profile.seconds_of_a_check)
    if examined.status != CheckStatus.RUNNING:
        # It waited for a judge, or for a free process, until its time was over.
        return (examined.reason or deadline_reason(profile)) if ended <= now else ""
    # Its lease ran out: the process that held it ended without a word.
    if examined.beside_others:
        # Whose fault that was nobody can tell, so it is taken again by itself, with all of its time: what it had was
        # spent on others. Only once, as nothing is beside it then.
        examined.started_at = now
        return ""
    examined.killed += 1
    if examined.leased_until and examined.leased_until >= ended:
        return deadline_reason(profile)
    if examined.killed >= MAX_KILLED:
        return "The check ended its process twice."
    if ended <= now:
        # Killed early, with a machine that was away for long: that time was not the check's.
        examined.started_at = now
    return ""


def stalled_rows(rows: QuerySet[E]) -> QuerySet[E]:
    """Of these, what is due and unfinished and nobody works on: its message is lost, or its worker died."""
    # Younger ones are left alone, as their message is most likely still on its way to a worker.
    fresh = timezone.now() - timedelta(seconds=settings.GUARD.sweep_seconds)
    return due_rows(rows).filter(created_at__lte=fresh)


def end_overdue(kind: JobKind[E], pk: UUID) -> bool:
    """Finish the job as undetermined if its time is over or it was killed too often. Returns whether it did."""
    job = fetch_job(kind, kind.all_rows().filter(pk=pk), only_overdue=True)
    if job is None:
        return False
    job.carry_out()
    job.settle_outcome()
    return True
