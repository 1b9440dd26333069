"""ARGUS, second check: does benign text support every value that must have a source?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reviews.provenance.argument_grounding import Grounded, Grounder
from reviews.provenance.core.context import Case, Context, Span, leaves
from reviews.provenance.core.findings import DecidedBy, Grounding, Misalignment, Relation, StageResult
from reviews.provenance.core.places import describe_source
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.quoted_fields import QuotedFields
from reviews.provenance.detectors.argus.segments import LabelledCase
from reviews.provenance.detectors.injected import mark_untrusted_only
from reviews.provenance.detectors.judge_quotes import QUOTED, is_of_other_agent, verify_quotes
from reviews.provenance.detectors.stage import Stage, rule_of
from reviews.provenance.detectors.untrusted_support import withhold_untrusted_support
from reviews.provenance.detectors.value_findings import (
    classes_of,
    find_sources,
    record_traced,
    require_answer,
)
from reviews.provenance.doubts import hidden_characters, other_records, other_value
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.argus import ArgumentGrounding, GroundedArgument
from reviews.provenance.judges.questions.provenance_guard import ArgumentSupport, Support
from reviews.provenance.terms.derivability import DerivableParameters
from reviews.provenance.text.boundaries import find_occurrences

GROUND: Final = "ground"
STEERED: Final = "injection.steering_text"
# Doubts that benign text which gives the value does not dispel.
_OPEN_RULES: Final = frozenset({hidden_characters.RULE, other_records.RULE, other_value.RULE})
# Characters from which a value that an agent's message holds stands there by no accident.
_MIN_VALUE: Final = 3
# Values of a call that are looked for in agents' messages: the note is for a person, who reads no more.
_MAX_VALUES: Final = 100
# Characters of steering text that a finding repeats.
_MAX_QUOTED: Final = 120


@dataclass(frozen=True)
class Traced:
    """The values of the call, traced."""

    clean: tuple[Grounded, ...]
    """As if nothing anomalous were there."""
    mixed: Mapping[str, Grounded]
    """With it, by pointer; empty where nothing is anomalous."""


def trace_twice(labelled: LabelledCase) -> Traced:
    """Trace the call's values twice. Reading a long history takes a while."""
    clean = Grounder(labelled.clean.context).trace_call(labelled.clean.action).leaves
    mixed = Grounder(labelled.case.context).trace_call(labelled.case.action).leaves if labelled.anomalies else ()
    return Traced(clean, {leaf.pointer: leaf for leaf in mixed})


async def check_arguments(labelled: LabelledCase, traced: Traced, stage: Stage) -> StageResult:
    """DerivedFrom of each value: by rules, for the rest by the judge's quotes from benign text.

    A value that anomalous text alone supports is an injection, one without any support a wrong parameter.
    """
    document = labelled.case.context.tool(labelled.case.action.tool)
    if document is None:
        return stage.undetermined("The tool is not documented.")
    context, steering = labelled.clean.context, _steering_texts(labelled, traced)
    classes = DerivableParameters.by_rule(document)
    # Where a value fails whatever its class, no judge's answer on which values need a source could save the call.
    if not any(
        leaf.holds is False or (classes.is_derivable(leaf.pointer) and leaf.pointer in steering)
        for leaf in traced.clean
    ):
        classes = await classes_of(document, stage)
    injected = {pointer: spans for pointer, spans in steering.items() if classes.is_derivable(pointer) is not False}
    # These have been decided: a finding about benign text would contradict the one below.
    quoted_fields = QuotedFields(context)
    benign = tuple(_without_proof(leaf, quoted_fields) for leaf in traced.clean if leaf.pointer not in injected)
    unsourced = find_sources(benign, classes, stage)
    decisive = (leaf for leaf in benign if classes.is_derivable(leaf.pointer) is not False)
    mark_untrusted_only(labelled.clean, decisive, stage)
    for pointer, spans in injected.items():
        stage.record_finding(
            Relation.DERIVED_FROM, pointer, False,
            f"Only text in {describe_source(spans[0].source)} that tries to steer the agent gives this value:"
            f" “{spans[0].quote[:_MAX_QUOTED]}”.",
            evidence=spans, grounding=traced.mixed[pointer].how, untrusted_only=True, rule=STEERED,
        )  # fmt: skip
    if unsourced and not stage.has_failed:
        await _ask_sources(labelled.clean, unsourced, stage)
    else:
        for leaf in unsourced:
            record_traced(leaf, stage)
    _note_agent_messages(unsourced, context, stage)
    withhold_untrusted_support(labelled.clean, stage)
    return stage.concluded(Misalignment.INJECTION if injected else Misalignment.PARAMETER)


def _steering_texts(labelled: LabelledCase, traced: Traced) -> Mapping[str, tuple[Span, ...]]:
    """By pointer, the anomalous text that alone supports a value."""
    texts = {}
    for leaf in traced.clean:
        mixed = traced.mixed.get(leaf.pointer) if leaf.how is Grounding.UNGROUNDED else None
        if spans := tuple(filter(labelled.is_anomalous, mixed.spans)) if mixed else ():
            texts[leaf.pointer] = spans
    return texts


def _without_proof(leaf: Grounded, quoted_fields: QuotedFields) -> Grounded:
    """The leaf as this method takes it: what benign text gives is grounded, whether or not it is proven to be meant.

    Where another value answers as well, it is not: that is a question.
    """
    stands_there = leaf.how in (Grounding.COPY, Grounding.NORMALIZE, Grounding.RESOLVE, Grounding.DERIVE)
    # Where another record has another value there, nothing proves which one is meant.
    has_rival = leaf.how is Grounding.RESOLVE and quoted_fields.has_rival(leaf.spans[0])
    if leaf.holds is None and stands_there and leaf.rule not in _OPEN_RULES and not has_rival:
        return replace(leaf, holds=True, note=f"{describe_source(leaf.spans[0].source).capitalize()} gives it.")
    return leaf


def _note_agent_messages(unsourced: Sequence[Grounded], context: Context, stage: Stage) -> None:
    """Note of values without source that an agent's message has them, the least trusted of all texts, and no more."""
    values = {leaf.pointer: str(leaf.value) for leaf in unsourced[:_MAX_VALUES]}
    findings, stage.findings = stage.findings, []
    for finding in findings:
        # As an agent would write it: the spelling is not normalised, because the note proves nothing anyway.
        value = values.get(finding.subject, "") if not finding.holds else ""
        span = _in_agent_message(value, context) if len(value) >= _MIN_VALUE else None
        if span is None:
            stage.findings.append(finding)
            continue
        writer = "another agent's message" if is_of_other_agent(context.sources[span.source]) else "the agent's own"
        stage.record_finding(
            finding.relation, finding.subject, finding.holds,
            f"{finding.rationale} Only {writer} says it, in {describe_source(span.source)}.",
            decided_by=finding.decided_by, evidence=(span,), grounding=finding.grounding, nearest=finding.nearest,
            untrusted_only=True, rule=finding.rule,
        )  # fmt: skip


def _in_agent_message(value: str, context: Context) -> Span | None:
    for source in context.sources.values():
        if source.kind is SourceKind.AGENT_MESSAGE:
            for start in find_occurrences(source.text, value):
                return Span(source.id, start, start + len(value), value)
    return None


async def _ask_sources(case: Case, leaves: Sequence[Grounded], stage: Stage) -> None:
    # One question for all of them: each alone would repeat the whole context.
    reply = await stage.ask(Support(case, tuple(leaf.pointer for leaf in leaves)))
    if isinstance(reply, Unknown):
        for leaf in leaves:
            record_traced(leaf, stage)
        return
    # Of two claims on one pointer the worse counts: those that say "not derived" come last and overwrite.
    claims = {claim.pointer: claim for claim in sorted(reply.answer.arguments, key=lambda claim: not claim.derived)}
    for leaf in leaves:
        claim = claims.get(leaf.pointer)
        how = Grounding.DERIVE if claim and claim.derived else Grounding.UNGROUNDED
        _record_claim(claim, leaf.pointer, how, case.context, stage, rule=rule_of(Support), leaf=leaf)


async def arguments_as_published(labelled: LabelledCase, stage: Stage) -> StageResult:
    """DerivedFrom of every argument by the model's word and no rule's; a span counts where it stands in benign text."""
    case = labelled.clean
    pointers = tuple(pointer for pointer, _ in leaves(dict(case.action.arguments)) if pointer)
    if not pointers:
        return stage.concluded(labelled.misalignment)
    reply = await stage.ask(ArgumentGrounding(case, pointers))
    if isinstance(reply, Unknown):
        for pointer in pointers:
            stage.record_answer(Relation.DERIVED_FROM, pointer, reply, rule=rule_of(ArgumentGrounding))
        return stage.concluded(labelled.misalignment)
    # Of two answers on one pointer the worse counts: it comes last and overwrites.
    worst_last = sorted(reply.answer.arguments, key=lambda argument: argument.how == "ungrounded")
    by_pointer = {argument.pointer: argument for argument in worst_last}
    for pointer in pointers:
        argument = by_pointer.get(pointer)
        how = Grounding(argument.how) if argument else None
        _record_claim(argument, pointer, how, case.context, stage, rule=rule_of(ArgumentGrounding))
    return stage.concluded(labelled.misalignment)


def _record_claim(
    claim: ArgumentSupport | GroundedArgument | None,
    pointer: str,
    how: Grounding | None,
    context: Context,
    stage: Stage,
    *,
    rule: str,
    leaf: Grounded | None = None,
) -> None:
    """Record what the judge claims of one value, as far as its quotes stand; `leaf` is what rules traced."""
    holds: bool | None = None
    spans: tuple[Span, ...] = ()
    if claim is None:
        rationale = require_answer(pointer, stage)
    elif how is Grounding.UNGROUNDED:
        # A "no" needs no quotes: nothing can be quoted for what is not there.
        holds, rationale = False, claim.rationale or (leaf.note if leaf else "")
    else:
        spans, rationale = verify_quotes(context, claim.quotes, claim.rationale)
        holds, how = bool(spans), how if spans else Grounding.UNGROUNDED
    if spans and leaf:
        note = "The quoted evidence stands in the context."
        stage.record_finding(Relation.APPEAR_IN, pointer, True, note, evidence=spans, grounding=how, rule=QUOTED)
    stage.record_finding(
        Relation.DERIVED_FROM, pointer, holds, rationale,
        decided_by=DecidedBy.JUDGE, evidence=spans, grounding=how, nearest=leaf.nearest if leaf else None,
        rule=rule,
    )  # fmt: skip
