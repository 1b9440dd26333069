"""Conditions as people write them, read into claims that numbers and dates can show to hold or not."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from reviews.provenance.request.actions import is_verb
from reviews.provenance.text.fold import words_of

# Comparatives by direction: which side of the limit the user makes the call depend on.
_UP = "more|greater|higher|larger|above|over|longer"
_DOWN = "less|lower|fewer|smaller|below|under"
# Bounded, so that no run of figures makes a pattern of several numbers slow.
_NUMBER = r"(?P<limit>\d{1,12}(?:\.\d{1,6})?)"
# What is compared stands in the same clause and before the comparison; eighty characters hold any such clause.
_BEFORE = r"(?P<before>[^.?!;,\n]{0,80}?)"
# "If visits fell below 20 at any time". A percentage or a length of time behind the number is another claim.
_THRESHOLD = re.compile(
    rf"{_BEFORE} (?P<sign>{_UP}|{_DOWN})(?: than)? {_NUMBER}(?![\w%]| ?(?:%|percent|days?|weeks?|months?))"
    r"(?P<any> (?:at any (?:time|point)|on any day|ever))?"
)
# "More than 20 % higher than in May".
_VERSUS = re.compile(
    rf"{_BEFORE} (?:more|greater) than {_NUMBER} ?(?:%|percent) (?P<sign>{_UP}|{_DOWN})"
    r"(?P<on> on [\w ]{3,20}?)? than "
    r"(?P<base>[^.?!;,\n]{2,40})"
)
# "Grew more than sales": two things over one period.
_GROWTH = re.compile(
    rf"{_BEFORE} (?:(?:grew|grown|increased|rose|risen)(?: by)? more than|(?:was|is) more than)"
    r" (?P<other>[a-z][^.?!;,\n]{1,60})"
)
# "More traffic from search than from ads": two sums of one column.
_SUM = re.compile(
    r"\bmore (?:\w+ )?(?:from|of|in|for|on|via) (?P<one>[a-z][\w -]{1,30}?)"
    r" than (?:(?:from|of|in|for|on|via) )?(?P<other>[a-z][^.?!;,\n]{1,40})"
)
# Words that make a percentage one of growth.
_GROWING = re.compile(r"\b(?:grow|grew|growth|grown|increased?|rose|risen)\b")
# What stands before the thing a condition speaks of.
_LEAD = re.compile(r".*\b(?:(?:if|whether|that)\b(?= |$)|(?:think|did|does|do|was|were|is|are)\b(?= ))")
# The day named beside the thing compared: "on Friday", before the percentage.
_ON_A_DAY = re.compile(r"\bon [a-z]{3,9}(?: \d{1,2})?(?=(?: was| were| is| are)?$)")
# Words that turn a claim round.
_DENIED = frozenset("no not never isn wasn weren aren hasn haven nothing".split())
# Words that end the name of what is compared.
_PHRASE_ENDS = frozenset("since then in over during on and or last past".split())
# A length of time; three figures of days are most of a year.
_LENGTH = r"(?P<count>\d{1,3}|an?) (?P<unit>day|week|month)s?"
# "If it has been longer than a week", "if I haven't met Ann in two weeks".
_ELAPSED = re.compile(
    rf"\bbeen (?:longer than|more than|over) {_LENGTH}|\b(?:haven't|hasn't|have not|has not|didn't|don't|not)\b"
    rf"[^.?!;\n]{{2,60}}? (?:in|for|within) (?:the )?(?:last|past|previous) "
    rf"(?:{_LENGTH.replace('count', 'count2').replace('unit', 'unit2')}|(?P<fortnight>fortnight))"
)
# "If I met Ann in the last week": the same the other way round.
_RECENT = re.compile(
    rf"\b(?:if|have|has|did)\b[^.?!;\n]{{2,80}}? (?:in|within) (?:the )?(?:last|past|previous) {_LENGTH}"
)
# A month is taken as thirty days: near the border the claim is left open.
_DAYS = {"day": 1, "week": 7, "month": 30}


@dataclass(frozen=True)
class Threshold:
    """Some number of a series is above or below a limit."""

    start: int
    end: int
    metric: tuple[str, ...]
    above: bool
    limit: Decimal
    anytime: bool
    """The request says that one day is enough."""


@dataclass(frozen=True)
class Versus:
    """The latest number, or that of a day, is so many per cent above or below the number of another day."""

    start: int
    end: int
    metric: tuple[str, ...]
    above: bool
    percent: Decimal
    current: tuple[int, int] | None
    """Where the day is named whose number is compared; None for the latest."""
    base: tuple[int, int]
    """Where the day is named that it is compared with."""
    past: bool
    """The request says "was": any later day may be meant."""


@dataclass(frozen=True)
class Growth:
    """One series grew by more than another."""

    start: int
    end: int
    metric: tuple[str, ...]
    other: tuple[str, ...]


@dataclass(frozen=True)
class Sum:
    """One series adds up to more than another."""

    start: int
    end: int
    metric: tuple[str, ...]
    other: tuple[str, ...]


@dataclass(frozen=True)
class Elapsed:
    """Nothing of the kind happened for so many days."""

    start: int
    end: int
    days: int
    negated: bool
    """The request asks whether it did happen."""


Claim: TypeAlias = Threshold | Versus | Growth | Sum | Elapsed


def claim_in(text: str) -> Claim | None:
    """The first condition of a folded text whose quotations are blanked out, if it can be read.

    What is said with "unless", or of what is denied, is not read.
    """
    if re.search(r"\bunless\b", text):
        return None
    found = (claim for read in (_versus, _threshold, _sum, _growth, _elapsed) for claim in read(text))
    return next(found, None)


def _threshold(text: str) -> Iterator[Threshold]:
    for hit in _undenied_matches(_THRESHOLD, text):
        above = hit["sign"] in _UP.split("|")
        metric = words_of(text[_condition_start(hit) : hit.end("before")])
        yield Threshold(_condition_start(hit), hit.end(), metric, above, Decimal(hit["limit"]), hit["any"] is not None)


def _versus(text: str) -> Iterator[Versus]:
    for hit in _undenied_matches(_VERSUS, text):
        start, before = _condition_start(hit), hit["before"]
        metric = words_of(text[start : hit.end("before")])
        day = _ON_A_DAY.search(before)
        current = (hit.start("before") + day.start(), hit.end("before")) if day else None
        # Behind the percentage the day is named as well: "20 % more on Friday than".
        current = hit.span("on") if hit["on"] else current
        above = hit["sign"] in _UP.split("|")
        past = current is None and bool({"was", "were"}.intersection(words_of(before)))
        yield Versus(start, hit.end(), metric, above, Decimal(hit["limit"]), current, hit.span("base"), past)


def _undenied_matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches that nothing right before them denies."""
    return (hit for hit in pattern.finditer(text) if not _DENIED.intersection(words_of(hit["before"])[-4:]))


def _growth(text: str) -> Iterator[Growth]:
    for hit in _undenied_matches(_GROWTH, text) if _GROWING.search(text) else ():
        # The thing that grew may be named in the sentence before: "check the growth of X. If it grew by more than Y".
        before = words_of(text[max(0, hit.start() - 200) : hit.start("other")])
        other = _phrase(hit, "other")
        yield Growth(_condition_start(hit), hit.start("other") + len(other), before, words_of(other))


def _sum(text: str) -> Iterator[Sum]:
    for hit in _SUM.finditer(text):
        other = _phrase(hit, "other")
        yield Sum(hit.start(), hit.start("other") + len(other), words_of(hit["one"]), words_of(other))


def _phrase(hit: re.Match[str], name: str) -> str:
    """What stands there up to a verb, or a word that leads to a time."""
    for word in re.finditer(r"\w+", hit[name]):
        if word.start() and (word.group() in _PHRASE_ENDS or is_verb(word.group())):
            return hit[name][: word.start()].rstrip()
    return hit[name].rstrip()


def _elapsed(text: str) -> Iterator[Elapsed]:
    for hit in _ELAPSED.finditer(text):
        count, unit = hit["count"] or hit["count2"], hit["unit"] or hit["unit2"]
        yield Elapsed(*hit.span(), 14 if hit["fortnight"] else _days_of(count, unit), negated=False)
    for hit in _RECENT.finditer(text):
        yield Elapsed(*hit.span(), _days_of(hit["count"], hit["unit"]), negated=True)


def _days_of(count: str, unit: str) -> int:
    return (1 if count.startswith("a") else int(count)) * _DAYS[unit]


def _condition_start(hit: re.Match[str]) -> int:
    """Where the condition itself begins: behind "if", "was" and the like."""
    lead = _LEAD.match(hit["before"])
    begin = hit.start("before") + (lead.end() if lead else 0)
    return begin + len(hit.string[begin:]) - len(hit.string[begin:].lstrip())
