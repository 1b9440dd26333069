"""The influence provenance graph: which text of the context had a part in the proposed call, and how far it is trusted.

ARGUS: nodes are content units, edges record which unit contributed to which; base trust goes from 1.0 (system, user)
down to 0.3 (messages of agents), and a unit's dynamic trust falls with the share of its text that is anomalous.
Neither a judge nor anything outside the case is needed, so that the graph of a stored check can be drawn again.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final, TypeAlias

from reviews.provenance.core.context import Case, Context, Message, ProposedAction, Source, SourceId, Span, Step, leaves
from reviews.provenance.core.findings import Finding, Relation
from reviews.provenance.grounding import Grounder
from reviews.provenance.influence.nodes import ACTION, Edge, EdgeKind, InfluenceGraph, Labelled, Node, NodeId, Part

# A type of its own: what grounding found is kept with the check, and the graph is drawn again from there.
Grounds: TypeAlias = Mapping[str, Sequence[Span]]
"""The spans that support each argument leaf of the proposed call, by JSON Pointer."""

# As published: a unit keeps a tenth, because what a finding calls anomalous may be harmless.
FLOOR: Final = 0.1
"""η: what is left of a unit's trust when all of its text is anomalous."""
# Each costs as much as the call that is checked, and a person follows no longer chain.
MAX_CALLS: Final = 12
"""Earlier calls whose arguments are traced too, the latest first, of those that had a part in the proposed one."""


def anomalous_in(findings: Iterable[Finding]) -> tuple[Span, ...]:
    """The stretches that a ContentSegmenter labelled anomalous."""
    tainted = (finding for finding in findings if finding.relation is Relation.UNTAINTED and finding.holds is False)
    return tuple(span for finding in tainted for span in finding.evidence)


def influence_graph(case: Case, anomalous: Iterable[Span], grounded: Grounds) -> InfluenceGraph:
    """The graph of a proposed call.

    `anomalous`: the anomalous spans of all sources, in any order; `anomalous_in` reads them from findings.
    `grounded`: the spans that support each argument leaf, by JSON Pointer.
    Spans of no source of the case are left out.
    """
    ordered = sorted(
        (span for span in anomalous if span.source in case.context.sources), key=lambda span: (span.source, span.start)
    )
    stretches = {source: tuple(spans) for source, spans in groupby(ordered, key=lambda span: span.source)}
    units = {source.id: _unit_node(source, stretches.get(source.id, ())) for source in case.context.sources.values()}
    edges = [_with_taint(edge, units) for edge in (*_of_history(case.context), *_of_values(case, grounded))]
    parts = _part_nodes(case.action, edges, units)
    return InfluenceGraph((*units.values(), *parts), tuple(edges))


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


def _of_history(context: Context) -> Iterator[Edge]:
    for position, step in enumerate(context.history, start=1):
        call = f"history/{position}/call"
        if isinstance(step, Step) and context.tool(step.tool):
            yield Edge(f"tool/{step.tool}", call, EdgeKind.DOCUMENTED)
        if isinstance(step, Step) and step.outcome is not None:
            yield Edge(call, f"history/{position}/outcome", EdgeKind.RETURNED)


def _of_values(case: Case, grounded: Grounds) -> Iterator[Edge]:
    """What gave the proposed call its values, and then what gave them to the calls whose outcomes these stood in."""
    sources = case.context.sources
    spans = {
        at: [span for span in grounded.get(at, ()) if span.source in sources] for at in _argument_pointers(case.action)
    }
    # Earlier calls first: an edge stands behind those that lead to it.
    direct = [edge for at, supporting in spans.items() for edge in _edges_from(supporting, _argument_id(at))]
    yield from _of_calls(case.context, {edge.source for edge in direct})
    yield from direct
    if case.context.tool(case.action.tool):
        yield Edge(f"tool/{case.action.tool}", ACTION, EdgeKind.DOCUMENTED)
    yield from (Edge(_argument_id(at), ACTION, EdgeKind.PART) for at in _argument_pointers(case.action))


def _of_calls(context: Context, sources: Collection[SourceId]) -> Iterator[Edge]:
    outcomes = {f"history/{n}/outcome": n for n in range(1, len(context.history) + 1)}
    waiting, traced = {outcomes[source] for source in sources if source in outcomes}, 0
    while waiting and traced < MAX_CALLS:
        # The latest first: its values may lead to earlier ones, never the other way round.
        position = max(waiting)
        waiting.remove(position)
        item, traced = context.history[position - 1], traced + 1
        edges = list(_edges_from(_values_of(context, position, item), f"history/{position}/call"))
        # What a call took its values from came before it: no position comes up twice.
        waiting |= {outcomes[edge.source] for edge in edges if edge.source in outcomes}
        yield from edges


def _values_of(context: Context, position: int, item: Step | Message) -> Iterator[Span]:
    """Where the values of an earlier call stood when it was made."""
    if isinstance(item, Step):
        # What came later cannot have given it anything.
        earlier = replace(context, history=context.history[: position - 1])
        for leaf in Grounder(earlier).trace_arguments(ProposedAction(item.tool, item.arguments)):
            yield from leaf.spans


def _edges_from(spans: Iterable[Span], target: NodeId) -> Iterator[Edge]:
    by_source: dict[SourceId, list[Span]] = {}
    for span in dict.fromkeys(spans):
        by_source.setdefault(span.source, []).append(span)
    yield from (Edge(source, target, EdgeKind.SUPPORTED, tuple(supporting)) for source, supporting in by_source.items())


def _with_taint(edge: Edge, units: Mapping[SourceId, Node]) -> Edge:
    """The edge, tainted where any character of what supports it is anomalous."""
    unit = units.get(edge.source)
    if unit is None:
        return edge
    for span in edge.evidence:
        # Stretches follow on one another: of a long text only those that the span touches are looked at.
        first = bisect_right(unit.spans, span.start, key=lambda stretch: stretch.end)
        last = bisect_left(unit.spans, span.end, key=lambda stretch: stretch.start)
        if any(stretch.anomalous for stretch in unit.spans[first:last]):
            return replace(edge, tainted=True)
    return edge


def _part_nodes(action: ProposedAction, edges: Sequence[Edge], units: Mapping[SourceId, Node]) -> Iterator[Node]:
    sources: dict[NodeId, list[Node]] = {}
    for edge in edges:
        if edge.kind is EdgeKind.SUPPORTED and edge.source in units:
            sources.setdefault(edge.target, []).append(units[edge.source])
    pointers = [_argument_id(pointer) for pointer in _argument_pointers(action)]
    yield from (_part_node(argument, Part.ARGUMENT, sources.get(argument, ())) for argument in pointers)
    yield _part_node(ACTION, Part.ACTION, [node for argument in pointers for node in sources.get(argument, ())])


def _part_node(of: NodeId, kind: Part, sources: Sequence[Node]) -> Node:
    # A mix is only as trusted as its worst part.
    base = min((node.base_trust for node in sources if node.base_trust is not None), default=None)
    return Node(of, kind, base, (), min((node.trust for node in sources if node.trust is not None), default=None))


def _argument_pointers(action: ProposedAction) -> Sequence[str]:
    """The argument leaves; a call without arguments has none."""
    return [pointer for pointer, _ in leaves(dict(action.arguments)) if pointer]


def _argument_id(pointer: str) -> NodeId:
    return f"{Part.ARGUMENT}{pointer}"
