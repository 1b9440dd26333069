"""What has to become of an agent's one call `pay(to="Daniel", amount=30)` under each decision."""

from collections.abc import Mapping
from typing import Any, Final

from reviews.provenance.formats import parse

ARGUMENTS: Final = {"to": "Daniel", "amount": 30}


def check_outcomes(results: Mapping[str, Mapping[str, Any]]) -> None:
    """What is proposed reads as the call, only what was approved runs, and model and guard are told what came of it."""
    assert {decision: result["ran"] for decision, result in results.items()} == {
        "approve": [ARGUMENTS],
        "edit": [{**ARGUMENTS, "amount": 3}],
        "reject": [],
    }
    for decision, words in (("approve", "paid 30"), ("edit", "paid 3"), ("reject", "Too much.")):
        assert words in results[decision]["told"]
    reports = [result["reports"] for result in results.values()]
    assert [[report["status"] for report in reported] for reported in reports] == [["succeeded"], ["succeeded"], []]
    assert "paid 3" in str(reports[1])
    for result in results.values():
        (body,) = result["bodies"]
        check_proposal(body)


def check_proposal(body: Mapping[str, Any]) -> None:
    """The API reads a submission as the call that the model made."""
    case = parse(dict(body)).case
    assert (case.action.tool, case.action.arguments) == ("pay", ARGUMENTS)
    assert "Pay Daniel" in case.context.query
    assert case.context.history == ()
    assert "pay" in [tool.name for tool in case.context.tools]
