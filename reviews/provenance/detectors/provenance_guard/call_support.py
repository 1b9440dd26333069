"""The one question about the whole call: asked once in a check, its terms verified, once more for those that fail."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from reviews.provenance.core.context import Case, Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import Evidence
from reviews.provenance.detectors.provenance_guard.own_terms import terms_of
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.support import locate_quotes
from reviews.provenance.grounding import Grounded
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.call_support import ArgumentSource, CallSupport, CallSupportAnswer
from reviews.provenance.terms.leaf import Leaf, leaf_at
from reviews.provenance.terms.terms import Term, spans_of
from reviews.provenance.terms.verify import Verified, verify_term

RULE: Final = "judge.call_support"
# Characters around a candidate that are shown on either side: most of a record, and not the whole document again.
_SURROUNDINGS: Final = 150
# Characters of a value that are shown: enough to recognise it.
_MAX_VALUE: Final = 400
# Arguments of one question: more of them come from a list, and no answer is long enough.
MAX_ARGUMENTS: Final = 64


@dataclass(frozen=True)
class ArgumentVerdict:
    """What the judge says of one value, as far as code verified it."""

    holds: bool | None
    rationale: str
    how: Grounding = Grounding.UNGROUNDED
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Supported:
    """The judge's answer to the whole call."""

    answer: CallSupportAnswer
    arguments: dict[str, ArgumentVerdict] = field(default_factory=dict)
    """By JSON Pointer."""
    quotes: tuple[Span, ...] = ()


async def ask_support(case: Case, open_leaves: Iterable[Grounded], stage: Stage) -> Supported | Unknown:
    """What the judge says of the call and of these values; of those whose terms do not verify, its second answer."""
    leaves = {leaf.pointer: leaf for leaf in islice(open_leaves, MAX_ARGUMENTS)}
    evidence = Evidence(case.context)
    reply = await stage.ask(CallSupport(case, _in_words(leaves.values(), case)))
    if isinstance(reply, Unknown):
        return reply
    verdicts = _verify_arguments(reply.answer, leaves, case, evidence)
    refused = {pointer: said.rationale for pointer, said in verdicts.items() if said.holds is None and said.rationale}
    if refused:
        again = {pointer: leaves[pointer] for pointer in refused}
        reasons = tuple(f"{pointer}: {reason}" for pointer, reason in refused.items())
        second = await stage.ask(CallSupport(case, _in_words(again.values(), case), reasons))
        if not isinstance(second, Unknown):
            verdicts |= _verify_arguments(second.answer, again, case, evidence)
    return Supported(reply.answer, verdicts, locate_quotes(case.context, reply.answer.quotes) or ())


def _in_words(leaves: Iterable[Grounded], case: Case) -> tuple[str, ...]:
    return tuple("\n".join(_lines_of(leaf, case)) for leaf in leaves)


def _lines_of(leaf: Grounded, case: Case) -> Iterator[str]:
    yield f"{leaf.pointer} = {shorten_text(str(leaf.value), _MAX_VALUE)}"
    for number, term in enumerate(leaf.terms, start=1):
        span = next(spans_of(term))
        text = case.context.sources[span.source].text
        before = text[max(0, span.start - _SURROUNDINGS) : span.start]
        after = text[span.end : span.end + _SURROUNDINGS]
        yield f"candidate {number}, in {span.source}: … {before}⟦{span.quote}⟧{after} …"


def _verify_arguments(
    answer: CallSupportAnswer, leaves: Mapping[str, Grounded], case: Case, evidence: Evidence
) -> dict[str, ArgumentVerdict]:
    """The verdict on each argument that was answered, by its pointer."""
    document = case.context.tool(case.action.tool)
    by_number = dict(enumerate(leaves.values(), start=1))
    verdicts: dict[str, ArgumentVerdict] = {}
    for row in answer.arguments:
        grounded = by_number.get(row.argument)
        if grounded is None:
            continue
        leaf = leaf_at(grounded.value, grounded.pointer, document)
        verdict, earlier = _verify_argument(row, grounded, leaf, answer, evidence), verdicts.get(grounded.pointer)
        # Of two answers for one value the worse counts.
        if earlier is None or verdict.holds is False or (verdict.holds is None and earlier.holds):
            verdicts[grounded.pointer] = verdict
    return verdicts


def _verify_argument(
    row: ArgumentSource, grounded: Grounded, leaf: Leaf, answer: CallSupportAnswer, evidence: Evidence
) -> ArgumentVerdict:
    terms: Iterable[Term] = ()
    match row.source:
        case "none":
            return ArgumentVerdict(False, answer.rationale or "Nothing gives this value.")
        case "unclear":
            return ArgumentVerdict(None, "")
        case "candidate":
            # Numbers count from 1, and none may be named.
            terms = grounded.terms[row.candidate - 1 :][:1] if row.candidate and row.candidate > 0 else ()
        case "own" if row.term:
            terms = terms_of(row.term, evidence.context, leaf.tool.name if leaf.tool else "")
    reason = "The answer names nothing that stands in the context."
    for term in terms:
        outcome = verify_term(term, leaf, evidence)
        if isinstance(outcome, Verified):
            return ArgumentVerdict(True, answer.rationale, outcome.how, outcome.spans)
        reason = outcome.reason
    return ArgumentVerdict(None, reason)
