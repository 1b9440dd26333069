"""Where the agent says that it took values from: read in every format, verified by the check, told in the answer."""

from typing import Any

import pytest

from reviews.models import Action
from reviews.provenance.core.context import Claim
from reviews.records import load
from tests.api.agent import ACTIONS, NATIVE, OPENAI, Agent, check_problem, read, with_
from tests.api.views.test_submit import ANTHROPIC, FOUND, MCP, RESPONSES
from tests.jobs import run_checks

BY_STEP = {"/to": {"step": 0, "path": ""}, "/amount": {"quote": "$30"}}
BY_ID = {"/to": {"tool_call_id": "call_0", "path": ""}, "/amount": {"quote": "$30"}}
UNIQUE: dict[str, Any] = {"/to": {"step": 0, "path": "/0/email"}}
# The request's words leave open what is to be done, so that rules prove neither value.
UNCLEAR = with_(NATIVE, "/query", "Settle up with Daniel for lunch: $30.")


def numbered(mcp: dict[str, Any]) -> dict[str, Any]:
    """The same history, whose request to a server has its id."""
    return with_(mcp, "/history/0/call/id", "call_0")


def claims_of(action: Any) -> tuple[Claim, ...]:
    return load.load_case(Action.objects.get(pk=action["id"])).action.claims


def findings_after_check(agent: Agent, body: dict[str, Any], rule: str) -> list[Any]:
    submitted = agent.submit(body)
    run_checks(submitted["id"])
    answer = read(agent.get(submitted["links"]["self"]))
    return [finding for finding in answer["verdict"]["findings"] if finding["rule"] == rule]


@pytest.mark.parametrize(
    "body", [NATIVE, OPENAI, RESPONSES, ANTHROPIC, MCP], ids=["native", "chat", "responses", "anthropic", "mcp"]
)
def test_every_format_takes_claims_by_step(agent: Agent, body: dict[str, Any]) -> None:
    claims = claims_of(agent.submit({**body, "provenance": BY_STEP}))
    assert {claim.pointer: (claim.step, claim.quote) for claim in claims} == {"/to": (0, ""), "/amount": (None, "$30")}


@pytest.mark.parametrize(
    "body", [OPENAI, RESPONSES, ANTHROPIC, numbered(MCP)], ids=["chat", "responses", "anthropic", "mcp"]
)
def test_formats_whose_calls_have_ids_take_claims_by_id(agent: Agent, body: dict[str, Any]) -> None:
    submitted = agent.submit({**body, "provenance": BY_ID})
    (claim,) = (claim for claim in claims_of(submitted) if claim.pointer == "/to")
    case = load.load_case(Action.objects.get(pk=submitted["id"]))
    assert claim.step is not None
    assert case.context.sources[case.context.result_of(claim.step) or ""].text == FOUND


def test_a_json_rpc_id_may_be_a_number(agent: Agent) -> None:
    body = with_(MCP, "/history/0/call/id", 7)
    claims = claims_of(agent.submit({**body, "provenance": {"/to": {"tool_call_id": 7}}}))
    assert claims == (Claim("/to", step=0),)


def test_claims_are_no_part_of_the_call(agent: Agent) -> None:
    plain = agent.submit(NATIVE)
    assert agent.submit({**NATIVE, "provenance": BY_STEP})["digest"] == plain["digest"]


def test_a_claim_that_stands_is_found_with_its_evidence(agent: Agent) -> None:
    findings = findings_after_check(agent, {**UNCLEAR, "provenance": UNIQUE}, "claims.verified")
    (finding,) = findings
    assert (finding["relation"], finding["subject"], finding["holds"]) == ("AppearIn", "/to", True)
    assert "daniel.kim@example.org" in [span["quote"] for span in finding["evidence"]]


def test_a_claim_that_does_not_stand_is_told_and_rejects_nothing(agent: Agent) -> None:
    body = with_(UNCLEAR, "/action/arguments/to", "kim@elsewhere.example")
    submitted = agent.submit({**body, "provenance": UNIQUE})
    run_checks(submitted["id"])
    verdict = read(agent.get(submitted["links"]["self"]))["verdict"]
    told = [finding for finding in verdict["findings"] if finding["rule"] == "doubts.false_claim"]
    assert {(finding["relation"], finding["holds"]) for finding in told} == {("AppearIn", None), ("DerivedFrom", None)}
    assert all("history 1 at /0/email, and it does not stand there" in finding["rationale"] for finding in told)
    assert verdict["misalignment"] is None


@pytest.mark.parametrize(
    ("provenance", "pointer"),
    [
        ({"/cc": {"quote": "$30"}}, "/provenance/~1cc"),
        ({"": {"quote": "$30"}}, "/provenance/"),
        ({"to": {"quote": "$30"}}, "/provenance/to"),
        ({"/to": {"step": 1, "path": "/0/email"}}, "/provenance/~1to/step"),
        ({"/to": {"step": -1, "path": "/0/email"}}, "/provenance/~1to/step"),
        ({"/to": {"step": True, "path": "/0/email"}}, "/provenance/~1to/step"),
        ({"/to": {"step": 10**30, "path": "/0/email"}}, "/provenance/~1to/step"),
        ({"/to": {"tool_call_id": "call_9", "path": "/0/email"}}, "/provenance/~1to/tool_call_id"),
        ({"/to": {"quote": "$30", "path": "/0/email"}}, "/provenance/~1to/path"),
        ({"/to": {"quote": "$30", "step": 0}}, "/provenance/~1to/step"),
        ({"/to": {"step": 0, "tool_call_id": "call_0"}}, "/provenance/~1to/step"),
        ({"/to": {"step": 0, "path": "0/email"}}, "/provenance/~1to/path"),
        ({"/to": {"step": 0, "path": "/" * 1001}}, "/provenance/~1to/path"),
        ({"/to": {"quote": "x" * 2001}}, "/provenance/~1to/quote"),
        ({"/to": {"quote": "  "}}, "/provenance/~1to/quote"),
        ({"/to": {"quote": "$30", "source": "source/nowhere"}}, "/provenance/~1to/source"),
        ({"/to": {"quote": "$30", "where": "query"}}, "/provenance/~1to/where"),
        ({"/to": {}}, "/provenance/~1to"),
        ({"/to": "the request"}, "/provenance/~1to"),
        (["/to"], "/provenance"),
        ({f"/x{n}": {"quote": "$30"} for n in range(65)}, "/provenance"),
    ],
)
def test_a_claim_about_nothing_is_refused_with_its_place(agent: Agent, provenance: Any, pointer: str) -> None:
    check_problem(agent.post(ACTIONS, {**NATIVE, "provenance": provenance}), 422, pointer)
    assert not Action.objects.exists()


def test_every_wrong_claim_is_named_at_once(agent: Agent) -> None:
    wrong = {"/cc": {"quote": "$30"}, "/to": {"step": 4}, "/amount": {"quote": "$30", "source": "nowhere"}}
    check_problem(
        agent.post(ACTIONS, {**NATIVE, "provenance": wrong}),
        422,
        "/provenance/~1cc",
        "/provenance/~1to/step",
        "/provenance/~1amount/source",
    )


def test_calls_of_our_own_shape_have_no_ids(agent: Agent) -> None:
    problem = check_problem(agent.post(ACTIONS, {**NATIVE, "provenance": BY_ID}), 422, "/provenance/~1to/tool_call_id")
    assert "`step`" in problem["errors"][0]["detail"]


def test_a_history_that_was_left_out_has_the_steps_that_are_stored(agent: Agent) -> None:
    agent.submit(NATIVE)
    later = {**with_(NATIVE, "/action/tool_call_id", "call_2"), "provenance": UNIQUE}
    del later["history"]
    submitted = agent.submit(later)
    case = load.load_case(Action.objects.get(pk=submitted["id"]))
    assert case.context.result_of(0) == "history/1/outcome"
    beyond = {**with_(later, "/action/tool_call_id", "call_3"), "provenance": {"/to": {"step": 1}}}
    check_problem(agent.post(ACTIONS, beyond), 422, "/provenance/~1to/step")
    unknown = {**with_(beyond, "/trace_id", "conv-new"), "provenance": UNIQUE}
    check_problem(agent.post(ACTIONS, unknown), 422, "/provenance/~1to/step")


def test_no_provenance_and_an_empty_one_claim_nothing(agent: Agent) -> None:
    assert claims_of(agent.submit({**NATIVE, "provenance": {}})) == ()
    assert claims_of(agent.submit({**with_(NATIVE, "/action/tool_call_id", "x"), "provenance": None})) == ()
