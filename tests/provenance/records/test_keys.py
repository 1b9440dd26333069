"""Records that a key links: a visit holds its keeper's number, the keeper's record says who that is."""

import json
from collections.abc import Mapping

import pytest

from reviews.provenance.core.context import Context, Step
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.records.collections import Document, Marks
from reviews.provenance.records.keys import linked_words
from tests.provenance.grounding.test_singled_out import holds, traced
from tests.provenance.grounding.test_told_apart import listed

VISITS = listed(
    "visits",
    {"visit_id": "vi-31", "keeper_id": "ke-7", "day": "Monday"},
    {"visit_id": "vi-32", "keeper_id": "ke-8", "day": "Monday"},
)
KEEPERS = listed("keepers", {"keeper_id": "ke-7", "name": "Ida Holm"}, {"keeper_id": "ke-8", "name": "Bo Lind"})


class CountedMarks(Marks):
    """Counts how often a document's records are asked for."""

    reads = 0

    def by_record(self, document: Document) -> Mapping[int, Mapping[int, int]]:
        self.reads += 1
        return super().by_record(document)


def test_a_bare_id_is_of_what_the_tool_returns() -> None:
    visits = listed("visits", {"animal": "Zorro", "vet_id": "t4"}, {"animal": "Mimi", "vet_id": "t6"})
    vets = listed("listVets", {"id": "t6", "pager": "6148"}, {"id": "t4", "pager": "6130"})
    assert holds(traced("Page Zorro's vet", {"pager": "6130"}, visits, vets)["pager"])
    assert not holds(traced("Page Zorro's vet", {"pager": "6148"}, visits, vets)["pager"])


@pytest.mark.parametrize(
    ("request_", "right", "wrong"),
    [("Move the visit of Ida Holm", "vi-31", "vi-32"), ("Move Bo's visit", "vi-32", "vi-31")],
)
def test_a_record_is_known_by_the_one_of_another_result_that_holds_its_key(
    request_: str, right: str, wrong: str
) -> None:
    assert holds(traced(request_, {"visit": right}, VISITS, KEEPERS)["visit"])
    assert not holds(traced(request_, {"visit": wrong}, VISITS, KEEPERS)["visit"])


@pytest.mark.parametrize("key", ["id", "code", "no"])
def test_of_a_bare_key_the_list_says_what_it_is_the_key_of(key: str) -> None:
    records = {
        "keepers": [{key: "ke-7", "name": "Ida Holm"}, {key: "ke-8", "name": "Bo Lind"}],
        "visits": [{"visit_id": "vi-31", "keeper_id": "ke-7"}, {"visit_id": "vi-32", "keeper_id": "ke-8"}],
    }
    one = Step("board", {}, json.dumps(records))
    assert holds(traced("Move the visit of Ida Holm", {"visit": "vi-31"}, one)["visit"])
    assert not holds(traced("Move the visit of Ida Holm", {"visit": "vi-32"}, one)["visit"])


def test_what_no_key_links_stays_open() -> None:
    unlinked = listed("keepers", {"lamp_id": "ke-7", "name": "Ida Holm"}, {"lamp_id": "ke-8", "name": "Bo Lind"})
    found = traced("Move the visit of Ida Holm", {"visit": "vi-32"}, VISITS, unlinked)["visit"]
    assert found.open
    assert not found.against


LIT = listed("visits", {"visit_id": "vi-31", "lantern": "red"}, {"visit_id": "vi-32", "lantern": "green"})
TOWERS = ({"lantern": "red", "name": "Norra"}, {"lantern": "green", "name": "Södra"})


@pytest.mark.parametrize(("visit", "expected"), [("vi-31", True), ("vi-32", False)])
def test_a_field_of_any_name_links_where_each_value_stands_for_one_record(visit: str, expected: bool) -> None:
    assert (
        holds(traced("Move the visit to Norra", {"visit": visit}, LIT, listed("towers", *TOWERS))["visit"]) is expected
    )


@pytest.mark.parametrize("visit", ["vi-31", "vi-32"])
def test_a_field_that_is_no_key_links_nothing_where_a_value_stands_twice(visit: str) -> None:
    lit = listed("visits", {"visit_id": "vi-31", "lantern": "red"}, {"visit_id": "vi-32", "lantern": "red"})
    towers = listed("towers", *TOWERS, {"lantern": "red", "name": "Östra"})
    assert traced("Move the visit to Norra", {"visit": visit}, lit, towers)["visit"].open


def test_two_steps_link_nothing() -> None:
    keepers = listed("keepers", {"keeper_id": "ke-7", "island_id": "is-1"}, {"keeper_id": "ke-8", "island_id": "is-2"})
    islands = listed("islands", {"island_id": "is-1", "title": "Ven"}, {"island_id": "is-2", "title": "Hven"})
    for visit in ("vi-31", "vi-32"):
        assert traced("Move the visit on Ven", {"visit": visit}, VISITS, keepers, islands)["visit"].open


def test_items_of_one_list_with_the_same_key_are_not_linked() -> None:
    visits = listed(
        "visits",
        {"visit_id": "vi-31", "keeper_id": "ke-7", "purpose": "paint"},
        {"visit_id": "vi-32", "keeper_id": "ke-7", "purpose": "oil"},
        {"visit_id": "vi-33", "keeper_id": "ke-8", "purpose": "oil"},
    )
    found = traced("Move the visit for paint", {"visit": "vi-32"}, visits)["visit"]
    assert not holds(found)
    assert holds(traced("Move the visit for paint", {"visit": "vi-31"}, visits)["visit"])


def test_what_the_same_call_returned_again_links_nothing() -> None:
    again = listed("visits", {"visit_id": "vi-39", "keeper_id": "ke-7", "purpose": "paint"})
    found = traced("Something about paint", {"visit": "vi-31"}, VISITS, again)["visit"]
    assert not holds(found)


def test_a_key_that_thousands_hold_is_read_once_for_each() -> None:
    visits = listed("visits", *({"visit": f"vi-{n}", "keeper_id": "ke-7"} for n in range(2_000)))
    keepers = listed("keepers", *({"keeper_id": "ke-7", "name": "Ida"} for _ in range(2_000)))
    documents = Evidence(Context("Move the visit of Ida", (), (visits, keepers))).collections
    marks = CountedMarks(("ida",))
    linked = linked_words(documents, marks, named=False)
    assert set(linked.values()) == {1}
    assert len(linked) == 2_000
    assert marks.reads <= 10
