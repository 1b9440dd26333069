"""Two texts that are nearly the same, told apart character by character."""

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from reviews.provenance.core.context import Context, Span
from reviews.provenance.core.invisible import is_unseen
from reviews.provenance.core.lookalikes import as_latin
from reviews.provenance.core.trust import SourceKind

# Characters of a text that is compared: in a longer one single characters do not tell anything.
MAX_COMPARED: Final = 120
# Share of equal characters from which two texts are nearly the same: below it every other character would be marked.
MIN_LIKENESS: Final = 0.6
# Shorter values look like anything.
_MIN_LENGTH: Final = 5


@dataclass(frozen=True)
class DiffPiece:
    """A stretch of one of the two texts."""

    text: str
    differs: bool


@dataclass(frozen=True)
class NearMiss:
    """What the call says above what stands in the context, each cut where they differ."""

    proposed: tuple[DiffPiece, ...]
    actual: tuple[DiffPiece, ...]


def near_miss(proposed: str, actual: str) -> NearMiss | None:
    """How the two differ; None where they are equal or little alike."""
    if proposed == actual or max(len(proposed), len(actual)) > MAX_COMPARED:
        return None
    matcher = SequenceMatcher(None, proposed, actual, autojunk=False)
    if matcher.ratio() < MIN_LIKENESS:
        return None
    changes = [(tag != "equal", start, end, first, last) for tag, start, end, first, last in matcher.get_opcodes()]
    return NearMiss(
        tuple(DiffPiece(proposed[start:end], differs) for differs, start, end, _, _ in changes if end > start),
        tuple(DiffPiece(actual[first:last], differs) for differs, _, _, first, last in changes if last > first),
    )


def look_alike(value: str, context: Context) -> Span | None:
    """Where the context says what the value only looks like; None where it is what it looks like."""
    looks_like = as_latin("".join(character for character in value if not is_unseen(character)))
    if looks_like == value or not _MIN_LENGTH <= len(value) <= MAX_COMPARED:
        return None
    for source in context.sources.values():
        # What the agent wrote itself repeats its own mistake.
        if source.kind in (SourceKind.TOOL_CALL, SourceKind.AGENT_MESSAGE):
            continue
        start = as_latin(source.text).find(looks_like)
        end = start + len(looks_like)
        if start >= 0 and source.text[start:end] != value:
            return Span(source.id, start, end, source.text[start:end])
    return None
