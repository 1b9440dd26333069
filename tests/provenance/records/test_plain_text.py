"""Records in plain text: columns set out with spaces, pairs, rows without a header, nested lines, markup."""

import sys
from collections.abc import Callable

import pytest

from reviews.provenance.core.context import Source, SourceKind
from reviews.provenance.records.index import Indexed
from reviews.provenance.records.records import groups_in
from reviews.provenance.records.tree import Tree
from tests.provenance.records.test_records import check_first

BERTHS = [{"berth": "B1", "vessel": "Tern", "draught": "2.1"}, {"berth": "B2", "vessel": "Auk", "draught": "3.4"}]
SHIFTS = [{"baker": "Ida", "day off": "Monday"}, {"baker": "Bo", "day off": "Tuesday"}]
UNNAMED = [{f"column {n}": text for n, text in enumerate(row.values(), start=1)} for row in BERTHS]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("berth   vessel   draught\nB1      Tern     2.1\nB2      Auk      3.4", BERTHS),
        ("  berth   vessel   draught\n  B1      Tern     2.1\n\n  B2      Auk      3.4\n", BERTHS),
        ("berth\tvessel\tdraught\nB1\tTern\t2.1\nB2\tAuk\t3.4", BERTHS),
        ("berth   vessel   draught\n-----   ------   -------\nB1      Tern     2.1\nB2      Auk      3.4", BERTHS),
        ("baker  day off\n=====  =======\nIda    Monday\nBo     Tuesday", SHIFTS),
        ("B1  Tern  2.1\nB2  Auk   3.4", UNNAMED),
    ],
)
def test_columns_that_are_set_out_with_spaces_are_records(text: str, expected: list[dict[str, str]]) -> None:
    check_first(text, expected)


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ida,\n\nthe boat  is ready\nsee you",
        "berth   vessel   draught\nB1      Tern\nB2      Auk      3.4",
        "B1   Tern",
        "-----   -----\n-----   -----",
    ],
)
def test_lines_of_unequal_columns_are_prose(text: str) -> None:
    assert not groups_in(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fi = Finnish\net = Estonian", [("fi", "Finnish"), ("et", "Estonian")]),
        ("2026-09: 130\n2026-10: 95", [("2026-09", "130"), ("2026-10", "95")]),
        ("9 -> gate C\n10 → gate D", [("9", "gate C"), ("10", "gate D")]),
        ("  soft = 2 minutes\n\n  hard =  9 minutes ", [("soft", "2 minutes"), ("hard", "9 minutes")]),
    ],
)
def test_each_line_that_pairs_two_things_is_a_record(text: str, expected: list[tuple[str, str]]) -> None:
    check_first(text, [{"column 1": left, "column 2": right} for left, right in expected])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kiln 4: free\nKiln 5: glazing", [{"Kiln": "4", "": "free"}, {"Kiln": "5", "": "glazing"}]),
        (
            "- barge 302 - lock 4 - leak\n- barge 318 - lock 6 - leak",
            [{"barge": "302", "lock": "4", "": "leak"}, {"barge": "318", "lock": "6", "": "leak"}],
        ),
    ],
)
def test_lines_that_open_with_the_same_noun_and_a_number_are_records(text: str, expected: list[dict[str, str]]) -> None:
    check_first(text, expected)


@pytest.mark.parametrize("text", ["Kiln 4: free", "Kiln 4: free\nBarge 5: leak", "Kiln 4: free\nall others are full"])
def test_other_lines_with_a_number_are_no_such_list(text: str) -> None:
    assert not any(item.key == "Kiln" for group in groups_in(text) for record in group for item in record.fields)


def test_lines_of_words_with_a_colon_are_fields_of_one_record() -> None:
    check_first("keeper: Ida\nage: 7", [{"keeper": "Ida", "age": "7"}])


@pytest.mark.parametrize("text", ["fi = Finnish", "fi = Finnish\nand so on", "10:30\n11:45 or later"])
def test_one_pair_or_a_pair_among_other_lines_is_no_list(text: str) -> None:
    assert not groups_in(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| B1 | Tern | 2.1 |\n| B2 | Auk | 3.4 |", UNNAMED),
        (
            "| B1 | Tern | |\n| B2 | | 3.4 |",
            [{"column 1": "B1", "column 2": "Tern"}, {"column 1": "B2", "column 3": "3.4"}],
        ),
        ("| berth | vessel |\n| B1 | Tern |", [{"berth": "B1", "vessel": "Tern"}]),
        ("| deck 1 | deck 2 |\n|---|---|\n| oak | pine |", [{"deck 1": "oak", "deck 2": "pine"}]),
    ],
)
def test_the_first_row_between_bars_is_a_header_in_words_or_above_a_rule(
    text: str, expected: list[dict[str, str]]
) -> None:
    check_first(text, expected)


def test_bare_lines_are_a_list() -> None:
    check_first(
        "tides.csv\nlog/moon.csv\n\nwrecks.txt\n", [{"": "tides.csv"}, {"": "log/moon.csv"}, {"": "wrecks.txt"}]
    )


@pytest.mark.parametrize("text", ["tides.csv", "tides.csv\nthe other one", "tides.csv\n" + "x" * 81])
def test_one_line_and_lines_of_several_words_are_no_list(text: str) -> None:
    assert not groups_in(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "harbour:\n  master: Ida\n  phone: 555-10\nyard:\n  master: Bo",
            [{"harbour.master": "Ida", "harbour.phone": "555-10", "yard.master": "Bo"}],
        ),
        (
            "harbour:\n  office:\n    master: Ida\n  phone: 555-10",
            [{"harbour.office.master": "Ida", "harbour.phone": "555-10"}],
        ),
        (
            "- boat:\n    name: Tern\n    sail: red\n- boat:\n    name: Auk\n    sail: tan",
            [{"boat.name": "Tern", "boat.sail": "red"}, {"boat.name": "Auk", "boat.sail": "tan"}],
        ),
        ("master: Ida\nnote:\nphone: 555-10", [{"master": "Ida", "phone": "555-10"}]),
    ],
)
def test_a_key_alone_on_its_line_leads_to_what_is_indented_below_it(text: str, expected: list[dict[str, str]]) -> None:
    check_first(text, expected)


FLEET = '<fleet port="Ven"><boat id="b1" sail="red"><mast height="9"/></boat><boat id="b2">Auk</boat></fleet>'


def test_an_element_has_its_attributes_those_around_it_and_its_own_text() -> None:
    port, boat = {"fleet.port": "Ven"}, {"boat.id": "b1", "boat.sail": "red"}
    mast = {**port, **boat, "mast.height": "9"}
    check_first(FLEET, [port, {**port, **boat}, mast, {**port, "boat.id": "b2", "boat": "Auk"}])


def test_a_closed_element_is_around_no_other() -> None:
    check_first('<a x="1"><b y="2"></a><c z="3"/>', [{"a.x": "1"}, {"a.x": "1", "b.y": "2"}, {"c.z": "3"}])


@pytest.mark.parametrize("text", ["<p>hello</p>", "a < b and c > d", '<boat id="b1', "if x<y>z"])
def test_tags_without_attributes_are_no_records(text: str) -> None:
    assert not groups_in(text)


@pytest.mark.parametrize(
    "text",
    [
        FLEET,
        "1. Ida Holm - ida@x.example\n2. Bo Lind - bo@x.example\n\nOwner: Ann\nPhone: 555-1",
        "- boat:\n    name: Tern\n    sail: red\n- boat:\n    name: Auk\n    sail: tan",
    ],
)
def test_every_value_is_found_where_it_stands_however_records_lie_in_one_another(text: str) -> None:
    tree = tree_of(text)
    places = list(zip(tree.starts, tree.ends, strict=True))
    assert [tree.at(*place) for place in places] == list(range(len(places)))
    assert len(places) > 1


def test_an_element_is_a_part_of_the_one_it_lies_in() -> None:
    tree = tree_of(FLEET)
    mast = next(n for n, start in enumerate(tree.starts) if FLEET.startswith("9", start))
    within = list(tree.ancestry(mast))
    places = zip(tree.starts, tree.ends, tree.records, strict=True)
    said = {FLEET[start:end] for start, end, record in places if record in within}
    assert said == {"9", "b1", "red", "Ven"}


def tree_of(text: str) -> Tree:
    """The values of what a tool returned."""
    return Indexed(Source("history/1/outcome", SourceKind.TOOL_OUTPUT, text), None).tree


def steps(text: str) -> int:
    """Calls that reading a text takes."""
    count, before = 0, sys.getprofile()

    def profile(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(profile)
    try:
        assert len(tree_of(text).starts) <= len(text)
    finally:
        sys.setprofile(before)
    return count


HOSTILE: dict[str, Callable[[int], str]] = {
    "one key again and again": lambda n: "k: v\n" * n,
    "a new key on each line": lambda n: "".join(f"key {i}: v\n" for i in range(n)),
    "keys with nothing below": lambda n: "key:\n" * n,
    "nested ever deeper": lambda n: "".join(" " * i + "key:\n" for i in range(n // 50)),
    "pairs": lambda n: "a = b\n" * n,
    "columns": lambda n: "a  b  1\n" * n,
    "bare lines": lambda n: "ab\n" * n,
    "bars alone": lambda n: "||||\n" * n,
    "rules alone": lambda n: "----  ----\n" * n,
    "commas alone": lambda n: ",,\n" * n,
    "signs of equality alone": lambda n: "=\n" * n,
    "one line of separators": lambda n: "|" * n + "," * n + "  " * n,
    "lines of blanks with one letter": lambda n: (" " * 1_900 + "x\n") * (n // 100),
    "blanks inside a line": lambda n: ("key: a" + " " * 1_900 + "b\n") * (n // 100),
    "tags that nothing closes": lambda n: '<a x="1">' * n,
    "a tag without an end": lambda n: "<a" + ' x="1"' * n,
    "many attributes around many elements": lambda n: "<a" + ' x="1"' * n + ">" + '<b y="1"/>' * n,
    "ends without a beginning": lambda n: "<a>" * 30 + "</b>" * n,
}


@pytest.mark.parametrize("written", HOSTILE)
def test_twice_the_text_takes_twice_the_work(written: str) -> None:
    once, twice = (steps(HOSTILE[written](n)) for n in (1_000, 2_000))
    # What is read once for all texts, such as a cache that fills, is no part of it.
    assert twice <= 2.2 * once + 200


@pytest.mark.parametrize("line", ["a  b  1", "ab", '<a x="1">'])
def test_a_hundred_thousand_lines_are_as_many_records(line: str) -> None:
    assert sum(len(group) for group in groups_in(f"{line}\n" * 100_000)) == 100_000
