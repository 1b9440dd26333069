"""The influence provenance graph: which text of the context had a part in the proposed call, and how far it is trusted.

ARGUS: nodes are content units, edges record which unit contributed to which; base trust goes from 1.0 (system, user)
down to 0.3 (messages of agents), and a unit's dynamic trust falls with the share of its text that is anomalous.
Neither a judge nor anything outside the case is needed, so that the graph of a stored check can be drawn again.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.core.context import Case, Context, ProposedAction, Source, SourceId, Span, Step, leaves
from reviews.provenance.core.trust import SourceKind

NodeId: TypeAlias = str
"""A source's id; `action` for the proposed call; `argument/to` for the argument leaf `/to` of it."""

# A type of its own: what grounding found is kept with the check, and the graph is drawn again from there.
Grounds: TypeAlias = Mapping[str, Sequence[Span]]
"""The spans that support each argument leaf of the proposed call, by JSON Pointer."""


# As published: a unit keeps a tenth, because what a finding calls anomalous may be harmless.
FLOOR: Final = 0.1
"""η: what is left of a unit's trust when all of its text is anomalous."""
# Each costs as much as the call that is checked, and a person follows no longer chain.
MAX_CALLS: Final = 12
"""Earlier calls whose arguments are traced too, the latest first, of those that had a part in the proposed one."""
ACTION: Final = "action"


class Part(StrEnum):
    """What a node of the proposed call is."""

    ACTION = "action"
    ARGUMENT = "argument"


class EdgeKind(StrEnum):
    """How one node contributed to another."""

    RETURNED = "returned"
    """A call and its outcome."""
    DOCUMENTED = "documented"
    """A tool's document and a call of the tool."""
    SUPPORTED = "supported"
    """A source and what takes a value from it: an argument leaf, or an earlier call."""
    PART = "part"
    """An argument leaf and the proposed call."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A stretch of a node's text; a node's stretches follow on one another and cover it."""

    start: int
    end: int
    anomalous: bool


@dataclass(frozen=True, slots=True)
class Node:
    """A content unit, or a part of the proposed call."""

    id: NodeId
    kind: SourceKind | Part
    base_trust: float | None
    """τ₀. Of a part of the call the lowest among its sources; None without any."""
    spans: tuple[Labelled, ...]
    """Empty for a part of the call and for an empty text."""
    trust: float | None
    """τ = τ₀ · max(η, benign characters / all characters). Of a part of the call the lowest among its sources."""

    @property
    def tainted(self) -> bool:
        """Whether any of its text is anomalous."""
        return any(span.anomalous for span in self.spans)


@dataclass(frozen=True, slots=True)
class Edge:
    """The source contributed to the target."""

    source: NodeId
    target: NodeId
    kind: EdgeKind
    evidence: tuple[Span, ...] = ()
    """For SUPPORTED: where the values stand."""
    tainted: bool = False
    """Whether any of the evidence touches anomalous text."""


@dataclass(frozen=True)
class InfluenceGraph:
    """Nodes in reading order, the proposed call last; edges lead from what came earlier to what came later."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def influence_graph(case: Case, anomalous: Iterable[Span], grounded: Grounds) -> InfluenceGraph:
    """The graph of a proposed call.

    `anomalous`: the anomalous spans of all sources, in any order; `segments.anomalous_in` reads them from findings.
    `grounded`: the spans that support each argument leaf, by JSON Pointer.
    Spans of no source of the case are left out.
    """
    sources = case.context.sources
    stretches: dict[SourceId, list[Span]] = {}
    for span in sorted(anomalous, key=lambda span: span.start):
        stretches.setdefault(span.source, []).append(span)
    units = {source.id: _unit_node(source, stretches.get(source.id, ())) for source in sources.values()}
    supporting = {
        f"{Part.ARGUMENT}{pointer}": [span for span in grounded.get(pointer, ()) if span.source in sources]
        for pointer, _ in leaves(dict(case.action.arguments))
        # A call without arguments is one leaf, at the root.
        if pointer
    }
    edges = (*_edges_of_history(case.context), *_edges_of_values(case, supporting))
    parts = [
        _part_node(argument, Part.ARGUMENT, [units[span.source] for span in spans])
        for argument, spans in supporting.items()
    ]
    action = _part_node(ACTION, Part.ACTION, [units[span.source] for spans in supporting.values() for span in spans])
    return InfluenceGraph((*units.values(), *parts, action), tuple(_with_taint(edge, units) for edge in edges))


def _unit_node(source: Source, anomalous: Sequence[Span]) -> Node:
    labelled = tuple(_labelled_stretches(len(source.text), anomalous))
    benign = sum(span.end - span.start for span in labelled if not span.anomalous)
    share = benign / len(source.text) if source.text else 1.0
    return Node(source.id, source.kind, source.trust, labelled, source.trust * max(FLOOR, share))


def _labelled_stretches(length: int, anomalous: Sequence[Span]) -> Iterator[Labelled]:
    """The text in stretches, from spans in the order of their starts, which may overlap or reach too far."""
    at = 0
    for span in anomalous:
        start, end = max(at, span.start), min(span.end, length)
        if start < end:
            if at < start:
                yield Labelled(at, start, anomalous=False)
            yield Labelled(start, end, anomalous=True)
            at = end
    # What follows the last anomaly is benign, too: stretches cover the text.
    if at < length:
        yield Labelled(at, length, anomalous=False)


def _edges_of_history(context: Context) -> Iterator[Edge]:
    for position, step in enumerate(context.history, start=1):
        call = f"history/{position}/call"
        if isinstance(step, Step) and context.tool(step.tool):
            yield Edge(f"tool/{step.tool}", call, EdgeKind.DOCUMENTED)
        if isinstance(step, Step) and step.outcome is not None:
            yield Edge(call, f"history/{position}/outcome", EdgeKind.RETURNED)


def _edges_of_values(case: Case, supporting: Mapping[NodeId, Sequence[Span]]) -> Iterator[Edge]:
    """What gave the proposed call its values, and then what gave them to the calls whose outcomes these stood in."""
    # Earlier calls first: an edge stands behind those that lead to it.
    direct = [edge for argument, spans in supporting.items() for edge in _edges_from(spans, argument)]
    yield from _edges_of_calls(case.context, {edge.source for edge in direct})
    yield from direct
    if case.context.tool(case.action.tool):
        yield Edge(f"tool/{case.action.tool}", ACTION, EdgeKind.DOCUMENTED)
    yield from (Edge(argument, ACTION, EdgeKind.PART) for argument in supporting)


def _edges_of_calls(context: Context, sources: Collection[SourceId]) -> Iterator[Edge]:
    outcomes = {f"history/{n}/outcome": n for n in range(1, len(context.history) + 1)}
    waiting, traced = {outcomes[source] for source in sources if source in outcomes}, 0
    while waiting and traced < MAX_CALLS:
        # The latest first: its values may lead to earlier ones, never the other way round.
        position = max(waiting)
        waiting.remove(position)
        traced += 1
        edges = list(_edges_from(_values_of(context, position), f"history/{position}/call"))
        # What a call took its values from came before it: no position comes up twice.
        waiting |= {outcomes[edge.source] for edge in edges if edge.source in outcomes}
        yield from edges


def _values_of(context: Context, position: int) -> Iterator[Span]:
    """Where the values of an earlier call stood when it was made."""
    item = context.history[position - 1]
    if isinstance(item, Step):
        # What came later cannot have given it anything.
        earlier = replace(context, history=context.history[: position - 1])
        for leaf in Grounder(earlier).trace_call(ProposedAction(item.tool, item.arguments)).leaves:
            yield from leaf.spans


def _edges_from(spans: Iterable[Span], target: NodeId) -> Iterator[Edge]:
    by_source: dict[SourceId, list[Span]] = {}
    for span in dict.fromkeys(spans):
        by_source.setdefault(span.source, []).append(span)
    yield from (Edge(source, target, EdgeKind.SUPPORTED, tuple(supporting)) for source, supporting in by_source.items())


def _with_taint(edge: Edge, units: Mapping[NodeId, Node]) -> Edge:
    """The edge, tainted where any character of what supports it is anomalous."""
    for span in edge.evidence:
        # Stretches follow on one another: of a long text only those that the span touches are looked at.
        stretches = units[span.source].spans
        first = bisect_right(stretches, span.start, key=lambda stretch: stretch.end)
        last = bisect_left(stretches, span.end, key=lambda stretch: stretch.start)
        if any(stretch.anomalous for stretch in stretches[first:last]):
            return replace(edge, tainted=True)
    return edge


def _part_node(of: NodeId, kind: Part, sources: Sequence[Node]) -> Node:
    # A mix is only as trusted as its worst part.
    base = min((node.base_trust for node in sources if node.base_trust is not None), default=None)
    return Node(of, kind, base, (), min((node.trust for node in sources if node.trust is not None), default=None))
