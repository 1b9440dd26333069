"""A value that nothing proves: where it stands, beside what, or that it stands nowhere."""

import json

import pytest
from hypothesis import given

from reviews.provenance.doubts import unproven_value
from tests.provenance.argument_grounding.made import call, context, result, user
from tests.provenance.argument_grounding.tools import BANK, COUNT, TEXT, tool
from tests.provenance.doubts.asking import AMOUNTS, EVENTS, doubt_of


def test_where_no_number_is_said_one_is_asked_for_as_one() -> None:
    order = tool("order", "Order a drink.", drink=TEXT, quantity=COUNT)
    asked = context("I'd like a cortado with 5% milk.", offered=(order,))
    one, two = (doubt_of(unproven_value, asked, call("order", drink="x", quantity=n), "/quantity") for n in (1, 2))
    assert one is not None
    assert one.note == "No rule finds a number for quantity. Is it one?"
    assert two is not None
    assert two.note == "“2” appears nowhere."
    counted = context("I'd like two cortados.", offered=(order,))
    doubt = doubt_of(unproven_value, counted, call("order", drink="x", quantity=1), "/quantity")
    assert doubt is not None
    assert doubt.note == "“1” appears nowhere."


@pytest.mark.parametrize(
    ("words", "value", "note"),
    [
        ("Meet Bo Ray and, later on, Ann Lee.", "Ann Lee, Bo Ray", "“Ann Lee” and “Bo Ray” stand in the request."),
        ("강나래와 조은결과의 면담을 잡아 줘", "강나래, 조은결", "“강나래” and “조은결” stand in the request."),
        (
            "7월 9일 오후 2시부터 4시 15분까지",
            "7월 9일 오후 4시 15분",
            "The request says “7월 9일 오후 2시부터 4시 15분” (7월 9일 오후 4시 15분).",
        ),
        ("Meet Bo Ray and, later on, Ann Lee.", "Ann Lee, Cy Ray", "“Ann Lee, Cy Ray” appears nowhere."),
    ],
)
def test_what_is_said_in_parts_or_with_an_ending_is_shown_where_it_stands(words: str, value: str, note: str) -> None:
    meet = tool("meet", "Meet.", whom=TEXT)
    doubt = doubt_of(unproven_value, context(words, offered=(meet,)), call("meet", whom=value), "/whom")
    assert doubt is not None
    assert doubt.note.startswith(note)


def test_a_prefix_of_a_word_denies_nothing_of_its_sentence_to_a_person() -> None:
    order = tool("order", "Order a drink.", drink=TEXT, milk=TEXT)
    asked = context("A cortado with non-fat milk and a croissant.", offered=(order,))
    doubt = doubt_of(unproven_value, asked, call("order", drink="cortado", milk="x"), "/drink")
    assert doubt is not None
    assert doubt.note == "The request says “cortado”. Is it meant for drink?"
    asked = context("A cortado, non-fat, not hot.", offered=(order,))
    doubt = doubt_of(unproven_value, asked, call("order", drink="cortado", milk="x"), "/drink")
    assert doubt is not None
    assert "a sentence with “not”" in doubt.note


def test_the_words_of_a_switchs_name_are_shown_beside_it() -> None:
    asked = context("A pizza without basil.", offered=())
    ordered = call("order", basil=False, gluten_free=True)
    doubt = doubt_of(unproven_value, asked, ordered, "/basil")
    assert doubt is not None
    assert doubt.note == "The request speaks of “basil”; the call sets it to false. Is that meant?"
    other = doubt_of(unproven_value, asked, ordered, "/gluten_free")
    assert other is not None
    assert other.note == "No rule finds “gluten_free” in the request; the call sets it to true. Is that meant?"


def test_a_value_of_a_record_is_shown_beside_what_the_record_is_known_by() -> None:
    rows = [{"id": "A-101", "patient": "Maria Lopez"}, {"id": "A-102", "patient": "Maria Lopes"}]
    asked = context("Cancel her appointment, please.", result("find", rows), offered=())
    for row in rows:
        doubt = doubt_of(unproven_value, asked, call("cancel", id=row["id"]), "/id")
        assert doubt is not None
        assert f"beside “{row['patient']}”" in doubt.note


SHIRTS = [
    {"id": "9647292434", "color": "purple", "cut": "v-neck", "stocked": "yes"},
    {"id": "8349118980", "color": "purple", "cut": "crew neck", "stocked": "yes"},
]


@pytest.mark.parametrize(
    ("records", "value", "beside"),
    [
        (SHIRTS, "9647292434", ", beside “purple”, “v-neck”."),
        ([{"id": "#W2890441", "ship_to": {"street": "698 Maple Drive"}, "items": [{"name": "Chair", "price": 3}]}],
         "#W2890441", ", beside “698 Maple Drive”, “Chair”."),
        (["Documents", "Reports"], "Documents", "."),
    ],
)  # fmt: skip
def test_a_record_is_told_by_what_the_user_has_said_of_it(records: object, value: str, beside: str) -> None:
    asked = context("A purple v-neck, or the chair? Yes, that.", result("find", records), user("Go on."), offered=())
    doubt = doubt_of(unproven_value, asked, call("order", item=value), "/item")
    assert doubt is not None
    assert doubt.note.startswith(f"“{value}” stands in history 1{beside} ")


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("3 * 1.25", "“3” stands in the request and “1.25” stands in history 1."),
        ("(3 + 2) * 1.25", "“3” stands in the request and “2” stands in the request and “1.25” stands in history 1."),
        ("3 * 1.35", "“3 * 1.35” appears nowhere."),
    ],
)
def test_of_a_formula_it_is_told_where_each_figure_stands(formula: str, told: str) -> None:
    calculate = tool("calculate", "Calculates.", expression=TEXT)
    priced = result("get_price", {"price": 1.25}, item="pen")
    asked = context("What do 3 pens and 2 more cost?", priced, offered=(calculate,))
    doubt = doubt_of(unproven_value, asked, call("calculate", expression=formula), "/expression")
    assert doubt is not None
    assert doubt.note.startswith(told)


def test_what_nobody_said_and_narrowed_the_look_up_of_a_named_record_is_told() -> None:
    block = tool("block_user", "Blocks a user.", user_id=TEXT)
    deleted = result("list_users", [{"user_id": "U-1001", "name": "Ann Lee"}], status="deleted")
    for words, told in (("Block the user Ann Lee.", True), ("Block the deleted user Ann Lee.", False)):
        doubt = doubt_of(unproven_value, context(words, deleted, offered=(block,)),
                         call("block_user", user_id="U-1001"), "/user_id")  # fmt: skip
        assert doubt is not None
        assert (
            "beside “Ann Lee”, looked up with status “deleted”, which the user did not say. Is it" in doubt.note
        ) is told


@pytest.mark.parametrize(
    ("fields", "nearest"),
    [(["Suite 394"], "Suite 394"), (["Suite 394", "Suite 694"], None), (["In Suite 394"], None), (["Suite 395"], None)],
)
def test_a_name_with_a_figure_is_held_against_the_one_field_that_has_another(
    fields: list[str], nearest: str | None
) -> None:
    asked = context("Move me.", result("get", [{"id": n, "unit": unit} for n, unit in enumerate(fields)]), offered=())
    doubt = doubt_of(unproven_value, asked, call("move", unit="Suite 594"), "/unit")
    assert doubt is not None
    assert (doubt.nearest.quote if doubt.nearest else None) == nearest


def test_a_figure_that_may_be_read_in_two_ways_is_told_with_both() -> None:
    asked = context("Überweise 1.250 Euro an Ann.", offered=BANK)
    doubt = doubt_of(unproven_value, asked, call("pay", to="Ann", amount=1.25), "/amount")
    assert doubt is not None
    assert "may be 1.250 or 1250" in doubt.note


@pytest.mark.parametrize("folder", ["~/Downloads", "~/Downloads/"])
@pytest.mark.parametrize(
    "listed", [["notes.txt", "setup-1.2.exe"], "notes.txt\nsetup-1.2.exe", [{"name": "setup-1.2.exe"}]]
)
def test_a_path_is_shown_by_its_parts(folder: str, listed: object) -> None:
    asked = context("Delete the installer of ~/Music.", result("list_files", listed, path=folder), offered=())
    doubt = doubt_of(unproven_value, asked, call("delete", path="~/Downloads/setup-1.2.exe"), "/path")
    assert doubt is not None
    assert doubt.note.startswith(f"“{folder}” and “setup-1.2.exe” stand in history 1.")
    # Another folder's, though the user names it; another file; a way around.
    for other in ("~/Music/setup-1.2.exe", "~/Downloads/setup-1.3.exe", "~/Downloads/../setup-1.2.exe"):
        nowhere = doubt_of(unproven_value, asked, call("delete", path=other), "/path")
        assert nowhere is not None
        assert nowhere.rule == unproven_value.NOWHERE


@pytest.mark.parametrize(
    ("words", "start", "note"),
    [
        ("if he is in on 5 April at 9:00", "2026-04-05 09:00", "“5 April at 9:00” (5 Apr, 09:00) is said in"),
        ("unless Ann calls tomorrow", "2026-03-05", "“tomorrow” (5 Mar) is said in"),
        ("if he is in on 2026-03-05", "2026-03-05", "“2026-03-05” is said in"),
    ],
)
def test_marks_hold_what_stands_there_and_its_meaning_stands_behind(words: str, start: str, note: str) -> None:
    asked = context(f"Add it {words}.", offered=EVENTS)
    doubt = doubt_of(unproven_value, asked, call("create_event", start=start), "/start")
    assert doubt is not None
    assert doubt.note.startswith(note)


@pytest.mark.parametrize("fields", [{"load": "33 %"}, {"size": "12 GB"}, {"state": "In Service"}])
def test_a_quantity_or_what_records_share_names_none(fields: dict[str, str]) -> None:
    rows = [fields | {"id": f"A-10{n}", "name": name} for n, name in enumerate(("Maria", "Ivo"))]
    asked = context("Cancel her appointment, please.", result("find", rows), offered=())
    doubt = doubt_of(unproven_value, asked, call("cancel", id="A-100"), "/id")
    assert doubt is not None
    assert doubt.note.startswith("“A-100” stands in history 1, beside “Maria”.")
    unnamed = [{"load": "33 %", "id": "A-100"}, {"load": "34 %", "id": "A-101"}]
    alone = context("Cancel it.", result("find", unnamed), offered=())
    bare = doubt_of(unproven_value, alone, call("cancel", id="A-100"), "/id")
    assert bare is not None
    assert "beside" not in bare.note


@given(AMOUNTS)
def test_the_weakest_doubt_says_where_a_value_stands(amount: int) -> None:
    action = call("pay", to="Ann", amount=amount)
    looked_up = result("list_accounts", [{"balance": amount}])
    places = {
        unproven_value.SAID: context(f"Did I pay {amount}?"),
        unproven_value.EARLIER: context(f"Pay {amount}.", user("Wait, first show me the accounts.")),
        unproven_value.RECORDED: context("Pay the balance.", looked_up),
        unproven_value.NOWHERE: context("Pay the rent."),
    }
    for rule, asked in places.items():
        doubt = doubt_of(unproven_value, asked, action, "/amount")
        assert doubt is not None
        assert doubt.rule == rule


@pytest.mark.parametrize("value", [True, False, None])
def test_a_setting_that_no_word_can_say_is_doubted_as_unasked(value: bool | None) -> None:
    doubt = doubt_of(unproven_value, context("Pay Ann."), call("pay", to="Ann", amount=1, instant=value), "/instant")
    assert doubt is not None
    assert doubt.rule == unproven_value.UNASKED


@pytest.mark.parametrize(
    ("request_", "how"),
    [
        ("Ayşe'ye 900 TL gönder", "with an ending"),
        ("Never pay Ayşe 900.", "in a sentence with “never”, which may deny or set a condition"),
        ("If he is in, pay Ayşe 900.", "in a sentence with “if”, which may deny or set a condition"),
        ("Did I pay Ayşe 900?", "in a question"),
        ("Should Ayşe ask, pay her 900.", "in a sentence with “should”, which may deny or set a condition"),
        ("The payee should be Ayşe, with 900.", "The request says “Ayşe”."),
    ],
)
def test_a_name_with_an_ending_is_not_said_to_be_denied(request_: str, how: str) -> None:
    doubt = doubt_of(unproven_value, context(request_, offered=BANK), call("pay", to="Ayşe", amount=900), "/to")
    assert doubt is not None
    assert how in doubt.note


ACCOUNTS = [{"id": "ac-1", "type": "checking", "name": "M\u00fcller"}, {"id": "ac-2", "type": "savings", "name": ""}]


def test_what_names_the_record_is_told_by_its_letters_and_else_by_what_the_request_says() -> None:
    asked = context("Close the savings account.", result("list_accounts", json.dumps(ACCOUNTS)), offered=())
    for value, beside in (("ac-1", "“Müller”"), ("ac-2", "“savings”")):
        doubt = doubt_of(unproven_value, asked, call("close", id=value), "/id")
        assert doubt is not None
        assert f"beside {beside}." in doubt.note


@pytest.mark.parametrize("value", ["paypal_7194385", "2872401762", "3426712", "2026-0419-77"])
def test_what_a_long_identifier_is_nearly_is_told_where_only_one_is(value: str) -> None:
    near, next_to_it = value.replace("4", "8", 1), value.replace("7", "1", 1)
    for known, nearest in (([near, "ab-1"], near), ([near, next_to_it], None), ([near[:-1]], None)):
        asked = context("Return it.", result("get_order", {"ids": known}), offered=())
        doubt = doubt_of(unproven_value, asked, call("send_back", order=value), "/order")
        assert doubt is not None
        assert (doubt.rule, doubt.nearest and doubt.nearest.quote) == (unproven_value.NOWHERE, nearest)


def test_a_word_that_another_argument_has_in_its_name_speaks_of_no_setting() -> None:
    asked = context("Standardize the address 3 Elm St.", offered=())
    doubt = doubt_of(
        unproven_value, asked, call("standardize", address_line="3 Elm St", address_extra=""), "/address_extra"
    )
    assert doubt is not None
    assert doubt.note == 'No rule finds “address_extra” in the request; the call sets it to "". Is that meant?'


@pytest.mark.parametrize(("said", "is_said"), [("CWE-79", True), ("CWE-791", False), ("CWE-79 and RFC-79", False)])
def test_figures_within_a_code_that_nothing_takes_are_told_with_it(said: str, is_said: bool) -> None:
    doubt = doubt_of(unproven_value, context(f"Find what {said} says.", offered=()), call("find", cwe="79"), "/cwe")
    assert doubt is not None
    told = f"The request says “{said}”. Is “79” of it meant for cwe?" if is_said else "“79” appears nowhere."
    assert doubt.note == told


@pytest.mark.parametrize(
    ("said", "limit", "similar"),
    [("up to 50 files", 55, "; the request says “50”"), ("up to 5 files", 6, ""), ("50 or 52 files", 55, "")],
)
def test_the_one_figure_of_which_a_number_is_a_slip_is_told(said: str, limit: int, similar: str) -> None:
    doubt = doubt_of(unproven_value, context(f"Get {said}.", offered=()), call("get", limit=limit), "/limit")
    assert doubt is not None
    assert doubt.note == f"“{limit}” appears nowhere{similar}."


def test_a_code_that_ends_in_a_number_is_told_beside_the_one_that_it_is_nearly() -> None:
    asked = context("Find 'cpe:/a:acme:office:365'.", offered=())
    doubt = doubt_of(unproven_value, asked, call("find", name="cpe:/a:acme:office:865"), "/name")
    assert doubt is not None
    assert doubt.note == "“cpe:/a:acme:office:865” appears nowhere; the request says “cpe:/a:acme:office:365”."
