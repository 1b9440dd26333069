"""A text that the agent words itself counts something otherwise than the user: 15 % of 5 %, three months of six.

The same word stands beside the only such number of either; the user's is left out, and the text's stands nowhere and
is no sum, difference, product or share of the user's and another one. Days and times of day are looked at by
themselves.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import chain, islice
from typing import TypeAlias

from reviews.provenance.data.sources import SourceText
from reviews.provenance.doubts.composed_text import doubt_difference, read_composed, texts_beside_calls
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.boundaries import Place, overlaps
from reviews.provenance.values.locales import percent_signs

RULE = "doubts.counted_otherwise"
# Numbers of a text, and moments among which they may stand.
_MAX_NUMBERS, _MAX_MOMENTS = 64, 32
# What is counted stands behind a number; what is numbered before it, where nothing is behind, in a word that is hardly
# a preposition.
_BEHIND = re.compile(r"[ -]?([\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]+)")
_BEFORE = re.compile(r"([^\W\d_]{4,}) ?$")
# Characters that such a word takes.
_REACH = 32
_Counted: TypeAlias = tuple[str, bool]


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about the first such number; the value itself stands nowhere."""
    if (text := read_composed(leaf, call)) is None:
        return None
    message = call.latest_request.message
    text_counts, user_counts = _only_counts(text), _only_counts(message)
    for counted in (counted for counted in text_counts if counted in user_counts):
        (number, place), (meant, at) = text_counts[counted], user_counts[counted]
        is_told = meant in text.numbers or any(number in source.numbers for source in texts_beside_calls(call))
        if not is_told and not _is_computed(number, meant, counted, call):
            return doubt_difference(RULE, text.span(*place).quote, message.span(*at))
    return None


def _only_counts(text: SourceText) -> Mapping[_Counted, tuple[Decimal, Place]]:
    """The words beside one number of the text alone, with that number and the place of both."""
    numbers: dict[_Counted, dict[Place, Decimal]] = defaultdict(dict)
    for number, at in islice(_numbers_of(text), _MAX_NUMBERS):
        for counted, place in _words_beside(text.folded, *at):
            # What is read in two ways, 5 % also as a share, is one number.
            numbers[counted].setdefault(place, number)
    return {
        counted: next((number, place) for place, number in by_place.items())
        for counted, by_place in numbers.items()
        if len(set(by_place.values())) == 1
    }


def _numbers_of(text: SourceText) -> Iterator[tuple[Decimal, Place]]:
    # A length of time in words may be one, counted from today: in six months.
    parts = chain.from_iterable(moment.parts for moment in text.moments)
    figures = (part for part in parts if any(map(str.isdigit, text.folded[slice(*part)])))
    moments = list(islice(figures, _MAX_MOMENTS))
    for number, places in text.numbers.items():
        text.budget.spend(1 + len(moments))
        yield from ((number, at) for at in places if not number.is_nan() and not overlaps(moments, *at))


def _words_beside(folded: str, start: int, end: int) -> Iterator[tuple[_Counted, Place]]:
    if sign := next((sign for sign in percent_signs() if folded.endswith(sign, start, end)), ""):
        yield (sign, True), (start, end)
        return
    behind, before = _BEHIND.match(folded, end), _BEFORE.search(folded[max(0, start - _REACH) : start])
    if behind:
        yield (behind[1], True), (start, behind.end())
    elif before:
        yield (before[1], False), (start - len(before[0]), end)


def _is_computed(number: Decimal, meant: Decimal, counted: _Counted, call: ProposedCall) -> bool:
    """Whether the number follows from the user's and from one that counts something; percentages do not."""
    word, is_count = counted
    if not is_count or word in percent_signs():
        return False
    counts = (
        count
        for message in call.evidence.user_messages
        for count, place in _numbers_of(message)
        if any(is_behind for (_, is_behind), _ in _words_beside(message.folded, *place))
    )
    listed = chain.from_iterable(text.numbers for text in call.evidence.data)
    operands = {*islice(counts, _MAX_NUMBERS), *islice(listed, _MAX_NUMBERS)} - {meant}
    return any(
        number in (meant + operand, abs(meant - operand), meant * operand) or number * operand == meant
        for operand in operands
    )
