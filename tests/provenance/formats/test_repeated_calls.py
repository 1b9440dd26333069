"""A call that stands twice in one turn is made twice: the second is held against the first, which has no result yet."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.provenance import formats
from reviews.provenance.core.context import Step
from reviews.provenance.formats import Format
from tests.provenance.formats.writers import WRITERS, Call, Conversation, Turn

PAY = Call("a", "pay", {"to": "Ann", "amount": 30})
AGAIN = replace(PAY, id="b")
OTHER = replace(PAY, id="c", arguments={"to": "Bob", "amount": 30})
MADE = Step("pay", PAY.arguments)
SHAPES = pytest.mark.parametrize("shape", [Format.CHAT, Format.RESPONSES, Format.ANTHROPIC])


def history_of(proposed: Call, calls: tuple[Call, ...], shape: Format) -> Any:
    """What the reader takes for done when this one of a turn's calls is proposed."""
    body = WRITERS[shape](Conversation("Pay Ann 30", last=Turn(calls=calls)))
    alone = WRITERS[shape](Conversation("Pay Ann 30", last=Turn(calls=(proposed,))))
    return formats.parse({**body, shape: alone[shape]}).context.history


@SHAPES
def test_only_the_first_of_equal_calls_is_no_repetition(shape: Format) -> None:
    calls = (PAY, OTHER, AGAIN)
    assert history_of(PAY, calls, shape) == ()
    assert history_of(OTHER, calls, shape) == ()
    assert history_of(AGAIN, calls, shape) == (MADE,)


@SHAPES
def test_a_first_call_that_has_its_result_is_told_once(shape: Format) -> None:
    done = replace(PAY, result="paid")
    assert history_of(AGAIN, (done, AGAIN), shape) == (replace(MADE, outcome="paid"),)


@SHAPES
def test_of_calls_that_share_an_id_each_is_a_repetition(shape: Format) -> None:
    assert history_of(PAY, (PAY, PAY), shape) == (MADE,)


def test_of_calls_without_ids_each_is_a_repetition() -> None:
    call = {"name": "pay", "args": {"to": "Ann", "amount": 30}}
    contents = [
        {"role": "user", "parts": [{"text": "Pay Ann 30"}]},
        {"role": "model", "parts": [{"functionCall": call}, {"functionCall": call}]},
    ]
    assert formats.parse({"contents": contents, "functionCall": call}).context.history == (MADE,)


def test_of_two_requests_for_one_approval_the_second_is_a_repetition() -> None:
    asked = {"type": "mcp_approval_request", "name": "pay", "arguments": '{"to": "Ann", "amount": 30}'}
    first, second = ({**asked, "id": name, "server_label": "bank"} for name in "ab")
    body = {"input": [{"role": "user", "content": "Pay Ann 30"}, first, second], "tools": []}
    assert formats.parse({**body, "function_call": first}).context.history == ()
    assert formats.parse({**body, "function_call": second}).context.history == (MADE,)
