"""Which field was meant by one that does not exist: the frameworks name the same few things differently."""

from collections.abc import Sequence
from typing import Final

from rapidfuzz import fuzz, process

from reviews.provenance.core.shortening import shorten_text

# Names that frameworks give to the same part of a call. No comparison of letters would find `arguments` for `kwargs`.
_SAME_PART: Final = (
    frozenset("args arguments input inputs kwargs parameters params tool_args tool_input".split()),
    frozenset("action function_name name tool tool_name".split()),
    frozenset("call_id id toolCallId toolUseId tool_call_id tool_use_id".split()),
    frozenset("functions tools".split()),
)
# Characters of an unknown name that are told again: it comes from a stranger.
_MAX_QUOTED: Final = 200
# Of 100. A letter or two that are wrong or missing are above it; words that share their ending only are below.
_MIN_LIKE: Final = 75


def unknown_field(name: str) -> str:
    """That there is no such field, as a sentence that goes on or ends."""
    return f"There is no field `{shorten_text(name, _MAX_QUOTED)}` here"


def nearest_field(name: str, fields: Sequence[str]) -> str | None:
    """The field that was probably meant by this name; None where none comes near."""
    for names in _SAME_PART:
        same = next((field for field in fields if field in names), None) if name in names else None
        if same is not None:
            return same
    # Only the beginning: the name comes from a stranger and may be as long as a body.
    likest = process.extractOne(name[:100], fields, scorer=fuzz.ratio, processor=str.lower, score_cutoff=_MIN_LIKE)
    return str(likest[0]) if likest else None
