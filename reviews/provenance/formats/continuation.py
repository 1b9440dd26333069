"""What a submission goes on from, where it holds only what came after an earlier one; and from where the next may."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from reviews.provenance.core.context import NamedText

BEGINNINGS: Final = ("query", "system", "instructions", "systemInstruction")
"""Fields of the beginning of a conversation, which a continuation does not have."""


class EarlierPast(Protocol):
    """The stored beginning of a conversation, as far as reading what follows depends on it."""

    @property
    def query(self) -> str:
        """The user's request."""

    @property
    def sources(self) -> tuple[NamedText, ...]:
        """System prompts and further sources."""

    @property
    def position(self) -> int:
        """How many entries its history has."""

    @property
    def returned(self) -> Sequence[bool]:
        """Of each call of its history whether it returned something."""

    def is_result(self, text: str) -> bool:
        """Whether a call of its history returned this text, apart from white space around it."""


@dataclass(frozen=True)
class Resumption:
    """From where the next submission of a conversation may go on."""

    messages: int
    """How many of this submission's messages, or entries of its history, need not be sent again."""
    position: int
    """How many entries of the whole history these are."""
