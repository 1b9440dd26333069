"""Which text had a part in a proposed call, and which of it is out of place (ARGUS)."""

from reviews.provenance.influence.graph import (
    ACTION,
    Edge,
    EdgeKind,
    Grounds,
    InfluenceGraph,
    Labelled,
    Node,
    Part,
    anomalous_in,
    influence_graph,
)

__all__ = [
    "ACTION", "Edge", "EdgeKind", "Grounds", "InfluenceGraph", "Labelled", "Node", "Part", "anomalous_in",
    "influence_graph",
]  # fmt: skip
