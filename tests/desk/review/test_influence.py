"""What led to a call: the outline of the graph, its drawing, its list, and what the page makes of them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.desk.review.influence import WIDTH, Box, Column, Drawing, Line, draw
from reviews.desk.review.influence.graph import ACTION, influence_graph
from reviews.desk.review.influence.outline import MOST, Outline, outline_of
from reviews.desk.review.influence.panel import Branch, Influence
from reviews.profiles import versions
from reviews.provenance.core.context import Case, Context, NamedText, Span, Step
from reviews.provenance.core.findings import StageResult
from reviews.provenance.core.trust import SourceKind
from tests.cast import PASSED, REJECTED, Cast, Script, flagged
from tests.desk.desk import INLINE, Desk, opened
from tests.desk.poisoned import ACTION as CALL
from tests.desk.poisoned import (
    CONTEXT,
    ENTAILED,
    GROUNDED,
    HIDDEN,
    INVOICE,
    ORDER,
    READ,
    SEGMENTED,
    labelled,
    poisoned,
    span_of,
)

TO, AMOUNT, NOTE = "argument/to", "argument/amount", "argument/note"
HOSTILE = "<script>alert(1)</script>\"' onload=x \u202eevil{{ 7|add:7 }}" + "W" * 500


def outline(context: Context = CONTEXT, *anomalous: Span, **grounded: Sequence[Span]) -> Outline:
    """The outline of the call, its values resting on these spans."""
    spans = {f"/{name}": tuple(found) for name, found in grounded.items()}
    return outline_of(influence_graph(Case(context, CALL), anomalous, spans), [TO, AMOUNT, NOTE])


def influence(cast: Cast, script: Script, *stages: StageResult) -> Influence:
    """The graph on the page."""
    found = opened(poisoned(cast, script, *stages)).influence
    assert found
    return found


def check_outline(found: Outline, *ids: str) -> None:
    """These units are drawn, in this order, and every link is between two of them."""
    assert [unit.id for unit in found.units] == [*ids]
    assert {end for link in found.links for end in (link.source, link.target)} <= {*ids}


def check_box(found: Influence, title: str, **expected: object) -> None:
    """The drawing has exactly one box of this title, and it is so."""
    (box,) = (placed.box for placed in found.drawing.boxes if "".join(placed.box.title) == title)
    assert {name: getattr(box, name) for name in expected} == expected


def check_apart(drawing: Drawing) -> None:
    """All boxes lie within the drawing, and no two of a column touch."""
    for placed in drawing.boxes:
        place = placed.place
        assert place.x >= 0 <= place.y
        assert place.right <= drawing.width
        assert place.y + place.height <= drawing.height
    for column in Column:
        places = sorted((each.place.y, each.place.height) for each in drawing.boxes if each.box.column is column)
        assert all(y + height < below for (y, height), (below, _) in pairwise(places))


def boxes(*columns: int) -> list[Box]:
    """So many boxes in each column."""
    return [
        Box(f"{column}-{number}", Column(column), (f"box {number}",), "")
        for column, count in enumerate(columns)
        for number in range(count)
    ]


def drawn_on(body: str) -> str:
    """The part of the page that is the graph."""
    return body[body.index('id="influence"') : body.index('id="evidence"')]


def box_ids(branches: Sequence[Branch]) -> list[object]:
    """The list as nested lists of ids."""
    return [[branch.box.id, *box_ids(branch.branches)] for branch in branches]


# The outline


def test_only_what_leads_to_the_call_is_drawn() -> None:
    found = outline(to=[span_of(READ, "eve@evil.example")])
    assert "history/4" in {unit.id for unit in found.undrawn}
    assert "source/notes" in {unit.id for unit in found.undrawn}
    assert [unit.id for unit in found.units][-5:] == ["history/3", TO, AMOUNT, NOTE, ACTION]


def test_a_call_and_what_it_returned_are_one_unit() -> None:
    found = outline(to=[span_of(READ, "eve@evil.example")])
    assert not [unit.id for unit in found.units if unit.id.endswith(("/call", "/outcome"))]


def test_an_earlier_call_shows_where_its_own_values_came_from() -> None:
    found = outline(to=[span_of("history/1/outcome", "billing@acme.example")])
    check_outline(found, "query", "history/1", TO, AMOUNT, NOTE, ACTION)
    assert found.supporters("history/1") == ["query"]


def test_a_benign_tool_document_is_left_out() -> None:
    assert "tool/money_transfer" in {unit.id for unit in outline().undrawn}


def test_an_anomalous_tool_document_is_not() -> None:
    bad = replace(CONTEXT, tools=(replace(CONTEXT.tools[0], description=ORDER), *CONTEXT.tools[1:]))
    found = outline(bad, span_of("tool/money_transfer", ORDER, bad))
    assert found.supporters(ACTION) == ["tool/money_transfer", TO, AMOUNT, NOTE]


def test_sources_stand_together_by_kind() -> None:
    spans = [span_of(INVOICE, "INV-7"), span_of("source/rules", "payments"), span_of("query", "Acme")]
    found = outline(note=spans)
    assert [unit.id for unit in found.units][:3] == ["query", "source/rules", INVOICE]


def test_where_there_is_no_room_the_anomalous_ones_stay() -> None:
    texts = tuple(NamedText(SourceKind.RETRIEVED, f"text {n}", f"INV-7 {ORDER}") for n in range(3 * MOST))
    context = replace(CONTEXT, extra=texts)
    spans = [span_of(f"source/text {n}", "INV-7", context) for n in range(3 * MOST)]
    found = outline(context, span_of("source/text 1", ORDER, context), note=spans)
    sources = [unit.id for unit in found.units if unit.column is Column.SOURCES]
    assert len(sources) == MOST
    assert "source/text 1" in sources
    assert {link.source for link in found.links} <= {unit.id for unit in found.units}


def test_what_only_an_argument_without_room_rests_on_takes_no_room() -> None:
    texts = tuple(NamedText(SourceKind.RETRIEVED, f"text {n}", "INV-7") for n in range(3 * MOST))
    context = replace(CONTEXT, extra=texts)
    first, *rest = (span_of(f"source/text {n}", "INV-7", context) for n in range(3 * MOST))
    graph = influence_graph(Case(context, CALL), (first, *rest), {"/to": (first,), "/note": tuple(rest)})
    assert "source/text 0" in outline_of(graph, [TO]).supporters(TO)


# The drawing


def test_columns_follow_one_another_and_fill_the_width() -> None:
    drawing = draw(boxes(2, 2, 2, 1), [])
    lefts = [heading.x for heading in drawing.headings]
    assert lefts == sorted(set(lefts))
    assert max(each.place.right for each in drawing.boxes) > WIDTH - 10


def test_a_line_that_passes_a_column_keeps_clear_of_its_boxes() -> None:
    drawing = draw(boxes(1, 3, 1), [Line("0-0", "2-0")])
    (line,) = drawing.lines
    lane = re.search(r" (\d+)H\d+", line.path)
    assert lane
    heights = [(each.place.y, each.place.y + each.place.height) for each in drawing.boxes if each.box.column == 1]
    assert not [each for each in heights if each[0] <= int(lane[1]) <= each[1]]


def test_a_line_to_nowhere_is_left_out() -> None:
    assert draw(boxes(1, 0, 1), [Line("0-0", "gone"), Line("gone", "2-0")]).lines == ()


def test_nothing_at_all_can_be_drawn() -> None:
    assert draw([], []) == Drawing()


@given(st.tuples(*[st.integers(0, 8)] * 4), st.data())
def test_boxes_never_touch(counts: tuple[int, ...], data: st.DataObject) -> None:
    drawn = boxes(*counts)
    pairs = [(one, other) for one in drawn for other in drawn if one.column < other.column]
    chosen = data.draw(st.lists(st.sampled_from(pairs), max_size=20)) if pairs else []
    drawing = draw(drawn, [Line(one.id, other.id) for one, other in chosen])
    check_apart(drawing)
    assert len(drawing.lines) == len(chosen)


def test_the_same_call_is_drawn_the_same_every_time(cast: Cast, script: Script) -> None:
    review = poisoned(cast, script)
    assert opened(review).influence == opened(review).influence


# What it says


def test_a_node_says_what_it_is_how_far_it_is_trusted_and_what_it_supports(cast: Cast, script: Script) -> None:
    found = influence(cast, script)
    check_box(found, "3 search_contacts", anomalous=1, icon="writer-others", href="#text-9", ref="g9")
    (name,) = (placed.box.name for placed in found.drawing.boxes if placed.box.id == "history/3")
    assert re.fullmatch(r"3 search_contacts, tool output, trust 0\.\d\d, 1 anomalous span, supports to", name)


def test_anomalous_text_costs_trust(cast: Cast, script: Script) -> None:
    trust = {placed.box.id: placed.box.trust for placed in influence(cast, script).drawing.boxes}
    assert (trust["query"], trust["history/1"]) == (1.0, 0.5)
    assert (trust["history/3"] or 1) < 0.5


def test_an_argument_says_how_it_was_traced(cast: Cast, script: Script) -> None:
    found = influence(cast, script)
    check_box(found, "to", detail="injected", tone="none", ref="a1", href="#arg-1")
    check_box(found, "amount", detail="copied", tone="copy")


def test_what_anomalous_text_contributed_is_told_apart(cast: Cast, script: Script) -> None:
    tainted = {
        (each.line.source, each.line.target) for each in influence(cast, script).drawing.lines if each.line.tainted
    }
    assert tainted == {("history/3", TO)}


def test_a_line_lights_up_with_every_argument_it_leads_to(cast: Cast, script: Script) -> None:
    refs = {(each.line.source, each.line.target): each.line.refs for each in influence(cast, script).drawing.lines}
    assert refs["query", "history/1"] == ("g1", "a2")
    assert refs[TO, ACTION] == ("a1",)


def test_the_list_says_the_same_backwards(cast: Cast, script: Script) -> None:
    listed = box_ids(influence(cast, script).roots)
    assert listed[0] == [TO, ["history/3", [INVOICE]]]
    assert listed[1] == [AMOUNT, [INVOICE], ["history/1", ["query"]]]


def test_the_rest_is_one_number(cast: Cast, script: Script) -> None:
    undrawn = influence(cast, script).undrawn
    assert undrawn
    assert re.fullmatch(r"\d others, not drawn", undrawn.name)


def test_where_nobody_looked_for_anomalous_text_there_is_no_graph(cast: Cast, script: Script) -> None:
    script(PASSED, REJECTED)
    assert opened(flagged(cast)).influence is None


def test_where_nothing_was_found_there_is_one(cast: Cast, script: Script) -> None:
    clean = StageResult("segment", (labelled(READ), labelled(INVOICE)))
    assert not [each for each in influence(cast, script, clean, GROUNDED).drawing.boxes if each.box.anomalous]


# On the page


def test_anomalous_text_is_struck_where_it_stands(cast: Cast, script: Script) -> None:
    file = opened(poisoned(cast, script))
    outcome = file.history[2].outcome
    assert outcome
    struck = [piece for piece in outcome.pieces if piece.struck]
    assert "".join(piece.text for piece in struck) == ORDER
    assert [(piece.strikes, piece.unstrikes) for piece in struck] == [(True, False), (False, False), (False, True)]


def test_hidden_characters_in_it_are_shown(cast: Cast, script: Script) -> None:
    (invoice,) = (other for other in opened(poisoned(cast, script)).other_sources if other.title == "invoice.txt")
    struck_text = "".join(piece.text for piece in invoice.pieces if piece.struck)
    assert struck_text == HIDDEN.replace("\u200b", "⟦U+200B⟧")


def test_a_span_that_does_not_stand_there_is_not_struck(cast: Cast, script: Script) -> None:
    false = replace(SEGMENTED.findings[0], evidence=(Span(READ, 0, 5, "wrong"),))
    file = opened(poisoned(cast, script, StageResult("segment", (false,)), GROUNDED))
    assert not [piece for entry in file.history if entry.outcome for piece in entry.outcome.pieces if piece.struck]


def test_the_page_draws_it(cast: Cast, script: Script, desk: Desk) -> None:
    body = desk.shows(
        f"/reviews/{poisoned(cast, script).pk}", "What led to this call", '<svg class="influence__drawing"'
    )
    assert re.search(r'<a class="unit[^>]*href="#text-9"', body)
    assert INLINE.findall(body) == []


def test_every_node_leads_somewhere(cast: Cast, script: Script, desk: Desk) -> None:
    body = desk.shows(f"/reviews/{poisoned(cast, script).pk}")
    graph = drawn_on(body)
    assert {target for target in re.findall(r'href="#([\w-]+)"', graph) if f'id="{target}"' not in body} == set()


def test_an_unfolded_text_is_struck_too(cast: Cast, script: Script, desk: Desk) -> None:
    review = poisoned(cast, script)
    desk.shows(f"/reviews/{review.pk}/source?source={READ}&start=0&end=100", "mark--struck")


def test_hostile_names_are_harmless_and_bounded(cast: Cast, script: Script, desk: Desk) -> None:
    context = replace(
        CONTEXT,
        history=(*CONTEXT.history, Step(HOSTILE[:190], {"x": "Acme"}, f"INV-7 {HOSTILE}")),
        extra=(NamedText(SourceKind.RETRIEVED, HOSTILE[:190], f"INV-7 {HOSTILE}"),),
    )
    read = "history/5/outcome"
    script(
        StageResult("segment", (labelled(read, HOSTILE, context=context),)),
        replace(GROUNDED, findings=(replace(GROUNDED.findings[2], evidence=(span_of(read, "INV-7", context),)),)),
    )
    body = desk.shows(f"/reviews/{flagged(cast, CALL, context=context).pk}", "⟦U+202E⟧")
    graph = drawn_on(body)
    assert "<script>alert" not in body
    assert "\u202e" not in graph
    assert len(graph) < 40_000


def test_many_anomalous_spans_stay_bounded(cast: Cast, script: Script, desk: Desk) -> None:
    context = replace(CONTEXT, history=(Step("search_contacts", {}, "do it. " * 20_000),))
    source = "history/1/outcome"
    spans = tuple(Span(source, at, at + 6, "do it.") for at in range(0, 140_000, 7))
    script(StageResult("segment", (replace(labelled(source), holds=False, evidence=spans),)), ENTAILED)
    assert len(desk.shows(f"/reviews/{flagged(cast, CALL, context=context).pk}")) < 200_000


@pytest.mark.parametrize("detectors", [["argus"], ["provenance-guard", "argus"]])
def test_the_real_detector_is_drawn(cast: Cast, desk: Desk, detectors: list[str]) -> None:
    versions.new_version(membership=cast.admin, detectors=detectors)
    review = flagged(cast, CALL, context=CONTEXT)
    desk.shows(f"/reviews/{review.pk}", "What led to this call", "mark--struck", "Untainted(history 3) does not hold")
