"""Words that pick one of several things by comparing them: next, last, first, cheapest, most urgent."""

import re
from dataclasses import dataclass
from enum import StrEnum

# "The last week" is a period, and picks nothing.
_UNITS = re.compile(
    r"(?:second|minute|hour|day|night|week|weekend|fortnight|month|quarter|year|sprint|time|thing|name)s?"
)
# "The last 500" picks nothing any more.
_MOST = 20
_SPELLED = "one two three four five six seven eight nine ten".split()


class By(StrEnum):
    """What things are compared by."""

    NEXT = "the earliest after now"
    LAST = "the latest"
    FIRST = "the first"
    EARLIEST = "the earliest"
    URGENT = "the nearest deadline of what is not done"
    LEAST = "the lowest"
    GREATEST = "the highest"


@dataclass(frozen=True)
class Order:
    """A comparison the user asks for."""

    start: int
    """Offset of its words in the folded text."""
    end: int
    by: By
    keys: frozenset[str] = frozenset()
    """For the lowest and highest: parts of the names of the fields that tell."""
    count: int = 1
    """How many are asked for: "the last two"."""


# By what each superlative compares, and the fields that may tell it.
_NEXT = frozenset("next upcoming soonest".split())
_LAST = frozenset("last latest newest".split())
_FIRST = frozenset({"first"})
_EARLIEST = frozenset("earliest oldest".split())
_PRICE = frozenset("price cost amount total fare fee rate".split())
_RATING = frozenset("rating rated score stars".split())
_SIZE = frozenset("size bytes kb mb gb amount total value balance sum".split())
_TIME = frozenset("duration length minutes hours".split())
_WAY = frozenset("distance km miles".split())
_EXTREMES = {
    "cheapest": (By.LEAST, _PRICE),
    "priciest": (By.GREATEST, _PRICE),
    "highest": (By.GREATEST, frozenset[str]()),
    "lowest": (By.LEAST, frozenset[str]()),
    "largest": (By.GREATEST, _SIZE),
    "biggest": (By.GREATEST, _SIZE),
    "smallest": (By.LEAST, _SIZE),
    "best": (By.GREATEST, _RATING),
    "top": (By.GREATEST, _RATING),
    "worst": (By.LEAST, _RATING),
    "closest": (By.LEAST, _WAY),
    "nearest": (By.LEAST, _WAY),
    "farthest": (By.GREATEST, _WAY),
    "shortest": (By.LEAST, _TIME),
    "longest": (By.GREATEST, _TIME),
    "quickest": (By.LEAST, _TIME),
    "fewest": (By.LEAST, frozenset[str]()),
}
_MOST_OF = {
    "recent": (By.LAST, frozenset[str]()),
    "urgent": (By.URGENT, frozenset[str]()),
    "pressing": (By.URGENT, frozenset[str]()),
    "overdue": (By.URGENT, frozenset[str]()),
    "expensive": (By.GREATEST, _PRICE),
    "costly": (By.GREATEST, _PRICE),
}
_TURNED = {By.LAST: By.EARLIEST, By.GREATEST: By.LEAST}
ORDER_WORDS = _NEXT | _LAST | _FIRST | _EARLIEST | _EXTREMES.keys() | {"most", "least", "soonest"}


def order_at(words: list[tuple[int, int, str]], at: int) -> tuple[Order, int] | None:
    """The comparison that starts at a word, and the first word behind it; None where it is none, as in "last week"."""
    start, end, word = words[at]
    following = words[at + 1][2] if at + 1 < len(words) else ""
    if word in ("most", "least"):
        return _of_adjective(words, at)
    count, behind = 1, at + 1
    if number := number_at(following):
        count, behind = number, at + 2
        following = words[behind][2] if behind < len(words) else ""
    if _UNITS.fullmatch(following):
        return None
    by, keys = _meaning(word)
    if not keys and by in (By.LEAST, By.GREATEST):
        # "The highest rating", "the lowest priced": the next word names the field.
        return (Order(start, words[behind][1], by, _field(following), count), behind + 1) if following else None
    return Order(start, end, by, keys, count), behind


def _meaning(word: str) -> tuple[By, frozenset[str]]:
    if word in _EXTREMES:
        return _EXTREMES[word]
    if word in _EARLIEST:
        return By.EARLIEST, frozenset()
    return (By.NEXT if word in _NEXT else By.LAST if word in _LAST else By.FIRST), frozenset()


def _of_adjective(words: list[tuple[int, int, str]], at: int) -> tuple[Order, int] | None:
    if at + 1 >= len(words):
        return None
    (start, _, word), (_, end, adjective) = words[at : at + 2]
    by, keys = _MOST_OF.get(adjective, (By.GREATEST, _field(adjective)))
    if word == "least":
        by = _TURNED.get(by, by)
    return Order(start, end, by, keys), at + 2


def _field(word: str) -> frozenset[str]:
    plain = re.sub(r"(?:s|d)$", "", word)
    return frozenset({word, plain}) | next((keys for keys in (_PRICE, _RATING) if word in keys), frozenset())


def number_at(word: str) -> int:
    """How many a word asks for; 0 when it is no small number."""
    if word in _SPELLED:
        return _SPELLED.index(word) + 1
    number = int(word) if word.isdecimal() and len(word) < 3 else 0  # noqa: PLR2004
    return number if number <= _MOST else 0
