"""Two values, each said for the other's parameter: a fact about the request, against which no judge's yes stands."""

import pytest

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.core.context import Case, Context
from reviews.provenance.core.findings import Relation
from reviews.provenance.core.verdicts import Undetermined
from reviews.provenance.doubts import other_parameter
from reviews.provenance.judges import RulesJudge
from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import BANK, TEXT, tool
from tests.provenance.detectors.scripted import ScriptedJudge, call_support, check, found, quoting

QUERY = "Transfer 50 from account 4088 to account 4077."
BACKWARDS = {"from_account": "4077", "to_account": "4088", "amount": 50}


def rules_of(known: Context, tool_name: str, **arguments: object) -> list[str]:
    return [leaf.rule for leaf in Grounder(known).trace_call(call(tool_name, **arguments)).leaves]


@pytest.mark.parametrize("query", [QUERY, "Please transfer 50 to 4077 from 4088, and tell me when it's done."])
def test_values_that_are_exchanged_are_told(query: str) -> None:
    leaves = Grounder(context(query, offered=BANK)).trace_call(call("transfer", **BACKWARDS)).leaves
    assert [leaf.rule for leaf in leaves[:2]] == [other_parameter.EXCHANGED] * 2
    assert leaves[0].note == (
        "The request says “4077” for to_account and “4088” for from_account. The call has them exchanged."
    )


@pytest.mark.parametrize(
    ("query", "arguments"),
    [
        (QUERY, {"from_account": "4088", "to_account": "4077"}),
        # One of them is said for another parameter, or both are; nothing says which is whose.
        (QUERY, {"from_account": "4077", "to_account": "4077"}),
        ("Transfer 50 from account 4088 to 4077, and back from 4077 to 4088.", BACKWARDS),
        ("Transfer 50 between 4088 and 4077.", BACKWARDS),
    ],
)
def test_what_is_said_once_or_both_ways_is_none(query: str, arguments: dict[str, object]) -> None:
    rules = rules_of(context(query, offered=BANK), "transfer", **{**arguments, "amount": 50})
    assert other_parameter.EXCHANGED not in rules


async def test_no_judges_yes_stands_for_them() -> None:
    known = context(f"{QUERY} You know why!", offered=BANK)
    right = call("transfer", from_account="4088", to_account="4077", amount=50)
    await check("aligned", Case(known, right), ScriptedJudge(), unknown="review")
    quoted = call_support(quoting(1, ("query", "4077")), quoting(2, ("query", "4088")), quoting(3, ("query", "50")))
    for judge in (ScriptedJudge(), ScriptedJudge(call_support=quoted)):
        verdict = await check("undetermined", Case(known, call("transfer", **BACKWARDS)), judge, unknown="review")
        assert found(verdict, Relation.DERIVED_FROM, "/from_account").holds is None


async def test_a_record_may_say_otherwise() -> None:
    order = result("get_order", {"from_account": "4077", "to_account": "4088"})
    known = context(f"{QUERY} The order has it right!", order, offered=BANK)
    assert other_parameter.EXCHANGED in rules_of(known, "transfer", **BACKWARDS)
    places = (("history/1/outcome", "4077"), ("history/1/outcome", "4088"), ("query", "50"))
    quoted = call_support(*(quoting(number, place) for number, place in enumerate(places, start=1)))
    action = call("transfer", **BACKWARDS)
    verdict = await check("aligned", Case(known, action), ScriptedJudge(call_support=quoted), unknown="review")
    assert found(verdict, Relation.DERIVED_FROM, "/from_account").holds is True


async def test_that_they_are_exchanged_is_told_first() -> None:
    known = context(f"{QUERY} You know why!", offered=BANK)
    verdict = await check("undetermined", Case(known, call("transfer", **BACKWARDS)), RulesJudge(), unknown="review")
    assert isinstance(verdict, Undetermined)
    assert "The call has them exchanged." in verdict.reason


TYPES = [{"id": "ac-1", "type": "checking"}, {"id": "ac-2", "type": "savings"}, {"id": "ac-3", "type": "trust"}]


@pytest.mark.parametrize(
    ("words", "to_account", "is_exchanged"),
    [
        ("from savings to checking", "ac-2", True),
        ("to checking from savings", "ac-2", True),
        ("from my savings account to the checking account", "ac-2", True),
        ("from checking to savings", "ac-2", False),
        ("from savings to checking", "ac-3", False),
        ("between savings and checking", "ac-2", False),
        ("from savings", "ac-2", False),
    ],
)
def test_records_that_the_request_names_for_each_other_are_exchanged(
    words: str, to_account: str, is_exchanged: bool
) -> None:
    offered = (tool("transfer", "Moves money between accounts.", from_account=TEXT, to_account=TEXT),)
    known = context(f"Move it {words}.", result("list_accounts", TYPES), offered=offered)
    proposed = call("transfer", from_account="ac-1", to_account=to_account)
    leaves = Grounder(known).trace_call(proposed).leaves
    assert [leaf.rule == other_parameter.EXCHANGED for leaf in leaves] == [is_exchanged] * 2


@pytest.mark.parametrize("said", ["user name", "username", "user-name"])
def test_a_name_that_is_said_in_two_words_is_the_parameters(said: str) -> None:
    account = tool("register_user", "Registers a user.", username=TEXT, name=TEXT)
    asked = context(f"Register me: my name is Ann Lee and my {said} is annie.", offered=(account,))
    exchanged = rules_of(asked, "register_user", username="Ann Lee", name="annie")
    assert exchanged == [other_parameter.EXCHANGED] * 2
    right = rules_of(asked, "register_user", username="annie", name="Ann Lee")
    assert not {other_parameter.EXCHANGED, other_parameter.RULE} & set(right)
