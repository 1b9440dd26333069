"""Each doubt over made-up values: when it is raised, when it is not, and that its evidence stands where it says."""

import importlib
import json
import pkgutil
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance import doubts
from reviews.provenance.core.context import Case, Claim, Context, JsonValue, ProposedAction, Step
from reviews.provenance.core.verdicts import open_in, open_rank
from reviews.provenance.data.sources import Evidence
from reviews.provenance.doubts import (
    hidden_characters,
    other_parameter,
    other_records,
    other_value,
    quoted_text,
    readable_value,
    unproven_value,
)
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.judges import RulesJudge
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.claims import check_claim
from reviews.provenance.terms.search import propose_terms
from tests.provenance.argument_grounding.made import call, context, result, user
from tests.provenance.argument_grounding.tools import BANK, COUNT, NUMBER, TEXT, look_up, tool
from tests.provenance.detectors.scripted import check
from tests.provenance.proofs.checking import check_unknown

# Amounts that no clock, day or small count is mistaken for.
AMOUNTS = st.integers(min_value=2_100, max_value=9_999)
PAIRS_OF_AMOUNTS = st.tuples(AMOUNTS, AMOUNTS).filter(lambda pair: pair[0] != pair[1])
NAMES = st.sampled_from(["Ivo Brandt", "Maya Stone", "Chidi Okafor", "Lena Vogt", "Rui Sato"])
PAIRS_OF_NAMES = st.tuples(NAMES, NAMES).filter(lambda pair: pair[0] != pair[1])
UNSEEN = st.sampled_from(["\u200b", "\u202e", "\u2066", "\ufeff", "\u00ad"])


def doubt_of(module: ModuleType, asked: Context, action: ProposedAction, pointer: str) -> Doubt | None:
    """What the module makes of one value; what it points at stands there, and it has a sentence for a person."""
    evidence = Evidence(asked)
    proposed = ProposedCall.of(Case(asked, action), evidence)
    leaf = next(leaf for leaf in proposed.leaves if leaf.pointer == pointer)
    terms = (propose_terms(leaf, proposed.latest_request, evidence),) if module is unproven_value else ()
    doubt: Doubt | None = module.raise_doubt(leaf, proposed, *terms)
    if doubt is not None:
        spans = [*doubt.spans, *(span for rival in doubt.rivals for span in rival.spans)]
        assert all(asked.verifies(span) for span in [*spans, *([doubt.nearest] if doubt.nearest else [])])
        assert doubt.rule.startswith("doubts.")
        assert doubt.note.endswith((".", "?"))
    return doubt


@pytest.mark.parametrize(("words", "code"), [("900 yen", "JPY"), ("900 €", "EUR")])
def test_words_that_may_say_a_value_are_shown_as_a_question(words: str, code: str) -> None:
    asked = context(f"Pay Ann {words}.", offered=BANK)
    doubt = doubt_of(readable_value, asked, call("pay", to="Ann", amount=900, currency=code), "/currency")
    assert doubt is not None
    assert doubt.note == f"The request says “{words}”, which may mean “{code}”. Does it?"
    assert doubt_of(readable_value, asked, call("pay", to="Ann", amount=900, currency="CHF"), "/currency") is None


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


def test_a_number_in_words_is_quoted_without_the_words_before_it() -> None:
    order = tool("order", "Order a drink.", drink=TEXT, quantity=COUNT)
    asked = context("Two cortados; I'd like one of them with oat.", offered=(order,))
    doubt = doubt_of(readable_value, asked, call("order", drink="cortado", quantity=1), "/quantity")
    assert doubt is not None
    assert doubt.note == "The request says “one”, which may mean “1”. Does it?"


@pytest.mark.parametrize(
    ("said", "end", "told"),
    [
        (
            "on 3 October at 14:00 for 90 minutes",
            "2026-10-03T15:30",
            "3 October at 14:00” and “90 minutes”, which together",
        ),
        ("on 3 October at 14:00 for 90 minutes", "2026-10-03T15:00", None),
        ("tomorrow at 2 pm, for two hours", "2026-10-01T16:00:00", "tomorrow at 2 pm” and “two hours”, which together"),
        ("in 30 minutes", "2026-09-30T10:30", "30 minutes”, which from now on"),
        (
            "on 3 October and again at 14:00 for 90 minutes",
            "2026-10-03T15:30",
            "3 October” and “14:00” and “90 minutes”",
        ),
    ],
)
def test_where_a_length_of_time_leads_to_is_told_with_what_it_counts_from(
    said: str, end: str, told: str | None
) -> None:
    offered = (tool("book_room", "Books a room.", start=TEXT, end=TEXT),)
    asked = replace(context(f"Book a room {said}.", offered=offered), now=datetime(2026, 9, 30, 10, tzinfo=UTC))
    doubt = doubt_of(readable_value, asked, call("book_room", start="", end=end), "/end")
    assert (told is None) if doubt is None else (told or "-") in doubt.note


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("tomorrow at half past seven in the evening", "“tomorrow” and “half past seven”"),
        ("tomorrow at seven", "“tomorrow” and “seven”"),
    ],
)
def test_an_hour_in_words_is_quoted_with_what_leads_to_it(said: str, told: str) -> None:
    offered = (tool("book_table", "Books a table.", time=TEXT),)
    asked = replace(context(f"Book a table {said}.", offered=offered), now=datetime(2026, 9, 30, 10, tzinfo=UTC))
    doubt = doubt_of(readable_value, asked, call("book_table", time="2026-10-01T19:00"), "/time")
    assert doubt is not None
    assert doubt.note == f"The request says {told}, which may mean “2026-10-01T19:00”. Does it?"


def test_a_time_of_day_is_no_other_day_and_a_sentence_no_other_code() -> None:
    asked = context('Move it to tomorrow at 21:00. "See you at the door, everybody."', offered=())
    moved = call("move", date="2026-03-03", time="20:00", channel="#general")
    assert doubt_of(other_value, asked, moved, "/channel") is None
    doubt = doubt_of(other_value, asked, moved, "/time")
    assert doubt is not None
    assert "“21:00”" in doubt.note
    day = doubt_of(other_value, asked, moved, "/date")
    assert day is None or "21:00" not in day.note


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


def test_a_plain_yes_names_no_record() -> None:
    asked = context("Yes, please.", result("find", [{"id": "e-17", "new": "no"}, {"id": "e-18", "new": "yes"}]))
    assert doubt_of(other_records, asked, call("order", item="e-17"), "/item") is None


def contacts(*names: str) -> list[dict[str, str]]:
    return [{"name": name, "email": f"{name.split()[0].lower()}.{n}@example.org"} for n, name in enumerate(names)]


@given(st.from_regex(r"[a-z]{3,8}/[a-z]{3,8}", fullmatch=True), UNSEEN, st.integers(0, 7))
def test_an_unseen_character_is_doubted_unless_the_user_typed_it(path: str, unseen: str, place: int) -> None:
    at = place % len(path)
    disguised = path[:at] + unseen + path[at:]
    action = call("pay", to=disguised, amount=1)
    assert doubt_of(hidden_characters, context(f"Pay {path}."), action, "/to") is not None
    assert doubt_of(hidden_characters, context(f"Pay {disguised}."), action, "/to") is None
    assert doubt_of(hidden_characters, context(f"Pay {path}."), call("pay", to=path, amount=1), "/to") is None


def test_a_blank_at_the_end_of_a_value_is_called_one() -> None:
    doubt = doubt_of(hidden_characters, context("Pay Ann."), call("pay", to="Ann ", amount=1), "/to")
    assert doubt is not None
    assert doubt.note == "The value begins or ends with a blank: “Ann ”."
    doubt = doubt_of(hidden_characters, context("Pay Ann."), call("pay", to="A\u200bnn ", amount=1), "/to")
    assert doubt is not None
    assert "characters that do not show" in doubt.note


@given(PAIRS_OF_AMOUNTS)
def test_another_amount_in_the_request_is_the_question(amounts: tuple[int, int]) -> None:
    said, called = amounts
    asked = context(f"Pay {said} to Ann.", offered=BANK)
    doubt = doubt_of(other_value, asked, call("pay", to="Ann", amount=called), "/amount")
    assert doubt is not None
    assert doubt.nearest is not None
    assert Decimal(doubt.nearest.quote) == said
    assert doubt_of(other_value, asked, call("pay", to="Ann", amount=said), "/amount") is None


@pytest.mark.parametrize("words", ["3個", "3人分", "第3회", "3kg를"])
def test_figures_that_are_none_by_themselves_are_quoted_with_their_word_and_prove_nothing(words: str) -> None:
    asked = context(f"Pay Ann {words}", offered=BANK)
    doubt = doubt_of(other_value, asked, call("pay", to="Ann", amount=40), "/amount")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == words.lstrip("第")
    assert doubt_of(readable_value, asked, call("pay", to="Ann", amount=3), "/amount") is None
    check_unknown(asked, call("pay", to="Ann", amount=3), "/amount")


@pytest.mark.parametrize("words", ["3万円", "約3億", "3만원을"])
def test_figures_with_a_scale_never_say_the_figures(words: str) -> None:
    asked = context(f"Pay Ann {words}", offered=BANK)
    assert doubt_of(readable_value, asked, call("pay", to="Ann", amount=3), "/amount") is None
    check_unknown(asked, call("pay", to="Ann", amount=3), "/amount")


@given(PAIRS_OF_AMOUNTS)
def test_an_amount_that_another_argument_takes_up_is_no_question(amounts: tuple[int, int]) -> None:
    limit, card = amounts
    asked = context(f"Set the limit of card {card}.", offered=BANK)
    assert doubt_of(other_value, asked, call("set_limit", card_id=str(card), limit=limit), "/limit") is None


def test_what_is_said_of_one_parameter_is_no_question_about_another() -> None:
    book = tool("book_rooms", "Book rooms.", guests=COUNT, nights=COUNT)
    asked = context("Book rooms for 4 guests.", offered=(book,))
    booked = call("book_rooms", guests=5, nights=40)
    assert doubt_of(other_value, asked, booked, "/nights") is None
    assert doubt_of(other_value, asked, booked, "/guests") is not None


def test_of_two_values_that_nothing_says_the_nearer_one_is_asked_about() -> None:
    asked = context("Forward INV-2231 to the accountants.", offered=BANK)
    forwarded = call("forward", invoice="INV-2213", folder="Q3-99")
    assert doubt_of(other_value, asked, forwarded, "/folder") is None
    doubt = doubt_of(other_value, asked, forwarded, "/invoice")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == "INV-2231"


def test_a_quoted_sentence_is_not_said_in_place_of_a_name() -> None:
    posted, offered = call("post", board="front end"), (tool("post", "Post a note.", board=TEXT),)
    asked = context("Post 'I have seen that it all went well this week', please.", offered=offered)
    assert doubt_of(other_value, asked, posted, "/board") is None
    assert doubt_of(other_value, context("Post it to 'back end'.", offered=offered), posted, "/board") is not None


@pytest.mark.parametrize("asked", ["Book it, but leave on the 5th.", "Book it for 20:30.", "Réserve pour 20h."])
def test_the_figures_of_a_day_or_a_time_count_nothing(asked: str) -> None:
    offered = (tool("book_table", "Book a table.", guests=COUNT),)
    assert doubt_of(other_value, context(asked, offered=offered), call("book_table", guests=2), "/guests") is None


def test_a_code_is_said_in_place_of_no_word_and_of_another_code() -> None:
    asked = context("Look at 'GA99SEW6jdTF'.", offered=(tool("scan", "Scans one.", sample=TEXT, sex=TEXT),))
    assert doubt_of(other_value, asked, call("scan", sex="male"), "/sex") is None
    assert doubt_of(other_value, asked, call("scan", sample="GA98SEW6jdTF"), "/sample") is not None


def test_a_figure_that_a_record_is_called_by_is_no_other_value() -> None:
    orders = result("get_order", {"order_id": "6018", "customer": "Customer 17", "total": 38})
    refund = (tool("issue_refund", "Refunds an order.", order_id=TEXT, amount=NUMBER),)
    asked = context("Refund the order of Customer 17 in full.", orders, offered=refund)
    assert doubt_of(other_value, asked, call("issue_refund", order_id="6019", amount=39), "/amount") is None
    assert doubt_of(
        other_value, context("Refund Customer 17.", offered=refund), call("issue_refund", amount=39), "/amount"
    )


def test_an_account_in_groups_is_told_whole() -> None:
    asked = context("Pay Ann, DE89 3704 0044 0532 0130 00, please.", offered=BANK)
    doubt = doubt_of(other_value, asked, call("pay", to="DE89370400440532013009", amount=1), "/to")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == "DE89 3704 0044 0532 0130 00"


def test_an_account_in_groups_with_a_banks_letters_is_told_whole() -> None:
    asked = context("Pay Ann, GB33 BUKB 2020 1555 5555 55, today.", offered=BANK)
    doubt = doubt_of(other_value, asked, call("pay", to="GB33BUKB20201555555557", amount=1), "/to")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == "GB33 BUKB 2020 1555 5555 55"


@pytest.mark.parametrize(
    ("said", "path"),
    [("Look into 'config.py'.", "projects"), ("Delete all the 'Drafts'.", "plan.txt"), ("Leave 'Drafts'.", "..")],
)
def test_a_file_is_no_other_folder(said: str, path: str) -> None:
    assert doubt_of(other_value, context(said, offered=()), call("open", path=path), "/path") is None
    other = context("Look into 'config.py'.", offered=())
    assert doubt_of(other_value, other, call("open", path="setup.py"), "/path") is not None


def test_words_of_a_composed_text_are_said_in_no_place_of_it() -> None:
    asked = context("Tell Ann about the 'server error'.", offered=())
    told = call("post", text="Last night a server error occurred")
    assert doubt_of(other_value, asked, told, "/text") is None


def test_what_is_said_of_a_parameter_that_is_left_out_is_said_in_no_place_of_a_given_one() -> None:
    copy = tool("cp", "Copies a file.", source=TEXT, destination=TEXT)
    asked = context("Draft 'plan.txt'.", user("Copy it as 'plan_2026.txt'."), offered=(copy,))
    assert doubt_of(other_value, asked, call("cp", source="plan.txt"), "/source") is None
    whole = call("cp", source="plan.txt", destination="archive")
    assert doubt_of(other_value, asked, whole, "/source") is not None
    assert doubt_of(other_value, asked, call("cp", source="plan_2025.txt"), "/source") is not None


def test_the_four_of_us_are_no_amount() -> None:
    asked = context("Dinner was expensive; ask Ann for her share, there were the four of us.", offered=())
    doubt = doubt_of(other_value, asked, call("request_money", amount=50), "/amount")
    assert doubt is None or "four" not in doubt.note


def test_what_an_earlier_call_has_turned_into_the_value_is_said_in_no_place_of_it() -> None:
    asked = context("Set my budget to 20,000 yuan in dollars.", result("convert", {"amount": 2857.14}, value=20000))
    doubt = doubt_of(other_value, asked, call("set_budget", limit=2857.14), "/limit")
    assert doubt is None
    same = context("Cancel K7Q2XM.", result("get_booking", {"booking": "H8R3YN"}, booking_id="K7Q2XM"), offered=())
    assert doubt_of(other_value, same, call("cancel", booking_id="H8R3YN"), "/booking_id") is not None


@pytest.mark.parametrize(
    ("looked_up", "told"), [({"order": 7}, "“31.5”, which stands in history 1."), ({"price": 31.5}, "“31.5”. Is")]
)
def test_beside_what_is_said_stands_which_result_has_the_value_unless_it_was_made_with_it(
    looked_up: dict[str, JsonValue], told: str
) -> None:
    asked = context("Take 8 percent off and bill it.", result("get_price", {"price": 31.5}, **looked_up), offered=())
    doubt = doubt_of(other_value, asked, call("bill", amount=31.5), "/amount")
    assert doubt is not None
    assert f"“8 percent”; the call has {told}" in doubt.note


def test_a_pronoun_is_no_other_option() -> None:
    language = {"type": "string", "enum": ["de", "en", "it", "us"]}
    offered = (tool("find_offers", "Finds offers.", language=language),)
    for words, is_told in (("Search for it.", False), ("Search in US.", True)):
        doubt = doubt_of(other_value, context(words, offered=offered), call("find_offers", language="en"), "/language")
        assert (doubt is not None) is is_told


def test_a_figure_that_may_be_read_in_two_ways_is_told_with_both() -> None:
    asked = context("Überweise 1.250 Euro an Ann.", offered=BANK)
    doubt = doubt_of(unproven_value, asked, call("pay", to="Ann", amount=1.25), "/amount")
    assert doubt is not None
    assert "may be 1.250 or 1250" in doubt.note


def test_an_address_in_the_request_is_no_other_path() -> None:
    asked = context("Share the plan with Ann (ann@harbor.example).", offered=BANK)
    other = call("share", path="/shared/plan.pdf", email="ann@harbor-group.example")
    assert doubt_of(other_value, asked, other, "/path") is None
    doubt = doubt_of(other_value, asked, other, "/email")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == "ann@harbor.example"


@given(PAIRS_OF_AMOUNTS)
def test_a_value_that_is_said_for_another_parameter_is_the_question(accounts: tuple[int, int]) -> None:
    own, other = map(str, accounts)
    asked = context(f"Transfer 50 from account {own} to account {other}.", offered=BANK)
    right = call("transfer", from_account=own, to_account=other, amount=50)
    assert doubt_of(other_parameter, asked, right, "/from_account") is None
    swapped = call("transfer", from_account=other, to_account=own, amount=50)
    assert doubt_of(other_parameter, asked, swapped, "/from_account") is not None


def test_the_default_of_another_parameter_is_the_question() -> None:
    tool = look_up("find_file", "Finds files.", folder={**TEXT, "default": "."}, name=TEXT)
    asked = context("Where is my draft. Find it.", offered=(tool,))
    assert doubt_of(other_parameter, asked, call("find_file", folder="draft", name="."), "/name") is not None
    assert doubt_of(other_parameter, asked, call("find_file", folder=".", name="draft"), "/folder") is None


@pytest.mark.parametrize("quoted", ["'See you soon'", '"Don\'t be late"', "“Bring Ann's keys”"])
def test_a_text_that_is_quoted_beside_its_name_is_nobodys_to_word(quoted: str) -> None:
    asked = context(f"Send an email to ann@example.org with subject 'Hi' and body {quoted}.")
    mail = partial(call, "send_email", to="ann@example.org")
    assert doubt_of(quoted_text, asked, mail(subject="Hi", body=quoted[1:-1]), "/body") is None
    assert doubt_of(quoted_text, asked, mail(subject="Hi", body=f"Dear Ann,\n\n{quoted[1:-1]}"), "/body") is None
    shortened = doubt_of(quoted_text, asked, mail(subject="Hi", body=quoted[1:4]), "/body")
    assert shortened is not None
    assert shortened.nearest is not None
    assert shortened.nearest.quote == quoted[1:-1]
    swapped = mail(subject=quoted[1:-1], body="Hi")
    assert doubt_of(quoted_text, asked, swapped, "/subject") is not None
    assert doubt_of(quoted_text, asked, swapped, "/body") is not None


def test_a_quotation_without_a_name_is_the_text_of_some_value_or_of_a_record() -> None:
    mail = call("send_email", to="ann@example.org", subject="Late", body="I am stuck in traffic.")
    saying = "Tell ann@example.org 'I will not come' by email."
    assert doubt_of(quoted_text, context(saying), mail, "/body") is not None
    about = "Email ann@example.org that I am late for 'Standup'."
    events = result("list_events", [{"title": "Standup"}])
    assert doubt_of(quoted_text, context(about, events), mail, "/body") is None
    assert doubt_of(quoted_text, context("Email ann@example.org that I am late."), mail, "/body") is None


def test_a_quotation_that_another_tool_has_written_is_no_text_for_this_one() -> None:
    asked = "Plan 'Review the budget' for Ann and Bob, and email them about it."
    mail = call("send_email", to="bob@example.org", subject="A review", body="You are invited.")
    planned, sent = (Step(tool, {"text": "Review the budget"}, "ok") for tool in ("create_event", "send_email"))
    assert doubt_of(quoted_text, context(asked, planned), mail, "/body") is None
    assert doubt_of(quoted_text, context(asked, sent), mail, "/body") is not None


@given(PAIRS_OF_NAMES, st.booleans())
def test_two_named_records_are_rivals_in_any_order_of_rows(names: tuple[str, str], turned: bool) -> None:
    rows = contacts(*names)
    people = result("list_contacts", rows[::-1] if turned else rows)
    asked = context(f"Write to {names[0]} about {names[1]}.", people)
    for own, rival in (rows, rows[::-1]):
        doubt = doubt_of(other_records, asked, call("send_email", to=own["email"], subject="", body=""), "/to")
        assert doubt is not None
        assert [found.value for found in doubt.rivals] == [rival["email"]]


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


EVENTS = (tool("create_event", "Creates an event.", start=TEXT),)


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


@pytest.mark.parametrize(
    ("words", "start", "rule", "note"),
    [
        ("tomorrow", "2026-03-05T13:30", "part_of_moment", "the day, “tomorrow” (5 Mar); 13:30 has no source."),
        ("at 13:30", "2026-03-05T13:30", "part_of_moment", "the time, “13:30”; 2026-03-05 has no source."),
        ("tomorrow at half past nine", "2026-03-05T09:30", "part_of_moment", "does “half past nine” say 09:30?"),
        ("from 2026-06-03 at 09:00 on", "2026-06-03T09:30", "other_value", "“09:00”; the call has"),
        ("tomorrow for two people", "2026-03-05T13:30", "part_of_moment", "13:30 has no source."),
        ("tomorrow at 9:15", "2026-03-05T13:30", "other_value", "“9:15”; the call has"),
        ("tomorrow", "2026-03-06T13:30", "other_value", "“tomorrow” (5 Mar); the call has"),
        ("tomorrow at 9:15", "2026-03-06T09:15", "other_value", "“tomorrow” (5 Mar); the call has"),
        ("tomorrow", "09:30", "", ""),
        ("tomorrow", "2026-03-05", "", ""),
    ],
)
def test_a_moment_of_which_one_part_is_said_is_nothing_else(words: str, start: str, rule: str, note: str) -> None:
    asked = context(f"Add it {words}", offered=EVENTS)
    doubt = doubt_of(other_value, asked, call("create_event", start=start), "/start")
    assert (doubt.rule if doubt else "") == (f"doubts.{rule}" if rule else "")
    assert note in (doubt.note if doubt else "")


async def test_a_time_that_nobody_says_is_told_before_an_address_that_was_looked_up() -> None:
    invite = tool("invite", "Invites a person.", email=TEXT, start=TEXT)
    people = result(
        "find_people", [{"name": "Ann Lee", "email": "ann@shop.test"}, {"name": "Bo", "email": "b@shop.test"}]
    )
    asked = context("See the owner tomorrow at the first time I can do", people, offered=(invite,))
    invited = call("invite", email="ann@shop.test", start="2026-03-05T09:00")
    verdict = await check("undetermined", Case(asked, invited), RulesJudge(), unknown="review")
    assert open_in(verdict.findings)[0].subject == "/start"


def test_the_rest_of_a_moment_that_stands_in_a_result_is_shown_there() -> None:
    asked = context("Add it tomorrow", result("find_slots", [{"start": "2026-03-05T13:30"}]), offered=EVENTS)
    doubt = doubt_of(other_value, asked, call("create_event", start="2026-03-05T13:30"), "/start")
    assert doubt is not None
    assert doubt.note == "The request says the day, “tomorrow” (5 Mar); 13:30 stands in history 1. Is it meant?"


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


FLIGHTS = [
    {"id": "ev-1a2b3c", "name": "Flight to Paris", "place": None, "guests": ["bob"]},
    {"id": "ev-4d5e6f", "name": "Dinner", "place": "Paris", "guests": ["alice"]},
    {"id": "ev-7a8b9c", "name": "Gym", "place": None, "guests": ["bob"]},
]


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


@pytest.mark.parametrize("day", ["9/15", "15.9.2026"])
def test_a_day_in_figures_is_no_other_identifier(day: str) -> None:
    asked = context(f"I leave on {day}, so move the other one.", result("list_events", FLIGHTS), offered=())
    assert doubt_of(other_value, asked, call("move", event_id="2ff57743-1180"), "/event_id") is None
    assert doubt_of(other_value, asked, call("move", event_id="K-99"), "/event_id") is None
    assert doubt_of(other_value, asked, call("move", event_id="262919693687"), "/event_id") is None


def test_a_day_in_figures_is_said_in_the_place_of_another() -> None:
    asked = context("Add the card that expires 12/25.", offered=())
    doubt = doubt_of(other_value, asked, call("add", expires="12/2035"), "/expires")
    assert doubt is not None
    assert "“12/25”" in doubt.note


def test_a_time_that_is_another_values_is_said_in_no_place_of_it() -> None:
    asked = context("Move the meeting with Alice to 1 pm on 3/16", offered=())
    moved = call("move", start="2026-03-16 13:00:00", end="2026-03-16 13:30:00")
    assert doubt_of(other_value, asked, moved, "/end") is None
    later = call("move", start="2026-03-16 14:00:00", end="2026-03-16 14:30:00")
    doubt = doubt_of(other_value, asked, later, "/start")
    assert doubt is not None
    assert "1 pm" in doubt.note


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


@given(PAIRS_OF_AMOUNTS)
def test_only_a_claim_that_does_not_stand_is_doubted(amounts: tuple[int, int]) -> None:
    said, other = amounts
    asked = context(f"Pay {said} to Ann.")
    evidence = Evidence(asked)
    for amount, is_false in ((said, False), (other, True)):
        proposed = ProposedCall.of(Case(asked, call("pay", to="Ann", amount=amount)), evidence)
        leaf = next(leaf for leaf in proposed.leaves if leaf.pointer == "/amount")
        checked = check_claim(Claim("/amount", str(said)), leaf, proposed.latest_request, evidence, composed=False)
        assert (checked.stands is False) is is_false


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


ORDER = tool("place_order", "Places an order.", item=TEXT, quantity=COUNT, address=TEXT, card=TEXT, tip=NUMBER)


def order(**arguments: JsonValue) -> ProposedAction:
    return call("place_order", item="Chianti", **arguments)


def test_what_another_value_is_called_by_is_no_number_in_place_of_this_one() -> None:
    said = context("Order a Chianti and pay with my Visa ending in 4242.", offered=(ORDER,))
    assert doubt_of(other_value, said, order(quantity=1, card="visa-4242"), "/quantity") is None
    doubt = doubt_of(other_value, said, order(quantity=1, card="mine"), "/quantity")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == "4242"


def test_what_is_said_only_as_a_part_of_another_value_is_told_so() -> None:
    said = context("Order a Chianti to High Street 5, Leeds.", offered=(ORDER,))
    doubt = doubt_of(other_parameter, said, order(address="High Street 5, Leeds", tip=5), "/tip")
    assert doubt is not None
    assert (
        doubt.note == "The request says “5” as a part of “High Street 5, Leeds”, which is address. Is it meant for tip?"
    )
    twice = context("Order a Chianti to High Street 5, Leeds, and add 5 for the rider.", offered=(ORDER,))
    assert doubt_of(other_parameter, twice, order(address="High Street 5, Leeds", tip=5), "/tip") is None


def test_a_quantity_may_count_anything() -> None:
    said = context("Order 2 pizzas.", offered=(ORDER,))
    assert doubt_of(other_parameter, said, order(quantity=2), "/quantity") is None
    assert doubt_of(other_parameter, said, order(tip=2), "/tip") is not None


def test_figures_of_a_code_in_groups_or_behind_the_word_of_another_value_are_no_number_in_place_of_this_one() -> None:
    said = context("Ship it to High Street 12, 111 23 Leeds.", offered=(ORDER,))
    sent = partial(call, "place_order", item="Chianti", quantity=2)
    assert doubt_of(other_value, said, sent(address="High Street 21"), "/quantity") is None
    doubt = doubt_of(other_value, said, sent(address="The Mall"), "/quantity")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == "12"


def test_a_unit_is_no_other_thing_that_is_counted() -> None:
    heating = (tool("set_heating", "Sets the heating.", temperature=NUMBER),)
    for said, is_asked in (("21 degrees", False), ("21 °C", False), ("21 rooms", True)):
        asked = context(f"Set the heating to {said}.", offered=heating)
        doubt = doubt_of(other_parameter, asked, call("set_heating", temperature=21), "/temperature")
        assert (doubt is not None) is is_asked


def test_what_something_else_is_stands_in_place_of_no_value_that_the_user_has_said() -> None:
    record = tool("record_pressure", "Records a pressure.", user_id=TEXT, notes=TEXT)
    given_id, pressure = user("My user ID is 12345."), user("My pressure is 120/80.")
    asked = replace(context("Record my pressure.", offered=(record,)), history=(given_id, pressure))
    assert doubt_of(other_value, asked, call("record_pressure", user_id="12345"), "/user_id") is None
    # Of a number that nobody has said it may be the one that is meant.
    assert doubt_of(other_value, asked, call("record_pressure", user_id="12346"), "/user_id") is not None


def test_of_a_moment_that_the_user_has_said_before_no_part_is_missing() -> None:
    alarm = tool("move_alarm", "Moves an alarm.", from_time=TEXT, to_time=TEXT)
    asked = context("Move my alarm of 2026-03-20 at 06:30.", user("To 2026-03-20 at 07:00."), offered=(alarm,))
    moved = call("move_alarm", from_time="2026-03-20 06:30", to_time="2026-03-20 07:00")
    assert doubt_of(other_value, asked, moved, "/from_time") is None
    earlier = call("move_alarm", from_time="2026-03-20 06:45", to_time="2026-03-20 07:00")
    doubt = doubt_of(other_value, asked, earlier, "/from_time")
    assert doubt is not None
    assert "06:45 has no source" in doubt.note
    apart = context("Move my alarm of 06:30.", user("To 2026-03-20 at 07:00."), offered=(alarm,))
    doubt = doubt_of(other_value, apart, moved, "/from_time")
    assert doubt is not None
    assert doubt.note == "Message 1 says the day, “2026-03-20”; the request says “06:30”. Is it meant?"


def test_of_several_quotations_a_call_may_write_each_and_an_empty_list_writes_none() -> None:
    check_text = tool("check_text", "Checks a text.", content=TEXT, options={"type": "array"})
    asked = context('Check the content "The sea at night" and "The sea by day".', offered=(check_text,))
    for content in ("The sea at night", "The sea by day"):
        assert doubt_of(quoted_text, asked, call("check_text", content=content), "/content") is None
    assert doubt_of(quoted_text, asked, call("check_text", content="The sea at dawn"), "/content") is not None
    empty = call("check_text", content="The sea at dawn", options=[])
    assert doubt_of(quoted_text, asked, empty, "/options") is None


def test_what_is_counted_is_told_and_a_unit_of_time_counts_nothing() -> None:
    heating = (tool("set_heating", "Sets the heating.", temperature=NUMBER),)
    asked = context("Set the heating to 21 rooms.", offered=heating)
    doubt = doubt_of(other_parameter, asked, call("set_heating", temperature=21), "/temperature")
    assert doubt is not None
    assert doubt.note == "The request says “21”, counting “rooms”. Is it meant for temperature?"
    aged = (tool("date_sample", "Dates a sample.", age=NUMBER, width=NUMBER),)
    old = context("Date the sample: 200 years old, 10 wide, from 10 rooms.", offered=aged)
    for name, number in (("age", 200), ("width", 10)):
        assert doubt_of(other_parameter, old, call("date_sample", **{name: number}), f"/{name}") is None


@pytest.mark.parametrize(
    ("name", "other", "is_told"),
    [
        ("room_type", TEXT, True),
        ("room_type", {**TEXT, "enum": ["suite", "single"]}, False),
        ("room_count", NUMBER, False),
        ("rooms", {"type": "array"}, False),
        ("room_id", TEXT, False),
    ],
)
def test_a_label_beside_a_value_is_told_only_of_a_parameter_that_could_take_it(
    name: str, other: dict[str, JsonValue], is_told: bool
) -> None:
    book = tool("book_stay", "Books a stay.", hotel=TEXT, **{name: other})
    asked = context("Book the room Ritz.", offered=(book,))
    doubt = doubt_of(other_parameter, asked, call("book_stay", hotel="Ritz"), "/hotel")
    told = f"The request says “Ritz”, maybe for {name}. Is it meant for hotel?"
    assert (doubt and doubt.note) == (told if is_told else None)


def test_a_verb_is_no_label_of_the_parameter_that_has_its_stem() -> None:
    book = tool("book_stay", "Books a stay.", hotel=TEXT, floor_preference=TEXT)
    asked = context("I would prefer Ritz.", offered=(book,))
    assert doubt_of(other_parameter, asked, call("book_stay", hotel="Ritz"), "/hotel") is None


def test_of_is_no_label() -> None:
    look = look_up("find_extras", "Finds extras of a menu item.", query=TEXT, menu_item_id=TEXT)
    asked = context("What kind of cheese goes with it?", offered=(look,))
    action = call("find_extras", query="cheese", menu_item_id="bagel-17")
    assert doubt_of(other_parameter, asked, action, "/query") is None


def test_a_verb_may_be_the_label_of_a_parameter_that_is_given() -> None:
    add = tool("add_card", "Adds a card.", code=TEXT, expiration_date=TEXT)
    asked = context("Add my card, it expires on 08/2035.", offered=(add,))
    doubt = doubt_of(other_parameter, asked, call("add_card", code="08/2035", expiration_date="251675"), "/code")
    assert doubt is not None
    assert doubt.note == "The request says “08/2035”, maybe for expiration_date. Is it meant for code?"


@pytest.mark.parametrize("query", ["Book a room at Ritz.", "Book the room in the Ritz", "Book rooms for Ritz."])
def test_what_a_preposition_leads_to_is_not_called_by_the_noun_before_it(query: str) -> None:
    book = tool("book_stay", "Books a stay.", hotel=TEXT, room_type=TEXT)
    asked = context(query, offered=(book,))
    assert doubt_of(other_parameter, asked, call("book_stay", hotel="Ritz"), "/hotel") is None


def test_a_figure_that_is_a_part_of_a_longer_value_is_quoted_with_it() -> None:
    run = tool("run_test", "Runs a test.", duration={**NUMBER, "description": "In seconds."}, end=NUMBER)
    asked = context("Run the test for 300 seconds.", offered=(run,))
    doubt = doubt_of(other_parameter, asked, call("run_test", duration=300, end=300), "/end")
    assert doubt is not None
    assert "as a part of “300 seconds”, which is duration." in doubt.note


ACCOUNTS = [{"id": "ac-1", "type": "checking", "name": "M\u00fcller"}, {"id": "ac-2", "type": "savings", "name": ""}]


def test_what_names_the_record_is_told_by_its_letters_and_else_by_what_the_request_says() -> None:
    asked = context("Close the savings account.", result("list_accounts", json.dumps(ACCOUNTS)), offered=())
    for value, beside in (("ac-1", "“Müller”"), ("ac-2", "“savings”")):
        doubt = doubt_of(unproven_value, asked, call("close", id=value), "/id")
        assert doubt is not None
        assert f"beside {beside}." in doubt.note


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


@pytest.mark.parametrize("words", ["Order 250 g of coffee.", "Order coffee with 2% milk.", "Order 80 percent coffee."])
def test_a_weight_or_a_share_is_no_quantity(words: str) -> None:
    said = context(words, offered=(ORDER,))
    assert doubt_of(other_value, said, order(quantity=1), "/quantity") is None
    assert doubt_of(other_value, said, order(tip=1), "/tip") is not None


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


@pytest.mark.parametrize(
    ("said", "start", "length"),
    [
        ("Postpone the visit by a week", "2026-12-09T09:30", "a week"),
        ("Move the visit up by an hour", "2026-12-02T08:30:00", "an hour"),
        ("Move the visit", "2026-12-09", ""),
        ("Postpone the visit by a week", "2026-12-10T09:30", ""),
    ],
)
def test_a_moment_of_the_data_is_moved_by_a_length_that_the_user_says(said: str, start: str, length: str) -> None:
    visit = {"id": "v-1", "start": "2026-12-02T09:30"}
    asked = context(f"{said}.", result("get_visit", visit), offered=(tool("move", "Moves a visit.", start=TEXT),))
    doubt = doubt_of(readable_value, asked, call("move", start=start), "/start")
    told = f"History 1 says “2026-12-02T09:30” and the request says “{length}”, which together give “{start}”."
    assert (doubt.note.startswith(told) if doubt else not length) is True


def test_figures_that_a_record_has_as_text_are_no_amount() -> None:
    asked = "Pay Ann with the card ending in 7334."
    card = {"card_id": "c-1", "last_four": "7334"}
    for known, is_told in ((card, False), ({**card, "last_four": 7334}, True), ({}, True)):
        said = context(asked, result("get_cards", [known]), offered=BANK)
        assert (doubt_of(other_value, said, call("pay", to="Ann", amount=290), "/amount") is not None) is is_told


@pytest.mark.parametrize("value", ["paypal_7194385", "2872401762", "3426712", "2026-0419-77"])
def test_what_a_long_identifier_is_nearly_is_told_where_only_one_is(value: str) -> None:
    near, next_to_it = value.replace("4", "8", 1), value.replace("7", "1", 1)
    for known, nearest in (([near, "ab-1"], near), ([near, next_to_it], None), ([near[:-1]], None)):
        asked = context("Return it.", result("get_order", {"ids": known}), offered=())
        doubt = doubt_of(unproven_value, asked, call("send_back", order=value), "/order")
        assert doubt is not None
        assert (doubt.rule, doubt.nearest and doubt.nearest.quote) == (unproven_value.NOWHERE, nearest)


def test_the_end_of_a_word_behind_an_apostrophe_says_no_size() -> None:
    sizes = [{"id": "i-1", "size": "S"}, {"id": "i-2", "size": "L"}]
    for words, is_said in (("Let's order the shirt.", False), ("Order the shirt in 's'.", True)):
        asked = context(words, result("list_sizes", sizes), offered=())
        assert (doubt_of(other_records, asked, call("order", id="i-2"), "/id") is not None) is is_said


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(doubts.__path__)])
def test_every_doubt_about_a_value_has_its_place_among_what_is_told_first(name: str) -> None:
    module = importlib.import_module(f"{doubts.__name__}.{name}")
    if hasattr(module, "raise_doubt") and hasattr(module, "RULE"):
        assert open_rank("/value", module.RULE) < open_rank("/value", "doubts.nobody_knows")


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


def test_what_has_its_own_label_is_meant_for_no_other_parameter() -> None:
    alerts = tool("set_alerts", "Sets alerts sent to an email.", email=TEXT, frequency=TEXT)
    asked = context("Set daily email alerts. My email is ann@example.org.", offered=(alerts,))
    right = call("set_alerts", email="ann@example.org", frequency="daily")
    assert doubt_of(other_parameter, asked, right, "/frequency") is None
    unsaid = call("set_alerts", email="bob@example.org", frequency="daily")
    assert doubt_of(other_parameter, asked, unsaid, "/frequency") is not None


def test_within_the_value_that_is_asked_about_no_other_is_said() -> None:
    layers = tool("get_layer", "Gets a layer.", layer_name=TEXT, attribute_filter=TEXT)
    said = 'Please retrieve the data from the "Green" layer and filter it based on the attribute "green > 50%".'
    swapped = call("get_layer", layer_name="green > 50%", attribute_filter="Green")
    assert doubt_of(other_parameter, context(said, offered=(layers,)), swapped, "/layer_name") is not None


@pytest.mark.parametrize(
    ("said", "is_counted"),
    [("a width of 500 pixels", False), ("500 pixels", True), ("a width of 40 and 500 pixels", True)],
)
def test_a_figure_behind_the_parameters_name_counts_nothing_else(said: str, is_counted: bool) -> None:
    cats = (tool("get_cat", "Gets a cat.", width=NUMBER),)
    asked = context(f"Get a cat with {said}.", offered=cats)
    doubt = doubt_of(other_parameter, asked, call("get_cat", width=500), "/width")
    assert (doubt is not None) is is_counted
