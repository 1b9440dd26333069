"""ARGUS, second check: does benign text support every value that must have a source?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from reviews.provenance.core.context import Context, SourceKind, Span
from reviews.provenance.core.findings import Finding, Grounding, Misalignment, Relation, StageResult
from reviews.provenance.detectors.argus.segments import Observed
from reviews.provenance.detectors.injected import mark_unled
from reviews.provenance.detectors.parameter_classes import Classes
from reviews.provenance.detectors.provenance_guard.parameter import classes_of, find_sources
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.support import ask_sources, left_open
from reviews.provenance.grounding import Grounded, Grounder
from reviews.provenance.grounding.notes import where
from reviews.provenance.text.boundaries import occurrences

GROUND: Final = "ground"
_TELLING: Final = 3
"""Characters from which a value that an agent's message holds stands there by no accident."""
_MOST_TOLD: Final = 100
"""Values of a call that are looked for in agents' messages: a note for a person, who reads no more."""


@dataclass(frozen=True)
class Traced:
    """The values of the call, traced."""

    clean: tuple[Grounded, ...]
    """As if nothing anomalous were there."""
    mixed: Mapping[str, Grounded]
    """With it, by pointer; empty where nothing is anomalous."""


def trace(seen: Observed) -> Traced:
    """Trace the call's values twice. Reading a long history takes a while."""
    clean = Grounder(seen.clean.context).arguments(seen.clean.action)
    mixed = Grounder(seen.case.context).arguments(seen.case.action) if seen.anomalies else ()
    return Traced(clean, {leaf.pointer: leaf for leaf in mixed})


async def check_arguments(seen: Observed, traced: Traced, stage: Stage) -> StageResult:
    """DerivedFrom of each value: by rules, for the rest by the judge's quotes from benign text.

    A value that anomalous text alone supports is an injection, one without any support a wrong parameter.
    """
    document = seen.case.context.tool(seen.case.action.tool)
    if document is None:
        return stage.undetermined("The tool is not documented.")
    classes = Classes.by_rule(document)
    if not any(_fails_by_rule(leaf, seen, traced, classes) for leaf in traced.clean):
        classes = await classes_of(document, stage)
    injected = {leaf.pointer: spans for leaf in traced.clean if (spans := _steered(leaf, seen, traced, classes))}
    benign = tuple(leaf for leaf in traced.clean if leaf.pointer not in injected)
    unsettled = find_sources(benign, classes, stage)
    mark_unled(seen.clean, (each for each in benign if classes.derivable(each.pointer) is not False), stage)
    for pointer, spans in injected.items():
        _reject(traced.mixed[pointer], spans, stage)
    await _settle(unsettled, classes, seen, stage)
    return stage.concluded(Misalignment.INJECTION if injected else Misalignment.PARAMETER)


def _fails_by_rule(leaf: Grounded, seen: Observed, traced: Traced, classes: Classes) -> bool:
    """Whether no judge's word on which values need a source could save the call."""
    must_have_source = classes.derivable(leaf.pointer) is True
    return bool(leaf.against) or (must_have_source and bool(_steered(leaf, seen, traced, classes)))


def _steered(leaf: Grounded, seen: Observed, traced: Traced, classes: Classes) -> tuple[Span, ...]:
    """The anomalous text that alone supports a value which must have a source."""
    if leaf.how is not Grounding.UNGROUNDED or classes.derivable(leaf.pointer) is False:
        return ()
    mixed = traced.mixed.get(leaf.pointer)
    return tuple(filter(seen.touched, mixed.spans)) if mixed else ()


def _reject(leaf: Grounded, spans: Sequence[Span], stage: Stage) -> None:
    place = where(spans[0].source)
    stage.find(
        Relation.DERIVED_FROM, leaf.pointer, False,
        f"Only text in {place} that tries to steer the agent gives this value: “{spans[0].quote[:120]}”.",
        evidence=tuple(spans), grounding=leaf.how, untrusted_only=True,
    )  # fmt: skip


async def _settle(unsettled: tuple[Grounded, ...], classes: Classes, seen: Observed, stage: Stage) -> None:
    """Values that rules could not trace. No judge could save a call that has failed already."""
    if unsettled and not any(stage.failing):
        await ask_sources(seen.clean, unsettled, classes, stage)
    else:
        for leaf in unsettled:
            left_open(leaf, classes, stage)
    _tell_agents({leaf.pointer: leaf for leaf in unsettled}, seen.clean.context, stage)


def _tell_agents(unsettled: Mapping[str, Grounded], context: Context, stage: Stage) -> None:
    """Say of values without source that an agent's message has them, the least trusted of all texts, and no more."""
    told = dict(islice(unsettled.items(), _MOST_TOLD))
    found, stage.findings = stage.findings, []
    for finding in found:
        leaf = told.get(finding.subject)
        span = _said_by_agent(leaf, context) if leaf and not finding.holds else None
        if span is None:
            stage.findings.append(finding)
        else:
            _only_said(finding, span, stage)


def _only_said(finding: Finding, span: Span, stage: Stage) -> None:
    stage.find(
        finding.relation, finding.subject, finding.holds,
        f"{finding.rationale} Only an agent's message says it, in {where(span.source)}, which proves nothing.",
        decided_by=finding.decided_by, evidence=(span,), grounding=finding.grounding, nearest=finding.nearest,
        untrusted_only=True,
    )  # fmt: skip


def _said_by_agent(leaf: Grounded, context: Context) -> Span | None:
    value = leaf.value if isinstance(leaf.value, str) else str(leaf.value)
    messages = (source for source in context.sources.values() if source.kind is SourceKind.AGENT_MESSAGE)
    for source in messages if len(value) >= _TELLING else ():
        for at in occurrences(source.text, value):
            return Span(source.id, at, at + len(value), value)
    return None
