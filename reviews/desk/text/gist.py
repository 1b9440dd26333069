"""A call at a glance: how much, to whom, or what it works on."""

from collections.abc import Mapping
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.text.names import roots_of

# Common names of arguments. Within each list the most telling comes first: the first that is there is shown.
AMOUNTS: Final = ("amount", "total", "price", "sum")
_RECIPIENTS: Final = ("to", "recipient", "recipients")
# Looked for last: as often whom it is about.
_PEOPLE: Final = ("email", "attendee", "user", "channel")
# Words of a name that say whose the value is.
_TOWARDS: Final = roots_of("to recipient destination beneficiary payee receiver creditor")
_AWAY: Final = roots_of("from source sender payer debtor origin")
# What one person or account is told by: beside it `to` is no end of a range, and no currency.
_IDENTIFIERS: Final = roots_of("account iban number id email address phone wallet user name")
# Words of a name whose value lets somebody in.
_CREDENTIALS: Final = roots_of("token password passcode secret credential")
# Who gets it besides.
_COPIES: Final = ("cc", "bcc")
_OBJECTS: Final = ("iban", "path", "file", "filename", "file_path", "id", "name", "title", "subject")
# Letters of a currency or a country.
_CODE: Final = 3
# How many entries of a list are not named.
_MORE: Final = " and {} more"
# Characters of one argument: an amount and two recipients still fit into the button.
_LONGEST: Final = 60


def gist_of(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """The tool with what is obvious about its arguments: how much, to whom, on what, or any of its values."""
    amount, recipient = first_of(arguments, AMOUNTS), first_of(arguments, _names_of_recipients(arguments))
    thing = "" if recipient else first_of(arguments, (*_OBJECTS, *_most_telling(tool, arguments)))
    # Whoever is left out here is the one to whom a letter goes unnoticed.
    copies = [f"{name} {copy}" for name in _COPIES if (copy := first_of(arguments, (name,)))]
    parts = [tool, amount, f"to {recipient}" if recipient else "", "·" if amount and thing else "", thing, *copies]
    return " ".join(part for part in parts if part)


def _names_of_recipients(arguments: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """The names that tell who gets it, such as `to_account`; an account before a name, which decides nothing."""
    roots = {name: roots_of(name) for name in arguments}
    recipients = [name for name, words in roots.items() if words & _TOWARDS and words <= _TOWARDS | _IDENTIFIERS]
    return (*_RECIPIENTS, *sorted(recipients, key=lambda name: "name" in roots[name]), *_PEOPLE)


def _most_telling(tool: str, arguments: Mapping[str, JsonValue]) -> list[str]:
    """The names of the others that say something: texts in their order, then numbers and codes.

    A switch says nothing, and neither does what lets somebody in, which no list of calls should show besides.
    What the tool works on goes first, by what it is called: of `block_card` the `card_id`, however short it is. Beside
    an amount its currency is no thing. Where it comes from is last: it would be read as where it goes.
    """
    named_first = (*AMOUNTS, *_COPIES)
    candidates = [
        name
        for name, value in arguments.items()
        if name not in named_first and not isinstance(value, bool) and not roots_of(name) & _CREDENTIALS
    ]
    if first_of(arguments, AMOUNTS):
        candidates = [name for name in candidates if name != "currency"]
    things = roots_of(tool)
    objects = {name for name in candidates if roots_of(name) & things and roots_of(name) & _IDENTIFIERS}
    return sorted(
        candidates, key=lambda name: (bool(roots_of(name) & _AWAY), name not in objects, not _is_text(arguments[name]))
    )


def _is_text(value: JsonValue) -> bool:
    """Whether it is more than a number, or a code such as a currency's."""
    return isinstance(value, list) or (isinstance(value, str) and len(value) > _CODE)


def first_of(arguments: Mapping[str, JsonValue], names: tuple[str, ...]) -> str:
    """The first of these arguments that says something, on one line; empty when none does.

    Of a list it is the entries, as many as there is room for, and how many there are besides; an object says nothing
    at a glance.
    """
    for name in names:
        value = arguments.get(name)
        # Fewer than there is room for, however long the list.
        entries = value[:_LONGEST] if isinstance(value, list) else [value]
        texts = [words for entry in entries if (words := _on_one_line(entry))]
        if texts:
            return _enumerate(texts, len(value) if isinstance(value, list) else 1)
    return ""


def _on_one_line(entry: JsonValue) -> str:
    """A text or a number on one line; empty for what says nothing at a glance."""
    return " ".join(str(entry)[: 10 * _LONGEST].split()) if isinstance(entry, str | int | float) else ""


def _enumerate(texts: list[str], count: int) -> str:
    """These of so many entries: all, or the first ones whole and how many there are besides."""
    if count == len(texts) and len(listing := ", ".join(texts)) <= _LONGEST:
        return listing
    leading = texts[:1]
    while len(leading) < len(texts) and len(", ".join(texts[: len(leading) + 1])) + len(_MORE) <= _LONGEST:
        leading = texts[: len(leading) + 1]
    more = _MORE.format(count - len(leading)) if count > len(leading) else ""
    return shorten_text(", ".join(leading), _LONGEST - len(more)) + more
