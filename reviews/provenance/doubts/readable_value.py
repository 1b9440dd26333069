"""Words of the user may say the value to whoever reads them: “Friday” a day, “900 yen” a currency."""

import re
from collections.abc import Iterable
from itertools import groupby

from reviews.provenance.core.context import Span
from reviews.provenance.core.places import describe_source
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.doubts.part_of_moment import is_of_another, says_another_part
from reviews.provenance.doubts.wording import quote_as_value
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.words import ARTICLES, PREPOSITIONS
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.search import propose_readings
from reviews.provenance.terms.terms import Computed, Confirmed, DayAndTime, Field, Term, spans_of
from reviews.provenance.text.fold import fold
from reviews.provenance.values.moments import moment_of
from reviews.provenance.values.numbers import numbers_in

RULE = "doubts.readable_value"
# Words that lead to a number, and characters in which they stand.
_MAX_WORDS, _REACH = 2, 40


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value that no term gives, and words may."""
    for term in propose_readings(leaf, call.evidence):
        if not _is_idle(term, call):
            return _doubt_reading(term, leaf, call)
    return None


def _is_idle(term: Term, call: ProposedCall) -> bool:
    """Whether it helps nobody: where the parts of a path stand, or words that are said of something else."""
    if isinstance(term, Computed):
        return term.operation == "concatenate"
    if isinstance(term, DayAndTime) and _is_against_request(term, call):
        return True
    return any(is_of_another(span, call) for span in spans_of(term))


def _is_against_request(term: DayAndTime, call: ProposedCall) -> bool:
    """Whether data give the day or the time of day, and the request says another one."""
    parts = ((term.day, True), (term.clock, False))
    return any(isinstance(part, Field) and says_another_part(call, is_day=is_day) for part, is_day in parts)


def _doubt_reading(term: Term, leaf: Leaf, call: ProposedCall) -> Doubt:
    spans, value = tuple(spans_of(term)), shorten_text(leaf.text, 40)
    where = describe_source(spans[0].source)
    if isinstance(term, Confirmed):
        offer = quote_as_value(spans[0], leaf, call.text.now)
        return Doubt(RULE, f"The agent said {offer} in {where}. Did the user agree to that?", spans=spans)
    if spans[0].quote == leaf.text:
        return Doubt(RULE, f"{where.capitalize()} says “{value}”. Is it meant for {leaf.name or 'this'}?", spans=spans)
    by_source = groupby(spans, key=lambda span: span.source)
    statements = (f"{describe_source(source)} says {_quote_all(group, leaf, call)}" for source, group in by_source)
    words = " and ".join(statements)
    counted = "together give" if spans[1:] else "from now on gives"
    mean = f"{counted} “{value}”. Is it meant?" if isinstance(term, Computed) else f"may mean “{value}”. Does it?"
    return Doubt(RULE, f"{words[:1].upper()}{words[1:]}, which {mean}", spans=spans)


def _quote_all(spans: Iterable[Span], leaf: Leaf, call: ProposedCall) -> str:
    """What stands there, of a time an hour in words with those that lead to it: "half past seven"."""
    is_timed = (moment_of(leaf.value) or (None, None))[1] is not None
    quotes = dict.fromkeys((_leading_words(span, call) if is_timed else "") + span.quote for span in spans)
    return " and ".join(f"“{shorten_text(quote, 40)}”" for quote in quotes)


def _leading_words(span: Span, call: ProposedCall) -> str:
    """The last few words before a number in words, up to a preposition, an article or a sign."""
    if not span.quote.isalpha() or not any(numbers_in(fold(span.quote))):
        return ""
    text = call.evidence.texts[span.source].source.text
    words: list[str] = []
    for word in reversed(re.findall(r"[^\W\d_]+ |.", text[max(0, span.start - _REACH) : span.start])):
        if not word.strip().isalpha() or word.strip().lower() in PREPOSITIONS | ARTICLES or len(words) == _MAX_WORDS:
            break
        words.append(word)
    return "".join(reversed(words))
