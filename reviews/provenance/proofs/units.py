"""Whether a figure or a time is said in the unit, from the beginning, and in the zone that its parameter counts in.

Nothing is read but what names and documents say. A figure may be counted in any word of its description that neither
the call has nor the message says ("in the smallest unit", "Weight: kg", "0 to 1"), in the last word of `timeout_ms`, in
what the tool's document has behind "in", from 0, in UTC: which word is a unit nobody needs to know.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Final

from reviews.provenance.proofs.call import CHARACTERS_A_STEP, ProposedCall
from reviews.provenance.proofs.phrase import is_labelled
from reviews.provenance.proofs.words import ARTICLES, FRAME
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.value_mentions import Mention
from reviews.provenance.text.boundaries import overlaps
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import root_of, stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.currencies import EVERYDAY
from reviews.provenance.values.moments import literal_moments_in, moment_of
from reviews.provenance.values.money import currency_of
from reviews.provenance.values.numbers import number_of
from reviews.provenance.values.zones import zone_named, zones_after

# The unit that a tool's document counts in: "in cents", "in the smallest unit".
_UNIT: Final = re.compile(rf"(?<!\w)in (?:(?:{'|'.join(sorted(ARTICLES))}) )?(?P<unit>[^\W\d_]{{2,}})")
# Characters of a tool's document in which it does: what follows is about something else.
_MAX_DOCUMENT: Final = 1_000
# Characters behind its first word in which the noun of a unit stands.
_MAX_NOUN: Final = 20
# To look a word up among the names of zones.
_STEPS_A_WORD: Final = 16
# Words by which documents say that the first thing has another number than people give it.
_COUNTED: Final = frozenset("index indices offset zero based".split())
_FROM_ZERO: Final = re.compile(r"(?<!\w)(?:from|at|is) (?:0|zero)(?!\w|\.\d)|(?<!\w)0[- ](?:based|indexed)(?!\w)")
# Words of names and descriptions that count no other thing than the words around them.
_NEUTRAL: Final = frozenset(
    "id ids number num no count amount value quantity qty price total size level how many much new".split()
)
_MOMENT_FORMAT: Final = re.compile(r"(?<!\w)(?:mm|dd)[-/.](?:mm|dd)")
_ZONE: Final = re.compile(r"(?<!\w)[A-Z]{3,5}(?!\w)")


def is_in_other_unit(leaf: Leaf, mention: Mention, call: ProposedCall) -> bool:
    """Whether the parameter counts otherwise than the words say: $20 is neither 20 cents nor 20 euros."""
    call.text.budget.spend(1 + len(call.text.folded) // CHARACTERS_A_STEP)
    if kind_of(leaf) is Kind.MOMENT:
        is_elsewhere = (moment_of(leaf.value) or (None, None))[1] is not None and any(_places_unused(mention, call))
        return is_elsewhere or _is_in_other_zone(leaf, call) or _is_in_other_order(leaf)
    text, number, (start, end) = call.text, number_of(leaf.value), mention.place
    # A length of time is converted.
    if number is None or kind_of(leaf) is not Kind.NUMBER or not overlaps(text.numbers.get(number, ()), start, end):
        return False
    if has_unsaid_unit(leaf, call):
        return True
    # The figure of "5 minutes" is no number of what nobody names.
    length = next((length for length in text.durations if length.start <= start and end <= length.end), None)
    hinted = set(map(stem_of, words_in(leaf.hint.lower()))) if length else set()
    if length and hinted.isdisjoint(map(stem_of, words_in(text.folded[end : length.end]))):
        return True
    stated = [amount.currency for amount in text.amounts_at(start, end)]
    # Of what is counted by its own noun ("4 guests") the unit is said; "in" leads to many other things there.
    if (stated or is_labelled(leaf, start, end, call) is None) and _counts_in_unsaid(call):
        return True
    # "$30 in euros" may be either's 30; who names no currency means that of the place.
    besides = {*_currencies_in(_words_around(mention, call))} - {*stated, *_currencies_given(call)}
    named = set(_named_currencies(leaf, call))
    return bool(stated) and bool(besides or (named and named.isdisjoint(stated)))


def _named_currencies(leaf: Leaf, call: ProposedCall) -> Iterator[str]:
    """The currencies that names and documents name: "Canadian dollars" are no dollars of any other country."""
    yield from _currencies_in(words_in(f"{fold(leaf.hint)} {fold(call.document.description[:_MAX_DOCUMENT])}"))


def _currencies_in(words: Iterable[str]) -> Iterator[str]:
    for before, word in pairwise(("", *words)):
        currency = currency_of(f"{before} {word}") or currency_of(word)
        # A code alone may be a word, such as ALL and TRY.
        if currency and (currency in EVERYDAY or word.upper() != currency):
            yield currency


def _currencies_given(call: ProposedCall) -> Iterator[str]:
    """The currencies that values of the call name."""
    yield from filter(None, (currency_of(leaf.text) for leaf in call.decisive if leaf.text))


def _words_around(mention: Mention, call: ProposedCall) -> tuple[str, ...]:
    """The words of the sentence that says a value."""
    sentence = call.text.sentence_at(mention.place[0])
    return words_in(call.text.folded[sentence.start : sentence.end]) if sentence else ()


def _places_unused(mention: Mention, call: ProposedCall) -> Iterator[str]:
    """The words around a time that name a place with a clock of its own, and no value of the call: "9 am in Tokyo"."""
    argument_words = {word for leaf in call.leaves for word in leaf.words}
    own_words = set(words_in(call.text.folded[slice(*mention.place)]))
    words = set(_words_around(mention, call)) - argument_words - own_words
    call.text.budget.spend(1 + _STEPS_A_WORD * len(words))
    yield from (word for word in words if zone_named(f"{word} time"))


def _counts_in_unsaid(call: ProposedCall) -> bool:
    """Whether the tool's document says "in" what the message does not say and is no currency: "in cents"."""
    of_tool = fold(call.document.description[:_MAX_DOCUMENT])
    for hit in _UNIT.finditer(of_tool):
        # "In US dollars": the noun may have a word before it.
        nouns = [hit["unit"], *words_in(of_tool[hit.end() : hit.end() + _MAX_NOUN])[:1]]
        if not any(map(currency_of, nouns)) and stem_of(hit["unit"]) not in call.spoken_stems:
            return True
    return False


def has_unsaid_unit(leaf: Leaf, call: ProposedCall, field_name: str = "") -> bool:
    """Whether a figure may be counted in a word that neither the message says nor this name of a field."""
    if kind_of(leaf) is not Kind.NUMBER:
        return False
    unsaid = set(map(stem_of, _units_of(leaf, call))) - call.spoken_stems.keys() - stems_of(field_name)
    return bool(unsaid - ({stem_of("percent")} if "%" in call.text.folded else set()))


def _units_of(leaf: Leaf, call: ProposedCall) -> Iterator[str]:
    """The words by which names and documents of parameter and tool tell what is counted, and from where."""
    described, of_tool = fold(leaf.description), fold(call.document.description[:_MAX_DOCUMENT])
    deed, _, values = of_tool.partition(". ")
    call.text.budget.spend(1 + len(described) // CHARACTERS_A_STEP)
    no_units = FRAME | _NEUTRAL | set(words_in(deed))
    # What is written as a text may name something by its figures, as a room's number does.
    is_text = isinstance(leaf.value, str)
    telling = (hit["unit"] for hit in _UNIT.finditer(described)) if is_text else words_in(described)
    words = chain(
        (word for word in telling if word not in no_units and root_of(word) not in call.known_words),
        # What a document says behind its first sentence, it says of the values.
        (hit["unit"] for hit in _UNIT.finditer(values)),
        # The unit behind what is counted: the `ms` of `timeout_ms`.
        (word for word in tokens_of(leaf.name)[1:][-1:] if word not in _NEUTRAL),
    )
    yield from (word for word in words if currency_of(word) is None)
    yield from _COUNTED.intersection(tokens_of(leaf.name))
    if _FROM_ZERO.search(of_tool):
        yield "index"


def _is_in_other_zone(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether name or document tell the zone of a time of day, and the message does not."""
    if (moment_of(leaf.value) or (None, None))[1] is None:
        return False
    documents = f"{leaf.description} {call.document.description[:_MAX_DOCUMENT]}"
    words = {hit[0].lower() for hit in _ZONE.finditer(documents)} | set(tokens_of(leaf.name))
    zones = {word for word in words if zones_after(f" {word}", 0)[0]}
    return bool(zones) and zones.isdisjoint(words_in(call.text.folded))


def _is_in_other_order(leaf: Leaf) -> bool:
    """Whether the document tells the order of a day's parts, which the value has in either: 03/04/2026."""
    days = {moment.day for moment in literal_moments_in(leaf.folded) if moment.day}
    return len(days) > 1 and _MOMENT_FORMAT.search(fold(leaf.description)) is not None
