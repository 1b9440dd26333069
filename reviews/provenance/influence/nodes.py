"""What an influence provenance graph is made of."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from reviews.provenance.core.context import SourceKind, Span

NodeId: TypeAlias = str
"""A source's id; `action` for the proposed call; `argument/to` for the argument leaf `/to` of it."""

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
