"""Which values of a list of objects belong together: each alone is proven beside any other entry as well."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from reviews.provenance.argument_grounding.results import Grounded
from reviews.provenance.core.pointers import keys_of
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.doubts import unproven_value
from reviews.provenance.proofs import documented_default, named_record, sole_reading
from reviews.provenance.proofs.call import ProposedCall

_UNPAIRED: Final = "Nothing proves that “{}” belongs beside {}. Does it?"
# What stands in the text that asks, and what is the same in every entry.
_PAIRABLE: Final = frozenset({sole_reading.RULE, documented_default.RULE})


def open_unpaired_entries(leaves: Sequence[Grounded], call: ProposedCall) -> tuple[Grounded, ...]:
    """The same values, unproven in lists that do not stand in the text that asks as they do in the call, or not whole.

    One entry behind the other: of "2 pizzas and 3 colas" the 3 is no pizzas' number, and of "$30 to Ann, $50 to Bo"
    each amount alone looks right beside either. One place gives no two values, nor one record two entries.
    """
    lists = {*_unordered_lists(leaves, call), *_unpaired_lists(leaves, call)}
    return tuple(
        replace(leaf, holds=None, rule=unproven_value.SAID, note=_word_question(number, entry, leaves))
        if leaf.holds and (entry := _entry_in(lists, leaf)) is not None
        else leaf
        for number, leaf in enumerate(leaves)
    )


def _entry_in(lists: Collection[tuple[str, ...]], leaf: Grounded) -> tuple[str, ...] | None:
    """The entry of one of the lists that has the value."""
    keys = keys_of(leaf.pointer)
    lengths = range(len(keys)) if lists else ()
    return next((keys[: length + 1] for length in lengths if keys[:length] in lists), None)


def _word_question(number: int, entry: tuple[str, ...], leaves: Sequence[Grounded]) -> str:
    """Whether a value belongs to its entry: beside the next value there, or the one before it."""
    around = (*leaves[number + 1 : number + 2], *leaves[max(0, number - 1) : number])
    beside = (f"“{_shorten(leaf)}”" for leaf in around if keys_of(leaf.pointer)[: len(entry)] == entry)
    return _UNPAIRED.format(_shorten(leaves[number]), next(beside, "the other values of its list"))


def _shorten(leaf: Grounded) -> str:
    return shorten_text(str(leaf.value), 60)


def _unpaired_lists(leaves: Iterable[Grounded], call: ProposedCall) -> Iterator[tuple[str, ...]]:
    """The lists of several objects in which the text that asks does not prove every value: which belong together?"""
    decisive, entries, open_lists = {leaf.pointer for leaf in call.decisive}, defaultdict(set), set()
    for leaf in leaves:
        keys = keys_of(leaf.pointer)
        at = next((number for number, key in enumerate(keys[:-1]) if key.isdigit()), None)
        if at is not None and leaf.pointer in decisive:
            entries[keys[:at]].add(keys[at])
            open_lists.update([] if leaf.rule in _PAIRABLE else [keys[:at]])
    return (keys for keys in open_lists if len(entries[keys]) > 1)


def _unordered_lists(leaves: Iterable[Grounded], call: ProposedCall) -> Iterator[tuple[str, ...]]:
    """The lists of which the text that asks says an entry before the one that stands before it in the call."""
    # Of each list: its current entry, where the one before it ends, and how far all of it reaches.
    ends: dict[tuple[str, ...], tuple[int, int, int]] = {}
    records = set[tuple[tuple[str, ...], str]]()
    for leaf in leaves:
        keys = keys_of(leaf.pointer)
        # What names of records give stands there in whichever order.
        if leaf.rule == named_record.RULE and "".join(keys[-1:]).isdigit():
            entry_of = keys[:-1], str(leaf.value)
            yield from [keys[:-1]] if entry_of in records else []
            records.add(entry_of)
        if leaf.rule != sole_reading.RULE:
            continue
        at = next((number for number, key in enumerate(keys) if key.isdigit()), None)
        if at is None:
            continue
        entry, (current, before, reached) = int(keys[at]), ends.get(keys[:at], (-1, -1, -1))
        places = [(span.start, span.end) for span in leaf.spans if span.source == call.text.source.id]
        before = before if entry == current else reached
        if any(start < before for start, _ in places):
            yield keys[:at]
        ends[keys[:at]] = entry, before, max([reached, *(end for _, end in places)])
