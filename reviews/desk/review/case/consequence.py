"""What approving would do, in the words of the button."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reviews.models import Action, Risk
from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.core.shortening import shortened

_UNDOABLE_NEVER: Final = re.compile(
    r"(?:can(?:not|.t| not)|(?:not|never) be|no way to|impossible to) (?:be )?"
    r"(?:undo|undone|revert|reverted|reversed?|recovered?)"
    r"|irreversibl|permanent(?:ly)?\b|\bno undo\b",
    re.IGNORECASE,
)
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
        cannot_be_undone=document is not None and bool(_UNDOABLE_NEVER.search(document.description)),
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
    values = (arguments[name] for name in names if name in arguments)
    return next((_short(value) for value in values if isinstance(value, str | int | float)), "")


def _short(value: str | float) -> str:
    return shortened(" ".join(str(value).split()), _LONGEST)
