import json
from typing import Any

import pytest

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.perturbations.look_up import LOOK_UPS
from reviews.evaluation.perturbations.reordering import reverse_look_ups
from reviews.provenance.core.context import Case, Context, Message, ProposedAction, Step, leaves

ORDER = {"order_id": "W1104", "customer": "Anna Karlsson", "total": 12.5, "placed": "2030-01-02"}
LOOKED_UP = Step("get_order", {"order_id": "W1104"}, json.dumps(ORDER))


def labelled(*history: Any) -> LabelledCase:
    action = ProposedAction("cancel_order", {"order_id": "W1104"})
    return LabelledCase("made/1", "right", Case(Context("Cancel W1104", (), history), action), False)


def history_of(case: LabelledCase) -> tuple[Any, ...]:
    return case.case.context.history


@pytest.mark.parametrize(("variant", "place"), [("foreign, first", 0), ("foreign, last", -1)])
def test_a_foreign_look_up_shares_no_value_with_the_case(variant: str, place: int) -> None:
    changed = LOOK_UPS[variant](labelled(LOOKED_UP))
    added = history_of(changed)[place]
    assert not changed.case.context.tool(added.tool).environment_changing  # type: ignore[union-attr]
    values = {str(value) for _, value in leaves(json.loads(added.outcome))}
    assert values.isdisjoint(map(str, ORDER.values()))
    assert sorted(map(str, history_of(changed))) == sorted(map(str, (added, LOOKED_UP)))


def test_other_records_have_the_same_form_and_other_names() -> None:
    original, other = history_of(LOOK_UPS["other records"](labelled(LOOKED_UP)))
    result = json.loads(other.outcome)
    assert (original, other.tool, list(result)) == (LOOKED_UP, "get_order", list(ORDER))
    assert other.arguments["order_id"] == result["order_id"] != "W1104"
    assert result["customer"] != ORDER["customer"]
    assert (result["total"], result["placed"]) == (12.5, "2030-01-02")


@pytest.mark.parametrize(
    "step",
    [
        Step("get_order", {"order_id": "W1104"}, "no JSON"),
        Step("get_orders", {}, json.dumps([ORDER])),
        Step("cancel_order", {"order_id": "W1104"}, json.dumps(ORDER)),
    ],
)
def test_no_look_up_is_repeated_that_names_nobody_or_changes_something(step: Step) -> None:
    assert LOOK_UPS["other records"](labelled(step)) == labelled(step)


def look_up(name: str, result: str = "") -> Step:
    return Step("get_user", {"name": name}, result)


def test_independent_look_ups_are_reversed() -> None:
    steps = [look_up("Anna", "W1"), look_up("Bert", "W2"), look_up("Cleo", "W3")]
    assert history_of(reverse_look_ups(labelled(*steps))) == tuple(reversed(steps))


@pytest.mark.parametrize(
    "between", [Step("cancel_order", {}, "done"), Message("user", "Now the other"), look_up("Cleo", "{'name': 'Bert'}")]
)
def test_nothing_is_moved_past_a_message_a_change_or_what_it_depends_on(between: Any) -> None:
    steps = (between, look_up("Bert"))
    assert history_of(reverse_look_ups(labelled(*steps))) == steps
