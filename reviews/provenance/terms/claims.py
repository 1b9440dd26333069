"""What an agent says of where it took a value from, held against the context. Pure; nothing is believed unverified.

A claim that verifies proves where the value stands, not that it is meant there.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from reviews.provenance.core.context import Claim, JsonValue, SourceKind, Span
from reviews.provenance.core.places import describe_source
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import Asking, Evidence, SourceText
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.mentions import mentions_of
from reviews.provenance.terms.search import is_echoed, whole_field
from reviews.provenance.terms.terms import Composed, Confirmed, Documented, Field, Stated, Term
from reviews.provenance.terms.verify import Verified, verify_term

MAX_CLAIMS: Final = 64
"""Claims of one call: as many as one question to a judge may have arguments."""
VERIFIED: Final = "claims.verified"
"""Rule of a finding about a value that stands where the agent says."""
OUTWEIGHED: Final = "claims.outweighed"
"""Rule of a finding about a value that stands elsewhere than the agent says, and is established all the same."""
# Places of a quote in one text that are tried: what is quoted more often tells no place.
_MAX_PLACES: Final = 8
# Characters that are searched for a quote in one step of the budget, which is much quicker than reading them.
_CHARACTERS_A_STEP: Final = 4096
# Characters of a value, a quote or a path in a sentence.
_MAX_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim, and whether the value stands where it says."""

    stands: bool | None
    """None: the words stand there, and characters cannot tell whether they say the value."""
    note: str
    """What the agent says, and what came of it, in one sentence for a person."""
    spans: tuple[Span, ...] = ()
    """Where the value stands."""
    term: Term | None = None
    """What verified, for a judge to pick."""


def check_claim(claim: Claim, leaf: Leaf, asking: Asking, evidence: Evidence, *, composed: bool) -> CheckedClaim:
    """Whether the value stands where the agent says; of a `composed` text its facts. Raises `OutOfBudgetError`."""
    terms = tuple(terms_of_claim(claim, leaf, asking, evidence))
    for term in terms:
        outcome = verify_term(term, leaf, evidence)
        if isinstance(outcome, Verified) and not _is_own_echo(term, leaf, evidence):
            return CheckedClaim(True, _describe_check(claim, leaf, evidence, "it stands there"), outcome.spans, term)
    if composed and (spans := _verify_facts(terms, leaf, evidence)):
        return CheckedClaim(True, _describe_check(claim, leaf, evidence, "that stands there"), spans)
    if not leaf.text and (spans := tuple(term.span for term in terms if isinstance(term, Field | Stated | Documented))):
        return _check_setting(claim, leaf, spans, evidence)
    return CheckedClaim(False, _describe_check(claim, leaf, evidence, "it does not stand there"))


def terms_of_claim(claim: Claim, leaf: Leaf, asking: Asking, evidence: Evidence) -> Iterator[Term]:
    """The terms that a claim may mean. Raises `OutOfBudgetError`."""
    if claim.step is not None:
        text = evidence.texts.get(evidence.context.result_of(claim.step) or "")
        place = _place_at(claim.path, text) if text else None
        if text and place:
            yield Field(text.raw_span(*place))
        return
    for text in _quotable_texts(claim, leaf, asking, evidence):
        evidence.budget.spend(1 + len(text.source.text) // _CHARACTERS_A_STEP)
        for span in islice(_places_of_quote(claim.quote, leaf, text), _MAX_PLACES):
            if term := _as_term(span, text, asking):
                yield term


def _place_at(path: str, text: SourceText) -> tuple[int, int] | None:
    return text.document.at_pointer(path) if path else (0, len(text.source.text))


def _quotable_texts(claim: Claim, leaf: Leaf, asking: Asking, evidence: Evidence) -> Iterator[SourceText]:
    """The sources that the claim may quote, the most telling first."""
    if claim.source:
        yield from (text for text in [evidence.texts.get(claim.source)] if text)
        return
    yield from asking.texts
    yield from (text for text in evidence.user_messages if text not in asking.texts)
    yield from evidence.instructions
    yield from evidence.data
    document = evidence.document_of(leaf.tool.name) if leaf.tool else None
    yield from (document,) if document else ()


def _places_of_quote(quote: str, leaf: Leaf, text: SourceText) -> Iterator[Span]:
    """The places of a quote in a text: those that hold a mention of the value, then the first."""
    raw = text.source.text
    first = raw.find(quote) if quote else -1
    if first < 0:
        return
    for mention in mentions_of(leaf, text):
        span = text.span(mention.start, mention.end)
        at = raw.find(quote, max(0, span.end - len(quote)), span.start + len(quote))
        if at >= 0:
            yield text.raw_span(at, at + len(quote))
    yield text.raw_span(first, first + len(quote))


def _as_term(span: Span, text: SourceText, asking: Asking) -> Term | None:
    """The claim about a quote; None where only the agent itself speaks."""
    match text.source.kind:
        case SourceKind.USER_QUERY | SourceKind.REVIEWER | SourceKind.SYSTEM_PROMPT:
            return Stated(span)
        case SourceKind.TOOL_DOC:
            return Documented(span)
        case SourceKind.AGENT_MESSAGE:
            answer = asking.agreement_to(text)
            return Confirmed(span, answer.raw_span(0, len(answer.source.text))) if answer else None
        case SourceKind.TOOL_CALL:
            return None
    return Field(span)


def _is_own_echo(term: Term, leaf: Leaf, evidence: Evidence) -> bool:
    """Whether a result only repeats in a sentence what the agent looked up."""
    if not isinstance(term, Field):
        return False
    text = evidence.texts[term.span.source]
    return is_echoed(leaf, text) and whole_field(leaf, term.span, text) is None


def _verify_facts(terms: tuple[Term, ...], leaf: Leaf, evidence: Evidence) -> tuple[Span, ...]:
    """Where the words stand that a text of the agent's own rests on."""
    parts = tuple(term for term in terms[:1] if isinstance(term, Stated | Field))
    outcome = verify_term(Composed(parts), leaf, evidence) if parts else None
    return outcome.spans if isinstance(outcome, Verified) else ()


def _check_setting(claim: Claim, leaf: Leaf, spans: tuple[Span, ...], evidence: Evidence) -> CheckedClaim:
    """A value that is not written in words, such as true: a field may hold it literally, words only suggest it."""
    if claim.step is None:
        return CheckedClaim(None, _describe_check(claim, leaf, evidence, "that stands there"))
    stands = any(_literal_value(span.quote) == (type(leaf.value), leaf.value) for span in spans)
    return CheckedClaim(
        stands,
        _describe_check(claim, leaf, evidence, "it stands there" if stands else "it does not stand there"),
        spans if stands else (),
    )


def _literal_value(text: str) -> tuple[type, JsonValue]:
    """The JSON value with its type, because to Python 1 and true are equal; the text itself where it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    return type(value), value


def _describe_check(claim: Claim, leaf: Leaf, evidence: Evidence, outcome: str) -> str:
    value = shorten_text(leaf.text or json.dumps(leaf.value), _MAX_SHOWN)
    return f"The agent says that it took “{value}” from {claimed_place(claim, evidence)}, and {outcome}."


def claimed_place(claim: Claim, evidence: Evidence) -> str:
    """What a claim names, in words."""
    if claim.step is None:
        place = f" in {describe_source(claim.source)}" if claim.source else ""
        return f"“{shorten_text(claim.quote, _MAX_SHOWN)}”{place}"
    source = evidence.context.result_of(claim.step)
    place = describe_source(source) if source else f"call {claim.step}"
    return f"{place} at {shorten_text(claim.path, _MAX_SHOWN)}" if claim.path else place
