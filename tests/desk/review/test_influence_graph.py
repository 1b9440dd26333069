from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.desk.review.influence.graph import (
    ACTION,
    MAX_CALLS,
    EdgeKind,
    InfluenceGraph,
    Node,
    Part,
    influence_graph,
)
from reviews.provenance.core.context import Case, Context, NamedText, ProposedAction, Span, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind

PAY = ToolDoc("pay", "Pay somebody.", {"properties": {"to": {"type": "string"}}})
FIND = ToolDoc("find", "Find a person.", environment_changing=False)
HISTORY = (
    Step("find", {"name": "Daniel"}, '{"name": "Daniel", "group": "G-88121"}'),
    Step("find", {"group": "G-88121"}, '{"account": "A-4471", "owner": "Daniel"}'),
    Step("find", {"name": "Nora"}, '{"account": "A-9999"}'),
)
CASE = Case(
    Context("Pay Daniel", (PAY, FIND), HISTORY, (NamedText(SourceKind.AGENT_MESSAGE, "helper", "0123456789"),)),
    ProposedAction("pay", {"to": "A-4471"}),
)


def span(source: str, quote: str, case: Case = CASE) -> Span:
    at = case.context.sources[source].text.index(quote)
    return Span(source, at, at + len(quote), quote)


GROUNDED = {"/to": (span("history/2/outcome", "A-4471"),)}


def graph(*anomalous: Span, grounded: Mapping[str, Sequence[Span]] = GROUNDED, case: Case = CASE) -> InfluenceGraph:
    return influence_graph(case, anomalous, grounded)


def node(drawn: InfluenceGraph, of: str) -> Node:
    return next(each for each in drawn.nodes if each.id == of)


def check_edge(drawn: InfluenceGraph, source: str, target: str, why: EdgeKind | None) -> None:
    """The edge is there for this reason; None: there is none."""
    found = {(each.source, each.target): each.kind for each in drawn.edges}
    assert found.get((source, target)) == why


@pytest.mark.parametrize(
    ("source", "target", "why"),
    [
        ("tool/find", "history/1/call", EdgeKind.DOCUMENTED),
        ("history/1/call", "history/1/outcome", EdgeKind.RETURNED),
        ("query", "history/1/call", EdgeKind.SUPPORTED),
        ("history/1/outcome", "history/2/call", EdgeKind.SUPPORTED),
        ("history/2/outcome", "argument/to", EdgeKind.SUPPORTED),
        ("argument/to", ACTION, EdgeKind.PART),
        ("tool/pay", ACTION, EdgeKind.DOCUMENTED),
        ("tool/pay", "history/1/call", None),
        ("history/3/outcome", "argument/to", None),
        ("history/2/outcome", "history/1/call", None),
    ],
)
def test_who_contributed_to_what(source: str, target: str, why: EdgeKind | None) -> None:
    check_edge(graph(), source, target, why)


def test_every_source_is_one_node_in_reading_order_and_the_call_comes_last() -> None:
    assert [each.id for each in graph().nodes] == [*CASE.context.sources, "argument/to", ACTION]


def test_trust_falls_with_the_anomalous_share() -> None:
    helper = node(graph(Span("source/helper", 0, 4, "0123")), "source/helper")
    assert helper.base_trust == 0.3
    assert helper.trust == pytest.approx(0.3 * 0.6)
    assert [(each.start, each.end, each.anomalous) for each in helper.spans] == [(0, 4, True), (4, 10, False)]


def test_trust_never_reaches_zero() -> None:
    helper = node(graph(Span("source/helper", 0, 10, "0123456789")), "source/helper")
    # η as published.
    assert helper.trust == pytest.approx(0.3 * 0.1)


def test_a_benign_source_keeps_its_base_trust() -> None:
    assert (node(graph(), "query").trust, node(graph(), "query").tainted) == (1.0, False)


def test_a_value_is_as_trusted_as_the_worst_of_its_sources() -> None:
    mixed = {"/to": (span("query", "Daniel"), *GROUNDED["/to"])}
    drawn = graph(Span("history/2/outcome", 0, 18, ""), grounded=mixed)
    outcome = node(drawn, "history/2/outcome")
    assert node(drawn, "argument/to").trust == node(drawn, ACTION).trust == outcome.trust
    assert node(drawn, "argument/to").base_trust == 0.5


def test_a_value_without_source_has_no_trust() -> None:
    drawn = graph(grounded={})
    assert (node(drawn, "argument/to").trust, node(drawn, ACTION).trust) == (None, None)
    check_edge(drawn, "argument/to", ACTION, EdgeKind.PART)


def test_an_edge_from_anomalous_text_says_so() -> None:
    bad = span("history/2/outcome", '"A-4471", "owner"')
    tainted = {(edge.source, edge.target) for edge in graph(bad).edges if edge.tainted}
    assert tainted == {("history/2/outcome", "argument/to")}


def test_an_edge_from_benign_text_beside_anomalous_text_does_not() -> None:
    assert not any(edge.tainted for edge in graph(span("history/2/outcome", "owner")).edges)


def test_spans_of_unknown_sources_and_beyond_the_end_do_no_harm() -> None:
    drawn = graph(Span("nothing", 0, 3, ""), Span("source/helper", 8, 99, ""), Span("source/helper", 50, 60, ""))
    assert [(each.start, each.end) for each in node(drawn, "source/helper").spans] == [(0, 8), (8, 10)]


def test_evidence_of_unknown_sources_is_left_out() -> None:
    drawn = graph(grounded={"/to": (Span("nothing", 0, 3, "abc"),), "/other": GROUNDED["/to"]})
    assert not [edge for edge in drawn.edges if edge.kind is EdgeKind.SUPPORTED]


def test_a_call_without_arguments_is_one_node() -> None:
    drawn = graph(grounded={}, case=Case(CASE.context, ProposedAction("pay", {})))
    assert [each.id for each in drawn.nodes if isinstance(each.kind, Part)] == [ACTION]


def test_an_undocumented_tool_has_no_document() -> None:
    drawn = graph(case=Case(CASE.context, ProposedAction("nothing", {"to": "A-4471"})))
    assert not [edge for edge in drawn.edges if edge.target == ACTION and edge.kind is EdgeKind.DOCUMENTED]


def test_only_so_many_earlier_calls_are_traced() -> None:
    steps = tuple(Step("find", {"id": f"id-{n:04}x"}, f'{{"id": "id-{n + 1:04}x"}}') for n in range(3 * MAX_CALLS))
    case = Case(Context("Find id-0000x", (FIND, PAY), steps), ProposedAction("pay", {"to": f"id-{3 * MAX_CALLS:04}x"}))
    last = f"history/{3 * MAX_CALLS}/outcome"
    drawn = graph(grounded={"/to": (span(last, "id", case),)}, case=case)
    calls = [edge.target for edge in drawn.edges if edge.kind is EdgeKind.SUPPORTED and edge.target.endswith("call")]
    assert list(dict.fromkeys(calls)) == [f"history/{n}/call" for n in range(3 * MAX_CALLS, 2 * MAX_CALLS, -1)]


@given(st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=8))
def test_the_stretches_of_a_node_cover_its_text_once(places: list[tuple[int, int]]) -> None:
    helper = node(graph(*(Span("source/helper", start, end, "") for start, end in places)), "source/helper")
    assert (helper.spans[0].start, helper.spans[-1].end) == (0, 10)
    assert all(one.end == other.start for one, other in pairwise(helper.spans))
    bad = {at for start, end in places for at in range(start, min(end, 10))}
    assert {at for each in helper.spans if each.anomalous for at in range(each.start, each.end)} == bad
