"""The influence graph as a person can take it in: what led to the call, and the rest as one number.

A call of the history and what it returned are one unit here; a tool's document is left out unless something in it is
anomalous or a value comes from it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from reviews.desk.review.influence import Column
from reviews.provenance.core.context import SourceKind, Span
from reviews.provenance.influence import ACTION, Edge, InfluenceGraph, Node, Part, Why

MOST: Final = 8
"""Units drawn of the sources, and as many of the earlier calls."""
_ORDER: Final = MappingProxyType(
    {
        SourceKind.USER_QUERY: 0,
        SourceKind.SYSTEM_PROMPT: 0,
        SourceKind.SKILL: 1,
        SourceKind.MEMORY: 1,
        SourceKind.RETRIEVED: 1,
        SourceKind.AGENT_MESSAGE: 2,
        SourceKind.TOOL_DOC: 3,
    }
)
"""Groups of sources, from top to bottom."""


@dataclass(frozen=True)
class Unit:
    """A node of the outline."""

    id: str
    """The graph's, or `history/2` for the second step."""
    node: Node
    """Of a step what it returned, if that is known."""

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
    others: tuple[Unit, ...]
    """Texts that do not lead to the call, and those for which there is no room."""

    def supporters(self, of: str) -> list[str]:
        """What had a part in this unit, in reading order."""
        direct = {link.source for link in self.links if link.target == of}
        return [unit.id for unit in self.units if unit.id in direct]

    def supported(self, by: str) -> list[str]:
        """What this unit had a part in, in reading order."""
        direct = {link.target for link in self.links if link.source == by}
        return [unit.id for unit in self.units if unit.id in direct]


def outline_of(graph: InfluenceGraph, arguments: Sequence[str]) -> Outline:
    """The outline with these argument nodes in this order; the call itself is always in it."""
    units = {unit.id: unit for unit in _units(graph)}
    links = list(_links(graph, units))
    leading = _leading(links)
    wanted = [unit for unit in units.values() if unit.id in leading]
    near = {link.source for link in links if link.target in (*arguments, ACTION)}
    drawn = [*_foremost(wanted, Column.SOURCES, near), *_foremost(wanted, Column.CALLS, near)]
    drawn += [units[node] for node in (*arguments, ACTION)]
    names = {unit.id for unit in drawn}
    others = [unit for unit in units.values() if unit.column < Column.ARGUMENTS and unit.id not in names]
    shown = tuple(link for link in links if {link.source, link.target} <= names)
    return Outline(tuple(drawn), shown, tuple(others))


def unit_of(node: str) -> str:
    """The unit a node belongs to: `history/2` for `history/2/call` and `history/2/outcome`."""
    step, _, part = node.rpartition("/")
    return step if part in ("call", "outcome") and node.startswith("history/") else node


def _units(graph: InfluenceGraph) -> Iterator[Unit]:
    # A call comes before its outcome, which then takes its place.
    units = {unit_of(node.id): Unit(unit_of(node.id), node) for node in graph.nodes}
    yield from units.values()


def _links(graph: InfluenceGraph, units: Mapping[str, Unit]) -> Iterator[Link]:
    edges: dict[tuple[str, str], list[Edge]] = {}
    for edge in graph.edges:
        ends = unit_of(edge.source), unit_of(edge.target)
        if ends[0] != ends[1] and (edge.why is not Why.DOCUMENTED or units[ends[0]].anomalous):
            edges.setdefault(ends, []).append(edge)
    for (source, target), found in edges.items():
        evidence = tuple(span for edge in found for span in edge.evidence)
        yield Link(source, target, evidence, any(edge.tainted for edge in found))


def _leading(links: Iterable[Link]) -> set[str]:
    """Every unit from which links lead to the call."""
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
        (unit for unit in units if unit.column is column), key=lambda unit: _ORDER.get(SourceKind(unit.node.kind), 0)
    )
    latest_first = list(reversed(ordered))
    kept = sorted(latest_first, key=lambda unit: (not unit.anomalous, unit.id not in near))[:MOST]
    return [unit for unit in ordered if unit in kept]
