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
from reviews.provenance.values.currencies import EVERYDAY
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
    "email mail message order invoice bill book text post report script command fund bash shell sql powershell terminal"
    " subprocess".split()
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
        deed=(word_deed if grave else _word_run)(action.tool, action.arguments),
    )


def weigh_action(action: Action) -> Consequence:
    """What approving the action would do, without the conversation around it."""
    return weigh_consequence(action, find_document(action), injected=is_injected(action), refuted=is_refuted(action))


def word_deed(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """The call as words that begin with a verb: `delete email msg_1`; where the name has none, `run` and the gist."""
    words = tokens_of(tool)
    moves_money = any(LEADING.get(word) == Effect.PAYS or OBJECTS.get(word) == Effect.PAYS for word in words)
    amount = _tell_money(arguments)
    if words and words[0] in LEADING and words[0] not in _NOUNS_FIRST:
        return gist_of(" ".join((_AS_VERBS.get(words[0], words[0]), *words[1:])), amount)
    if moves_money and first_of(arguments, AMOUNTS):
        return gist_of("send", amount)
    return _word_run(tool, arguments)


def _word_run(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """The call by its own name."""
    return f"run {gist_of(tool, _tell_money(arguments))}"


def _tell_money(arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The arguments with the amount written in its currency, where exactly one argument names one."""
    amount = next((name for name in AMOUNTS if first_of(arguments, (name,))), "")
    currencies = {name: code for name, value in arguments.items() if (code := _read_currency(name, value))}
    if not amount or len(currencies) != 1:
        return dict(arguments)
    ((name, code),) = currencies.items()
    # Beside the amount it says nothing more.
    without_currency = {key: value for key, value in arguments.items() if key != name}
    return {**without_currency, amount: _write_money(arguments[amount], first_of(arguments, (amount,)), code)}


def _read_currency(name: str, value: JsonValue) -> str:
    """The code of the currency that an argument names; empty where it names none."""
    if not isinstance(value, str) or not 0 < len(value) <= _MAX_CURRENCY_LENGTH:
        return ""
    # A code of another letter's name may be a word or a country's: ALL, TRY.
    return value.upper() if "currency" in name.lower() or value in EVERYDAY else ""


def _write_money(value: JsonValue, words: str, currency: str) -> str:
    """The amount with its currency, its cents in two digits as people write them."""
    if isinstance(value, float) and len(words.partition(".")[2]) == 1:
        words = f"{words}0"
    sign = _SIGNS.get(currency)
    return f"{sign}{words}" if sign else f"{words} {currency}"
