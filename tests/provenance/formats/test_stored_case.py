from dataclasses import replace

from reviews.provenance.core.context import Case, Claim, Context, ProposedAction
from reviews.provenance.formats import stored_case

CASE = Case(Context("Pay Ann $30"), ProposedAction("pay", {"to": "Ann", "amount": 30}))


def test_what_the_agent_says_of_its_sources_is_kept() -> None:
    said = (Claim("/to", "Ann", "query"), Claim("/amount", step=0, path="/a~1b"))
    case = replace(CASE, action=replace(CASE.action, claims=said))
    assert stored_case.read_case(stored_case.write_case(case)) == case


def test_a_call_of_which_nothing_is_said_is_stored_as_before() -> None:
    assert stored_case.write_call(CASE.action) == {
        "tool": "pay",
        "arguments": {"to": "Ann", "amount": 30},
        "subtask": None,
    }
