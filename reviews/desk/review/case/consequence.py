"""What approving would do, for the head of the page and the approve button."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reviews.desk.text.gist import AMOUNTS, first_of, gist_of
from reviews.models import Action
from reviews.profiles.options import severity_under
from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.detectors.severity import Severity, says_it_is_final
from reviews.provenance.detectors.severity_words import LEADING, OBJECTS, Effect
from reviews.provenance.text.names import tokens_of
from reviews.records.verdicts import is_injected, is_refuted

_SIGNS: Final[Mapping[str, str]] = {"USD": "$", "EUR": "€", "GBP": "£"}
# The codes of ISO 4217 have three letters; some write a name.
_MAX_CURRENCY_LENGTH: Final = 8
# Nouns that names of tools use as verbs, as a sentence has them.
_AS_VERBS: Final[Mapping[str, str]] = {
    "backup": "back up", "checkout": "check out", "cleanup": "clean up", "login": "log in", "logout": "log out",
    "rollback": "roll back", "rollout": "roll out", "setup": "set up", "shutdown": "shut down", "signup": "sign up",
}  # fmt: skip
# Verbs that at the beginning of a tool's name are as often what it works on: `email_archive`, `order_update`.
_NOUNS_FIRST: Final = frozenset(
    "email mail message order invoice bill book text post report script command fund".split()
)


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
    is_refuted: bool
    """A check found it wrong: whoever approves it overrules the guard."""
    deed: str
    """What the button that approves says will be done, such as `send $30 to daniel.k@example.org`."""

    @property
    def grave(self) -> bool:
        """Whether the page looks different from that of a harmless call."""
        return self.cannot_be_undone or self.severity is not None or self.is_injected

    @property
    def asks_twice(self) -> bool:
        """Whether one key, or one click, is too little to approve it."""
        return self.grave or self.is_refuted


def find_document(action: Action) -> ToolDoc | None:
    """The tool's document, as the agent submitted it; None for a tool that it does not have."""
    documents = (ToolDoc(**stored) for stored in action.tool_set.tools if stored["name"] == action.tool)
    return next(documents, None)


def weigh_consequence(action: Action, document: ToolDoc | None, *, injected: bool, refuted: bool) -> Consequence:
    """What approving this action would do.

    `injected`: an order that stands in data stopped it. `refuted`: a check found it wrong.
    """
    final, severity = says_it_is_final(document), severity_under(action.profile, action)
    grave = final or severity is not None
    return Consequence(
        changes_something=document is None or document.environment_changing,
        cannot_be_undone=final,
        severity=severity,
        is_injected=injected,
        is_refuted=refuted,
        deed=word_deed(action.tool, action.arguments) if grave else f"run {gist_of(action.tool, action.arguments)}",
    )


def weigh_action(action: Action) -> Consequence:
    """What approving the action would do, without the conversation around it."""
    return weigh_consequence(action, find_document(action), injected=is_injected(action), refuted=is_refuted(action))


def word_deed(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """The call as words that begin with a verb: `delete email msg_1`; where the name has none, `run` and the gist."""
    words = tokens_of(tool)
    moves_money = any(LEADING.get(word) == Effect.PAYS or OBJECTS.get(word) == Effect.PAYS for word in words)
    amount = first_of(arguments, AMOUNTS)
    if words and words[0] in LEADING and words[0] not in _NOUNS_FIRST:
        gist = gist_of(" ".join((_AS_VERBS.get(words[0], words[0]), *words[1:])), arguments)
    elif moves_money and amount:
        gist = gist_of("send", arguments)
    else:
        return f"run {gist_of(tool, arguments)}"
    return gist.replace(amount, _write_money(amount, arguments), 1) if amount else gist


def _write_money(amount: str, arguments: Mapping[str, JsonValue]) -> str:
    """The amount with its currency, where an argument names one."""
    currency = str(arguments.get("currency", ""))[:_MAX_CURRENCY_LENGTH].upper()
    sign = _SIGNS.get(currency)
    return f"{sign}{amount}" if sign else f"{amount} {currency}".rstrip()
