"""When a person is told: at once or with the next digest, and never in their quiet hours."""

from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from reviews.models import NotificationPreference, Risk

DIGEST_HOUR: Final = 9
"""On the person's clock, when a daily digest comes; those of fewer hours are counted from it."""
_GRAVITY: Final = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)


def due_time(preference: NotificationPreference, risk: str, now: datetime) -> datetime | None:
    """When the person is told of an item of this risk; None for never."""
    if is_told_at_once(preference, risk):
        moment = now
    elif preference.digest_hours:
        moment = next_digest(preference, now)
    else:
        return None
    return end_of_quiet_hours(preference, moment)


def is_told_at_once(preference: NotificationPreference, risk: str) -> bool:
    """Whether an item of this risk is as grave as the person asks."""
    least = preference.at_once_from
    return bool(least) and _GRAVITY.index(Risk(risk)) >= _GRAVITY.index(Risk(least))


def next_digest(preference: NotificationPreference, now: datetime) -> datetime:
    """The next full hour on the person's clock at which a digest is due."""
    local = now.astimezone(ZoneInfo(preference.time_zone)).replace(minute=0, second=0, microsecond=0)
    step = preference.digest_hours
    hours = next(hours for hours in range(1, step + 1) if (local.hour + hours - DIGEST_HOUR) % step == 0)
    return (local + timedelta(hours=hours)).astimezone(UTC)


def end_of_quiet_hours(preference: NotificationPreference, moment: datetime) -> datetime:
    """The moment itself, or the end of the quiet hours that it falls into."""
    begin, end = preference.quiet_from, preference.quiet_until
    local = moment.astimezone(ZoneInfo(preference.time_zone))
    if begin is None or end is None or not _is_between(local.time(), begin, end):
        return moment
    wake = local.replace(hour=end.hour, minute=end.minute, second=0, microsecond=0)
    # Over midnight: the end is tomorrow's.
    return (wake if wake > local else wake + timedelta(days=1)).astimezone(UTC)


def _is_between(moment: time, begin: time, end: time) -> bool:
    return begin <= moment < end if begin <= end else moment >= begin or moment < end
