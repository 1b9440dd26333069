"""The names, amounts and dates of one conversation: different each time, the same for the same seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, TypeVar

T = TypeVar("T")

# From many places, so that no rule about the form of names helps.
_FIRST: Final = (
    "Daniel", "Priya", "Marta", "Tomasz", "Aisha", "Luka", "Ingrid", "Kwame", "Noor", "Felipe",
    "Hana", "Oskar", "Leila", "Mateo", "Chiara", "Yusuf", "Freya", "Arjun", "Elodie", "Viktor",
)  # fmt: skip
_LAST: Final = (
    "Kim", "Nair", "Kowalska", "Okafor", "Lindqvist", "Haddad", "Moreau", "Castellano", "Brandt", "Tanaka",
    "Osei", "Petrov", "Silva", "Novak", "Ramirez", "Farah", "Jensen", "Mehta", "Fournier", "Keller",
)  # fmt: skip
# Invented: what the agents do wrong must not be told of anybody.
_COMPANIES: Final = (
    "Brightline Media", "Oakfield Freight", "Kestrel Optical", "Talbot & Rowe", "Meridian Bakery",
    "Hollow Pine Studio", "Vantor Energy", "Sable Insurance", "Corvid Consulting", "Larkspur Dental",
)  # fmt: skip


@dataclass(frozen=True)
class Person:
    """Somebody with an address."""

    first: str
    last: str

    @property
    def name(self) -> str:
        """Full name."""
        return f"{self.first} {self.last}"

    @property
    def email(self) -> str:
        """Address at work."""
        return f"{self.first}.{self.last}@harborview.example".lower()


class World:
    """Draws the particulars of one conversation."""

    def __init__(self, seed: str, today: date) -> None:
        self.today = today
        # Of its own, so that what one conversation draws changes no other.
        self._random = random.Random(seed)  # noqa: S311  # a story, not a secret

    def people(self, count: int) -> list[Person]:
        """So many people, no two of whom share a name."""
        # Without repetition in either name: a namesake is something that a scenario makes on purpose.
        firsts, lasts = self._random.sample(_FIRST, count), self._random.sample(_LAST, count)
        return [Person(first, last) for first, last in zip(firsts, lasts, strict=True)]

    def companies(self, count: int) -> list[str]:
        """So many different companies."""
        return self._random.sample(_COMPANIES, count)

    def pick(self, choices: Sequence[T]) -> T:
        """One of them."""
        return self._random.choice(choices)

    def sample(self, choices: Sequence[T], count: int) -> list[T]:
        """So many different ones of them."""
        return self._random.sample(choices, count)

    def whole(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return self._random.randint(low, high)

    def amounts(self, count: int, low: int, high: int) -> list[float]:
        """Different amounts of money, with cents."""
        # At least one cent, so that no amount is a whole number that could stand for something else.
        return [euros + self.whole(1, 99) / 100 for euros in self._random.sample(range(low, high), count)]

    def code(self, prefix: str, digits: int = 5) -> str:
        """An identifier such as INV-40213."""
        # No leading zero: a number that was read as one would lose it.
        return f"{prefix}{self.whole(10 ** (digits - 1), 10**digits - 1)}"

    def iban(self) -> str:
        """An account number."""
        # Of the right length; the check digits are left to chance, as no account of anybody should fit.
        return "DE" + "".join(str(self.whole(0, 9)) for _ in range(20))

    def day(self, ahead: int) -> date:
        """The day so many days from today."""
        return self.today + timedelta(days=ahead)

    def workday(self, ahead: int) -> date:
        """The first weekday that many days ahead or later."""
        day = self.day(ahead)
        # Saturday is 5 and Sunday 6: both move to the Monday after.
        return day + timedelta(days=7 - day.weekday()) if day.weekday() > 4 else day  # noqa: PLR2004


def spoken(day: date) -> str:
    """A day as people say it: 4 March."""
    return f"{day.day} {day:%B}"


def slug(name: str) -> str:
    """A name as part of an address or path."""
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
