"""Which other record a request means, told by a number that is called as its field is."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.doubts import other_records
from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import NUMBER, TEXT, tool
from tests.provenance.doubts.asking import FLIGHTS, doubt_of
from tests.provenance.proofs.checking import leaf_of

SWAP = tool("swap_item", "Swaps an item for another one.", new_item_id=TEXT)
ITEMS = result("list_items", [{"item_id": "1002", "size": 9}, {"item_id": "1003", "size": 10}])


def rule_of(request_text: str, item: str) -> str:
    return leaf_of(
        context(request_text, ITEMS, offered=(SWAP,)), call("swap_item", new_item_id=item), "/new_item_id"
    ).rule


def test_the_one_record_with_the_number_that_is_said_is_the_question() -> None:
    asked = context("Swap the boots for size 9.", ITEMS, offered=(SWAP,))
    taken = leaf_of(asked, call("swap_item", new_item_id="1003"), "/new_item_id")
    assert taken.note == "Its size is “10”; the request says “9”, whose item_id is “1002”. Is that one meant?"
    assert [rival.value for rival in taken.competing] == ["1002"]


@pytest.mark.parametrize(
    ("request_text", "item"),
    [("Swap the boots for size 9.", "1002"), ("Swap 9 boots.", "1003"), ("Swap the boots at 9.", "1003")],
)
def test_a_number_that_is_not_called_so_or_the_records_own_tells_no_other(request_text: str, item: str) -> None:
    assert rule_of(request_text, item) == "doubts.stands_in_data"


NAMES = st.sampled_from(["Ivo Brandt", "Maya Stone", "Chidi Okafor", "Lena Vogt", "Rui Sato"])


PAIRS_OF_NAMES = st.tuples(NAMES, NAMES).filter(lambda pair: pair[0] != pair[1])


def test_a_plain_yes_names_no_record() -> None:
    asked = context("Yes, please.", result("find", [{"id": "e-17", "new": "no"}, {"id": "e-18", "new": "yes"}]))
    assert doubt_of(other_records, asked, call("order", item="e-17"), "/item") is None


def contacts(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "email": f"{name.split()[0].lower()}.{n}@example.org"} for n, name in enumerate(names)]


@given(PAIRS_OF_NAMES, st.booleans())
def test_two_named_records_are_rivals_in_any_order_of_rows(names: tuple[str, str], turned: bool) -> None:
    rows = contacts(*names)
    people = result("list_contacts", rows[::-1] if turned else rows)
    asked = context(f"Write to {names[0]} about {names[1]}.", people)
    for own, rival in (rows, rows[::-1]):
        doubt = doubt_of(other_records, asked, call("send_email", to=own["email"], subject="", body=""), "/to")
        assert doubt is not None
        assert [found.value for found in doubt.rivals] == [rival["email"]]


INSTANCES = [
    {"id": "i-0a11bb", "name": "web", "zone": "east"},
    {"id": "i-1c38ch", "name": "web", "zone": "west"},
    {"id": "i-77aa01", "name": "db", "zone": "north"},
]


@pytest.mark.parametrize("words", ["web in west", "west one"])
def test_one_record_that_fits_the_request_better_is_the_question(words: str) -> None:
    asked = context(f"Restart the {words}", result("list_instances", INSTANCES), offered=())
    doubt = doubt_of(other_records, asked, call("restart", id="i-0a11bb"), "/id")
    assert doubt is not None
    assert doubt.note == "Its zone is “east”; the request says “west”, whose id is “i-1c38ch”. Is that one meant?"
    assert [rival.value for rival in doubt.rivals] == ["i-1c38ch"]
    assert doubt_of(other_records, asked, call("restart", id="i-1c38ch"), "/id") is None


@pytest.mark.parametrize(
    ("words", "note"),
    [
        ("one in Paris", "It has no place; the request says “Paris”, whose id is “ev-4d5e6f”. Is that one meant?"),
        (
            "one of Alice",
            "Its guests is “bob”; the request says “Alice”, whose id is “ev-4d5e6f”. Is that one meant?",
        ),
    ],
)
def test_a_field_without_a_value_and_the_entry_of_a_list_are_told_in_words(words: str, note: str) -> None:
    asked = context(f"Cancel the {words}", result("list_events", FLIGHTS), offered=())
    doubt = doubt_of(other_records, asked, call("cancel", id="ev-7a8b9c"), "/id")
    assert doubt is not None
    assert doubt.note == note


def test_a_record_that_says_the_word_in_another_field_has_no_better_one() -> None:
    asked = context("Cancel all that have Paris in them", result("list_events", FLIGHTS), offered=())
    assert doubt_of(other_records, asked, call("cancel", id="ev-1a2b3c"), "/id") is None


@pytest.mark.parametrize(
    "words", ["web", "east or west", "db in west", "west or north", "north db or west", "i-0a11bb, not west"]
)
def test_where_more_or_less_differs_no_other_record_is_named(words: str) -> None:
    action = call("restart", id="i-77aa01" if words.startswith("db") else "i-0a11bb")
    for rows in (INSTANCES, INSTANCES[::-1]):
        asked = context(f"Restart the {words}", result("list_instances", rows), offered=())
        assert doubt_of(other_records, asked, action, "/id") is None
    twice = [*INSTANCES, {"id": "i-55aa05", "name": "web", "zone": "west"}]
    asked = context("Restart the west one", result("list_instances", twice), offered=())
    assert doubt_of(other_records, asked, call("restart", id="i-0a11bb"), "/id") is None


def test_the_record_that_a_value_is_of_is_named() -> None:
    rows = contacts("Yoko Tanabe", "Ann Lee")
    asked = context("Invite Yoko Tanabe", result("find", rows), offered=())
    doubt = doubt_of(other_records, asked, call("invite", email=rows[1]["email"]), "/email")
    assert doubt is not None
    assert doubt.note == f"The request names “Yoko Tanabe”; “{rows[1]['email']}” is “Ann Lee”'s. Is it meant?"


@given(PAIRS_OF_NAMES)
def test_the_one_named_record_has_no_rival(names: tuple[str, str]) -> None:
    rows = contacts(*names)
    asked = context(f"Write to {names[0]}.", result("list_contacts", rows))
    own, other = (call("send_email", to=row["email"], subject="", body="") for row in rows)
    assert doubt_of(other_records, asked, own, "/to") is None
    doubt = doubt_of(other_records, asked, other, "/to")
    assert doubt is not None
    assert [rival.label for rival in doubt.rivals] == [names[0]]


def test_a_record_that_another_entry_or_an_earlier_call_took_is_not_left_out() -> None:
    choice = {"type": "object", "properties": {"kind": TEXT, "choice": TEXT}}
    book = tool("book_desk", "Book a desk.", desk=TEXT, choices={"type": "array", "items": choice})
    label = tool("label_desk", "Label a desk.", choices={"type": "array", "items": choice})
    rows = [
        {"kind": "screen-size", "name": "Screen Size", "options": ["Small", "Wide"]},
        {"kind": "chair-type", "name": "Chair", "options": ["Soft Chair", "Stool"]},
    ]
    words = "Book desk D4 with a wide screen and a soft chair."
    asked = context(words, result("list_kinds", rows), offered=(book, label))
    entries = [{"kind": "screen-size", "choice": "Wide"}, {"kind": "chair-type", "choice": "Soft Chair"}]
    booked = call("book_desk", desk="D4", choices=entries)
    one = call("book_desk", desk="D4", choices=entries[:1])
    assert doubt_of(other_records, asked, booked, "/choices/0/kind") is None
    assert doubt_of(other_records, asked, booked, "/choices/0/choice") is None
    doubt = doubt_of(other_records, asked, one, "/choices/0/kind")
    assert doubt is not None
    assert doubt.note == "The request names “Soft Chair”; “screen-size” is “Screen Size”'s. Is it meant?"
    hard = [entries[0], {"kind": "chair-type", "choice": "Stool"}]
    doubt = doubt_of(other_records, asked, call("book_desk", desk="D4", choices=hard), "/choices/1/choice")
    assert doubt is not None
    assert doubt.note == "The request says “soft chair”, which stands in one list with “Stool”. Is that one meant?"
    rows[1]["options"] = ["Soft Chair", "Hard Chair"]
    both = context("Book one desk with a hard and one with a soft chair.", result("list_kinds", rows), offered=(book,))
    hard = [{"kind": "chair-type", "choice": "Hard Chair"}]
    assert doubt_of(other_records, both, call("book_desk", desk="D4", choices=hard), "/choices/0/choice") is None
    later = replace(asked, history=(*asked.history, result("book_desk", "ok", desk="D4", choices=entries[1:])))
    assert doubt_of(other_records, later, one, "/choices/0/kind") is None


CONTACTS = [{"name": "Priya Nair", "email": "priya@acme.example"}, {"name": "Tom Reed", "email": "tom@acme.example"}]


@pytest.mark.parametrize(
    ("invited", "missing"),
    [(["priya@acme.example"], True), (["priya@acme.example", "tom@acme.example"], False)],
)
def test_who_is_named_besides_may_be_missing_in_a_list_and_takes_nobodys_place(
    invited: list[str], *, missing: bool
) -> None:
    invite = tool("invite", "Invites people.", emails={"type": "array", "items": TEXT})
    asked = context("Invite Priya and Tom", result("list_contacts", CONTACTS), offered=(invite,))
    doubt = doubt_of(other_records, asked, call("invite", emails=invited), "/emails/0")
    assert (doubt is not None) is missing
    assert doubt is None or (doubt.rivals == () and "also names “Tom Reed”, and the call does not" in doubt.note)


@pytest.mark.parametrize(("total", "rivals"), [(37, ("37",)), ("in full", ())])
def test_what_is_no_number_takes_no_numbers_place(total: object, rivals: tuple[str, ...]) -> None:
    rows = [{"name": "Priya Nair", "total": total}, {"name": "Tom Reed", "total": 380}]
    refund = (tool("refund", "Refunds a customer.", amount=NUMBER),)
    asked = context("Refund Priya Nair", result("list_orders", rows), offered=refund)
    doubt = doubt_of(other_records, asked, call("refund", amount=380), "/amount")
    assert tuple(rival.value for rival in (doubt.rivals if doubt else ())) == rivals


def test_the_values_of_a_better_record_are_offered_together() -> None:
    items = [{"item": "1001", "name": "Kettle", "price": 39.9}, {"item": "1002", "name": "Toaster", "price": 54.5}]
    asked = context("Refund the kettle.", result("get_order", items), offered=())
    refund = call("refund", item="1002", amount=54.5)
    for pointer, field, value in (("/item", "item", "1001"), ("/amount", "price", "39.9")):
        doubt = doubt_of(other_records, asked, refund, pointer)
        assert doubt is not None
        assert doubt.note == (
            f"Its name is “Toaster”; the request says “kettle”, whose {field} is “{value}”. Is that one meant?"
        )
        assert [(rival.label, rival.value) for rival in doubt.rivals] == [("Kettle", value)]


CARDS = [
    {"id": "c-1", "number": "**** 0921"},
    {"id": "c-2", "number": "**** 0912"},
    {"id": "c-3", "number": "•••• 1209"},
]


def test_a_masked_number_is_said_by_the_figures_that_are_left() -> None:
    asked = context("Block the card ending in 0921.", result("list_cards", CARDS), offered=())
    doubt = doubt_of(other_records, asked, call("block", id="c-2"), "/id")
    assert doubt is not None
    assert doubt.note == "Its number is “**** 0912”; the request says “0921”, whose id is “c-1”. Is that one meant?"
    assert doubt_of(other_records, asked, call("block", id="c-1"), "/id") is None


def test_the_end_of_a_word_behind_an_apostrophe_says_no_size() -> None:
    sizes = [{"id": "i-1", "size": "S"}, {"id": "i-2", "size": "L"}]
    for words, is_said in (("Let's order the shirt.", False), ("Order the shirt in 's'.", True)):
        asked = context(words, result("list_sizes", sizes), offered=())
        assert (doubt_of(other_records, asked, call("order", id="i-2"), "/id") is not None) is is_said
