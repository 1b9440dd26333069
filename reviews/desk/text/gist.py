"""A call at a glance: how much, to whom, or what it works on."""

from collections.abc import Mapping
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.shortening import shorten_text

# Common names of arguments. Within each list the most telling comes first: the first that is there is shown.
AMOUNTS: Final = ("amount", "total", "price", "sum")
RECIPIENTS: Final = (
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


def gist_of(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """The tool with what is obvious about its arguments: an amount, a recipient, or else the thing it works on."""
    amount, recipient = first_of(arguments, AMOUNTS), first_of(arguments, RECIPIENTS)
    thing = "" if amount or recipient else first_of(arguments, _OBJECTS)
    parts = [tool, amount, f"to {recipient}" if recipient else "", thing]
    return " ".join(part for part in parts if part)


def first_of(arguments: Mapping[str, JsonValue], names: tuple[str, ...]) -> str:
    """The first of these arguments that is there and no list or object, on one line; empty when none is."""
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str | int | float):
            return shorten_text(" ".join(str(value).split()), _LONGEST)
    return ""
