"""Values put together from evidence: an end from a start and a length, a joined list, a part."""

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import product

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.links.moment import clocks_at, days_on
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Found
from reviews.provenance.language.base import languages_of, phrases
from reviews.provenance.records.index import LONGEST, Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.boundaries import separated
from reviews.provenance.values.duration import Duration
from reviews.provenance.values.moment import moment_of

# What people join several things with in one text.
_JOINTS = re.compile(r"\s*[,;|<>()\n]+\s*|\s+[-\u2013\u2014&+]\s+|\s+and\s+")
# A name and an ending; the words of the name may each have a source.
_FILE = re.compile(r"([\w -]{1,80})\.([A-Za-z]\w{0,4})")
# Parts of one value: more make a text, which is composed.
_PARTS = 20
# Characters of a part, below which it stands anywhere.
_PART_LENGTH = 3
# Characters from which a part of an identifier identifies.
_ID_DIGITS = 4
# Characters around a length of time in which its clause says which way a time is moved.
_SAID = 64
# Seconds.
_DAY = 86_400
# A day to put two times of day on.
_ANY_DAY = date(2000, 1, 3)
# A sentence ends here.
_SENTENCE = re.compile(r"[.;:!?]\s|\n")
# Words up to which a text without figures may be a name.
_NAME_WORDS = 4


def from_record_end(leaf: Leaf, texts: tuple[Indexed, ...]) -> Found | None:
    """The moment at which a record's start and length end it."""
    wanted = _moment(leaf)
    for text in texts if wanted else ():
        if end := text.ends.get(wanted):
            spans = tuple(text.raw_span(item.start, item.end) for item in (end.begun, end.length))
            note = f"Record {end.record.position} of {where(text.source.id)} ends then."
            return Found(Grounding.DERIVE, spans, note)
    return None


def from_moved_record(leaf: Leaf, texts: tuple[Indexed, ...], trusted: tuple[Indexed, ...]) -> Found | None:
    """A record's day or time, moved by a length of time that the user names, and the way the user says."""
    meant = moment_of(leaf.value)
    lengths = [(text, m) for text in trusted for m in text.durations if meant and 0 < m.seconds < LONGEST]
    for text, (source, length) in product(texts, lengths):
        for sign in _ways(source, length):
            if span := _moved_from(meant, sign * length.seconds, text):
                length_span = source.span(length.start, length.end)
                note = f"{length_span.quote} from a time in {where(text.source.id)}."
                return Found(Grounding.DERIVE, (span, length_span), note)
    return None


def _ways(text: Indexed, length: Duration) -> tuple[int, ...]:
    """1 for a time moved on, -1 for one moved back; both where the clause does not say which."""
    folded = text.folded.text
    before, behind = folded[max(0, length.start - _SAID) : length.start], folded[length.end : length.end + _SAID]
    clause = f"{_SENTENCE.split(before)[-1]} {_SENTENCE.split(behind)[0]}"
    spoken = languages_of(text.source.text)
    later, earlier = (
        any(
            phrases(words).search(clause) if language.spaced else any(word in clause for word in words)
            for language in spoken
            if (words := getattr(language, name))
        )
        for name in ("later", "earlier")
    )
    return (1, -1) if later == earlier else (1,) if later else (-1,)


def _moved_from(meant: tuple[date | None, time | None] | None, seconds: Decimal, text: Indexed) -> Span | None:
    """Where a text has the day, the time of day, or both, that are so long before the one that is meant."""
    day, clock = meant or (None, None)
    before = _moved(datetime.combine(day or _ANY_DAY, clock or time()), seconds)
    if before is None or (day is None and clock is None):
        return None
    if day is not None and clock is not None:
        item = text.dated_fields.get(before)
        return text.raw_span(item.start, item.end) if item else None
    if day is not None:
        # A day is moved by whole days.
        found = days_on(text, before.date()) if not seconds % _DAY else []
    else:
        found = clocks_at(text, None, before.time()) if before.date() == _ANY_DAY else []
    return text.span(found[0].start, found[0].end) if found else None


def _moment(leaf: Leaf) -> datetime | None:
    meant = moment_of(leaf.value)
    return datetime.combine(meant[0], meant[1]) if meant and meant[0] and meant[1] is not None else None


def _moved(moment: datetime, seconds: Decimal) -> datetime | None:
    """The moment so long before."""
    try:
        return moment - timedelta(seconds=float(seconds))
    except OverflowError:  # beyond the calendar
        return None


def from_parts(leaf: Leaf, ground: Callable[[Leaf], Found | None]) -> Found | None:
    """A list written as one string, or a path put together from folder and name: each part has its own source."""
    if not isinstance(leaf.value, str) or len(leaf.text) > 2000:  # noqa: PLR2004
        return None
    parts = [part for part in _JOINTS.split(leaf.text) if part]
    if len(parts) == 1 and "/" in leaf.text.strip("/"):
        parts = [part for part in leaf.text.rpartition("/")[::2] if part]
    if not 1 < len(parts) <= _PARTS or any(len(part) <= 1 for part in parts):
        return None
    found = [ground(Leaf(part, leaf.pointer, None, leaf.tool)) for part in parts]
    held = [one for one in found if one is not None]
    if len(held) < len(parts):
        return None
    contested = next((one for one in held if one.against or one.how is Grounding.COMPETING), None)
    spans = tuple(dict.fromkeys(span for one in held for span in one.spans))
    return contested or Found(Grounding.DERIVE, spans, "Put together from parts that each have a source.")


def from_file(leaf: Leaf, ground: Callable[[Leaf], Found | None], texts: tuple[Indexed, ...]) -> Found | None:
    """A file's name whose name and kind are each said: "the same as a docx", "<number of lines>.txt"."""
    file = _FILE.fullmatch(leaf.text) if isinstance(leaf.value, str) else None
    if file is None:
        return None
    name, kind = Leaf(file[1], leaf.pointer, None, leaf.tool), Leaf(file[2], leaf.pointer, None, leaf.tool)
    ending = ground(kind)
    # One letter or figure stands in a text by chance, unless it is a number by itself.
    found = (ground(name) or from_larger(name, texts)) if ending else None
    if ending is None or found is None or found.against:
        return None
    spans = tuple(dict.fromkeys((*found.spans, *ending.spans)))
    return Found(Grounding.DERIVE, spans, f"“{file[1][:40]}” and “{file[2]}” each have a source.")


def from_larger(leaf: Leaf, texts: tuple[Indexed, ...]) -> Found | None:
    """A part, between punctuation, of an address, path or identifier. Never a shortened address or host."""
    if not isinstance(leaf.value, str) or len(leaf.folded) < _PART_LENGTH or "@" in leaf.text or moment_of(leaf.value):
        return None
    spoken = len(leaf.words) <= _NAME_WORDS and leaf.folded.replace(" ", "").isalpha()
    pattern = re.compile(r"[._/-]".join(map(re.escape, leaf.words)) if spoken else re.escape(leaf.folded))
    for text in texts:
        if text.repeats(leaf.folded):
            continue
        for hit in pattern.finditer(text.folded.text):
            if separated(text.folded.text, *hit.span()) and _honest(text.folded.text, *hit.span()):
                span = text.span(*hit.span())
                return Found(Grounding.DERIVE, (span,), f"A part of a longer name in {where(span.source)}.")
    return None


def _honest(text: str, start: int, end: int) -> bool:
    """Whether the part keeps its meaning alone: a host must be whole, digits must be an identifier's own number."""
    part = text[start:end]
    if part.replace(".", "").isdigit():
        return (
            part.isdigit()
            and len(part) >= _ID_DIGITS
            and re.search(r"[a-z][-_#]?$", text[max(0, start - 4) : start]) is not None
        )
    if "." not in part:
        return True
    return text[end : end + 2].strip()[:1] not in (".", "-") or not text[end + 1 : end + 2].isalnum()
