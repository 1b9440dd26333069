"""What the user takes out by name: "everyone except Omar", "not to Bo"."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.decide import Why
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.links.stated import as_written
from reviews.provenance.grounding.objections.the_other import the_other
from reviews.provenance.grounding.results import Found
from reviews.provenance.language.base import languages, languages_of, phrases
from reviews.provenance.records.index import Indexed
from reviews.provenance.records.records import Record
from reviews.provenance.request.actions import tokens_of
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.naming import names_in
from reviews.provenance.request.negation import is_denied, is_excepted, is_spared
from reviews.provenance.request.parts import OLD, SOURCE, part_of_parameter
from reviews.provenance.text.boundaries import occurrences
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.values.number import number_of

# Characters of a message that are read for exclusions.
_READ = 8_000
# A word in capitals that does not open a sentence.
_NAME = re.compile(r"(?<![.!?]\s)(?<![^\s\"'(\[-])[^\W\d_a-z][^\W\d_]+")
# Any word; those behind "except" name what is left, small letters or not.
_WORD = re.compile(r"[^\W\d_]{3,}")
# Tools and parameters that take what is denied: what to leave out, what to remove.
_TAKING_OUT = frozenset(
    "exclude excluded excluding without except exception exceptions omit skip avoid ignore ignored remove delete drop "
    "cancel block ban not negative unwanted allergy allergies hide mute old previous replace replaced".split()
)
# Characters before a number in which what denies it stands: "instead of counter 6".
_REACH = 20
# What sets one thing against another.
_CONTRAST = re.compile(r"(?:,|\b(?:and|but|und|aber|et|mais|en|maar)\b)\s*(?:not|nicht|pas|niet)\s+(?:[\w-]+\s+){0,2}$")
# A run of signs of a language without spaces.
_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
# Excluded names, and places of a value, that are looked at.
_MOST = 32
# Words of a message that are looked at for what is left out.
_MOST_WORDS = 400
# Words of a field that is a name; longer ones mention names.
_NAME_WORDS = 4


WHY = Why.DENIED


def against(leaf: Leaf, evidence: Evidence, budget: Budget) -> Found | None:
    """The value as a name that the user takes out, or as a field of the record that has this name.

    Only the last message counts: what was taken out earlier was taken out of something else.
    """
    # "On Church Road instead of Mill Lane": what is not to be any more is what the old one is.
    if part_of_parameter(leaf.name, leaf.description) == OLD:
        return None
    if denied := _denied_itself(leaf, evidence) or _denied_key(leaf, evidence):
        return denied
    names = {
        name: text.raw_span(start, end)
        for text in evidence.spoken[:1]
        for name, start, end in _excluded_names(text.source.text[:_READ])
    }
    if not names or not leaf.text:
        return None
    budget.spend()
    leaf = as_written(leaf, evidence.data) or leaf
    own = frozenset(leaf.words) if len(leaf.words) <= _NAME_WORDS else frozenset[str]()
    raw = evidence.spoken[0].source.text
    for name, span in names.items():
        # A word inside the value that denies, as in "Not Ann", is a part of what it is called.
        if raw.find(leaf.text, max(0, span.end - len(leaf.text)), span.start + len(leaf.text) - 1) in range(span.start):
            continue
        named = list(_names_beside(leaf, evidence.data))
        # A word in small letters may stand in other records by chance.
        quantifier = any if span.quote[:1].isupper() else all
        if name in own or (named and quantifier(name in words for words in named)):
            whose = "" if name in own else f" “{shortened(leaf.text, 60)}” belongs to it."
            note = f"The user takes “{span.quote}” out.{whose}"
            return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))
    return None


def _denied_itself(leaf: Leaf, evidence: Evidence) -> Found | None:
    """The value where the last message says it, and denies it wherever it does: "with olives but without onions"."""
    if isinstance(leaf.value, bool) or not 0 < len(leaf.words) <= _NAME_WORDS:
        return None
    taken = (*tokens_of(leaf.name), *tokens_of(leaf.tool.name if leaf.tool else ""))
    if part_of_parameter(leaf.name, leaf.description) in (OLD, SOURCE):
        return None
    for text in evidence.spoken[:1]:
        folded = text.folded.text[:_READ]
        places = list(islice(occurrences(folded, leaf.folded), _MOST))
        # "Delete the old one and not the new one": a tool that takes things out spares what is set against them.
        against_another = all(_CONTRAST.search(folded[max(0, at - _REACH) : at]) for at in places)
        spares = against_another or _TAKING_OUT.isdisjoint(taken)
        if places and spares and all(_is_denied_as(leaf, folded, at) for at in places):
            span = text.span(places[0], places[0] + len(leaf.folded))
            note = f"The user takes “{span.quote}” out."
            return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))
    return None


def _denied_key(leaf: Leaf, evidence: Evidence) -> Found | None:
    """The value as what stands under a key that the last message denies wherever it says it: "not to billing"."""
    folded = "".join(text.folded.text[:_READ] for text in evidence.spoken[:1])
    if not _denies(folded):
        return None
    for place in (place for source in evidence.data for place in source.places(leaf.folded)[:_MOST]):
        for word in set(words_of(place.field.name)) - set(tokens_of(f"{leaf.name} {leaf.description}")):
            mentions = list(islice(occurrences(folded, word), _MOST)) if len(word) > 1 else []
            if mentions and all(is_denied(folded, at) for at in mentions):
                span = evidence.spoken[0].span(mentions[0], mentions[0] + len(word))
                note = f"The user takes “{span.quote}” out; “{shortened(leaf.text, 60)}” is for that."
                return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))
    return None


@lru_cache(maxsize=64)  # a call of thousands of values asks for the same message each time
def _denies(folded: str) -> bool:
    """Whether a message denies anything: most do not, and then no record need be looked at."""
    spoken = languages_of(folded)
    tables = (
        table
        for each in spoken
        for table in (each.negations, each.exclusions, each.exceptions, each.noes, each.nots_behind, each.corrections)
    )
    words = frozenset(word for table in tables for word in table)
    return phrases(words).search(folded) is not None or any(not each.spaced for each in spoken)


def _is_denied_as(leaf: Leaf, folded: str, at: int) -> bool:
    """Whether a mention is denied; a number only by what it is given instead of: "instead of counter 6"."""
    if number_of(leaf.value) is None:
        return is_denied(folded, at)
    before = folded[max(0, at - _REACH) : at]
    spoken = languages_of(folded)
    # "Line 8, not 6", "all lockers but 17"; in "room no 6" nothing is denied.
    denied = any(re.search(rf"{phrases(each.negations).pattern}\s+$", before) for each in spoken)
    return denied or is_excepted(folded, at) or any(phrases(each.exclusions).search(before) for each in spoken)


def left_over(leaf: Leaf, evidence: Evidence) -> Found | None:
    """The value as a field of one of the records that remain when the user takes others out of all of them."""
    if other := the_other(leaf, evidence):
        return other
    for text in evidence.spoken[:1]:
        raw = text.source.text[:_READ]
        folded = fold(raw)
        wholes = (phrases(language.all).search(folded) for language in languages_of(raw))
        whole = next((hit for hit in wholes if hit), None)
        names = frozenset(
            name for name, start, _ in _excluded_names(raw) if is_excepted(folded, start) or is_spared(folded, start)
        )
        if whole is None or not names:
            continue
        leaf = as_written(leaf, evidence.data) or leaf
        if span := next(_spans_left_over(leaf, evidence.data, names), None):
            asking = text.span(*whole.span())
            note = f"“{asking.quote}” asks for it, and it is not among those that are taken out."
            return Found(Grounding.RESOLVE, (asking, span), note)
    return None


def _spans_left_over(leaf: Leaf, data: Sequence[Indexed], names: frozenset[str]) -> Iterator[Span]:
    """Where the value is a field of a record that none of the names is of, in a list that has one they are of."""
    for text in data:
        for place in text.places(leaf.folded)[:_MOST]:
            others = [_names_of(record) for record in place.group[:_MOST] if record is not place.record]
            if any(names & other for other in others) and not names & _names_of(place.record):
                yield text.raw_span(place.field.start, place.field.end)


def _names_of(record: Record) -> frozenset[str]:
    """The words of the short fields of a record."""
    fields = (words_of(item.text) for item in record.fields if item.text)
    return frozenset(word for words in fields if len(words) <= _NAME_WORDS for word in words)


@lru_cache(maxsize=64)  # a call of thousands of values asks for the same message each time
def _excluded_names(raw: str) -> tuple[tuple[str, int, int], ...]:
    """Names of which every mention is denied, and any words behind "except"; where each stands first."""
    folded, found = fold(raw), dict[str, tuple[int, int]]()
    empty = frozenset(word for language in languages_of(raw) for word in language.function | language.small)
    titles = frozenset(word for language in languages() for word in language.titles)
    excepted = any(phrases(language.exceptions).search(folded) for language in languages_of(raw))
    aligned = len(raw) == len(folded)
    hits = [
        hit
        for hit in islice(_WORD.finditer(raw), _MOST_WORDS if excepted or aligned else 0)
        if fold(hit.group()) not in empty
        and ((excepted and is_excepted(folded, hit.start())) or (aligned and is_spared(folded, hit.start())))
    ]
    for hit in islice(chain(_NAME.finditer(raw), hits), _MOST):
        name = "".join(words_of(hit.group()))
        if name in titles:
            continue
        mentions = [each.start() for each in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", folded)]
        if name and mentions and all(is_denied(folded, at) for at in mentions):
            found.setdefault(name, hit.span())
    # Where words have no spaces between them, a name is what no table knows.
    for run in islice(_RUN.finditer(folded), _MOST) if len(raw) == len(folded) else ():
        for at, name in names_in(run.group()):
            start = run.start() + at
            if is_denied(folded, start) and folded.count(name) == 1:
                found.setdefault(name, (start, start + len(name)))
    return tuple((name, *span) for name, span in found.items())


def _names_beside(leaf: Leaf, data: Sequence[Indexed]) -> Iterator[frozenset[str]]:
    """The words of each short field of each record that the value is a field of, where the group has others."""
    for text in data:
        for place in text.places(leaf.folded)[:_MOST]:
            if len(place.group) > 1:
                # What every record says tells none apart.
                shared = frozenset.intersection(*(_names_of(record) for record in place.group[:_MOST]))
                yield _names_of(place.record) - shared
