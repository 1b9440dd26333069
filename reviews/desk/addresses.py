"""What pages read from their addresses, and the links by which a filter is chosen."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.http import QueryDict

# Longer than any sensible name, or part of one: it bounds what the database has to match.
MAX_TEXT_LENGTH: Final = 100


@dataclass(frozen=True)
class Chip:
    """A filter that one click applies."""

    label: str
    href: str
    chosen: bool


@dataclass(frozen=True)
class Choice:
    """A list of values from which one can be chosen."""

    name: str
    """In the address."""
    label: str
    anything: str
    """What it is called when nothing is chosen."""
    options: Iterable[tuple[str, str]]
    """Values with their names."""
    chosen: str


def read_text(query: QueryDict, name: str) -> str:
    """One text of the address, bounded."""
    # PostgreSQL refuses U+0000 in a text.
    return query.get(name, "").replace("\x00", "").strip()[:MAX_TEXT_LENGTH]


def name_options(names: Iterable[str], chosen: str = "") -> list[tuple[str, str]]:
    """The names as options; what is chosen is among them also when it has gone."""
    return [(name, name) for name in dict.fromkeys([*names, *filter(None, [chosen])])]


def is_uuid(text: str) -> bool:
    """Whether the text is an identifier as ours are."""
    try:
        UUID(text)
    except ValueError:
        return False
    return True
