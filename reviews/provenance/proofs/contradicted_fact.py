"""A text that the agent composed gives an amount or a day, and the user states another one, the only one of its kind.

Sound because: the text tells exactly one amount (or day), the message that asks tells exactly one, they differ, and the
one in the text stands nowhere and is no sum, share or multiple of what does: nothing in the context can have led to
it. Where the message denies, says a length of time, a share, or what was before ("from $40"), something may have.
Assumes: the text speaks of the amount that the message speaks of; with one amount on either side there is no other.
That there is nothing to pay needs no source.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import combinations
from typing import TypeAlias

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall, Refutation
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.fold import fold
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.found import Found
from reviews.provenance.values.moments import moments_in
from reviews.provenance.values.money import amounts_in

RULE = "proofs.contradicted_fact"
# Characters of a text in which facts are looked for: a letter, and not a book.
_MAX_READ = 20_000
# Words of a text that is composed; shorter ones are names and values.
_MIN_WORDS = 3
# Times that an amount is doubled, or split: with a zero more or less it is mistyped.
_MAX_SHARES = 9
# Characters before an amount in which its preposition stands.
_MAX_BEFORE = 20
# Amounts of the context that sums are made of; more of them make any sum.
_MAX_ADDENDS = 12
_Fact: TypeAlias = Found[Decimal] | Found[date]


def refute_leaf(leaf: Leaf, call: ProposedCall) -> Refutation | None:
    """The refutation of a composed text with a wrong fact. Raises `OutOfBudgetError`."""
    if not isinstance(leaf.value, str) or len(leaf.value.split()) < _MIN_WORDS or leaf.choices:
        return None
    now, asked_text = call.evidence.now, call.latest_request.message.folded[:_MAX_READ]
    composed_text = fold(leaf.value[:_MAX_READ])
    call.evidence.budget.spend(1 + len(composed_text))
    readers: Sequence[Callable[[str], Iterable[_Fact]]] = (_amounts_of, lambda text: _days_of(text, now))
    for read in readers:
        composed = _readings_of_only(read(composed_text))
        if not composed:
            continue
        call.evidence.budget.spend(1 + len(asked_text))
        stated = _readings_of_only(read(asked_text))
        if not stated or {fact.value for fact in composed} & {fact.value for fact in stated}:
            continue
        if _may_be_changed(call.latest_request.message) or _is_former(stated[0], asked_text):
            continue
        if _is_share(composed[0].value, stated[0].value):
            continue
        if not any(_is_explained(fact.value, call) for fact in composed):
            span = call.latest_request.message.span(*stated[0].place)
            quote = shorten_text(composed_text[slice(*composed[0].place)], 40)
            note = f"The text says “{quote}”; the user says “{shorten_text(span.quote, 40)}”."
            return Refutation(RULE, note, (span,), span)
    return None


def _readings_of_only(facts: Iterable[_Fact]) -> list[_Fact]:
    """The readings of the one place that tells a fact; none where more than one does."""
    readings = list(facts)
    return readings if len({fact.place for fact in readings}) == 1 else []


def _amounts_of(text: str) -> Iterator[_Fact]:
    # A bare number in a letter may be anything.
    return (Found(amount.start, amount.end, amount.value) for amount in amounts_in(text))


def _days_of(text: str, now: datetime | None) -> Iterator[_Fact]:
    moments = moments_in(text, now) if now else ()
    return (Found(moment.start, moment.end, moment.day) for moment in moments if moment.day)


def _is_share(composed: Decimal | date, stated: Decimal | date) -> bool:
    """Whether one amount is a few times the other: what is doubled or split needs no number."""
    if isinstance(composed, date) or isinstance(stated, date) or not composed or not stated:
        return False
    ratio = max(composed, stated) / min(composed, stated)
    return ratio == int(ratio) and ratio <= _MAX_SHARES


def _is_former(stated: _Fact, asked_text: str) -> bool:
    """Whether the message tells what something was ("rose from $40"), or by how much it changed."""
    before = words_in(asked_text[max(0, stated.start - _MAX_BEFORE) : stated.start])
    return before[-1:] in (("from",), ("by",))


def _may_be_changed(message: SourceText) -> bool:
    if "%" in message.folded:
        return True
    is_turned = any(sentence.compares or not sentence.is_plain for sentence in message.sentences)
    return bool(message.durations) or is_turned


def _is_explained(fact: Decimal | date, call: ProposedCall) -> bool:
    """Whether any text says it, or two of the numbers that the user and the results say come to it."""
    texts = (call.text, *call.evidence.user_messages, *call.evidence.instructions, *call.evidence.data)
    if isinstance(fact, date):
        return any(moment.on(fact) for text in texts for moment in text.moments)
    call.evidence.budget.spend(1 + sum(len(text.numbers) for text in texts))
    numbers = list(dict.fromkeys(value for text in texts for value in text.numbers))
    if fact == 0 or fact in numbers:
        return True
    return any(
        fact in (first + second, abs(first - second), first * second, *((first / second,) if second else ()))
        for first, second in combinations(numbers[:_MAX_ADDENDS], 2)
    )
