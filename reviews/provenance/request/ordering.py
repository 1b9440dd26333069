"""The records of a list in the order that a comparison, or a place, of the request asks for."""

from collections.abc import Sequence

from reviews.provenance.request.comparisons import NAMED, Comparison, Ordinal, columns_for, is_backwards, of_one_root
from reviews.provenance.request.listing import Listing
from reviews.provenance.request.sentences import GENERIC
from reviews.provenance.request.superlatives import number_at
from reviews.provenance.request.words import Word

# Verbs that people use for one another where fields say times.
_VERBS = {
    "leaves": ("departs", "departure"), "departs": ("leaves",), "ends": ("finishes", "until"), "finishes": ("ends",),
    "starts": ("begins", "start"), "begins": ("starts", "start"), "expires": ("expiry", "until"), "due": ("deadline",),
    "lands": ("arrives", "arrival"), "closes": ("ends", "deadline"),
}  # fmt: skip
# Characters between a verb and its "first".
_BESIDE = 1
# "The older" is one of two.
_TWO = 2


class Ordering:
    """Puts records in order by what stands in a request."""

    def __init__(self, words: Sequence[Word], listing: Listing, small: frozenset[str]) -> None:
        self._words, self._listing = words, listing
        # Words that name no field.
        self._small = small

    def ranked(self, order: Comparison | Ordinal, kept: list[int], place: int) -> tuple[list[int], str]:
        """The records in the order asked for, as many as are asked for, and the field that tells; none where it is
        open. `place` is 2 for the second cheapest.
        """
        if not kept:
            return [], ""
        if isinstance(order, Ordinal):
            return self._placed(order, kept)
        if order.of_two and len(kept) != _TWO:
            return [], ""
        found = {}
        for key, most in self._fields_told(order).items():
            ranked = self._sorted(key, kept, most=most)
            if ranked:
                found[key] = ranked
        first, last = place - 1, place - 1 + self.count(order)
        if not found or len({tuple(ranked[first:last]) for ranked in found.values()}) > 1:
            return [], ""
        key, ranked = next(iter(found.items()))
        values = [self._listing.records.value(n, key) for n in ranked]
        # What equals one that is asked for is asked for just as well.
        edges = ((first - 1, first), (last - 1, last))
        if len(ranked) < last or any(
            low >= 0 and values[low] == values[high] for low, high in edges if high < len(values)
        ):
            return [], ""
        return ranked[first:last], key

    def _fields_told(self, order: Comparison) -> dict[str, bool]:
        """The fields that tell a comparison, each with whether the most of it is asked for."""
        found: dict[str, bool] = {}
        verb = self.key(order)
        for dimension, most in sorted(order.senses):
            if dimension == NAMED:
                behind = [word.text for word in self._words if word.start >= order.end][:1]
                named = [key for word in behind for key in self._listing.fields_named(word)]
                found |= dict.fromkeys(filter(self._listing.records.has_order, named), most)
            elif dimension != "date":
                keys = columns_for(dimension, self._listing.records.keys)
                values = [
                    self._listing.records.value(n, key)
                    for key in keys
                    for n in range(len(self._listing.records.things))
                ]
                turned = is_backwards(dimension, [value[1] for value in values if value])
                found |= dict.fromkeys(keys, most is not turned)
        senses = dict(order.senses)
        for dimension in (NAMED, "size") if not found else ():
            if dimension in senses:
                # "The lowest bid", "the largest invoice": what is said of no field is said of the price.
                found |= dict.fromkeys(columns_for("price", self._listing.records.keys), senses[dimension])
        dates = senses.get("date")
        if dates is not None and not found:
            # Of what is partly over "the latest" may be the last that was, or the last to come.
            found |= dict.fromkeys(
                [verb] if verb else () if self._listing.records.partly_over else self._listing.records.times, dates
            )
        return found

    def key(self, order: Comparison | Ordinal) -> str | None:
        """The field of times that the verb beside an order names: "expires first"."""
        near = [word.text for word in self._words if 0 <= order.start - word.end <= _BESIDE]
        near += [word.text for word in self._words if 0 <= word.start - order.end <= 1]
        for text in near:
            said = [text, *_VERBS.get(text, ())]
            keys = [key for key in self._listing.records.times if any(of_one_root(each, key) for each in said)]
            if len(keys) == 1 and text not in self._small:
                return keys[0]
        return None

    def _placed(self, order: Ordinal, kept: list[int]) -> tuple[list[int], str]:
        """By the order of the list, or by the field that the verb names."""
        verb = self.key(order)
        ranked = self._sorted(verb, kept, most=order.place < 0) if verb else self._listing.records.in_order(kept)
        place, count = abs(order.place), self.count(order)
        if not verb and ranked and order.place < 0:
            ranked.reverse()
        if not verb and self._listing.records.partly_over:
            return [], ""
        # The last of what has a date may be the latest, wherever a list puts it.
        if not verb and order.place < 0 and any("date" in key.lower() for key in self._listing.records.keys):
            return [], ""
        if not verb and not self._agrees(ranked, kept, order):
            return [], ""
        if len(ranked) < place + count - 1:
            return [], ""
        values = [self._listing.records.value(n, verb) for n in ranked] if verb else []
        if verb and values.count(values[place - 1]) > 1:
            return [], ""
        return ranked[place - 1 : place - 1 + count], verb or ""

    def _agrees(self, ranked: list[int], kept: list[int], order: Ordinal) -> bool:
        """Whether the order of the list is that of its times, where it has any: the first may be the earliest."""
        # The first of its times is when it starts or came; by when it ends the last is another.
        for key in self._listing.records.times[:1]:
            by_time = self._sorted(key, kept, most=order.place < 0)
            if by_time and ranked and by_time[abs(order.place) - 1 :][:1] != ranked[abs(order.place) - 1 :][:1]:
                return False
        return bool(ranked)

    def _sorted(self, key: str, kept: list[int], *, most: bool) -> list[int]:
        values = {n: self._listing.records.value(n, key) for n in kept}
        told = {n: value for n, value in values.items() if value is not None}
        if len(told) < len(kept) or len({(unit, type(value)) for unit, value in told.values()}) > 1:
            return []
        return sorted(kept, key=lambda n: told[n][1], reverse=most)

    def count(self, order: Comparison | Ordinal) -> int:
        """How many are asked for: "the two lightest", "the last three"."""
        before = [word.text for word in self._words if word.end <= order.start][-1:]
        behind = [word.text for word in self._words if word.start >= order.end][:2]
        if len(behind) > 1 and behind[1] not in self._small and not behind[1].endswith("s"):
            # "The cheapest 3 bed room" is one room.
            behind = []
        numbers = [number_at(text) for text in (*before, *behind[:1]) if text not in GENERIC]
        return max([1, *numbers])


def joined(orders: list[Comparison | Ordinal]) -> tuple[list[Comparison | Ordinal], int]:
    """A place with the comparison right behind it as one: "the second cheapest"."""
    compared = [each for each in orders if isinstance(each, Comparison)]
    placed = [each for each in orders if isinstance(each, Ordinal)]
    if len(compared) != 1 or len(placed) != 1 or placed[0].place < 1 or compared[0].start - placed[0].end != 1:
        return orders, 1
    return [compared[0]._replace(start=placed[0].start)], placed[0].place
