"""Lists of records in what tools return, each field with its place."""

import json

from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.core.context import Source, SourceKind
from reviews.provenance.records.index import Indexed
from reviews.provenance.records.records import groups_in
from reviews.provenance.text.fold import fold
from reviews.provenance.values.number import may_say, number_of, numbers_in, worded_in

_PIECES = ['{"k": ', '"v"', "1.5", "[", "]", "}", ", ", ": ", "'", '"', "\\n", "\\u00e9", "a|b", "\n", "- x", ",,", "é"]
_texts = st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)


def check_first(text: str, expected: list[dict[str, str]]) -> None:
    first = groups_in(text)[0]
    assert [{item.key: item.text for item in record.fields} for record in first] == expected


def test_objects_of_scalars() -> None:
    check_first('[{"a": 1, "b": "x, y"}, {"a": 2,}]', [{"a": "1", "b": "x, y"}, {"a": "2"}])


def test_an_object_inside_an_object() -> None:
    check_first('{"a": {"b": {"c": 1}}, "d": null}', [{"a.b.c": "1", "d": "null"}])


def test_escapes_mean_what_they_stand_for() -> None:
    check_first(r'[{"a": "caf\u00e9\n", "b": "x"}]', [{"a": "café\n", "b": "x"}])


def test_objects_nested_deeper_than_anything_sensible_are_read_flat() -> None:
    text = "[" * 80 + '{"a": 1, "b": 2}' + "]" * 80
    assert {item.text for group in groups_in(text) for record in group for item in record.fields} >= {"1", "2"}


def test_an_empty_cell_moves_no_other() -> None:
    check_first("| a | b | c |\n|---|---|---|\n| 1 || 3 |", [{"a": "1", "c": "3"}])


def test_cells_in_quotes_hold_delimiters() -> None:
    check_first('a,b\n"1,5",2\n3,4', [{"a": "1,5", "b": "2"}, {"a": "3", "b": "4"}])


def test_records_are_counted_without_empty_rows() -> None:
    assert [record.position for record in groups_in("a,b\n,\n1,2\n3,4")[0]] == [1, 2]


def test_objects_of_like_keys_are_read_as_any_other() -> None:
    rows = [{"id": f"a{n}", "note": 'say "é"\n' if n % 2 else "plain"} for n in range(9)]
    check_first(json.dumps(rows), rows)


def test_a_word_names_the_record_it_stands_in() -> None:
    rows = [{"who": "Ann", "subject": "Invoices"}, {"who": "Bo", "subject": "Voice"}, {"who": "An", "subject": "x"}]
    words = frozenset({"ann", "invoice", "2026-03-17"})
    assert [*groups_in(json.dumps(rows))[0].naming(words)] == [{"ann", "invoice"}, frozenset(), frozenset()]


def test_a_day_names_the_record_that_writes_it_another_way() -> None:
    rows = [{"on": "17 March 2026", "n": 1}, {"on": "2026-03-18", "n": 2}]
    assert [*groups_in(json.dumps(rows))[0].naming(frozenset({"2026-03-17"}))] == [{"2026-03-17"}, frozenset()]


@given(_texts, st.frozensets(st.sampled_from(["v", "k", "x", "a", "2026-03-17"])))
def test_words_are_found_as_if_all_were_taken(text: str, words: frozenset[str]) -> None:
    for group in groups_in(text):
        assert [*group.naming(words)] == [words & record.words for record in group]


@given(_texts)
def test_every_field_is_where_it_says(text: str) -> None:
    fields = [item for group in groups_in(text) for record in group for item in record.fields]
    assert all("\\" in text or text[item.start : item.end] == item.text for item in fields)


@given(_texts)
def test_every_field_is_found_by_its_value(text: str) -> None:
    indexed = Indexed(Source("s", SourceKind.TOOL_OUTPUT, text), None)
    for item in (item for group in indexed.groups for record in group for item in record.fields):
        assert item in [place.field for place in indexed.places(fold(item.text).strip())]


@given(st.lists(st.sampled_from([*"0123456789", ".", ",", "'", " ", "%", "k", "$", "-", " million"]), max_size=30))
def test_no_number_in_figures_is_overlooked(pieces: list[str]) -> None:
    text = "".join(pieces)
    worded = {mention.value for mention in worded_in(text)}
    assert all(may_say(text, m.value) for m in numbers_in(text) if m.value not in worded)


@given(st.text("0123456789.,'$% k", max_size=20))
def test_no_numeric_field_is_overlooked(text: str) -> None:
    number = number_of(text)
    assert number is None or may_say(fold(text), number)
