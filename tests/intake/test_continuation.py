"""What came after an earlier submission is read as if all had been sent, and refused where that cannot be."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviews.models import Action, GuardProfile, Trace
from reviews.records import load
from tests.api.agent import ACTIONS, NATIVE, OPENAI, Agent, check_problem
from tests.api.conftest import agent, known_key, outsider
from tests.api.views.test_plans import planned
from tests.api.views.test_submit import ANTHROPIC, MCP, RESPONSES
from tests.cast import Cast, cast
from tests.jobs import run_checks

__all__ = ["agent", "cast", "known_key", "outsider"]

Turns = list[dict[str, Any]]
TOOLS = [{"name": "read", "description": "Reads a page.", "parameters": {"type": "object"}}]
BEGINNINGS = ("query", "system", "instructions", "sources")
USER: Turns = [{"role": "user", "content": "Look up all of them."}]


@dataclass(frozen=True)
class Shape:
    """How a conversation in one API's shape goes on, step by step."""

    field: str
    base: dict[str, Any]
    call: Callable[[str], Any]
    asking: Callable[[str], Turns]
    answering: Callable[[str], Turns]
    opening: Turns

    def turns(self, step: int) -> Turns:
        """Everything before the call of this step is answered."""
        past = [turn for n in range(step) for turn in (*self.asking(f"c{n}"), *self.answering(f"c{n}"))]
        return [*self.opening, *past, *self.asking(f"c{step}")]


def chat_call(name: str) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": "read", "arguments": json.dumps({"page": name})}}


def anthropic_call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "read", "input": {"page": name}}


def responses_call(name: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": name, "name": "read", "arguments": json.dumps({"page": name})}


def native_call(name: str) -> dict[str, Any]:
    return {"tool": "read", "arguments": {"page": name}}


def mcp_call(name: str) -> dict[str, Any]:
    return {"name": "read", "arguments": {"page": name}}


# Each turn of the first three speaks, makes two calls at once, and proposes the first of them.
CHAT = Shape(
    "messages",
    OPENAI,
    chat_call,
    lambda name: [
        {"role": "assistant", "content": f"Now {name}.", "tool_calls": [chat_call(name), chat_call(f"{name}-2")]}
    ],
    lambda name: [
        {"role": "tool", "tool_call_id": call, "content": f"Page of {call}: empty."} for call in (name, f"{name}-2")
    ],
    [{"role": "system", "content": "Be careful."}, *USER],
)
SHAPES = {
    "tool_call": CHAT,
    "tool_use": Shape(
        "messages",
        ANTHROPIC,
        anthropic_call,
        lambda name: [
            {"role": "assistant", "content": [{"type": "text", "text": f"Now {name}."}, anthropic_call(name)]}
        ],
        lambda name: [
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": f"{name} is empty."}]}
        ],
        USER,
    ),
    "function_call": Shape(
        "input",
        RESPONSES,
        responses_call,
        lambda name: [
            {"type": "message", "role": "assistant", "content": f"Now {name}."},
            responses_call(name),
            responses_call(f"{name}-2"),
        ],
        lambda name: [
            {"type": "function_call_output", "call_id": call, "output": f"{call} is empty."}
            for call in (name, f"{name}-2")
        ],
        USER,
    ),
    "action": Shape(
        "history", NATIVE, native_call, lambda _: [], lambda name: [{**native_call(name), "outcome": "Empty."}], []
    ),
    "call": Shape(
        "history",
        MCP,
        mcp_call,
        lambda _: [],
        lambda name: [{"call": mcp_call(name), "result": {"content": [{"type": "text", "text": "Empty."}]}}],
        [],
    ),
}


def submission(form: str, step: int, **changed: Any) -> dict[str, Any]:
    """All of the conversation up to this step, with the call."""
    shape = SHAPES[form]
    base = {name: value for name, value in shape.base.items() if name != "trace_id"}
    call = shape.call(f"c{step}")
    return {**base, "tools": TOOLS, form: call, shape.field: shape.turns(step), **changed}


def rest(form: str, step: int, headers: Any, sent: int, **changed: Any) -> dict[str, Any]:
    """The same without what the headers of an earlier answer spare."""
    whole = submission(form, step)
    body = {name: value for name, value in whole.items() if name not in (*BEGINNINGS, "tools")}
    names = {"continues": headers["Continue-From"], "tools_digest": headers["Tools-Digest"]}
    return {**body, **names, SHAPES[form].field: whole[SHAPES[form].field][sent:], **changed}


@pytest.mark.parametrize("form", SHAPES)
def test_a_continued_conversation_is_stored_as_the_whole_one(agent: Agent, form: str) -> None:
    response, sent = agent.post(ACTIONS, submission(form, 0, trace_id="joined")), 0
    for step in range(1, 4):
        sent += int(response["Continue-Behind"])
        response = agent.post(ACTIONS, rest(form, step, response.headers, sent))
        assert response.status_code == 202, response.content
        whole = agent.submit(submission(form, step, trace_id=f"whole {step}"))
        assert stored_case(json.loads(response.content)["id"]) == stored_case(whole["id"])
    assert Trace.objects.filter(external_id="joined").count() == 1
    assert int(response["Continue-Behind"]) <= 5


def stored_case(key: str) -> Any:
    case = load.load_case(Action.objects.select_related("trace__query", "tool_set", "profile").get(pk=key))
    return dict(case.context.sources), case.context.tools, case.action


def begun(agent: Agent, **changed: Any) -> tuple[Any, int]:
    """The headers of an answer to a conversation of three steps, and how much of it need not be sent again."""
    response = agent.post(ACTIONS, submission("tool_call", 2, **{"trace_id": "joined", **changed}))
    return response.headers, int(response["Continue-Behind"])


def test_a_user_message_that_repeats_a_stored_result_is_that_result(agent: Agent) -> None:
    headers, sent = begun(agent)
    body = rest("tool_call", 3, headers, sent)
    body["messages"].insert(-1, {"role": "user", "content": "Page of c0: empty."})
    assert [turn.role for turn in said_in(agent.submit(body))] == ["assistant"] * 3
    body["messages"].insert(-1, {"role": "user", "content": "Look at the last one, too."})
    assert said_in(agent.submit({**body, "tool_call": chat_call("c3-2")}))[-1].role == "user"


def said_in(action: Any) -> list[Any]:
    stored = Action.objects.select_related("trace__query", "tool_set", "profile").get(pk=action["id"])
    return [item for item in load.load_context(stored).history if hasattr(item, "role")]


def test_another_outcome_than_the_stored_one_opens_a_revision_with_all_before_it(agent: Agent) -> None:
    headers, sent = begun(agent)
    agent.submit(rest("tool_call", 3, headers, sent))
    body = rest("tool_call", 3, headers, sent)
    body["messages"][-2]["content"], body["tool_call"] = "Page of c2-2: full.", chat_call("c3-2")
    other = Action.objects.select_related("trace__query", "tool_set", "profile").get(pk=agent.submit(body)["id"])
    outcomes = [getattr(item, "outcome", None) for item in load.load_context(other).history]
    assert (other.trace.revision, outcomes[1], outcomes[-1]) == (2, "Page of c0: empty.", "Page of c2-2: full.")


def test_a_later_request_begins_an_intent_of_its_own(agent: Agent) -> None:
    headers, sent = begun(agent)
    body = rest("tool_call", 3, headers, sent)
    body["messages"].insert(-1, {"role": "user", "content": "Then pay Hugo $40."})
    headers = agent.post(ACTIONS, body).headers
    body = rest("tool_call", 4, headers, 0, messages=[{"role": "user", "content": "And Mira $50."}])
    agent.submit(body)
    assert Trace.objects.get(external_id="joined").requests == 3


def test_what_is_not_stored_is_refused_by_name(agent: Agent, outsider: Agent) -> None:
    headers, sent = begun(agent)
    body = rest("tool_call", 3, headers, sent)
    for changed, pointer in (
        ({"continues": "0" * 8 + body["continues"][8:]}, "/continues"),
        ({"continues": body["continues"].partition(".")[0] + ".99"}, "/continues"),
        ({"tools_digest": "0" * 64}, "/tools_digest"),
        ({"tools": TOOLS}, "/tools_digest"),
        ({"trace_id": "another"}, "/trace_id"),
        ({"systemInstruction": "Be quick."}, "/systemInstruction"),
        ({"messages": body["messages"][1:]}, "/messages/0/tool_call_id"),
    ):
        check_problem(agent.post(ACTIONS, {**body, **changed}), 422, pointer)
    check_problem(outsider.post(ACTIONS, body), 422, "/continues", "/tools_digest")
    Trace.objects.update(erased_at="2026-01-01T00:00Z")
    check_problem(agent.post(ACTIONS, body), 422, "/continues")


def test_claims_count_calls_from_the_beginning(agent: Agent) -> None:
    headers, sent = begun(agent)
    by_id = rest("tool_call", 3, headers, sent, provenance={"/page": {"tool_call_id": "c2"}})
    action = Action.objects.get(pk=agent.submit(by_id)["id"])
    assert action.provenance["/page"]["step"] == 4
    for call, step, status in (("c3-2", 0, 202), ("c4", 5, 202), ("c5", 6, 422)):
        claimed = {**by_id, "tool_call": chat_call(call), "provenance": {"/page": {"step": step}}}
        assert agent.post(ACTIONS, claimed).status_code == status


def test_tools_are_read_anew_once_a_server_is_believed_otherwise(agent: Agent, cast: Cast) -> None:
    tools = {"tools": [{"name": "read", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]}
    headers, sent = begun(agent, tools=tools)
    body = rest("tool_call", 3, headers, sent)
    agent.submit(body)
    GuardProfile.objects.filter(workspace=cast.workspace).update(trust_annotations=True)
    check_problem(agent.post(ACTIONS, {**body, "metadata": {"n": 2}}), 422, "/tools_digest")
    headers, sent = begun(agent, tools=tools, trace_id="trusted")
    digest = headers["Tools-Digest"]
    agent.submit(rest("tool_call", 3, headers, sent))
    tool_set = Action.objects.select_related("tool_set").latest("created_at").tool_set
    assert (digest, tool_set.tools[0]["environment_changing"]) == (f"{tool_set.digest}.believed", False)


def test_a_continued_history_is_bounded_as_a_whole(agent: Agent, settings: Any) -> None:
    headers, sent = begun(agent)
    body, guard = rest("tool_call", 3, headers, sent), settings.GUARD
    settings.GUARD = guard.model_copy(update={"max_history": 6})
    check_problem(agent.post(ACTIONS, body), 422, "/messages")
    steps = Trace.objects.get().steps.exclude(text=None).values_list("text__body", flat=True)
    size = sum(len(text.encode()) for text in steps)
    settings.GUARD = guard.model_copy(update={"max_history_bytes": size - 1})
    check_problem(agent.post(ACTIONS, body), 422, "/continues")
    settings.GUARD = guard.model_copy(update={"max_history_bytes": size})
    agent.submit(body)


@pytest.mark.usefixtures("known_key")
def test_what_is_continued_takes_four_queries(agent: Agent) -> None:
    agent.submit(submission("tool_call", 1, trace_id="joined"))
    with CaptureQueriesContext(
        connection,
    ) as whole:
        headers, sent = begun(agent)
    with CaptureQueriesContext(connection) as continued:
        agent.submit(rest("tool_call", 3, headers, sent))
    # Of the action that is continued, its sources, its size, and the tools.
    assert len(continued) <= len(whole) + 4


def test_what_a_provider_keeps_is_refused_with_what_to_send_instead(agent: Agent) -> None:
    for name in ("previous_response_id", "conversation"):
        problem = check_problem(agent.post(ACTIONS, {**RESPONSES, name: "resp_1"}), 422, f"/{name}")
        assert "continues" in problem["errors"][0]["detail"]


@pytest.mark.parametrize(
    "body",
    [
        {**OPENAI, "messages": OPENAI["messages"][2:]},
        {**OPENAI, "messages": [{"role": "assistant", "content": "What happened: Daniel was found."}]},
        {**NATIVE, "query": "", "sources": [{"kind": "agent_message", "name": "task", "text": "Send Daniel $30."}]},
        {**RESPONSES, "input": [{"type": "compaction", "encrypted_content": "AAAA"}]},
    ],
    ids=["sub-agent", "summary", "own shape", "compacted"],
)
def test_without_a_user_nothing_is_established(agent: Agent, body: dict[str, Any]) -> None:
    action = agent.submit(body)
    run_checks(action["id"])
    assert json.loads(agent.get(action["links"]["self"]).content)["verdict"]["aligned"] is not True
    check_problem(agent.post("/api/v1/plans", planned(body)), 422)


def test_a_file_that_is_sent_once_more_is_told_once_and_hides_no_other_source(agent: Agent) -> None:
    bill = {"type": "file", "file": {"filename": "bill.pdf"}}
    attached = {"role": "user", "content": [{"type": "text", "text": "And this bill."}, bill]}
    notes = [{"kind": "memory", "name": name, "text": f"Note of {name}."} for name in ("attachment", "system")]
    first = agent.post(ACTIONS, {**NATIVE, "trace_id": "files", "sources": notes})
    later = {"role": "system", "content": "Be quick."}
    for _ in range(2):
        body = {"continues": first.headers["Continue-From"], "messages": [attached, later, attached]}
        action = Action.objects.get(pk=agent.submit({**body, "tool_call": chat_call("c"), "tools": TOOLS})["id"])
        assert {source["name"]: source["kind"] for source in action.sources} == {
            "attachment": "memory",
            "system": "memory",
            "attachment-2": "retrieved",
            "system-2": "system_prompt",
        }
