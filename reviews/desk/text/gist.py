"""A call in a few words: what it does, how much, to whom."""

from collections.abc import Mapping
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.detectors.severity_words import LEADING, OBJECTS, Effect
from reviews.provenance.text.names import tokens_of

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
TELLING: Final = (*_AMOUNTS, *_RECIPIENTS, *_OBJECTS)
"""Names of arguments that a gist may show."""
_SIGNS: Final[Mapping[str, str]] = {"USD": "$", "EUR": "€", "GBP": "£"}
# The codes of ISO 4217 have three letters; some write a name.
_MAX_CURRENCY_LENGTH: Final = 8
# Verbs that at the beginning of a tool's name are as often what it works on: `email_archive`, `order_update`.
_NOUNS_FIRST: Final = frozenset(
    "email mail message order invoice bill book text post report script command fund".split()
)
# Nouns that names of tools use as verbs, as a sentence has them.
_AS_VERBS: Final[Mapping[str, str]] = {
    "backup": "back up", "checkout": "check out", "cleanup": "clean up", "login": "log in", "logout": "log out",
    "rollback": "roll back", "rollout": "roll out", "setup": "set up", "shutdown": "shut down", "signup": "sign up",
}  # fmt: skip
# Characters of one argument: an amount and a recipient of this length still fit into the button.
_LONGEST: Final = 44


def word_deed(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """The call as words that begin with a verb: `delete email msg_1`; where the name has none, `run` and the gist."""
    words = tokens_of(tool)
    moves_money = any(LEADING.get(word) == Effect.PAYS or OBJECTS.get(word) == Effect.PAYS for word in words)
    amount, recipient = _find_first(arguments, _AMOUNTS), _find_first(arguments, _RECIPIENTS)
    if words and words[0] in LEADING and words[0] not in _NOUNS_FIRST:
        gist = word_gist(" ".join((_AS_VERBS.get(words[0], words[0]), *words[1:])), arguments)
    elif moves_money and amount:
        gist = " ".join(filter(None, ("send", amount, f"to {recipient}" if recipient else "")))
    else:
        return f"run {word_gist(tool, arguments)}"
    return gist.replace(amount, _write_money(amount, arguments), 1) if amount else gist


def _write_money(amount: str, arguments: Mapping[str, JsonValue]) -> str:
    """The amount with its currency, where an argument names one."""
    currency = str(arguments.get("currency", ""))[:_MAX_CURRENCY_LENGTH].upper()
    sign = _SIGNS.get(currency)
    return f"{sign}{amount}" if sign else f"{amount} {currency}".rstrip()


def word_gist(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """The tool with what is obvious about its arguments: an amount, a recipient, or else the thing it works on."""
    amount, recipient = _find_first(arguments, _AMOUNTS), _find_first(arguments, _RECIPIENTS)
    thing = "" if amount or recipient else _find_first(arguments, _OBJECTS)
    parts = [tool, amount, f"to {recipient}" if recipient else "", thing]
    return " ".join(part for part in parts if part)


def _find_first(arguments: Mapping[str, JsonValue], names: tuple[str, ...]) -> str:
    """The first of these arguments that is there and no list or object, on one line; empty when none is."""
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str | int | float):
            return shorten_text(" ".join(str(value).split()), _LONGEST)
    return ""
