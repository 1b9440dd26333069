"""The plan gate over HTTP: every shape, waiting, tenancy, and what is refused."""

import asyncio
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reviews.api.longpoll.long_poll import LongPoll
from reviews.decisions import decide
from reviews.intake.wire.schemas.plans import MAX_MESSAGE_LENGTH, MAX_STEPS, MAX_TOOLS_OF_A_STEP
from reviews.models import Action, Plan
from reviews.profiles import versions
from reviews.provenance.judges import JudgeUnavailableError
from reviews.queue import review_claims
from tests.api.agent import NATIVE, OPENAI, Agent, check_problem, read, with_
from tests.api.docs.test_openapi import check_is_a
from tests.api.longpoll.test_long_poll import ID, Browser, ScriptedDjango, tell
from tests.api.views.test_submit import ANTHROPIC, FOUND, MCP, RESPONSES
from tests.cast import Cast
from tests.eventually import until
from tests.gates import BLOCKED, HARMFUL, STRAYS
from tests.jobs import check_plan, run_checks
from tests.provenance.detectors.scripted import ScriptedJudge

PLANS = "/api/v1/plans"
STEPS: list[dict[str, Any]] = [
    {"message": "Find Daniel.", "tool_use": ["search_contacts"]},
    {"message": "Send Daniel the money.", "tool_use": ["money_transfer"]},
]
OF_CALLS = ("action", "tool_call", "function_call", "tool_use", "call")
OF_ACTIONS = (*OF_CALLS, "risk", "expires_in", "callback_url", "retry_of", "metadata")


def planned(body: dict[str, Any]) -> dict[str, Any]:
    """The same past with a plan instead of a call."""
    return {**{name: value for name, value in body.items() if name not in OF_ACTIONS}, "plan": STEPS}


BODY = planned(NATIVE)


def submitted(agent: Agent, body: dict[str, Any] | None = None) -> Any:
    """A plan that was accepted."""
    response = agent.post(PLANS, BODY if body is None else body)
    assert response.status_code in (200, 202), response.content
    return read(response)


def answered(agent: Agent, body: dict[str, Any] | None = None) -> Any:
    """A plan the gate has looked at, read again."""
    plan = submitted(agent, body)
    while check_plan(plan["id"]) is not None:
        Plan.objects.update(not_before=None)
    return read(agent.get(plan["links"]["self"]))


@pytest.mark.parametrize(
    "body",
    [NATIVE, OPENAI, RESPONSES, ANTHROPIC, MCP],
    ids=["native", "chat", "responses", "anthropic", "mcp"],
)
def test_a_plan_is_accepted_in_every_shape(agent: Agent, body: dict[str, Any]) -> None:
    plan = submitted(agent, planned(body))
    stored = Plan.objects.select_related("trace__query").get(pk=plan["id"])
    (step,) = stored.trace.steps.select_related("text")
    assert stored.trace.query.body.startswith("Send $30 to Daniel")
    assert (step.tool, FOUND in (step.text.body if step.text else "")) == ("search_contacts", True)
    assert (stored.steps, stored.position) == (STEPS, 1)


def test_a_new_plan_is_being_checked(agent: Agent) -> None:
    response = agent.post(PLANS, BODY)
    plan = read(response)
    assert response.status_code == 202
    assert response["Location"] == f"{PLANS}/{plan['id']}"
    assert int(response["Retry-After"]) > 0
    assert (plan["status"], plan["answer"], plan["reason"], plan["model_message"]) == ("checking", None, "", None)
    assert (plan["trace_id"], plan["steps"], plan["findings"]) == ("conv-42", STEPS, [])
    check_is_a("Plan", plan)


def test_a_safe_plan_says_so(agent: Agent, gates: ScriptedJudge) -> None:
    plan = answered(agent)
    assert (plan["status"], plan["answer"]) == ("decided", "safe")
    assert plan["rewrites"] == {"used": 0, "allowed": 2}
    check_is_a("Plan", plan)


def test_a_plan_to_rewrite_says_why(agent: Agent, gates: ScriptedJudge) -> None:
    gates.answers["intent_deviation"] = STRAYS
    plan = answered(agent)
    assert (plan["answer"], plan["reason"]) == ("rewrite", STRAYS.rationale)
    assert STRAYS.rationale in plan["model_message"]
    assert plan["rewrites"] == {"used": 1, "allowed": 2}
    failing = [finding for finding in plan["findings"] if finding["holds"] is False]
    assert [(each["relation"], each["rationale"]) for each in failing] == [("ContributeTo", STRAYS.rationale)]
    check_is_a("Plan", plan)


def test_a_rejected_plan_says_to_stop(agent: Agent, gates: ScriptedJudge) -> None:
    gates.answers["malicious_intent"] = HARMFUL
    plan = answered(agent)
    assert plan["answer"] == "reject"
    assert f"tell the user why: {HARMFUL.rationale}" in plan["model_message"]


def test_no_more_than_the_allowed_rewrites_read_as_used(agent: Agent, cast: Cast, gates: ScriptedJudge) -> None:
    versions.new_version(membership=cast.admin, rewrites=0)
    gates.answers["intent_deviation"] = STRAYS
    plan = answered(agent)
    assert (plan["answer"], plan["rewrites"]) == ("reject", {"used": 0, "allowed": 0})


def test_a_failed_attempt_is_no_answer(agent: Agent, gates: ScriptedJudge) -> None:
    gates.answers["malicious_intent"] = JudgeUnavailableError("refused")
    plan = submitted(agent)
    check_plan(plan["id"])
    assert read(agent.get(plan["links"]["self"])) == plan


def test_the_same_plan_again_is_answered_with_what_is_known(agent: Agent, gates: ScriptedJudge) -> None:
    first = answered(agent)
    again = agent.post(PLANS, BODY)
    assert (again.status_code, read(again), again["Idempotency-Replayed"]) == (200, first, "true")
    assert "Retry-After" not in again
    assert Plan.objects.count() == 1
    assert "Idempotency-Replayed" not in agent.post(PLANS, with_(BODY, "/trace_id", "another"))


def test_an_unchanged_plan_is_not_sent_again(agent: Agent, gates: ScriptedJudge) -> None:
    path = answered(agent)["links"]["self"]
    again = agent.get(path, If_None_Match=agent.get(path)["ETag"])
    assert (again.status_code, again.content) == (304, b"")


def test_a_plan_without_trace_gets_one(agent: Agent) -> None:
    assert submitted(agent, with_(BODY, "/trace_id", None))["trace_id"]


def test_a_step_may_use_no_tool(agent: Agent) -> None:
    assert submitted(agent, with_(BODY, "/plan", [{"message": "Think."}]))["steps"][0]["tool_use"] == []


def test_a_call_that_a_gate_stopped_tells_what_to_plan_anew(agent: Agent, cast: Cast, gates: ScriptedJudge) -> None:
    versions.new_version(membership=cast.admin, detectors=["intent-guard"])
    gates.answers["tool_risk"] = BLOCKED
    submitted(agent)
    action = agent.submit()
    run_checks(action["id"])
    stopped = Action.objects.get(pk=action["id"])
    review_claims.claim_review(review=stopped.review, membership=cast.reviewer)
    decide.decide_action(action=stopped, choice=decide.Reject("Not today."), membership=cast.reviewer)
    message = read(agent.get(action["links"]["self"]))["decision"]["model_message"]
    assert f"Rewrite the plan without this tool: {BLOCKED.rationale}" in message
    assert message.endswith("Not today.")


@pytest.mark.usefixtures("known_key")
def test_more_calls_that_a_gate_stopped_take_no_more_queries(agent: Agent, cast: Cast, gates: ScriptedJudge) -> None:
    versions.new_version(membership=cast.admin, detectors=["intent-guard"], rewrites=9)
    gates.answers["tool_risk"] = BLOCKED
    submitted(agent)

    def queries_with_one_more() -> int:
        stopped = Action.objects.get(pk=agent.submit(with_(NATIVE, "/action/tool_call_id", None))["id"])
        run_checks(stopped.pk)
        stopped.refresh_from_db()
        decide.decide_action(action=stopped, choice=decide.Reject(), membership=cast.reviewer)
        # The key is known from here.
        read(agent.get("/api/v1/actions?limit=1"))
        with CaptureQueriesContext(connection) as queries:
            listed = read(agent.get("/api/v1/actions"))["items"]
        assert all(BLOCKED.rationale in item["decision"]["model_message"] for item in listed)
        return len(queries)

    assert queries_with_one_more() == queries_with_one_more()


def test_a_plan_of_another_workspace_is_not_there(agent: Agent, outsider: Agent) -> None:
    path = submitted(agent)["links"]["self"]
    check_problem(outsider.get(path), 404, slug="not-found")


def test_a_plan_that_does_not_exist_is_not_there(agent: Agent) -> None:
    check_problem(agent.get(f"{PLANS}/0190a1b2-0000-7000-8000-000000000000"), 404, slug="not-found")


def test_nobody_submits_without_a_key(stranger: Agent) -> None:
    check_problem(stranger.post(PLANS, BODY), 401)


@pytest.mark.parametrize(
    ("at", "value", "pointer"),
    [
        ("/plan", None, "/plan"),
        ("/plan", [], "/plan"),
        ("/plan", "first this, then that", "/plan"),
        ("/plan", [{"message": "Wait."}] * (MAX_STEPS + 1), "/plan"),
        ("/plan", [{"message": "x" * MAX_MESSAGE_LENGTH}] * MAX_STEPS, "/plan"),
        ("/plan/1/message", " \n", "/plan/1/message"),
        ("/plan/1/message", "x" * (MAX_MESSAGE_LENGTH + 1), "/plan/1/message"),
        ("/plan/1/message", "\x00", "/plan/1/message"),
        ("/plan/0/tool_use", "search_contacts", "/plan/0/tool_use"),
        ("/plan/0/tool_use", ["x" * 201], "/plan/0/tool_use/0"),
        ("/plan/0/tool_use", ["x"] * (MAX_TOOLS_OF_A_STEP + 1), "/plan/0/tool_use"),
        ("/plan/0/tool", "search_contacts", "/plan/0/tool"),
        ("/query", None, "/query"),
        ("/tools", None, "/tools"),
        ("/action", NATIVE["action"], "/action"),
        ("/risk", "high", "/risk"),
        ("/messages", [], "/query"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_pointed_at(agent: Agent, at: str, value: Any, pointer: str) -> None:
    check_problem(agent.post(PLANS, with_(BODY, at, value)), 422, pointer)
    assert Plan.objects.count() == 0


def test_a_wait_that_is_no_number_is_refused(agent: Agent) -> None:
    check_problem(agent.get(f"{submitted(agent)['links']['self']}?wait=soon"), 422, "/wait")


def test_plans_cannot_be_listed(agent: Agent) -> None:
    check_problem(agent.get(PLANS), 405)


def test_a_plan_is_as_the_document_tells() -> None:
    check_is_a("PlanSubmission", BODY)


@pytest.mark.parametrize("guess", ["/docs", "/docs/"])
def test_the_docs_page_is_found_at_the_first_guess(guess: str) -> None:
    assert Client().get(guess, follow=True).redirect_chain == [("/api/v1/docs/", 302)]


def test_the_docs_page_shows_a_plan_and_an_answer() -> None:
    page = Client().get("/api/v1/docs/").content.decode()
    assert "Submit a plan" in page
    assert "Look up Daniel&#x27;s e-mail address." in page
    assert "Nobody asked to share the whole address book." in page


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> None:
    """A subscription that is live and silent."""
    monkeypatch.setattr("reviews.api.longpoll.wakeups.Wakeups.start", lambda self: setattr(self, "live", True))


ONE = f"{PLANS}/{ID}"


@pytest.mark.parametrize(
    ("method", "path", "query", "headers"),
    [("GET", ONE, "wait=30", {}), ("POST", PLANS, "", {"prefer": "wait=30"})],
    ids=["read", "submit"],
)
@pytest.mark.usefixtures("listening")
async def test_news_of_a_plan_end_the_wait_for_it(method: str, path: str, query: str, headers: dict[str, str]) -> None:
    django = ScriptedDjango(
        (202, [(b"retry-after", b"1"), (b"location", ONE.encode())], b"checking"), (200, [], b"answered")
    )
    poll = LongPoll(django)
    browser = Browser(poll, method, path, query, body=b"{}", **headers)
    await until(lambda: len(poll.wakeups) == 1)
    tell(poll, "another")
    await asyncio.sleep(0)
    assert len(django.requests) == 1
    tell(poll)
    assert await browser.answer() == (200, b"answered")
    assert django.requests[1]["path"] == ONE
