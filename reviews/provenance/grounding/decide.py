"""From everything that speaks for a value and everything that speaks against it to one answer.

A support is a source that explains the value; an objection is what the context says against taking it. Which objection
overrules which support stands in one table; no other place decides between them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from reviews.provenance.grounding.results import Found


class By(StrEnum):
    """What kind of source supports a value; of several, the first of these is shown."""

    WORKED_OUT = "what a comparison or a calendar of the request gives"
    STATED = "the user or the system prompt says it"
    OFFERED = "the tool's document gives it"
    CONFIRMED = "the agent proposed it and the user agreed"
    RECORD = "a field of the one record that is meant"
    DERIVED = "computed from values that have a source"
    PRESENT = "it stands in data, and nothing singles it out"


class Why(StrEnum):
    """What kind of thing speaks against a value; of several, the first of these is shown."""

    OPTION = "the user names another option"
    COMPARISON = "the user's comparison picks another"
    DICTATION = "the user dictates other words"
    PERIOD = "the request leaves the end open"
    CALENDAR = "another time is the first free one"
    DAYPART = "the user names another part of the day"
    ROLE = "it is said in another part"
    TAKEN_BACK = "the user has taken it back"
    DENIED = "the user excludes it"
    LAST_WORD = "the last exchange names another"
    MIXED = "the other arguments rest on another record"
    SELECTION = "the request selects another record"
    RIVAL = "another record answers the reference as well or better"
    FIELD = "another field of the record is meant"
    FACT = "a fact in it contradicts the user, or gives a secret away"
    NEAR_COPY = "it is nearly, but not quite, what a source says"


# What nothing but the user's own words may overrule.
_EVERY = frozenset(By)
# What rests on data, which others may have written.
_FROM_DATA = frozenset({By.RECORD, By.DERIVED, By.PRESENT})
OVERRULES: Mapping[Why, frozenset[By]] = MappingProxyType(
    {
        # What the user says about this very value goes before wherever else the value may stand.
        Why.OPTION: _EVERY,
        Why.COMPARISON: _EVERY,
        Why.DICTATION: _EVERY,
        Why.PERIOD: _EVERY,
        Why.CALENDAR: _EVERY,
        # The user says no hour: whatever gives one must lie in the part of the day that is named.
        Why.DAYPART: _EVERY,
        # Said in another part, taken back or excluded, a value is said, but not for this.
        Why.ROLE: _EVERY - {By.OFFERED, By.WORKED_OUT},
        Why.TAKEN_BACK: _EVERY - {By.OFFERED, By.WORKED_OUT, By.CONFIRMED},
        Why.DENIED: _EVERY - {By.OFFERED, By.WORKED_OUT, By.CONFIRMED},
        # What was agreed to last binds, unless the user has said otherwise.
        Why.LAST_WORD: _EVERY - {By.OFFERED, By.WORKED_OUT},
        # A call speaks of one thing: a value that was said of another is not said of this.
        Why.MIXED: frozenset({By.STATED, By.CONFIRMED, By.RECORD, By.PRESENT}),
        # A value of the user's own needs no record; one that was worked out only happens to stand in another one.
        Why.SELECTION: frozenset({By.RECORD, By.PRESENT}),
        Why.RIVAL: frozenset({By.RECORD, By.PRESENT}),
        Why.FIELD: frozenset({By.RECORD, By.PRESENT}),
        # What the user dictates, the user may; what an agent composes or copies must not say otherwise.
        Why.FACT: _FROM_DATA,
        Why.NEAR_COPY: frozenset(),
    }
)
"""Which supports each objection does away with."""


@dataclass(frozen=True)
class Support:
    """A source that explains the value."""

    by: By
    found: Found


@dataclass(frozen=True)
class Against:
    """Something that speaks against the value."""

    why: Why
    found: Found


def decide(supports: Sequence[Support], objections: Sequence[Against], nothing: Found) -> Found:
    """The best support that no objection overrules; else the first objection; else `nothing`, where nobody speaks."""
    overruled = frozenset[By]().union(*(OVERRULES[objection.why] for objection in objections))
    standing = [support for support in supports if support.by not in overruled]
    if standing:
        best = min(standing, key=lambda support: _RANK[support.by])
        return replace(best.found, open=best.found.open or best.by is By.PRESENT)
    if objections:
        return min(objections, key=lambda objection: _FIRST[objection.why]).found
    return nothing


# The order of each enumeration is the order in which its members are shown.
_RANK = {by: n for n, by in enumerate(By)}
_FIRST = {why: n for n, why in enumerate(Why)}
