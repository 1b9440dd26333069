"""A text that the agent composed gives an amount, and the user states another one, the only one.

Sound because: the text tells exactly one amount, the message that asks tells exactly one and no other number, both in
one currency, the same word leads to both ("costs $30"), they differ, and the one in the text stands nowhere and is no
sum, share or multiple of what does: nothing in the context can have led to it. The text tells it in a sentence that
neither denies nor asks, of no other thing ("dinner costs"), and but for a day nothing follows it there ("with the usual
fee"). Who haggles, or tells what is left, uses other words. Where the message denies, says a length of time, a share,
or what was before ("from $40"), something may have; and so may any word behind the amount ("plus VAT", "with a tip"),
which nobody reads.
Assumes: the text speaks of the amount that the message speaks of; with one amount on either side there is no other.
That there is nothing to pay needs no source. Days are left out: few words tell another one, in many ways ("the workday
after").
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from itertools import combinations

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import MAX_READ, ProposedCall, Refutation
from reviews.provenance.proofs.words import FRAME
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.boundaries import blank_places
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import stem_of
from reviews.provenance.text.replies import says_nothing, sentences_in, words_in
from reviews.provenance.values.moments import moments_in
from reviews.provenance.values.money import Amount, amounts_in

RULE = "proofs.contradicted_fact"
# Words of a text that is composed; shorter ones are names and values.
_MIN_WORDS = 3
# With a zero more or less an amount is mistyped; by any other number it is shared or multiplied.
_MISTYPED = frozenset(map(Decimal, (10, 100, 1_000)))
# Characters before an amount in which its preposition and the word that leads to it stand.
_MAX_BEFORE = 40
# Amounts of the context that sums are made of; more of them make any sum.
_MAX_ADDENDS = 12


def refute_leaf(leaf: Leaf, call: ProposedCall) -> Refutation | None:
    """The refutation of a composed text with a wrong amount."""
    if not isinstance(leaf.value, str) or len(leaf.value.split()) < _MIN_WORDS or leaf.choices:
        return None
    message, composed_text = call.latest_request.message, fold(leaf.value[:MAX_READ])
    asked_text = message.folded[:MAX_READ]
    call.evidence.budget.spend(1 + len(composed_text))
    composed = _find_only(composed_text)
    if composed is None or not _says_alone(composed, composed_text, call.evidence.now):
        return None
    call.evidence.budget.spend(1 + len(asked_text))
    stated = _find_only(asked_text)
    if stated is None or stated.currency != composed.currency or stated.value == composed.value:
        return None
    if not _are_led_alike(_words_before(composed, composed_text), _words_before(stated, asked_text)):
        return None
    may_be_led_to = _is_share(composed.value, stated.value) or _is_explained(composed.value, call)
    if may_be_led_to or _may_be_changed(message, stated) or _goes_on(message, stated):
        return None
    span = message.span(stated.start, stated.end)
    quote = shorten_text(composed_text[composed.start : composed.end], 40)
    note = f"The text says “{quote}”; the user says “{shorten_text(span.quote, 40)}”."
    return Refutation(RULE, note, (span,), span)


def _find_only(text: str) -> Amount | None:
    """The amount of a folded text that tells exactly one, and in one reading. A bare number may be anything."""
    amounts = list(amounts_in(text))
    return amounts[0] if len(amounts) == 1 else None


def _words_before(amount: Amount, text: str) -> list[str]:
    """The stems of the words before an amount that say something, the nearest first."""
    words = words_in(text[max(0, amount.start - _MAX_BEFORE) : amount.start])
    return [stem_of(word) for word in reversed(words) if word not in FRAME]


def _are_led_alike(composed: Sequence[str], stated: Sequence[str]) -> bool:
    """Whether the same word leads to both, of the same thing if both name one: "lunch costs" no dinner."""
    return bool(composed) and composed[:1] == stated[:1] and (composed[1:2] == stated[1:2] or not composed[1:2])


def _says_alone(composed: Amount, text: str, now: datetime | None) -> bool:
    """Whether the composed text tells the amount plainly, and but for a day nothing behind it in its sentence."""
    sentence = next((part for part in sentences_in(text) if part.start <= composed.start < part.end), None)
    if sentence is None or not sentence.is_plain or sentence.is_question or sentence.has_turn():
        return False
    days = (moment.place for moment in moments_in(text, now))
    return not words_in(blank_places(text, days)[composed.end : sentence.end])


def _is_share(composed: Decimal, stated: Decimal) -> bool:
    """Whether one amount is some times the other: what is doubled or split needs no number."""
    if not composed or not stated:
        return False
    ratio = max(composed, stated) / min(composed, stated)
    return ratio == int(ratio) and ratio not in _MISTYPED


def _may_be_changed(message: SourceText, stated: Amount) -> bool:
    """Whether the message may make another amount of the one that it states, or tells what that was before."""
    if "%" in message.folded or message.durations:
        return True
    if any(sentence.compares or not sentence.is_plain for sentence in message.sentences):
        return True
    places = (place for places in message.numbers.values() for place in places)
    if any(end <= stated.start or stated.end <= start for start, end in places):
        return True
    before = words_in(message.folded[max(0, stated.start - _MAX_BEFORE) : stated.start])
    return before[-1:] in (("from",), ("by",))


def _goes_on(message: SourceText, stated: Amount) -> bool:
    """Whether the message says anything behind the amount, but for what only greets or thanks."""
    sentence = message.sentence_at(stated.start)
    if sentence is None or words_in(message.folded[stated.end : sentence.end]):
        return True
    return not all(says_nothing(later.text) for later in message.sentences if later.start >= sentence.end)


def _is_explained(amount: Decimal, call: ProposedCall) -> bool:
    """Whether any text says it, or two of the numbers that the user and the results say come to it."""
    texts = (call.text, *call.evidence.user_messages, *call.evidence.instructions, *call.evidence.data)
    call.evidence.budget.spend(1 + sum(len(text.numbers) for text in texts))
    numbers = list(dict.fromkeys(value for text in texts for value in text.numbers))
    if amount == 0 or amount in numbers:
        return True
    return any(
        amount in (first + second, abs(first - second), first * second, *((first / second,) if second else ()))
        for first, second in combinations(numbers[:_MAX_ADDENDS], 2)
    )
