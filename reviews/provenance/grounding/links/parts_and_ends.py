"""Values put together from evidence: an end from a start and a length, a joined list, a part."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import product

from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import LONGEST, Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.boundaries import separated
from reviews.provenance.values.moment import instant_of, moment_of

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
# Words up to which a text without figures may be a name.
_NAME_WORDS = 4


def from_record_end(leaf: Leaf, texts: tuple[Indexed, ...]) -> Found | None:
    """The moment at which a record's start and length end it."""
    moment = instant_of(leaf.value)
    for text in texts if moment else ():
        if end := text.ends.get(moment):
            spans = tuple(text.raw_span(item.start, item.end) for item in (end.begun, end.length))
            note = f"Record {end.record.position} of {where(text.source.id)} ends then."
            return Found(Grounding.DERIVE, spans, note)
    return None


def from_moved_record(leaf: Leaf, texts: tuple[Indexed, ...], trusted: tuple[Indexed, ...]) -> Found | None:
    """A record's moment, moved by a length of time that the user names."""
    moment = instant_of(leaf.value)
    lengths = [(text, m) for text in trusted for m in text.durations if moment and 0 < m.seconds < LONGEST]
    for text, (source, length) in product(texts, lengths):
        for sign in (1, -1):
            if item := text.dated_fields.get(_moved(moment, sign * length.seconds)):
                spans = (text.raw_span(item.start, item.end), source.span(length.start, length.end))
                note = f"{source.span(length.start, length.end).quote} from a time in {where(text.source.id)}."
                return Found(Grounding.DERIVE, spans, note)
    return None


def _moved(moment: datetime | None, seconds: Decimal) -> datetime | None:
    try:
        return moment + timedelta(seconds=float(seconds)) if moment else None
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
    sources = [one for one in found if one is not None]
    if len(sources) < len(parts):
        return None
    contested = next((one for one in sources if one.against or one.how is Grounding.COMPETING), None)
    spans = tuple(dict.fromkeys(span for one in sources for span in one.spans))
    return contested or Found(Grounding.DERIVE, spans, "Put together from parts that each have a source.")


def from_file(leaf: Leaf, ground: Callable[[Leaf], Found | None], texts: tuple[Indexed, ...]) -> Found | None:
    """A file's name whose name and kind are each said: "the same as a docx", "<number of lines>.txt"."""
    file = _FILE.fullmatch(leaf.text) if isinstance(leaf.value, str) else None
    if file is None:
        return None
    name, kind = Leaf(file[1], leaf.pointer, None, leaf.tool), Leaf(file[2], leaf.pointer, None, leaf.tool)
    kind_source = ground(kind)
    # One letter or figure stands in a text by chance, unless it is a number by itself.
    found = (ground(name) or from_larger(name, texts)) if kind_source else None
    if kind_source is None or found is None or found.against:
        return None
    spans = tuple(dict.fromkeys((*found.spans, *kind_source.spans)))
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
            if separated(text.folded.text, *hit.span()) and _keeps_meaning(text.folded.text, *hit.span()):
                span = text.span(*hit.span())
                return Found(Grounding.DERIVE, (span,), f"A part of a longer name in {where(span.source)}.")
    return None


def _keeps_meaning(text: str, start: int, end: int) -> bool:
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
