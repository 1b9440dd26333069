from dataclasses import replace
from typing import Any

import pytest

from reviews.provenance.core.context import Claim
from reviews.records import load
from tests.cast import RIGHT, Cast, propose

SAID = (Claim("/amount", "$30"), Claim("/to", step=0, path="/0/email"))
TO, AMOUNT = RIGHT.arguments["to"], RIGHT.arguments["amount"]


def test_a_case_is_loaded_with_what_the_agent_says_of_its_sources(cast: Cast) -> None:
    action = propose(cast, replace(RIGHT, claims=SAID))
    action.refresh_from_db()
    assert sorted(load.load_case(action).action.claims, key=lambda claim: claim.pointer) == list(SAID)


@pytest.mark.parametrize(
    ("tool", "arguments", "kept"),
    [
        ("money_transfer", {"to": TO, "amount": 31}, ["/to"]),
        ("money_transfer", {"amount": AMOUNT}, ["/amount"]),
        ("money_transfer", {"to": TO, "amount": 30.0}, ["/to"]),
        ("money_transfer", {"to": TO, "amount": AMOUNT, "note": "lunch"}, ["/amount", "/to"]),
        ("request_money", {"to": TO, "amount": AMOUNT}, []),
    ],
)
def test_an_edit_keeps_only_what_was_said_of_the_same_value(
    cast: Cast, tool: str, arguments: dict[str, Any], kept: list[str]
) -> None:
    action = propose(cast, replace(RIGHT, claims=SAID))
    claims = load.load_case_with(action, tool, arguments).action.claims
    assert sorted(claim.pointer for claim in claims) == kept
