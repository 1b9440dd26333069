"""Which text had a part in a proposed call, and which of it is out of place (ARGUS)."""

from reviews.provenance.influence.found import anomalous_in
from reviews.provenance.influence.graph import Grounds, influence_graph
from reviews.provenance.influence.nodes import ACTION, Edge, InfluenceGraph, Labelled, Node, Part, Why

__all__ = [
    "ACTION", "Edge", "Grounds", "InfluenceGraph", "Labelled", "Node", "Part", "Why", "anomalous_in",
    "influence_graph",
]  # fmt: skip
