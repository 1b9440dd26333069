"""Facts in a text that the agent composed: amounts, days and secrets are traced by themselves.

A text is the agent's own, the facts in it are not. One contradicts the user where the user states one of its kind and
the text another, which stands nowhere; a secret that nobody asked to send is named.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import chain, islice
from typing import TypeAlias

from rapidfuzz.distance import OSA

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.decide import Why
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.links.arithmetic import Arithmetic
from reviews.provenance.grounding.links.stated import said_in_any, say
from reviews.provenance.grounding.objections.near_copy import near_copy
from reviews.provenance.grounding.results import Found
from reviews.provenance.language.base import languages_of, phrases
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.values.moment import moment_of, moments_in
from reviews.provenance.values.money import is_amount
from reviews.provenance.values.number import numbers_in
from reviews.provenance.values.secret import Secret, secrets_in

# Words of a text that is composed; shorter ones are names and values.
_SHORTEST = 3
# Characters of a text in which facts are looked for.
_READ = 20_000
# Facts of a text that are traced; each is looked for in every source.
_MOST = 32
# Figures from which a number in a text identifies something: an account, a telephone, a card.
_FEWEST_FIGURES = 6
# A number in groups, or a code of letters and figures.
_CODE = re.compile(r"(?<![\w.,-])\+?[a-z]{0,4}[\d(][\w()/-]*(?: [\d(][\d()/-]*)*(?![\w@])")
# Names of several words, addresses with their house, mail addresses.
_NAMED = re.compile(
    r"[\w.+-]+@[\w-]+\.[\w.-]*\w|(?:\d{1,5}[a-z]? )?[^\W\d_a-z][\w'-]+(?: [^\W\d_a-z][\w'-]+)+"
    r"|\d{1,5} [^\W\d_a-z][\w'-]+"
)
# Words by which a user asks for a number; a labelled secret is asked for by its label.
_WORDS_FOR = {
    "card number": frozenset({"card", "number"}),
    "account number": frozenset({"iban", "account", "bank", "details"}),
}

# What it means, and where it stands in the folded text.
_Fact: TypeAlias = tuple[Decimal | date, int, int]


WHY = Why.FACT


def against(leaf: Leaf, evidence: Evidence, budget: Budget) -> Found | None:
    """What the context says against a fact in a composed text; None where nothing does."""
    if not _is_composed(leaf) or leaf.choices:
        return None
    budget.spend()
    return (
        _leaked_secret(leaf, evidence)
        or next(_contradictions(leaf, evidence), None)
        or next(_miscopied_codes(leaf, evidence, budget), None)
    )


def facts_traced(leaf: Leaf, evidence: Evidence) -> tuple[Span, ...]:
    """Where the facts of a composed text stand in the context."""
    if not _is_composed(leaf):
        return ()
    folded = fold(str(leaf.value)[:_READ])
    facts = [*_amounts(folded, evidence), *_days(folded, evidence)]
    arithmetic = _arithmetic(evidence)
    fact_sources = (_source(fact, evidence, arithmetic) for fact in islice(facts, _MOST))
    raw = str(leaf.value)[:_READ]
    named = (hit.group() for hit in islice(chain(_NAMED.finditer(raw), _codes(folded)), _MOST))
    name_sources = (said_in_any(Leaf(name), evidence.texts) for name in named)
    return tuple(dict.fromkeys(span for found in chain(fact_sources, name_sources) if found for span in found.spans))


def _is_composed(leaf: Leaf) -> bool:
    return isinstance(leaf.value, str) and sum(map(str.isalpha, leaf.words)) >= _SHORTEST


def _contradictions(leaf: Leaf, evidence: Evidence) -> Iterator[Found]:
    """Facts that stand nowhere, of a kind of which the user's last message states exactly one, which is not told."""
    folded, arithmetic = fold(str(leaf.value)[:_READ]), _arithmetic(evidence)
    for facts_of in (_amounts, _days):
        composed = list(facts_of(folded, evidence))
        for text in evidence.spoken[:1]:
            stated = list(facts_of(text.folded.text[:_READ], evidence))
            # A weekday may be either of two days: one place, several meanings.
            if not (_at_one_place(composed) and _at_one_place(stated)) or {fact[0] for fact in composed} & {
                f[0] for f in stated
            }:
                continue
            if any(_source(fact, evidence, arithmetic) for fact in composed):
                continue
            span, quote = text.span(*stated[0][1:]), shortened(folded[composed[0][1] : composed[0][2]], 40)
            note = f"The text says “{quote}”; the user says “{shortened(span.quote, 40)}”."
            yield Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))


def _miscopied_codes(leaf: Leaf, evidence: Evidence, budget: Budget) -> Iterator[Found]:
    """Numbers and codes in a text that are nearly, and not quite, what a source says."""
    for hit in islice(_codes(fold(str(leaf.value)[:_READ])), _MOST):
        code = hit.group()
        if said_in_any(Leaf(code), evidence.texts) is None:
            found = near_copy(code, evidence.texts, budget) or _near_number(code, evidence)
            yield from (found,) if found else ()


def _codes(folded: str) -> Iterator[re.Match[str]]:
    hits = (hit for hit in _CODE.finditer(folded) if sum(map(str.isdigit, hit.group())) >= _FEWEST_FIGURES)
    # A day is worked out more often than it is copied.
    return (hit for hit in hits if moment_of(hit.group()) is None)


def _near_number(code: str, evidence: Evidence) -> Found | None:
    """A number in groups of which one figure differs from a number that a source says, or two are turned round."""
    figures = re.sub(r"\D", "", code)
    for text in evidence.texts:
        for hit in islice(_codes(text.folded.text[:_READ]), _MOST):
            other = re.sub(r"\D", "", hit.group())
            if len(other) == len(figures) and OSA.distance(figures, other, score_cutoff=1) == 1:
                span = text.span(*hit.span())
                note = f"“{shortened(code, 40)}” is nearly “{shortened(span.quote, 40)}”, and not the same."
                return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))
    return None


def _at_one_place(facts: Sequence[_Fact]) -> bool:
    return len({fact[1:] for fact in facts}) == 1


def _amounts(folded: str, _: Evidence) -> Iterator[_Fact]:
    """The amounts of money of a text."""
    for number in numbers_in(folded):
        # A bare number in a letter may be anything.
        if is_amount(folded, number.start, number.end):
            yield number.value, number.start, number.end


def _days(folded: str, evidence: Evidence) -> Iterator[_Fact]:
    for moment in moments_in(folded, evidence.clock.now) if evidence.clock.now else ():
        if moment.day is not None:
            yield moment.day, moment.start, moment.end


def _arithmetic(evidence: Evidence) -> Arithmetic:
    """What can be worked out of the numbers around, for all facts of a text."""
    return Arithmetic(evidence.data, evidence.references, evidence.budget)


def _source(fact: _Fact, evidence: Evidence, arithmetic: Arithmetic) -> Found | None:
    meaning = fact[0]
    value = float(meaning) if isinstance(meaning, Decimal) else meaning.isoformat()
    leaf = Leaf(value, "/amount" if isinstance(meaning, Decimal) else "/date")
    source = next((found for text in evidence.texts if (found := say(leaf, text))), None)
    if source is not None or not isinstance(meaning, Decimal):
        return source
    return arithmetic.result(leaf)


def _leaked_secret(leaf: Leaf, evidence: Evidence) -> Found | None:
    """A secret of what was looked up or of the system prompt that the user neither says nor asks for."""
    for secret in islice(secrets_in(str(leaf.value)), _MOST):
        place = next((span for text in evidence.texts if (span := _span_of(secret, text))), None)
        if place is None or any(_span_of(secret, text) for text in evidence.spoken):
            continue
        terms = _WORDS_FOR.get(secret.what, frozenset(words_of(secret.what)))
        # Whoever asks for all of something asks for what is in it.
        if not any(_says_any(terms, text) for text in evidence.spoken):
            note = f"The text gives away “{shortened(secret.what, 40)}”, which nobody asked to send."
            return Found(Grounding.UNGROUNDED, (), note, against=(place,))
    return None


def _says_any(terms: frozenset[str], text: Indexed) -> bool:
    words = set(words_of(text.source.text[:_READ]))
    spoken = languages_of(text.source.text)
    return bool(terms & words) or any(phrases(each.wholes).search(text.folded.text[:_READ]) for each in spoken)


def _span_of(secret: Secret, text: Indexed) -> Span | None:
    """Where the secret stands in a text, grouped in any way."""
    pattern = r"[ -]?".join(map(re.escape, secret.value))
    # A secret has at most 120 characters, and each is one step: the pattern is linear.
    hit = re.search(rf"(?<!\w){pattern}(?!\w)", text.source.text)
    return text.raw_span(*hit.span()) if hit else None
