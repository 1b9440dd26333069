"""What an agent says of where it took a value from, held against the context. Pure; nothing is believed unverified.

A claim that verifies proves where the value stands, not that it is meant there.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from reviews.provenance.core.context import Claim, JsonValue, Span
from reviews.provenance.core.places import describe_source
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.trust import TRUSTED, SourceKind
from reviews.provenance.data.latest_request import LatestRequest
from reviews.provenance.data.sources import DATA, Evidence, SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.search import is_echoed, term_of_words, whole_field
from reviews.provenance.terms.terms import Composed, Documented, Field, Reading, Stated, Term
from reviews.provenance.terms.value_mentions import spans_with
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
    """What verified, or what words may say, for a judge to pick."""


def check_claim(claim: Claim, leaf: Leaf, latest: LatestRequest, evidence: Evidence, *, composed: bool) -> CheckedClaim:
    """Whether the value stands where the agent says; of a `composed` text its facts."""
    claimed = _describe_claim(claim, leaf, evidence)
    terms = tuple(_terms_of_claim(claim, leaf, latest, evidence))
    for term in terms:
        outcome = verify_term(term, leaf, evidence)
        if isinstance(outcome, Verified) and not _is_own_echo(term, leaf, evidence):
            return CheckedClaim(True, f"{claimed} it stands there.", outcome.spans, term)
    for reading in (Reading(term.span) for term in terms if isinstance(term, Stated)):
        if leaf.text and isinstance(verify_term(reading, leaf, evidence), Verified):
            return CheckedClaim(None, f"{claimed} that stands there.", term=reading)
    facts = tuple(term for term in terms[:1] if isinstance(term, Stated | Field))
    rest = verify_term(Composed(facts), leaf, evidence) if composed and facts else None
    if isinstance(rest, Verified):
        return CheckedClaim(True, f"{claimed} that stands there.", rest.spans)
    spans = tuple(term.span for term in terms if isinstance(term, Field | Stated | Documented))
    if not leaf.text and spans:
        # A value that is not written in words, such as true: words only suggest it, a field may hold it literally.
        if claim.step is None:
            return CheckedClaim(None, f"{claimed} that stands there.")
        if any(_literal_value(span.quote) == (type(leaf.value), leaf.value) for span in spans):
            return CheckedClaim(True, f"{claimed} it stands there.", spans)
    return CheckedClaim(False, f"{claimed} it does not stand there.")


def _terms_of_claim(claim: Claim, leaf: Leaf, latest: LatestRequest, evidence: Evidence) -> Iterator[Term]:
    """The terms that a claim may mean."""
    if claim.step is not None:
        text = evidence.texts.get(evidence.context.result_of(claim.step) or "")
        if text and (place := text.document.at_pointer(claim.path) if claim.path else (0, len(text.source.text))):
            yield Field(text.raw_span(*place))
        return
    for text in _quotable_texts(claim, leaf, latest, evidence):
        evidence.budget.spend(1 + len(text.source.text) // _CHARACTERS_A_STEP)
        for span in islice(_places_of_quote(claim.quote, leaf, text), _MAX_PLACES):
            if term := _as_term(span, text, latest):
                yield term


def _quotable_texts(claim: Claim, leaf: Leaf, latest: LatestRequest, evidence: Evidence) -> Iterable[SourceText]:
    """The sources that the claim may quote, the most telling first."""
    document = evidence.document_of(leaf.tool.name) if leaf.tool else None
    texts = (latest.text, *evidence.user_messages, *evidence.instructions, *evidence.data, document)
    return filter(None, [evidence.texts.get(claim.source)] if claim.source else dict.fromkeys(texts))


def _places_of_quote(quote: str, leaf: Leaf, text: SourceText) -> Iterator[Span]:
    """The places of a quote in a text: those that hold a mention of the value, then the first."""
    raw = text.source.text
    first = raw.find(quote) if quote else -1
    if first < 0:
        return
    for span in spans_with(leaf, text):
        at = raw.find(quote, max(0, span.end - len(quote)), span.start + len(quote))
        if at >= 0:
            yield text.raw_span(at, at + len(quote))
    yield text.raw_span(first, first + len(quote))


def _as_term(span: Span, text: SourceText, latest: LatestRequest) -> Term | None:
    """The claim about a quote; None where only the agent itself speaks."""
    kind = text.source.kind
    if kind in DATA:
        return Field(span)
    if kind is SourceKind.TOOL_DOC:
        return Documented(span)
    is_said = kind in TRUSTED or latest.agreement_to(text) is not None
    return term_of_words(span, text, latest) if is_said else None


def _is_own_echo(term: Term, leaf: Leaf, evidence: Evidence) -> bool:
    """Whether a result only repeats in a sentence what the agent looked up."""
    if not isinstance(term, Field):
        return False
    text = evidence.texts[term.span.source]
    return is_echoed(leaf, text) and whole_field(leaf, term.span, text) is None


def _literal_value(text: str) -> tuple[type, JsonValue]:
    """The JSON value with its type, because to Python 1 and true are equal; the text itself where it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    return type(value), value


def _describe_claim(claim: Claim, leaf: Leaf, evidence: Evidence) -> str:
    """What the agent says, as the beginning of a sentence."""
    if claim.step is None:
        source = f" in {describe_source(claim.source)}" if claim.source else ""
        place = f"“{shorten_text(claim.quote, _MAX_SHOWN)}”{source}"
    else:
        result = evidence.context.result_of(claim.step)
        place = describe_source(result) if result else f"call {claim.step}"
        place += f" at {shorten_text(claim.path, _MAX_SHOWN)}" if claim.path else ""
    value = shorten_text(leaf.text or json.dumps(leaf.value), _MAX_SHOWN)
    return f"The agent says that it took “{value}” from {place}, and"
