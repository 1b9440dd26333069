"""What the user says first and then corrects: "for four, sorry, make it five". The latest word on a thing counts."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from functools import lru_cache

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.results import Found
from reviews.provenance.language.base import languages_of, phrases
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.roots import root
from reviews.provenance.values.moment import moment_of
from reviews.provenance.values.number import number_of, said_in

# Characters of a message that are read for corrections.
_READ = 20_000
# Characters behind a correction in which the corrected value stands: "sorry, make it at most".
_REACH = 32
# Arguments of a call whose values a correction is not about.
_MOST_ARGUMENTS = 16
# Words behind a number that may be its noun: "two small children".
_NOUNS = 2
# A correction reaches to the end of its sentence.
_CLAUSE = re.compile(r"[.;!?\n](?:\s|$)")
# Where a sentence begins, and characters in which that is told.
_OPENS, _OPENING = re.compile(r"(?:^|[.!?\n])\s*$"), 4
# What follows "sorry" and "rather" where they correct nothing.
_NO_CORRECTION = re.compile(r"\s+(?:for|about|to hear|that|if|than|i'm|but)\b")

TypedValue = tuple[str, Decimal | date | time]
"""What a value is, by kind: only values of one kind correct one another."""


def taken_back(leaf: Leaf, spans: Sequence[Span], spoken: Sequence[Indexed], arguments: Sequence[Leaf]) -> Found | None:
    """The value that the user put in the place of this one, which stands at these spans and nowhere later.

    `spoken` are the user's messages, the latest first, and `arguments` all those of the call: a correction is not
    about what another one takes.
    """
    own = typed_values_of(leaf)
    taken = frozenset[TypedValue]().union(*(typed_values_of(each) for each in arguments[:_MOST_ARGUMENTS])) - own
    for n, text in enumerate(spoken if own else ()):
        places = [span for span in spans if span.source == text.source.id]
        for start, end, corrections in _corrections(text):
            new = next((each for each in corrections if each[0][0] in {kind for kind, _ in own}), None)
            if new is None or new[0] in own or (places and max(span.end for span in places) > start):
                continue
            # Said in an earlier message, only a correction by itself takes it back: "make it five".
            alone = max(start, len(text.source.text) - end) <= _REACH
            earlier = text if places else next(iter(spoken[n + 1 :]), None) if spans and alone else None
            before = _of_kind(new[0][0], earlier, start if places else _READ, taken) if earlier else {}
            if earlier is not None and _is_corrected(leaf, new, text, earlier, before):
                span = new[1]
                note = f"The user took this back: “{shortened(span.quote, 40)}”, not “{shortened(leaf.text, 40)}”."
                return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))
        if places:
            return None
    return None


def _holds(one: Span, other: Span) -> bool:
    """Whether one mention has the other in it: "um 9 Uhr" has "9 Uhr"."""
    return one != other and one.start <= other.start and other.end <= one.end


def _is_corrected(
    leaf: Leaf, new: tuple[TypedValue, Span], said: Indexed, text: Indexed, before: Mapping[Span, set[TypedValue]]
) -> bool:
    """Whether the value is the last of its kind before the correction, and no other could be the one corrected.

    `new` is what is put in its place, `said` the message that says so, and `text` the one that it corrects, with the
    values that it says `before`.
    """
    own = typed_values_of(leaf)
    # "Seven sacks instead" corrects the one number of sacks, whatever else was counted.
    noun = words_of(said.source.text[new[1].end : new[1].end + _REACH])[:1]
    alike = [span for span in before if noun and words_of(text.source.text[span.end : span.end + _REACH])[:1] == noun]
    if len(alike) == 1:
        return bool(before[alike[0]] & own)
    # Nine may be of the morning or the evening: it is meant where either is the value.
    if not before or not all(values & own for values in before.values()):
        return False
    # "Two adults and two children, no, three": said twice, only the nearest is corrected, and its noun tells which.
    whole = [span for span in before if not any(_holds(other, span) for other in before)]
    nearest, *farther = sorted(whole, key=lambda span: -span.start)
    fits = [_is_of(leaf, span, text) for span in (nearest, *farther)]
    return not farther or (fits[0] and not any(fits[1:]))


def _of_kind(kind: str, text: Indexed, end: int, taken: Collection[TypedValue]) -> Mapping[Span, set[TypedValue]]:
    """The values of one kind that a message says up to an offset, each with its readings, without those `taken`."""
    found: dict[Span, set[TypedValue]] = {}
    for value, span in typed_values_in(text, 0, min(end, _READ)):
        if value[0] == kind and value not in taken:
            found.setdefault(span, set()).add(value)
    return found


def _is_of(leaf: Leaf, span: Span, text: Indexed) -> bool:
    """Whether a word behind the mention is of the parameter's name or description: two children."""
    behind = words_of(text.source.text[span.end : span.end + _REACH])[:_NOUNS]
    named = frozenset(map(root, (*words_of(leaf.name), *words_of(leaf.description))))
    return not named.isdisjoint(map(root, behind))


def _corrections(text: Indexed) -> Iterator[tuple[int, int, list[tuple[TypedValue, Span]]]]:
    """Where each correction begins and ends, and the values that follow it in its clause."""
    folded = text.folded.text[:_READ]
    for hit in _cues_in(text.source.text[:_READ], folded):
        if _NO_CORRECTION.match(folded, hit.end()):
            continue
        rest = folded[hit.end() : hit.end() + _REACH]
        end = hit.end() + len(_CLAUSE.split(rest)[0])
        clause = text.span(hit.start(), end)
        yield clause.start, clause.end, list(typed_values_in(text, hit.end(), end))


@lru_cache(maxsize=64)  # a call of thousands of values asks for the same messages each time
def _cues_in(raw: str, folded: str) -> tuple[re.Match[str], ...]:
    spoken = languages_of(raw)
    cues = frozenset(cue for language in spoken for cue in language.corrections)
    # "No, seven sacks", "Three. No, four": a sentence that opens with no says what is meant instead.
    noes = phrases(frozenset(word for language in spoken for word in language.noes))
    refusals = (hit for hit in noes.finditer(folded) if _OPENS.search(folded[: hit.start()][-_OPENING:]))
    return (*refusals, *phrases(cues).finditer(folded))


def typed_values_in(text: Indexed, start: int, until: int) -> Iterator[tuple[TypedValue, Span]]:
    """The days, times and numbers that a stretch of the folded text says."""
    for moment in text.moments:
        if start <= moment.start < until:
            if moment.day is not None:
                yield ("day", moment.day), text.span(moment.start, moment.end)
            if moment.clock is not None and moment.end - moment.start > 1:
                yield ("clock", moment.clock), text.span(moment.start, moment.end)
    for number in said_in(text.folded.text[:_READ]):
        at, end = number.start, number.end
        if not start <= at < until:
            continue
        # "At eight" is a time of day; a bare number may be anything.
        if not any(m.start <= at and end <= m.end and m.end - m.start > end - at for m in text.moments):
            yield ("number", number.value), text.span(at, end)


def typed_values_of(leaf: Leaf) -> frozenset[TypedValue]:
    """What a value may mean: a number, or a day with its time."""
    if (number := number_of(leaf.value)) is not None:
        return frozenset({("number", number)})
    day, clock = moment_of(leaf.value) or (None, None)
    found: list[TypedValue] = [("day", day)] if day is not None else []
    return frozenset((*found, ("clock", clock)) if clock is not None else found)
