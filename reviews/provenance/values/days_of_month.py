"""Days that are told by their figure without a year: 23.12., 9/14, the 28th, 7 февраля."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from functools import cache
from typing import Final

from reviews.provenance.text.boundaries import Place
from reviews.provenance.values.locales import any_word_of, quoted_month_names

# A day of the month, and the month's number behind it, but no piece of a longer number.
DAY_OF_MONTH: Final = re.compile(
    r"(?<![0-9])(?<![0-9][.,:/-])(?P<day>[0-3]?[0-9])(?:(?P<sign>[./-]) ?(?P<month>[0-3]?[0-9]))?(?![^\W\d]*[0-9])"
    # Behind one with its month may stand a time of day, and no year.
    r"(?(month)(?![.,:/-][0-9]| [0-9]{3})|(?![.,:/-]? ?[0-9]))"
)


def days_without_year_in(folded: str, today: date) -> Iterator[tuple[Place, date]]:
    """The next such day that figures may mean which are a day of the month, with the month or alone."""
    for hit in DAY_OF_MONTH.finditer(folded):
        month_name = None if hit["month"] else _month_behind().match(folded, hit.end())
        month = quoted_month_names()[month_name["month"]] if month_name else int(hit["month"] or 0)
        # Before a slash some write the day, and some the month.
        month_and_day = (month, int(hit["day"]))
        orders = {month_and_day, month_and_day[::-1]} if hit["sign"] == "/" else {month_and_day}
        days = (_next_day(*order, today) for order in sorted(orders))
        yield from ((hit.span(), day) for day in days if day)


def _next_day(month: int, day: int, today: date) -> date | None:
    """The next such day of this month of a year, or of any month."""
    later = (today.year + 1, month) if month else (today.year + today.month // 12, today.month % 12 + 1)
    for begins in ((today.year, month or today.month), later):
        with suppress(ValueError):
            if (next_day := date(*begins, day)) >= today:
                return next_day
    return None


@cache
def _month_behind() -> re.Pattern[str]:
    """The name of a month behind a day, in any language that judges quote."""
    return re.compile(rf"[ .]{{1,2}}(?:[^\W\d_]{{1,2}} )?(?P<month>{any_word_of(quoted_month_names())})(?![^\W_])")
