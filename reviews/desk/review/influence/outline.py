"""The part of the influence graph that a person can take in: what led to the call, and the rest as one number.

A call of the history and what it returned are one unit here; a tool's document is left out unless something in it is
anomalous or a value comes from it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from reviews.desk.review.influence import Column
from reviews.desk.review.influence.graph import ACTION, Edge, EdgeKind, InfluenceGraph, Node, Part
from reviews.provenance.core.context import Span
from reviews.provenance.core.trust import SourceKind

# Units drawn of the sources, and as many of the earlier calls: about the height of a screen, and few enough that
# single lines can still be followed.
MOST: Final = 8
# Groups of sources, from top to bottom: the request and the rules first, as a reader expects them, documents last.
_SOURCE_ORDER: Final = MappingProxyType(
    {
        SourceKind.USER_QUERY: 0,
        SourceKind.REVIEWER: 0,
        SourceKind.SYSTEM_PROMPT: 0,
        SourceKind.SKILL: 1,
        SourceKind.MEMORY: 1,
        SourceKind.RETRIEVED: 1,
        SourceKind.AGENT_MESSAGE: 2,
        SourceKind.TOOL_DOC: 3,
    }
)


@dataclass(frozen=True)
class Unit:
    """A node of the outline."""

    id: str
    """The graph's, or `history/2` for the second step."""
    node: Node
    """Of a step what it returned, if it is recorded."""

    @property
    def column(self) -> Column:
        """Where it is drawn."""
        match self.node.kind:
            case Part.ACTION:
                return Column.CALL
            case Part.ARGUMENT:
                return Column.ARGUMENTS
            case SourceKind.TOOL_CALL | SourceKind.TOOL_OUTPUT:
                return Column.CALLS
            case _:
                return Column.SOURCES

    @property
    def anomalous(self) -> int:
        """Anomalous stretches of its text."""
        return sum(stretch.anomalous for stretch in self.node.spans)


@dataclass(frozen=True)
class Link:
    """One unit had a part in another."""

    source: str
    target: str
    evidence: tuple[Span, ...] = ()
    tainted: bool = False


@dataclass(frozen=True)
class Outline:
    """What is drawn, in reading order, and what is not."""

    units: tuple[Unit, ...]
    links: tuple[Link, ...]
    undrawn: tuple[Unit, ...]
    """Texts that do not lead to the call, and those for which there is no room."""

    def supporters(self, of: str) -> list[str]:
        """What had a part in this unit, in reading order."""
        direct = {link.source for link in self.links if link.target == of}
        return [unit.id for unit in self.units if unit.id in direct]

    def supported(self, by: str) -> list[Unit]:
        """What this unit had a part in, in reading order."""
        direct = {link.target for link in self.links if link.source == by}
        return [unit for unit in self.units if unit.id in direct]


def outline_of(graph: InfluenceGraph, arguments: Sequence[str]) -> Outline:
    """The outline with these argument nodes in this order; the call itself is always in it."""
    # A call comes before its outcome in the graph, and so the outcome's node replaces it.
    units = {unit_of(node.id): Unit(unit_of(node.id), node) for node in graph.nodes}
    links = _links(graph, units)
    leading = _leading_to_call(links)
    candidates = [unit for unit in units.values() if unit.id in leading]
    near = {link.source for link in links if link.target in (*arguments, ACTION)}
    drawn = [
        *_foremost(candidates, Column.SOURCES, near),
        *_foremost(candidates, Column.CALLS, near),
        *(units[node] for node in (*arguments, ACTION)),
    ]
    drawn_ids = {unit.id for unit in drawn}
    # Arguments that are not drawn are no texts and count elsewhere on the page.
    undrawn = [unit for unit in units.values() if unit.column < Column.ARGUMENTS and unit.id not in drawn_ids]
    drawn_links = tuple(link for link in links if {link.source, link.target} <= drawn_ids)
    return Outline(tuple(drawn), drawn_links, tuple(undrawn))


def unit_of(node: str) -> str:
    """The unit a node belongs to: `history/2` for `history/2/call` and `history/2/outcome`."""
    step, _, part = node.rpartition("/")
    return step if part in ("call", "outcome") and node.startswith("history/") else node


def _links(graph: InfluenceGraph, units: Mapping[str, Unit]) -> list[Link]:
    """One link for all edges between two units, without those within a unit."""
    edges: dict[tuple[str, str], list[Edge]] = {}
    for edge in graph.edges:
        source, target = unit_of(edge.source), unit_of(edge.target)
        # Every call has its tool's document behind it: that is only worth a line when the document is suspicious.
        if source != target and (edge.kind is not EdgeKind.DOCUMENTED or units[source].anomalous):
            edges.setdefault((source, target), []).append(edge)
    return [
        Link(
            source=source,
            target=target,
            evidence=tuple(span for edge in parallel for span in edge.evidence),
            tainted=any(edge.tainted for edge in parallel),
        )
        for (source, target), parallel in edges.items()
    ]


def _leading_to_call(links: Iterable[Link]) -> set[str]:
    """Every unit from which links lead to the call, with the call."""
    into: dict[str, list[str]] = {}
    for link in links:
        into.setdefault(link.target, []).append(link.source)
    reached, pending = {ACTION}, [ACTION]
    while pending:
        new = set(into.get(pending.pop(), ())) - reached
        reached |= new
        pending += sorted(new)
    return reached


def _foremost(units: Iterable[Unit], column: Column, near: Collection[str]) -> list[Unit]:
    """The units of a column in reading order; where there is no room for all, the anomalous and the near ones."""
    ordered = sorted(
        (unit for unit in units if unit.column is column),
        key=lambda unit: _SOURCE_ORDER.get(SourceKind(unit.node.kind), 0),
    )
    # Sorting is stable: among equals the latest are kept, which the call is likelier to rest on.
    latest_first = list(reversed(ordered))
    chosen = sorted(latest_first, key=lambda unit: (not unit.anomalous, unit.id not in near))[:MOST]
    return [unit for unit in ordered if unit in chosen]
