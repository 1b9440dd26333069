"""The one question about the whole call: asked once in a check, its terms verified, once more for those that fail."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from reviews.provenance.core.context import Case, Span, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import Evidence
from reviews.provenance.detectors.parameter_classes import classes_of
from reviews.provenance.detectors.provenance_guard.own_terms import terms_of
from reviews.provenance.detectors.shared_grounding import Ground
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.support import locate_quotes
from reviews.provenance.grounding import Grounded
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.call_support import ArgumentSource, CallSupport, CallSupportAnswer
from reviews.provenance.terms.derivability import DerivableParameters
from reviews.provenance.terms.leaf import Leaf, leaf_at
from reviews.provenance.terms.terms import Term, spans_of
from reviews.provenance.terms.verify import Refused, Verified, verify_term

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


class SharedSupport:
    """The judge's answers that two stages of a check rest on, each asked for once."""

    def __init__(self, case: Case, ground: Ground) -> None:
        self._case = case
        self._ground = ground
        # Whoever comes second waits for the first one's answer; if the first is cancelled, the second asks.
        self._asking = asyncio.Lock()
        self._classes: DerivableParameters | None = None
        self._reply: Supported | Unknown | None = None

    async def classes(self, stage: Stage) -> DerivableParameters:
        """Which of the tool's parameters must have a source. Raises what the judge raises."""
        async with self._asking:
            return await self._known_classes(stage)

    async def ask(self, stage: Stage) -> Supported | Unknown:
        """What the judge says of the call and of its open values. Raises what the judge raises."""
        async with self._asking:
            if self._reply is None:
                classes = await self._known_classes(stage)
                leaves = [
                    leaf
                    for leaf in self._ground(self._case).leaves
                    if leaf.holds is None and leaf.needs_source(classes)
                ]
                self._reply = await _ask_support(self._case, leaves[:MAX_ARGUMENTS], stage)
            return self._reply

    async def _known_classes(self, stage: Stage) -> DerivableParameters:
        if self._classes is None:
            document = self._case.context.tool(self._case.action.tool)
            self._classes = await classes_of(document or ToolDoc(self._case.action.tool), stage)
        return self._classes


async def _ask_support(case: Case, open_leaves: Sequence[Grounded], stage: Stage) -> Supported | Unknown:
    texts = tuple(_in_words(leaf, case) for leaf in open_leaves)
    reply = await stage.ask(CallSupport(case, texts))
    if isinstance(reply, Unknown):
        return reply
    evidence = Evidence(case.context)
    verdicts = _verify_arguments(reply.answer, open_leaves, case, evidence)
    refused = {n: verdict for n, verdict in verdicts.items() if verdict.holds is None and verdict.rationale}
    if refused:
        verdicts |= await _ask_again(case, open_leaves, refused, stage, evidence)
    by_pointer = {open_leaves[n].pointer: verdict for n, verdict in verdicts.items()}
    return Supported(reply.answer, by_pointer, locate_quotes(case.context, reply.answer.quotes) or ())


async def _ask_again(
    case: Case,
    open_leaves: Sequence[Grounded],
    refused: dict[int, ArgumentVerdict],
    stage: Stage,
    evidence: Evidence,
) -> dict[int, ArgumentVerdict]:
    """The verdicts on the values whose terms did not verify, of a second answer."""
    numbers = list(refused)
    again = [open_leaves[n] for n in numbers]
    reasons = tuple(f"{open_leaves[n].pointer}: {refused[n].rationale}" for n in numbers)
    reply = await stage.ask(CallSupport(case, tuple(_in_words(leaf, case) for leaf in again), reasons))
    if isinstance(reply, Unknown):
        return {}
    return {numbers[n]: verdict for n, verdict in _verify_arguments(reply.answer, again, case, evidence).items()}


def _in_words(leaf: Grounded, case: Case) -> str:
    """One argument with its candidates and what stands around each."""
    value = shorten_text(str(leaf.value), _MAX_VALUE)
    lines = [f"{leaf.pointer} = {value}"]
    for number, term in enumerate(leaf.terms, start=1):
        span = next(spans_of(term))
        text = case.context.sources[span.source].text
        before = text[max(0, span.start - _SURROUNDINGS) : span.start]
        after = text[span.end : span.end + _SURROUNDINGS]
        lines.append(f"candidate {number}, in {span.source}: … {before}⟦{span.quote}⟧{after} …")
    return "\n".join(lines)


def _verify_arguments(
    answer: CallSupportAnswer, open_leaves: Sequence[Grounded], case: Case, evidence: Evidence
) -> dict[int, ArgumentVerdict]:
    """The verdict on each argument that was answered, by its place in the question."""
    document = case.context.tool(case.action.tool)
    verdicts: dict[int, ArgumentVerdict] = {}
    for row in answer.arguments:
        n = row.argument - 1
        if not 0 <= n < len(open_leaves):
            continue
        grounded = open_leaves[n]
        leaf = leaf_at(grounded.value, grounded.pointer, document)
        verdict = _verify_argument(row, grounded, leaf, answer, evidence)
        # Of two answers for one value the worse counts.
        if n not in verdicts or verdict.holds is False or (verdict.holds is None and verdicts[n].holds):
            verdicts[n] = verdict
    return verdicts


def _verify_argument(
    row: ArgumentSource, grounded: Grounded, leaf: Leaf, answer: CallSupportAnswer, evidence: Evidence
) -> ArgumentVerdict:
    match row.source:
        case "none":
            return ArgumentVerdict(False, answer.rationale or "Nothing gives this value.")
        case "unclear":
            return ArgumentVerdict(None, "")
    terms = _claimed_terms(row, grounded, evidence, leaf.tool.name if leaf.tool else "")
    reason = "The answer names nothing that stands in the context."
    for term in terms:
        outcome = verify_term(term, leaf, evidence)
        if isinstance(outcome, Verified):
            return ArgumentVerdict(True, answer.rationale, outcome.how, outcome.spans)
        if isinstance(outcome, Refused):
            reason = outcome.reason
    return ArgumentVerdict(None, reason)


def _claimed_terms(row: ArgumentSource, grounded: Grounded, evidence: Evidence, tool: str) -> Sequence[Term]:
    if row.source == "candidate":
        n = (row.candidate or 0) - 1
        return grounded.terms[n : n + 1] if 0 <= n < len(grounded.terms) else ()
    if row.term is None:
        return ()
    return tuple(terms_of(row.term, evidence.context, tool))
