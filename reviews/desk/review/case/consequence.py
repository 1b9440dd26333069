"""What approving would do, for the head of the page and the approve button."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reviews.models import Action, Risk
from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.core.shortening import shortened

# How documents say that a call is final. Only a warning hangs on it, so a phrase too many is better than one too few.
_CANNOT_BE_UNDONE: Final = re.compile(
    r"(?:can(?:not|.t| not)|(?:not|never) be|no way to|impossible to) (?:be )?"
    r"(?:undo|undone|revert|reverted|reversed?|recovered?)"
    r"|irreversibl|permanent(?:ly)?\b|\bno undo\b",
    re.IGNORECASE,
)
# Common names of arguments. Within each list the most telling comes first: the first that is there is shown.
_AMOUNTS: Final = ("amount", "total", "price", "sum")
_RECIPIENTS: Final = (
    "to",
    "recipient",
    "recipients",
    "recipient_email",
    "email",
    "payee",
    "attendee",
    "user",
    "channel",
)
_OBJECTS: Final = ("path", "file", "filename", "file_path", "id", "name", "title", "subject")
# Characters of one argument: an amount and a recipient of this length still fit into the button.
_LONGEST: Final = 44


@dataclass(frozen=True)
class Consequence:
    """How serious the call is, and its gist."""

    changes_something: bool
    """Environment-changing. True for a tool nobody documents."""
    cannot_be_undone: bool
    """The tool's document says so."""
    high_risk: bool
    gist: str
    """Such as `money_transfer 300 to daniel.k@example.org`."""

    @property
    def grave(self) -> bool:
        """Whether the page must look different from that of a harmless call."""
        return self.cannot_be_undone or self.high_risk


def consequence_of(action: Action, document: ToolDoc | None) -> Consequence:
    """What approving this action would do."""
    return Consequence(
        changes_something=document is None or document.environment_changing,
        cannot_be_undone=document is not None and bool(_CANNOT_BE_UNDONE.search(document.description)),
        high_risk=action.risk == Risk.HIGH,
        gist=gist_of(action.tool, action.arguments),
    )


def gist_of(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """The tool with what is obvious about its arguments: an amount, a recipient, or else the thing it works on."""
    amount, recipient = _first(arguments, _AMOUNTS), _first(arguments, _RECIPIENTS)
    thing = "" if amount or recipient else _first(arguments, _OBJECTS)
    parts = [tool, amount, f"to {recipient}" if recipient else "", thing]
    return " ".join(part for part in parts if part)


def _first(arguments: Mapping[str, JsonValue], names: tuple[str, ...]) -> str:
    """The first of these arguments that is there and no list or object, on one line; empty when none is."""
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str | int | float):
            return shortened(" ".join(str(value).split()), _LONGEST)
    return ""
