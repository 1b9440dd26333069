"""What the stages of one check share about the proposed call, each part read or asked for once.

Above all the one question about the whole call: its terms are verified, and asked for once more where they fail.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, permutations, product
from typing import Final

from reviews.provenance.argument_grounding import Grounded, GroundedCall, Grounder
from reviews.provenance.core.context import Case, Context, ProposedAction, Span, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.trust import TRUSTED, SourceKind
from reviews.provenance.core.work_budget import OutOfBudgetError
from reviews.provenance.data.sources import Evidence
from reviews.provenance.detectors.judge_quotes import locate_quotes
from reviews.provenance.detectors.severity import is_lookup
from reviews.provenance.detectors.stage import Stage, rule_of
from reviews.provenance.detectors.value_findings import classes_of
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.call_support import (
    ArgumentSource,
    CallSupport,
    CallSupportAnswer,
    OwnTerm,
    Query,
)
from reviews.provenance.judges.questions.question_forms import Quote
from reviews.provenance.terms.argument_leaf import Leaf, leaf_at
from reviews.provenance.terms.derivability import DerivableParameters
from reviews.provenance.terms.search import propose_readings
from reviews.provenance.terms.terms import (
    MAX_INPUTS,
    Computed,
    Condition,
    DayAndTime,
    Documented,
    Field,
    Reading,
    Selected,
    Stated,
    Term,
    spans_of,
)
from reviews.provenance.terms.verify import Verified, verify_term
from reviews.provenance.values.zones import zone_named

RULE: Final = rule_of(CallSupport)
# Characters around a candidate that are shown on either side: most of a record, and not the whole document again.
_SURROUNDINGS: Final = 150
# Characters of a value that are shown: enough to recognise it.
_MAX_VALUE: Final = 400
# Quotes of which two may be the parts of one moment.
_MAX_PARTS: Final = 4
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
    evidence = Evidence(case.context)
    bounded = islice(open_leaves, MAX_ARGUMENTS)
    leaves = {leaf.pointer: _with_readings(leaf, case, evidence) for leaf in bounded}
    reply = await stage.ask(CallSupport(case, tuple(_in_words(leaf, case) for leaf in leaves.values())))
    if isinstance(reply, Unknown):
        return reply
    verdicts = _verify_arguments(reply.answer, leaves, case, evidence)
    refused = {pointer: said.rationale for pointer, said in verdicts.items() if said.holds is None and said.rationale}
    if refused:
        again = {pointer: leaves[pointer] for pointer in refused}
        reasons = tuple(f"{pointer}: {reason}" for pointer, reason in refused.items())
        second = await stage.ask(CallSupport(case, tuple(_in_words(leaf, case) for leaf in again.values()), reasons))
        if not isinstance(second, Unknown):
            verdicts |= _verify_arguments(second.answer, again, case, evidence)
    return Supported(reply.answer, verdicts, locate_quotes(case.context, reply.answer.quotes) or ())


def _with_readings(grounded: Grounded, case: Case, evidence: Evidence) -> Grounded:
    """The same value; where search found no term that gives it, with what a judge may read as it."""
    if grounded.terms:
        return grounded
    leaf = leaf_at(grounded.value, grounded.pointer, case.context.tool(case.action.tool))
    with suppress(OutOfBudgetError):
        return replace(grounded, terms=propose_readings(leaf, evidence))
    return grounded


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
    reason = ""
    with suppress(OutOfBudgetError):
        for term in terms:
            outcome = verify_term(term, leaf, evidence)
            if isinstance(outcome, Verified):
                return ArgumentVerdict(True, answer.rationale, outcome.how, outcome.spans)
            # What the answer most likely means stands first.
            reason = reason or outcome.reason
    return ArgumentVerdict(None, reason or "The answer names nothing that stands in the context.")


def terms_of(answer: OwnTerm, context: Context, tool: str) -> Iterator[Term]:
    """The terms that an answer may mean; none where its quotes do not stand in the context."""
    if answer.kind == "query":
        if answer.query and (selected := _selected_term(answer.query, context)):
            yield selected
        return
    if answer.kind == "document":
        yield from _documented_terms(answer.quotes, context, tool)
        return
    if answer.kind == "computation":
        inputs = _inputs_of(answer, context, tool)
        yield from _computed_terms(answer.operation, inputs) if inputs and answer.operation else ()
    if answer.kind == "quote":
        quoted = tuple(_quoted_terms(answer.quotes[:MAX_INPUTS], context))
        yield from quoted
        # What says no value to code may still say one to who reads it.
        sources = [Reading(term.span) if isinstance(term, Stated) else term for term in quoted]
        yield from (term for term in sources if isinstance(term, Reading))
        yield from (DayAndTime(day, clock) for day, clock in permutations(sources[:_MAX_PARTS], 2))
        for zone in (term for term in quoted[:_MAX_PARTS] if isinstance(term, Stated) and zone_named(term.span.quote)):
            said = [term for term in (*quoted, *sources)[: 2 * _MAX_PARTS] if term.span != zone.span]
            yield from (DayAndTime(day, clock, zone) for day, clock in product(said, said))


def _computed_terms(operation: str, inputs: Sequence[Stated | Field | Documented]) -> Iterator[Computed | DayAndTime]:
    yield Computed(operation, tuple(inputs))
    match operation, inputs:
        case (("time_after" | "time_before"), [Stated() as day, *others]) if len(others) > 1:
            # Words for a day that only people read: the time of day is moved on it.
            yield DayAndTime(Reading(day.span), Computed(operation, tuple(others)))


def _inputs_of(answer: OwnTerm, context: Context, tool: str) -> Sequence[Stated | Field | Documented]:
    """The inputs of a computation, also of the tool's own document: its "0 to 100" where half is asked for."""
    inputs: list[Stated | Field | Documented] = []
    quotes = answer.quotes[:MAX_INPUTS]
    for quote in quotes:
        is_documented = quote.source == f"tool/{tool}"
        found = _documented_terms([quote], context, tool) if is_documented else _quoted_terms([quote], context)
        inputs += islice(found, 1)
    return inputs if len(inputs) == len(quotes) else ()


def _quoted_terms(quotes: Sequence[Quote], context: Context) -> Iterator[Stated | Field]:
    for span in locate_quotes(context, quotes) or ():
        yield Stated(span) if context.sources[span.source].kind in TRUSTED else Field(span)


def _documented_terms(quotes: Sequence[Quote], context: Context, tool: str) -> Iterator[Documented]:
    sources = [context.sources.get(f"tool/{tool}")]
    sources += [source for source in context.sources.values() if source.kind is SourceKind.SYSTEM_PROMPT]
    for quote in quotes[:MAX_INPUTS]:
        for source in filter(None, sources):
            at = source.text.find(quote.quote) if quote.quote.strip() else -1
            if at >= 0:
                yield Documented(Span(source.id, at, at + len(quote.quote), quote.quote))


def _selected_term(query: Query, context: Context) -> Selected | None:
    conditions = []
    for where in query.where[:MAX_INPUTS]:
        spans = locate_quotes(context, [where.quote])
        if not spans:
            return None
        conditions.append(Condition(where.field, where.comparison, where.value, Stated(spans[0])))
    return Selected(
        query.source,
        query.records,
        query.field,
        tuple(conditions),
        query.order_by or "",
        query.descending,
        query.take,
        query.total,
    )


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
                self._support = await ask_support(self.case, leaves, stage)
            return self._support

    async def _known_classes(self, stage: Stage) -> DerivableParameters:
        if self._classes is None:
            self._classes = await classes_of(self.document, stage)
        return self._classes
