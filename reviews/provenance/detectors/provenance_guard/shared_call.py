"""What the stages of one check share about the proposed call, each part read or asked for once.

Above all the one question about the whole call: its terms are verified, and asked for once more where they fail.
"""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Final

from reviews.provenance.argument_grounding import Grounded, GroundedCall, Grounder
from reviews.provenance.core.context import Case, ProposedAction, Span, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.work_budget import OutOfBudgetError
from reviews.provenance.data.sources import Evidence
from reviews.provenance.detectors.judge_quotes import locate_quotes
from reviews.provenance.detectors.provenance_guard.answered_terms import rests_on_arguments, terms_of
from reviews.provenance.detectors.severity import is_lookup
from reviews.provenance.detectors.stage import Stage, rule_of
from reviews.provenance.detectors.value_findings import classes_of
from reviews.provenance.doubts import other_field, other_parameter
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.call_support import ArgumentSource, CallSupport, CallSupportAnswer
from reviews.provenance.terms.argument_leaf import Leaf, leaf_at
from reviews.provenance.terms.derivability import DerivableParameters
from reviews.provenance.terms.search import is_mere_echo, propose_readings
from reviews.provenance.terms.terms import Field, OtherArgument, Term, spans_of
from reviews.provenance.terms.verify import Refused, Verified, verify_term

RULE: Final = rule_of(CallSupport)
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


async def ask_support(
    case: Case, open_leaves: Iterable[Grounded], proven: Iterable[Grounded], stage: Stage
) -> Supported | Unknown:
    """What the judge says of the call and of these values; of those whose terms do not verify, its second answer."""
    claims = _Claims(case, proven)
    leaves = {leaf.pointer: claims.with_candidates(leaf) for leaf in islice(open_leaves, MAX_ARGUMENTS)}
    arguments = {pointer: _in_words(leaf, case) for pointer, leaf in leaves.items()}
    reply = await stage.ask(CallSupport(case, tuple(arguments.values())))
    if isinstance(reply, Unknown):
        return reply
    verdicts = claims.verify_rows(reply.answer, leaves)
    refusals = ((pointer, verdict.rationale) for pointer, verdict in verdicts.items() if verdict.holds is None)
    refused = {pointer: rationale for pointer, rationale in refusals if rationale}
    if refused:
        reasons = tuple(f"{pointer}: {reason}" for pointer, reason in refused.items())
        second = await stage.ask(CallSupport(case, tuple(arguments[pointer] for pointer in refused), reasons))
        if not isinstance(second, Unknown):
            verdicts |= claims.verify_rows(second.answer, {pointer: leaves[pointer] for pointer in refused})
    return Supported(reply.answer, verdicts, locate_quotes(case.context, reply.answer.quotes) or ())


def _in_words(leaf: Grounded, case: Case) -> str:
    """One argument with its candidates and what stands around each."""
    lines = [f"{leaf.pointer} = {shorten_text(str(leaf.value), _MAX_VALUE)}"]
    for number, term in enumerate(leaf.terms, start=1):
        span = next(spans_of(term))
        text = case.context.sources[span.source].text
        before = text[max(0, span.start - _SURROUNDINGS) : span.start]
        after = text[span.end : span.end + _SURROUNDINGS]
        lines.append(f"candidate {number}, in {span.source}: … {before}⟦{span.quote}⟧{after} …")
    return "\n".join(lines)


class _Claims:
    """Verifies what answers say of the values of one call; a value that has a term may be computed with."""

    def __init__(self, case: Case, proven: Iterable[Grounded]) -> None:
        self._evidence = Evidence(case.context)
        self._tool = case.action.tool
        self._document = case.context.tool(self._tool)
        self._verified_arguments = {
            leaf.pointer: OtherArgument(self._leaf_of(leaf), leaf.terms[0]) for leaf in proven if leaf.terms
        }

    def with_candidates(self, grounded: Grounded) -> Grounded:
        """The value without echoes of look-ups; where only data is left, what was said that reads so comes first."""
        leaf = self._leaf_of(grounded)
        with suppress(OutOfBudgetError):
            terms: list[Term] = [term for term in grounded.terms if not is_mere_echo(term, leaf, self._evidence)]
            if all(isinstance(term, Field) for term in terms):
                terms = [*propose_readings(leaf, self._evidence), *terms]
            return replace(grounded, terms=tuple(terms))
        return grounded

    def verify_rows(self, answer: CallSupportAnswer, leaves: Mapping[str, Grounded]) -> dict[str, ArgumentVerdict]:
        """The verdict on each argument that was answered, by its pointer."""
        by_number = dict(enumerate(leaves.values(), start=1))
        verdicts: dict[str, ArgumentVerdict] = {}
        # What is computed with other arguments comes behind them, so that nothing rests on itself.
        for row in sorted(answer.arguments, key=lambda row: row.term is not None and rests_on_arguments(row.term)):
            grounded = by_number.get(row.argument)
            if grounded is None:
                continue
            verdict, earlier = self._verify_row(row, grounded, answer.rationale), verdicts.get(grounded.pointer)
            # Of two answers for one value the worse counts.
            if earlier is None or verdict.holds is False or (verdict.holds is None and earlier.holds):
                verdicts[grounded.pointer] = verdict
        return verdicts

    def _verify_row(self, row: ArgumentSource, grounded: Grounded, rationale: str) -> ArgumentVerdict:
        self._verified_arguments.pop(grounded.pointer, None)
        terms: Iterable[Term] = ()
        match row.source:
            case "none":
                return ArgumentVerdict(False, rationale or "Nothing gives this value.")
            case "unclear":
                return ArgumentVerdict(None, "")
            case "candidate":
                # Numbers count from 1, and none may be named.
                terms = grounded.terms[row.candidate - 1 :][:1] if row.candidate and row.candidate > 0 else ()
            case "own" if row.term:
                terms = terms_of(row.term, self._evidence.context, self._tool, self._verified_arguments)
        leaf, reason = self._leaf_of(grounded), ""
        with suppress(OutOfBudgetError):
            for term in terms:
                is_withheld = _is_withheld(term, grounded.rule)
                outcome = Refused(grounded.note) if is_withheld else verify_term(term, leaf, self._evidence)
                if isinstance(outcome, Verified):
                    self._verified_arguments[leaf.pointer] = OtherArgument(leaf, term)
                    return ArgumentVerdict(True, rationale, outcome.how, outcome.spans)
                # What the answer most likely means stands first.
                reason = reason or outcome.reason
        return ArgumentVerdict(None, reason or "The answer names nothing that stands in the context.")

    def _leaf_of(self, grounded: Grounded) -> Leaf:
        return leaf_at(grounded.value, grounded.pointer, self._document)


def _is_withheld(term: Term, doubt: str) -> bool:
    """Whether a doubt is a fact about the place that the term quotes: no judge's yes stands for it."""
    is_field = isinstance(term, Field)
    return is_field if doubt == other_field.RULE else doubt == other_parameter.EXCHANGED and not is_field


class SharedCall:
    """The proposed call of a check."""

    def __init__(self, case: Case) -> None:
        self.case = case
        # A tool that nobody documented is rejected before anything is read of its document.
        self.document = case.context.tool(case.action.tool) or ToolDoc(case.action.tool)
        self._grounder = Grounder(case.context)
        # Whoever comes second waits for the first one's answer; if the first is cancelled, the second asks.
        self._asking = asyncio.Lock()
        self._classes: DerivableParameters | None = None
        self._support: Supported | Unknown | None = None

    @cached_property
    def grounded(self) -> GroundedCall:
        """What tracing it tells."""
        return self.trace(self.case.action)

    @cached_property
    def is_lookup(self) -> bool:
        """Whether it only looks something up, for all that name and document tell."""
        return is_lookup(self.document, self.case.action)

    def trace(self, action: ProposedAction) -> GroundedCall:
        """Any call in the same context, traced."""
        return self._grounder.trace_call(action)

    async def classes(self, stage: Stage) -> DerivableParameters:
        """Which of the tool's parameters must have a source."""
        async with self._asking:
            return await self._known_classes(stage)

    async def support(self, stage: Stage) -> Supported | Unknown:
        """What the judge says of the call and of its open values."""
        async with self._asking:
            if self._support is None:
                classes = await self._known_classes(stage)
                leaves = (leaf for leaf in self.grounded.leaves if leaf.holds is None and leaf.needs_source(classes))
                proven = (leaf for leaf in self.grounded.leaves if leaf.holds)
                self._support = await ask_support(self.case, leaves, proven, stage)
            return self._support

    async def _known_classes(self, stage: Stage) -> DerivableParameters:
        if self._classes is None:
            self._classes = await classes_of(self.document, stage)
        return self._classes
