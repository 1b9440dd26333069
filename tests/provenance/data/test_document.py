"""One record model for whatever tools return."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.data.document import ANY, Document
from tests.provenance.growth import TWICE, growth

RECORDS = [{"name": "Ann Lee", "city": "Bern"}, {"name": "Bo Ray", "city": "Chur"}]
WRITTEN = {
    "JSON": json.dumps(RECORDS),
    "indented JSON": json.dumps(RECORDS, indent=2),
    "a Python literal": repr(RECORDS),
    "CSV": "name,city\nAnn Lee,Bern\nBo Ray,Chur\n",
    "semicolons": "name;city\nAnn Lee;Bern\nBo Ray;Chur\n",
    "quoted CSV": 'name,city\n"Ann Lee","Bern"\n"Bo Ray","Chur"\n',
    "a Markdown table": "| name | city |\n|---|---|\n| Ann Lee | Bern |\n| Bo Ray | Chur |\n",
    "key: value lines": "name: Ann Lee\ncity: Bern\n\nname: Bo Ray\ncity: Chur\n",
    "objects below each other": "\n".join(map(json.dumps, RECORDS)),
}
IN_COLUMNS = "NO   NAME      CITY\n11   Ann Lee   Bern\n12   Bo Ray    Chur"
IN_MARKUP = {
    "elements": "<?xml version='1.0'?><all><one><name>Ann Lee</name><city>Bern</city></one>"
    "<one><name>Bo Ray</name><city>Chur</city></one></all>",
    "attributes": '<all>\n  <one name="Ann Lee" city="Bern"/>\n  <one name="Bo Ray" city="Chur"></one>\n</all>\n',
    "both": '<all><!----><one name="Ann Lee"><city>Bern</city></one><one name="Bo Ray"><city>Chur</city></one></all>',
}
scalars = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1) | st.integers()
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcdef", min_size=1), inner, max_size=4),
)


def rows_of(document: Document) -> list[dict[str, str]]:
    rows: dict[int, dict[str, str]] = {}
    for scalar in range(len(document.starts)):
        name = document.field_of(scalar)[-1]
        rows.setdefault(document.record_of(scalar), {})[name] = document.value_of(scalar)
    return list(rows.values())


@pytest.mark.parametrize("written", WRITTEN)
def test_records_are_the_same_however_they_are_written(written: str) -> None:
    assert rows_of(Document(WRITTEN[written])) == RECORDS


@pytest.mark.parametrize("written", WRITTEN)
def test_rows_of_one_listing_are_records_of_one_kind(written: str) -> None:
    document = Document(WRITTEN[written])
    assert {document.kind_of(document.record_of(scalar)) for scalar in range(4)} == {(ANY,)}


@pytest.mark.parametrize("written", sorted(WRITTEN.keys() - {"objects below each other"}))
def test_a_json_pointer_leads_to_the_characters(written: str) -> None:
    place = Document(WRITTEN[written]).at_pointer("/1/city")
    assert place is not None
    assert WRITTEN[written][slice(*place)] == "Chur"


def test_rows_in_columns_have_the_header_s_names() -> None:
    rows = [{"NO": "11", "NAME": "Ann Lee", "CITY": "Bern"}, {"NO": "12", "NAME": "Bo Ray", "CITY": "Chur"}]
    for text in (
        IN_COLUMNS,
        IN_COLUMNS.replace("11   A", "---  -----  ----\n11   A"),
        f"{IN_COLUMNS}\n2 rows",
        f"People:\n{IN_COLUMNS}",
    ):
        assert rows_of(Document(text)) == rows


def test_without_a_header_no_row_is_taken_for_one() -> None:
    rows = rows_of(Document("#12  Fix a test  lena\n#15  Bump it     omar\n#19  Retry       omar"))
    assert [row["0"] for row in rows] == ["#12", "#15", "#19"]
    assert [row["2"] for row in rows_of(Document("Ann  Lee  Bern\nBo  Ray  Chur"))] == ["Bern", "Chur"]


@pytest.mark.parametrize(
    "text",
    [
        # Two of one name, of which a cell is missing or something stands between.
        "NO  NAME  CITY\n11  Ann   Bern\n12  Ann\n13  Bo    Chur",
        "<all><one><name>Ann</name></one><note>and</note><one><name>Bo</name></one></all>",
        # How a letter sets out what it says.
        "INVOICE 2291\nTotal due     1480\nPay to IBAN   GB29NWBK60161331926819",
        "Dear all,  please pay.  It is late.\nYours\nBo",
        "One  two  three\nand then some words in a row\nand more",
        "<p>Dear Ann, <b>pay</b> 12</p>",
        "<p>Pay</p><p>12</p>",
        "<a><b>12</b></a> and more",
        "<a><b>12</a></b>",
        "<a><b>12</b>",
        "</a>",
    ],
)
def test_a_letter_has_no_records(text: str) -> None:
    document = Document(text)
    assert not document.is_structured
    assert not any(document.field_of(scalar) for scalar in range(len(document.starts)))


@pytest.mark.parametrize("written", IN_MARKUP)
def test_elements_of_one_name_are_records_of_one_kind(written: str) -> None:
    document = Document(IN_MARKUP[written])
    assert rows_of(document) == RECORDS
    assert {document.kind_of(document.record_of(scalar)) for scalar in range(4)} == {("all", "one", ANY)}
    place = document.at_pointer("/all/one/1/city")
    assert place is not None
    assert document.text[slice(*place)] == "Chur"


def test_words_beside_attributes_have_the_name_of_their_element() -> None:
    (row,) = rows_of(Document('<all><price currency="EUR">12.50</price><unit>1 &amp; 2</unit></all>'))
    assert (row["currency"], row["price"]) == ("EUR", "12.50")


@pytest.mark.parametrize(
    "pointer", ["/2/city", "/x/city", "/0", "/0/town", "/99999999999999999999999/city", "/0/city/0"]
)
def test_a_pointer_that_leads_nowhere_finds_nothing(pointer: str) -> None:
    assert Document(WRITTEN["JSON"]).at_pointer(pointer) is None


def test_a_bare_value_is_its_own_document() -> None:
    document = Document("  AC-77 \n")
    assert [document.value_of(0), document.at_pointer("")] == ["AC-77", (2, 7)]


def test_prose_has_no_records() -> None:
    assert not Document("Ann went to Bern.\nShe liked it there, and stayed for a week or two in the end.").starts


def test_nested_records_know_the_records_around_them() -> None:
    document = Document(json.dumps({"orders": [{"id": "o1", "items": [{"sku": "s1"}, {"sku": "s2"}]}]}))
    item = document.record_of([document.value_of(n) for n in range(3)].index("s2"))
    assert document.kind_of(item) == ("orders", ANY, "items", ANY)
    assert [document.kind_of(record) for record in document.ancestors_of(item)] == [("orders", ANY), ()]


def test_the_key_of_a_map_of_records_is_a_field_of_its_record() -> None:
    document = Document(json.dumps({"K1": {"name": "Ana"}, "K2": {"name": "Bo"}}))
    assert [{"K1", "Ana"}, {"K2", "Bo"}] == [set(row.values()) for row in rows_of(document)]


@given(documents)
def test_every_string_of_a_json_document_is_a_scalar_in_order(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    document = Document(text)
    if isinstance(value, dict | list):
        assert list(document.starts) == sorted(document.starts)
        assert all(document.scalar_at(document.starts[n], document.ends[n]) == n for n in range(len(document.starts)))
        strings = list(_strings(value))
        said = [document.value_of(n) for n in range(len(document.starts))]
        assert not strings or set(strings) <= set(said)


def _strings(value: object) -> list[str]:
    match value:
        case dict():
            return [text for inner in value.values() for text in _strings(inner)]
        case list():
            return [text for inner in value for text in _strings(inner)]
        case str():
            return [value]
    return []


@given(st.text(max_size=400))
def test_no_text_fails_to_be_read(text: str) -> None:
    document = Document(text)
    assert all(0 <= start <= end <= len(text) for start, end in zip(document.starts, document.ends, strict=True))


LISTINGS = {
    "JSON": lambda n: json.dumps([{"id": f"a{i}", "name": f"Name {i}", "tags": [i, i + 1]} for i in range(n)]),
    "CSV": lambda n: "id,name\n" + "".join(f"a{i},Name {i}\n" for i in range(2 * n)),
    "Markdown": lambda n: "| id | name |\n" + "".join(f"| a{i} | Name {i} |\n" for i in range(2 * n)),
    "lines": lambda n: "".join(f"id: a{i}\nname: Name {i}\n\n" for i in range(2 * n)),
    "open brackets": lambda n: "[1," * (10 * n),
    "open quotes": lambda n: '{"a": "' + "x\\" * (300 * n),
    "nested braces": lambda n: '{"a":' * (8 * n),
}


@pytest.mark.bench
@pytest.mark.parametrize("shape", LISTINGS)
def test_reading_twice_as_much_takes_twice_as_long(shape: str) -> None:
    assert growth(LISTINGS[shape], Document, 2_000) <= TWICE
