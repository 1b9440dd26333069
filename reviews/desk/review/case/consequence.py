"""What approving would do, for the head of the page and the approve button."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reviews.models import Action, CheckMode, Finding
from reviews.profiles.options import severity_under
from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.detectors.severity import Severity, says_it_is_final
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


@dataclass(frozen=True)
class Consequence:
    """How serious the call is, and its gist."""

    changes_something: bool
    """Environment-changing. True for a tool nobody documents."""
    cannot_be_undone: bool
    """The tool's document says so."""
    severity: Severity | None
    """Why the call is grave; None for a mild one."""
    is_injected: bool
    """What stopped it is an order that stands in data."""
    deed: str
    """What the button that approves says will be done, such as `send $30 to daniel.k@example.org`."""

    @property
    def grave(self) -> bool:
        """Whether the page looks different from that of a harmless call, and asks twice before it approves."""
        return self.cannot_be_undone or self.severity is not None or self.is_injected


def document_of(action: Action) -> ToolDoc | None:
    """The tool's document, as the agent submitted it; None for a tool that it does not have."""
    documents = (ToolDoc(**stored) for stored in action.tool_set.tools if stored["name"] == action.tool)
    return next(documents, None)


def is_injected(action: Action) -> bool:
    """Whether a check found that an order in data gave the call a value."""
    injected = Finding.objects.filter(holds=False, untrusted_only=True)
    return injected.filter(check_run__action=action, check_run__mode=CheckMode.ENFORCED).exists()


def consequence_of(action: Action, document: ToolDoc | None, *, injected: bool = False) -> Consequence:
    """What approving this action would do. `injected`: an order that stands in data stopped it."""
    final, severity = says_it_is_final(document), severity_under(action.profile, action)
    grave = final or severity is not None
    return Consequence(
        changes_something=document is None or document.environment_changing,
        cannot_be_undone=final,
        severity=severity,
        is_injected=injected,
        deed=deed_of(action.tool, action.arguments) if grave else f"run {gist_of(action.tool, action.arguments)}",
    )


def deed_of(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """The call as words that begin with a verb: `delete email msg_1`; where the name has none, `run` and the gist."""
    words = tokens_of(tool)
    moves_money = any(LEADING.get(word) == Effect.PAYS or OBJECTS.get(word) == Effect.PAYS for word in words)
    amount, recipient = _first(arguments, _AMOUNTS), _first(arguments, _RECIPIENTS)
    if words and words[0] in LEADING and words[0] not in _NOUNS_FIRST:
        gist = gist_of(" ".join((_AS_VERBS.get(words[0], words[0]), *words[1:])), arguments)
    elif moves_money and amount:
        gist = " ".join(filter(None, ("send", amount, f"to {recipient}" if recipient else "")))
    else:
        return f"run {gist_of(tool, arguments)}"
    return gist.replace(amount, _money(amount, arguments), 1) if amount else gist


def _money(amount: str, arguments: Mapping[str, JsonValue]) -> str:
    """The amount with its currency, where an argument names one."""
    currency = str(arguments.get("currency", ""))[:_MAX_CURRENCY_LENGTH].upper()
    sign = _SIGNS.get(currency)
    return f"{sign}{amount}" if sign else f"{amount} {currency}".rstrip()


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
            return shorten_text(" ".join(str(value).split()), _LONGEST)
    return ""
