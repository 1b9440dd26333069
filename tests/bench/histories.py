"""Conversations of any size, in the shapes that tools return; made from a seed, so that every run reads the same."""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction, Step, ToolDoc

STEPS = 50
_FIRST = "Ada Bram Chen Dora Elif Femi Grete Hugo Inés Jonas Kira Lars Mira Nils Olga Pavel Quin Rosa Sven Tara".split()
_LAST = "Abel Brandt Costa Diaz Ekman Fischer Gruber Haas Ito Jansen Kovács Lind Moreau Novak Okafor Petrov".split()
_WORDS = """
    the a of to and in for with on at from by project report budget draft contract invoice meeting review team client
    launch schedule release supplier quarter figures numbers table office travel booking question answer plan proposal
    agreed sent shared moved waiting ready finished open late early please thanks regards before after during because
""".split()
_MORNING = datetime(2026, 1, 5, 9, 0)  # noqa: DTZ001  # wall-clock times, as calendars list them
_QUERY = (
    "Book the review with Mira Novak for tomorrow at 3 pm, 45 minutes, invite Hugo and the others of the supplier "
    "team, pay the $1,250.00 invoice, and tell them why it is late."
)


def case(kind: str, characters: int, *, edition: int = 0) -> Case:
    """A call of twenty leaves after fifty steps whose outcomes have about that many characters together.

    No two editions have an outcome in common.
    """
    dice = random.Random(f"{kind}{edition or ''}")
    shapes = list(_SHAPES.values()) if kind == "mixed" else [_SHAPES[kind]]
    outcomes = [_filled(shapes[page % len(shapes)], dice, characters // STEPS) for page in range(STEPS)]
    history = tuple(Step("read", {"page": page}, outcome) for page, outcome in enumerate(outcomes))
    action = ProposedAction("book", {"details": _leaves(random.Random("leaves"))})
    return Case(Context(_QUERY, (ToolDoc("book", "Books a meeting."),), history, now=_MORNING), action)


def _leaves(dice: random.Random) -> list[JsonValue]:
    said = ["Mira Novak", "2026-01-06T15:00:00", "2026-01-06T15:45:00", 45, 1250, "Review with Mira Novak", "supplier"]
    found = [*(_email(_person(dice)) for _ in range(3)), _person(dice), "2026-03-17", 417, "Invoice 00001234"]
    nowhere = ["nobody@else.test", "Zelda Quist", "2031-07-19T08:10:00", 98_765_432.5, "acct-99-83-17"]
    return [*said, *found, *nowhere, _prose(dice)]


@dataclass(frozen=True)
class _Shape:
    """How a tool writes a list."""

    piece: Callable[[random.Random], str]
    joint: str
    opening: str = ""
    closing: str = ""


def _filled(shape: _Shape, dice: random.Random, characters: int) -> str:
    pieces: list[str] = []
    left = characters - len(shape.opening) - len(shape.closing)
    while left > 0 or not pieces:
        pieces.append(shape.piece(dice))
        left -= len(pieces[-1]) + len(shape.joint)
    return shape.opening + shape.joint.join(pieces) + shape.closing


def _record(dice: random.Random) -> dict[str, JsonValue]:
    person = _person(dice)
    due = _MORNING + timedelta(minutes=30 * dice.randrange(8000))
    return {
        "id": f"{dice.randrange(10**8):08}",
        "name": person,
        "email": _email(person),
        "due": f"{due:%Y-%m-%d %H:%M}",
        "total": dice.randrange(100_000) / 100,
        "subject": f"Invoice {dice.randrange(2000):08}",
    }


def _row(dice: random.Random) -> str:
    return "\t".join(str(value) for value in _record(dice).values())


def _letter(dice: random.Random) -> str:
    body = f"Dear {_person(dice)},\n\n{_prose(dice)} It’s due – {_prose(dice)}\n\nBest\n{_person(dice)}"
    return json.dumps({"from": _email(_person(dice)), "sent": "2026-01-04 11:20", "subject": "Re: plan", "body": body})


def _paragraph(dice: random.Random) -> str:
    record = _record(dice)
    return (
        f"{_prose(dice)} {record['name']} ({record['email']}) agreed to ${record['total']} on {record['due']}. "
        f"{_prose(dice)} {_prose(dice)}\n"
    )


def _prose(dice: random.Random) -> str:
    return " ".join(dice.choices(_WORDS, k=30)).capitalize() + "."


def _person(dice: random.Random) -> str:
    return f"{dice.choice(_FIRST)} {dice.choice(_LAST)}"


def _email(person: str) -> str:
    return f"{person.replace(' ', '.').lower()}@corp.test"


_SHAPES: Mapping[str, _Shape] = MappingProxyType(
    {
        "records": _Shape(lambda dice: json.dumps(_record(dice)), ", ", "[", "]"),
        "table": _Shape(_row, "\n", "id\tname\temail\tdue\ttotal\tsubject\n"),
        "letters": _Shape(_letter, ",\n ", "[", "]"),
        "prose": _Shape(_paragraph, "\n"),
    }
)
KINDS = (*_SHAPES, "mixed")
"""What a history may consist of."""
