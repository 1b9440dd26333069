"""Whether a figure or a time is said in the unit, from the beginning, and in the zone that its parameter counts in.

Nothing is read but where names and documents put a unit: "in cents", "(kg)", `timeout_ms`, a description of one word,
an index, "from 0", "UTC". Which word is a unit nobody needs to know: the message has to say it.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from reviews.provenance.proofs.call import CHARACTERS_A_STEP, ProposedCall
from reviews.provenance.proofs.words import ARTICLES
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.value_mentions import Mention
from reviews.provenance.text.boundaries import overlaps
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.currencies import EVERYDAY
from reviews.provenance.values.moments import literal_moments_in, moment_of
from reviews.provenance.values.money import currency_of
from reviews.provenance.values.numbers import number_of
from reviews.provenance.values.zones import zones_after

# The unit that a parameter's document counts in: "in cents".
_UNIT: Final = re.compile(rf"(?<!\w)in (?!(?:{'|'.join(sorted(ARTICLES))})\b)(?P<unit>[^\W\d_]{{2,}})")
# Characters of a tool's document in which it does: what follows is about something else.
_MAX_DOCUMENT: Final = 1_000
# And how it notes one: "Amount (cents)".
_NOTED_UNIT: Final = re.compile(r"[(\[]°?(?P<unit>[^\W\d_]+)[)\]]")
# Words by which documents say that the first thing has another number than people give it.
_COUNTED: Final = frozenset("index indices offset zero based".split())
_FROM_ZERO: Final = re.compile(r"(?<!\w)(?:from|at|is) (?:0|zero)(?!\w|\.\d)|(?<!\w)0[- ](?:based|indexed)(?!\w)")
# Last words of a parameter's name that count no other thing than the words before them.
_NEUTRAL: Final = frozenset("id ids number num no count amount value quantity qty price total size level".split())
_MOMENT_FORMAT: Final = re.compile(r"(?<!\w)(?:mm|dd)[-/.](?:mm|dd)")
_ZONE: Final = re.compile(r"(?<!\w)[A-Z]{3,5}(?!\w)")


def is_in_other_unit(leaf: Leaf, mention: Mention, call: ProposedCall) -> bool:
    """Whether the parameter counts otherwise than the words say: $20 is neither 20 cents nor 20 euros."""
    call.text.budget.spend(1 + len(call.text.folded) // CHARACTERS_A_STEP)
    if kind_of(leaf) is Kind.MOMENT:
        return _is_in_other_zone(leaf, call) or _is_in_other_order(leaf)
    text, number, (start, end) = call.text, number_of(leaf.value), mention.place
    # A length of time is converted.
    if number is None or kind_of(leaf) is not Kind.NUMBER or not overlaps(text.numbers.get(number, ()), start, end):
        return False
    unsaid = set(map(stem_of, _units_of(leaf, call))) - call.spoken_stems.keys()
    if unsaid - ({stem_of("percent")} if "%" in text.folded else set()):
        return True
    # The figure of "5 minutes" is no number of what nobody names.
    length = next((found for found in text.durations if found.start <= start and end <= found.end), None)
    if length and not {stem_of(word) for word in words_in(leaf.hint.lower())} & set(
        map(stem_of, words_in(text.folded[end : length.end]))
    ):
        return True
    # Who names no currency means that of the place.
    currencies = set(map(currency_of, words_in(fold(leaf.hint)))).intersection(EVERYDAY)
    stated = [amount.currency for amount in text.amounts_at(start, end)]
    return bool(currencies and stated) and currencies.isdisjoint(stated)


def _units_of(leaf: Leaf, call: ProposedCall) -> Iterator[str]:
    """The words by which names and documents of parameter and tool tell what is counted, and from where."""
    described, of_tool = fold(leaf.description), fold(call.document.description[:_MAX_DOCUMENT])
    # What a document says behind its first sentence, it says of the values.
    later = _UNIT.finditer(of_tool.partition(". ")[2])
    hits = chain(_UNIT.finditer(described), _NOTED_UNIT.finditer(described), later)
    words = chain((hit["unit"] for hit in hits), _noted_by_name(leaf), _noted_alone(leaf, call))
    yield from (word for word in words if currency_of(word) is None)
    yield from _COUNTED.intersection((*words_in(described), *tokens_of(leaf.name)))
    if _FROM_ZERO.search(f"{described} {of_tool}"):
        yield "index"


def _noted_by_name(leaf: Leaf) -> Iterator[str]:
    """The last word of a name of several, behind what is counted: the `ms` of `timeout_ms`."""
    words = tokens_of(leaf.name)
    if len(words) > 1 and words[-1] not in _NEUTRAL:
        yield words[-1]


def _noted_alone(leaf: Leaf, call: ProposedCall) -> Iterator[str]:
    """The one word of a description, which repeats neither the tool's nor the parameter's name: "Kilograms"."""
    words = words_in(fold(leaf.description))
    own = stems_of(leaf.name) | stems_of(call.tool)
    if len(words) == 1 and words[-1] not in _NEUTRAL and stem_of(words[-1]) not in own:
        yield words[-1]


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
