"""A claim may name a call by its id: each format's reader tells which call of the history that is."""

import pytest

from reviews.provenance import formats
from reviews.provenance.core.context import Step
from reviews.provenance.formats import Format
from tests.provenance.formats.writers import WRITERS, Call, Conversation, Turn

FIND = Call("a", "find_contact", {"name": "Daniel"}, '{"email": "daniel@example.org"}')
LIST = Call("b", "list_files", {}, "report.pdf")
SEND = Call("p", "send_email", {"to": "daniel@example.org"})
WITH_IDS = pytest.mark.parametrize("shape", [Format.CHAT, Format.RESPONSES, Format.ANTHROPIC])


def named(conversation: Conversation, shape: Format) -> dict[str, str | None]:
    """What each id's call returned, as the steps of the history say."""
    parsed = formats.parse(WRITERS[shape](conversation))
    steps = [item for item in parsed.context.history if isinstance(item, Step)]
    return {call_id: steps[step].outcome for call_id, step in parsed.steps.items()}


@WITH_IDS
def test_messages_between_calls_do_not_count(shape: Format) -> None:
    turns = (Turn("Let me look.", (FIND,)), Turn("Which file?"), "The report.", Turn(calls=(LIST,)))
    told = named(Conversation("Write to Daniel", turns, Turn(calls=(SEND,))), shape)
    assert told == {"a": FIND.result, "b": LIST.result}


@WITH_IDS
def test_the_proposed_call_and_its_unfinished_siblings_are_no_steps(shape: Format) -> None:
    assert named(Conversation("Write", last=Turn("Both.", (SEND, Call("q", "ping", {})))), shape) == {}


@WITH_IDS
def test_a_finished_sibling_is_one(shape: Format) -> None:
    assert named(Conversation("Write", last=Turn("Both.", (SEND, FIND))), shape) == {"a": FIND.result}


@WITH_IDS
def test_of_an_id_that_is_used_again_the_latest_call_is_meant(shape: Format) -> None:
    turns = tuple(Turn("Again.", (Call("0", "ping", {"n": n}, f"pong {n}"),)) for n in range(3))
    assert named(Conversation("Hello", turns, Turn("Now.", (SEND,))), shape) == {"0": "pong 2"}


def test_requests_of_mcp_have_their_json_rpc_id() -> None:
    history = [
        {"call": {"name": "ping", "arguments": {}}, "result": {"content": []}},
        {"role": "user", "text": "Go on."},
        {
            "call": {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "find", "arguments": {}}},
            "result": {"content": [{"type": "text", "text": "Ann"}]},
        },
    ]
    call = {"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "pay", "arguments": {}}}
    parsed = formats.parse({"query": "Pay Ann", "tools": [], "history": history, "call": call})
    assert parsed.steps == {"7": 1}


@pytest.mark.parametrize("odd", [1.5, True, None, {"n": 1}, "x" * 201, 2**70])
def test_an_odd_id_of_an_earlier_request_is_nobodys_name_and_no_problem(odd: object) -> None:
    history = [{"call": {"id": odd, "name": "ping", "arguments": {}}, "result": {"content": []}}]
    parsed = formats.parse({"query": "Go", "tools": [], "history": history, "call": {"name": "go", "arguments": {}}})
    assert parsed.steps == {}
