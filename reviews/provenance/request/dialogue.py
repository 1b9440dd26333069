"""What the agent proposed in words and the user agreed to: a source that binds the call."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from reviews.provenance.core.context import Context, Message, SourceId
from reviews.provenance.language.base import languages, languages_of, phrases
from reviews.provenance.text.fold import fold

# Characters of an answer in which its agreement stands: what comes later is about something else.
_OPENING = 60
# Words up to which an answer that agrees has no room for a request of its own.
_SHORT = 12


@dataclass(frozen=True)
class Proposal:
    """A message of the agent's that the user answered with agreement."""

    message: SourceId
    """What the agent proposed."""
    answer: SourceId
    """What the user answered."""
    whole: bool
    """Whether the answer agrees without any reservation."""
    latest: bool
    """Whether the user has said nothing since."""


def proposals_of(context: Context) -> tuple[Proposal, ...]:
    """Every accepted proposal, the latest first."""
    return tuple(reversed(tuple(_accepted(context))))


def _accepted(context: Context) -> Iterator[Proposal]:
    last_user = max((n for n, item in enumerate(context.history) if _is_user(item)), default=-1)
    before: int | None = None
    for n, item in enumerate(context.history):
        if not isinstance(item, Message):
            continue
        if item.role != "user":
            before = n
            continue
        if before is not None and (agreed := agreement(item.text)) is not None:
            yield Proposal(f"history/{before + 1}/message", f"history/{n + 1}/message", agreed, n == last_user)
        before = None


def _is_user(item: object) -> bool:
    return isinstance(item, Message) and item.role == "user"


# Characters of an answer that may be in any language.
_FEW = 24


@lru_cache(maxsize=512)
def agreement(text: str) -> bool | None:
    """Whether an answer agrees: True without reservation, False with one; None where it does not agree."""
    folded = fold(text)
    # A word or two tell no language.
    spoken = languages() if len(folded) <= _FEW else languages_of(text)
    accepts = phrases(frozenset(word for language in spoken for word in language.agreements))
    withholds = phrases(frozenset(word for language in spoken for word in language.reservations))
    hit = accepts.search(folded[:_OPENING]) or (accepts.search(folded) if len(folded.split()) <= _SHORT else None)
    if hit is None or withholds.match(folded.lstrip()):
        return None
    # "Yeah, one of my orders should have it" answers a question; "yes, please go ahead" and a bare "yes" agree.
    firm = len(folded.split()) <= _SHORT or any(" " in each.group() for each in accepts.finditer(folded))
    return firm and withholds.search(folded) is None
