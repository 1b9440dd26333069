import pytest

from reviews.provenance.core.context import ProposedAction
from tests.provenance.argument_grounding.made import agent, call, context, result, user
from tests.provenance.argument_grounding.tools import tool
from tests.provenance.proofs.checking import check_decided, leaf_of

TAKE = (tool("take", "Take a thing.", thing={"type": "string"}),)


def take(thing: str) -> ProposedAction:
    return call("take", thing=thing)


@pytest.mark.parametrize(
    ("said", "mistyped"),
    [
        ("bo.ray@firm.example", "bo.roy@firm.example"),
        ("DE75512108001245126199", "DE75512108001245126189"),
        ("7f3a9c1e5b2d", "7f3a9c1e5b3d"),
        ("7f3a9c1e5b2d", "7f3a9c1eb52d"),
        ("123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174001"),
    ],
)
def test_an_identifier_one_edit_from_the_only_one_is_refuted(said: str, mistyped: str) -> None:
    leaf = check_decided(context(f"Take {said}.", offered=TAKE), take(mistyped), "/thing", "near_copy", holds=False)
    assert leaf.nearest is not None
    assert leaf.nearest.quote == said


@pytest.mark.parametrize(("value", "nearest"), [("#W4466703", "#W2466703"), ("W4466703", "W2466703")])
def test_the_right_identifier_is_quoted_with_the_sign_that_the_value_has(value: str, nearest: str) -> None:
    asked = context("Take it.", result("get_orders", ["#W2466703"]), offered=TAKE)
    leaf = check_decided(asked, take(value), "/thing", "near_copy", holds=False)
    assert leaf.nearest is not None
    assert leaf.nearest.quote == nearest


@pytest.mark.parametrize(
    ("said", "other"),
    [("report.txt", "repost.txt"), ("1.9.2", "1.9.3"), ("2026-03-04", "2026-03-05"), ("web-47", "web-48"),
     ("USR002", "USR003"), ("AC100201", "AC100299"), ("iphone15", "iphone16"), ("30.50", "30.51")],
)  # fmt: skip
def test_what_is_near_its_neighbours_by_design_stays_unknown(said: str, other: str) -> None:
    assert leaf_of(context(f"Take {said}.", offered=TAKE), take(other), "/thing").holds is None


def test_an_identifier_with_two_neighbours_stays_unknown() -> None:
    asked = context("Take one of bo.rax@firm.example and bo.roy@firm.example.", offered=TAKE)
    assert leaf_of(asked, take("bo.ray@firm.example"), "/thing").holds is None


def test_an_identifier_that_stands_somewhere_itself_stays_unknown() -> None:
    asked = context("Take ba.ray@firm.example.", result("list", ["bo.ray@firm.example"]), offered=TAKE)
    assert leaf_of(asked, take("bo.ray@firm.example"), "/thing").holds is None


def test_a_neighbour_in_the_agents_own_words_stays_unknown() -> None:
    asked = context("Hello.", agent("Is it bo.roy@firm.example?"), user("Perhaps."), offered=TAKE)
    assert leaf_of(asked, take("bo.ray@firm.example"), "/thing").holds is None


def test_an_identifier_of_another_length_stays_unknown() -> None:
    asked = context("Take bo.ray@firm.example.", offered=TAKE)
    assert leaf_of(asked, take("bo.rays@firm.example"), "/thing").holds is None


@pytest.mark.parametrize(
    ("said", "corrected"),
    [
        ("Take plate KLM4821X, but with a B in place of the M.", "KLB4821X"),
        ("Take kim22@firm.example; it must be 23, not 22.", "kim23@firm.example"),
        ("Take 7f3a9c1e5b2d. The last sign is an e.", "7f3a9c1e5b2e"),
    ],
)
def test_an_identifier_that_the_user_corrects_stays_unknown(said: str, corrected: str) -> None:
    assert leaf_of(context(said, offered=TAKE), take(corrected), "/thing").holds is None


SET = (
    tool("update_email", "Updates an email.", user_id={"type": "string"}, email={"type": "string"}),
    tool("send_email", "Sends an email.", to={"type": "string"}),
)


@pytest.mark.parametrize(
    ("name", "given", "pointer", "holds"),
    [
        ("update_email", {"user_id": "U-1", "email": "john@firm.example"}, "/email", None),
        ("send_email", {"to": "john@firm.example"}, "/to", False),
    ],
)
def test_whoever_sets_an_address_may_correct_it(
    name: str, given: dict[str, str], pointer: str, holds: bool | None
) -> None:
    listed = result("list_users", [{"user_id": "U-1", "email": "jhon@firm.example"}])
    asked = context("Swap the second letter and the third.", listed, offered=SET)
    assert leaf_of(asked, call(name, **given), pointer).holds is holds


@pytest.mark.parametrize(
    ("said", "holds"), [("Take 12AB4F.", None), ("Not 12AB4F.", None), ("Take it without 12AB4F.", None)]
)
def test_what_stands_beside_an_identifier_or_is_denied_stays_unknown(said: str, holds: bool | None) -> None:
    for beside in ("12AB4G",) if said == "Take 12AB4F." else ("12AB4G", "12AB4X"):
        assert leaf_of(context(said, offered=TAKE), take(beside), "/thing").holds is holds
    check_decided(context("Take 12AB4F.", offered=TAKE), take("12AB4X"), "/thing", "near_copy", holds=False)
