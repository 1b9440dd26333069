import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.provenance.core.context import Case, Context, JsonValue, NamedText, ProposedAction, SourceKind, Step
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import ground, ground_arguments
from tests.provenance.grounding.checks import NOW

PIECES = st.sampled_from(
    [
        "Alex",
        "$30",
        "1,250.00",
        '{"a": "b\\u00e9"}',
        "[1, 2",
        "{'x': 'y",
        "tomorrow",
        "3pm",
        "a@b.test",
        "\\",
        '"',
        "'",
        "November 21",
        "|",
        "a|b\n",
        "key: value\n",
        "- item, x\n",
        "İ",
        "ß",
        "ﬁ",
        "\ud800",
        "\u200b",
        "½",
        " ",
        "99999",
        "half an hour",
        "31/12/9999",
        "in 999 years",
        "next month",
        "9999-12-31 23:59",
        "0001-01-01",
        "ago",
        "١٢",
        "end of the month",
        "next weekend",
        "first Monday of May",
        "Q3",
        "on the 31st",
        "half past three",
        "15:00+14:00",
        "3pm Kiritimati time",
        "time zone: Asia/Tokyo",
        "in 999 hours",
        "in 300 working days",
        "2\u00bd hours",
        "1.234,56 €",
        "₹1,00,000",
        "5 km",
        "-40 °F",
        "two and a half million",
        "P9999Y",
        "0\u20440",
        "+49 30 1234567",
        "USD",
        "Germany",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=12).map("".join)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))
CLOCKS = st.sampled_from([None, NOW]) | st.datetimes()
CONTEXTS = st.builds(
    lambda query, outcome, page, now: Context(
        query, history=(Step("t", {}, outcome),), extra=(NamedText(SourceKind.RETRIEVED, "p", page),), now=now
    ),
    TEXTS,
    TEXTS,
    TEXTS,
    CLOCKS,
)


@given(CONTEXTS, VALUES)
@settings(max_examples=5200, deadline=None)
def test_nothing_raises_and_every_span_is_in_its_source(context: Context, value: JsonValue) -> None:
    for found in ground_arguments(Case(context, ProposedAction("t", {"duration": value}))):
        spans = [*found.spans, *(span for other in found.competing for span in other.spans)]
        assert all(context.verifies(span) for span in [*spans, *([found.nearest] if found.nearest else [])])


@given(TEXTS, SCALARS)
@settings(max_examples=2600, deadline=None)
def test_an_irrelevant_source_takes_nothing_away(query: str, value: JsonValue) -> None:
    alone = ground(value, Context(query, now=NOW), pointer="/x")
    noise = (NamedText(SourceKind.RETRIEVED, "noise", "Quite unrelated prose about gardening."),)
    more = ground(value, Context(query, extra=noise, now=NOW), pointer="/x")
    assert more.how is alone.how or alone.how is Grounding.UNGROUNDED


@given(TEXTS, TEXTS, SCALARS)
@settings(max_examples=2600, deadline=None)
def test_mixing_sources_never_raises_trust(query: str, page: str, value: JsonValue) -> None:
    context = Context(query, extra=(NamedText(SourceKind.RETRIEVED, "p", page),), now=NOW)
    found = ground(value, context, pointer="/x")
    assert found.trust == min((context.sources[span.source].trust for span in found.spans), default=0.0)


NAMES = st.sampled_from(["duration_minutes", "distance_km", "amount_usd", "currency", "time_zone", "post_at", "phone"])


@given(CONTEXTS, NAMES, SCALARS)
@settings(max_examples=2600, deadline=None)
def test_no_unit_asked_for_makes_grounding_raise(context: Context, name: str, value: JsonValue) -> None:
    for found in ground_arguments(Case(context, ProposedAction("t", {name: value}))):
        assert all(context.verifies(span) for span in found.spans)


MEBIBYTE = 1 << 20


@given(st.lists(PIECES | st.text(min_size=1, max_size=8), min_size=1, max_size=6), SCALARS)
@settings(max_examples=3, deadline=None)
def test_a_text_of_a_mebibyte_is_read(pieces: list[str], value: JsonValue) -> None:
    unit = " ".join(pieces)
    context = Context(f"{unit} {unit * (MEBIBYTE // len(unit))}"[:MEBIBYTE], now=NOW)
    for found in ground_arguments(Case(context, ProposedAction("t", {"duration": value}))):
        assert all(context.verifies(span) for span in found.spans)


def test_half_characters_that_a_tools_json_spells_are_read() -> None:
    outcome = json.dumps([{"name": "\ud800" * 500, "due": "2026-11-03"}])
    context = Context("When is it due?", history=(Step("t", {}, outcome),), now=NOW)
    assert ground("2026-11-03", context, pointer="/due").how is Grounding.COPY


@given(st.text(min_size=1, max_size=30).filter(str.strip), st.text(alphabet="xyz ", max_size=20))
def test_a_quoted_value_is_always_found(value: str, around: str) -> None:
    context = Context(f'{around} "{value}" {around}')
    assert ground(value, context, pointer="/x").how is Grounding.COPY


REPEATED = ['\\"', "'", "{", "[{", "a:", "1,", "1 and ", "a-", "| ", "- a\n", "k: v\n", "at ", "\\u00e9", "é"]
REPEATED += ["2026-05-05 10:00 ", "10:00 ", "5 min ", "Needle's ", "a@b.c ", "next friday ", "time zone ", "1 000 "]
REPEATED += ["half a ", "hundred and ", "3pm est ", "+49 30 123 ", "two million ", "5 km ", "½ ", "q3 ", "a, b "]


@pytest.mark.parametrize("piece", REPEATED)
def test_hostile_repetition_comes_to_an_end(piece: str) -> None:
    context = Context(
        f"Needle {piece * (100_000 // len(piece))}",
        history=(Step("t", {}, "[{" + piece * (200_000 // len(piece))),),
        now=NOW,
    )
    found = ground_arguments(
        Case(context, ProposedAction("t", {"a": "need", "b": 31337, "c": "2026-05-05 10:05", "d": "x@y.z"}))
    )
    assert all(context.verifies(span) for each in found for span in each.spans)
