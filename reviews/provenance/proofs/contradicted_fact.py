"""A text that the agent composed gives an amount or a day, and the user states another one, the only one of its kind.

Sound because: the text tells exactly one amount (or day), the message that asks tells exactly one, they differ, and the
one in the text stands nowhere and is no sum, share or multiple of what does: nothing in the context can have led to
it. Where the message denies, says a length of time, a share, or what was before ("from $40"), something may have.
Assumes: the text speaks of the amount that the message speaks of; with one amount on either side there is no other.
That there is nothing to pay needs no source.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import combinations
from typing import TypeAlias

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall, Refutation
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.text.fold import fold
from reviews.provenance.text.replies import words_in
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
_Fact: TypeAlias = tuple[Decimal | date, int, int]


def refute_leaf(leaf: Leaf, call: ProposedCall) -> Refutation | None:
    """The refutation of a composed text with a wrong fact. Raises `OutOfBudgetError`."""
    if not isinstance(leaf.value, str) or len(leaf.value.split()) < _MIN_WORDS or leaf.choices:
        return None
    now, asked_text = call.evidence.now, call.asking.message.folded[:_MAX_READ]
    composed_text = fold(leaf.value[:_MAX_READ])
    call.evidence.budget.spend(1 + len(composed_text))
    readers: Sequence[Callable[[str], Iterator[_Fact]]] = (_amounts_of, lambda text: _days_of(text, now))
    for read in readers:
        composed = _only_place(list(read(composed_text)))
        if composed is None:
            continue
        call.evidence.budget.spend(1 + len(asked_text))
        stated = _only_place(list(read(asked_text)))
        if stated is None or _values_of(composed) & _values_of(stated) or _may_be_changed(call.asking.message):
            continue
        if _is_share(composed[0][0], stated[0][0]) or _is_former(stated[0], asked_text):
            continue
        if not any(_is_explained(fact[0], call) for fact in composed):
            span = call.asking.message.span(*stated[0][1:])
            quote = shorten_text(composed_text[composed[0][1] : composed[0][2]], 40)
            note = f"The text says “{quote}”; the user says “{shorten_text(span.quote, 40)}”."
            return Refutation(RULE, note, (span,), span)
    return None


def _only_place(facts: list[_Fact]) -> list[_Fact] | None:
    """The readings of the one place that tells a fact; None where there is none or more than one."""
    return facts if len({fact[1:] for fact in facts}) == 1 else None


def _values_of(facts: list[_Fact]) -> set[Decimal | date]:
    return {fact[0] for fact in facts}


def _amounts_of(text: str) -> Iterator[_Fact]:
    # A bare number in a letter may be anything.
    return ((amount.value, amount.start, amount.end) for amount in amounts_in(text))


def _days_of(text: str, now: datetime | None) -> Iterator[_Fact]:
    for moment in moments_in(text, now) if now else ():
        if moment.day is not None:
            yield moment.day, moment.start, moment.end


def _is_share(composed: Decimal | date, stated: Decimal | date) -> bool:
    """Whether one amount is a few times the other: what is doubled or split needs no number."""
    if isinstance(composed, date) or isinstance(stated, date) or not composed or not stated:
        return False
    ratio = max(composed, stated) / min(composed, stated)
    return ratio == int(ratio) and ratio <= _MAX_SHARES


def _is_former(stated: _Fact, asked_text: str) -> bool:
    """Whether the message tells what something was ("rose from $40"), or by how much it changed."""
    before = words_in(asked_text[max(0, stated[1] - _MAX_BEFORE) : stated[1]])
    return before[-1:] in (("from",), ("by",))


def _may_be_changed(message: SourceText) -> bool:
    if "%" in message.folded:
        return True
    is_turned = any(sentence.compares or not sentence.is_plain for sentence in message.sentences)
    return bool(message.durations) or is_turned


def _is_explained(fact: Decimal | date, call: ProposedCall) -> bool:
    """Whether any text says it, or two of the numbers that the user and the results say come to it."""
    texts = (*call.asking.texts, *call.evidence.user_messages, *call.evidence.instructions, *call.evidence.data)
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
