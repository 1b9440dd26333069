"""Reading actions: one, and the list."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from reviews.decisions import decide, expiry_and_cancellation
from reviews.models import Action, Review
from reviews.profiles import versions
from reviews.provenance.core.trust import SourceKind
from tests.api.agent import ACTIONS, NATIVE, Agent, check_problem, read, with_
from tests.cast import PASSED, REJECTED, RIGHT, UNSURE, Cast, Script, decided
from tests.jobs import run_checks


def after_check(agent: Agent, **headers: str) -> Any:
    submitted = agent.submit(**headers)
    run_checks(submitted["id"])
    return read(agent.get(submitted["links"]["self"]))


def test_an_aligned_action_is_approved_by_the_guard(agent: Agent, script: Script) -> None:
    script(PASSED)
    action = after_check(agent)
    assert action["status"] == "decided"
    assert action["verdict"]["aligned"] is True
    assert action["decision"]["decided_by"] == "guard"
    assert action["decision"]["digest"] == action["digest"]
    assert action["decision"]["decided_at"].endswith("Z")
    assert action["decision"]["model_message"]


def test_a_misaligned_action_says_what_failed(agent: Agent, script: Script) -> None:
    script(REJECTED)
    action = after_check(agent)
    assert action["status"] == "pending"
    assert action["decision"] is None
    assert action["verdict"]["aligned"] is False
    assert action["verdict"]["misalignment"] == "parameter"
    assert action["verdict"]["findings"][0]["relation"] == "DerivedFrom"
    assert action["verdict"]["interpretations"][0]["arguments"]["amount"] == 30


def test_what_waits_says_why_until_it_is_decided(agent: Agent, cast: Cast, script: Script) -> None:
    script(REJECTED)
    action = after_check(agent)
    review = Review.objects.get(action=action["id"])
    assert action["waits_because"] == review.reason != ""
    (listed,) = read(agent.get(ACTIONS))["items"]
    assert listed["waits_because"] == review.reason
    decided(review.action, decide.Reject("No."), cast.reviewer)
    assert read(agent.get(action["links"]["self"]))["waits_because"] is None


def test_an_aligned_call_that_waits_says_why(agent: Agent, cast: Cast, script: Script) -> None:
    versions.new_version(membership=cast.admin, tool_policies={RIGHT.tool: "always_review"})
    script(PASSED)
    action = after_check(agent)
    assert (action["status"], action["verdict"]["aligned"]) == ("pending", True)
    assert "always" in action["waits_because"]


def test_a_finding_says_what_its_value_rests_on(agent: Agent, script: Script) -> None:
    written = replace(REJECTED.findings[0], sources=(SourceKind.TOOL_OUTPUT,), trust=0.5, untrusted_only=True)
    script(replace(REJECTED, findings=(written,)))
    (finding,) = after_check(agent)["verdict"]["findings"]
    assert (finding["sources"], finding["trust"], finding["untrusted_only"]) == (["tool_output"], 0.5, True)


@pytest.mark.parametrize("rule", ["", "proofs.near_copy"])
def test_a_finding_names_the_rule_that_decided_it(agent: Agent, script: Script, rule: str) -> None:
    script(replace(REJECTED, findings=(replace(REJECTED.findings[0], rule=rule),)))
    (finding,) = after_check(agent)["verdict"]["findings"]
    assert finding["rule"] == rule


def test_an_undetermined_action_is_neither_aligned_nor_misaligned(agent: Agent, script: Script) -> None:
    script(UNSURE)
    verdict = after_check(agent)["verdict"]
    assert (verdict["aligned"], verdict["misalignment"]) == (None, None)


def test_an_edit_carries_the_edited_call(agent: Agent, cast: Cast, script: Script) -> None:
    script(REJECTED)
    action = after_check(agent)
    arguments = {"to": "daniel.kim@example.org", "amount": 25}
    decided(Review.objects.get(action=action["id"]).action, decide.Edit("money_transfer", arguments), cast.reviewer)
    decision = read(agent.get(action["links"]["self"]))["decision"]
    assert (decision["outcome"], decision["arguments"]) == ("edit", arguments)
    assert decision["digest"] != action["digest"]
    assert "must not be issued again" in decision["model_message"]


def test_an_undecided_action_says_when_to_ask_again(agent: Agent) -> None:
    response = agent.get(agent.submit()["links"]["self"])
    assert response.status_code == 200
    assert int(response["Retry-After"]) > 0


def test_an_unchanged_action_is_not_sent_again(agent: Agent) -> None:
    path = agent.submit()["links"]["self"]
    etag = agent.get(path)["ETag"]
    unchanged = agent.get(path, If_None_Match=etag)
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert unchanged["ETag"] == etag
    assert int(unchanged["Retry-After"]) > 0


def test_a_changed_action_has_another_etag(agent: Agent, script: Script) -> None:
    script(PASSED)
    submitted = agent.submit()
    etag = agent.get(submitted["links"]["self"])["ETag"]
    run_checks(submitted["id"])
    assert agent.get(submitted["links"]["self"], If_None_Match=etag).status_code == 200


@pytest.mark.parametrize("wait", ["1000000000", "-1", "soon", "1.5", ""])
def test_a_wait_that_is_none_is_refused(agent: Agent, wait: str) -> None:
    check_problem(agent.get(f"{agent.submit()['links']['self']}?wait={wait}"), 422, "/wait")


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("colour=blue", "/colour"),
        ("status=lost", "/status"),
        ("limit=0", "/limit"),
        ("limit=201", "/limit"),
        ("limit=many", "/limit"),
        ("created_after=yesterday", "/created_after"),
        ("created_before=2026-01-01T00:00:00", "/created_before"),
        ("cursor=nonsense", "/cursor"),
        ("tool=a&tool=b", "/tool"),
        ("tool=%00", "/tool"),
    ],
)
def test_a_filter_that_is_none_is_refused(agent: Agent, query: str, pointer: str) -> None:
    check_problem(agent.get(f"{ACTIONS}?{query}"), 422, pointer)


def listed(agent: Agent, query: str = "") -> list[str]:
    return [action["id"] for action in read(agent.get(f"{ACTIONS}?{query}"))["items"]]


def submit_anew(agent: Agent) -> str:
    """The id of an action that no other call of the same name is."""
    return str(agent.submit(with_(NATIVE, "/action/tool_call_id", None))["id"])


def test_the_newest_action_comes_first(agent: Agent) -> None:
    ids = [submit_anew(agent) for _ in range(3)]
    assert listed(agent) == ids[::-1]


def test_filters_choose(agent: Agent) -> None:
    mine = agent.submit(with_(with_(NATIVE, "/trace_id", "other"), "/action/tool", "special"))
    agent.submit()
    at = mine["created_at"]
    assert listed(agent, "tool=special") == [mine["id"]]
    assert listed(agent, "trace_id=other") == [mine["id"]]
    assert listed(agent, "status=decided") == []
    assert mine["id"] not in listed(agent, f"created_after={at}")
    assert listed(agent, f"created_before={at}") == []


@pytest.mark.parametrize("offset", ["-17:32", "+23:59"])
def test_an_offset_that_no_place_on_earth_has_is_an_offset_all_the_same(agent: Agent, offset: str) -> None:
    assert agent.submit({**NATIVE, "now": f"2026-01-31T09:30:00{offset}"})["status"]
    assert listed(agent, urlencode({"created_before": f"2026-01-31T09:30:00{offset}"})) == []


def test_cursors_walk_through_everything_once(agent: Agent) -> None:
    ids = [submit_anew(agent) for _ in range(5)]
    walked: list[str] = []
    query = "limit=2"
    while query:
        page = read(agent.get(f"{ACTIONS}?{query}"))
        walked += [action["id"] for action in page["items"]]
        query = f"limit=2&cursor={page['next_cursor']}" if page["next_cursor"] else ""
    assert walked == ids[::-1]


@pytest.mark.usefixtures("known_key")
def test_a_longer_list_takes_no_more_queries(agent: Agent, script: Script) -> None:
    script(REJECTED)

    def queries_of_the_list() -> int:
        # The key is known from here.
        agent.get(f"{ACTIONS}?limit=1")
        with CaptureQueriesContext(connection) as queries:
            agent.get(ACTIONS)
        return len(queries)

    after_check(agent)
    one = queries_of_the_list()
    for _ in range(4):
        after_check(agent)
    assert queries_of_the_list() == one


def test_an_action_that_expired_was_not_rejected(agent: Agent, cast: Cast, script: Script) -> None:
    script(REJECTED)
    action = after_check(agent)
    expiry_and_cancellation.expire_action(Action.objects.get(pk=action["id"]))
    expired = read(agent.get(action["links"]["self"]))
    assert (expired["status"], expired["decision"]) == ("expired", None)


def test_a_dead_database_is_told_with_a_time_to_come_back(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(principal: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("reviews.access.actions_for", unreachable)
    response = agent.get(ACTIONS)
    check_problem(response, 503)
    assert int(response["Retry-After"]) > 0


def test_an_action_is_answered_with_the_members_that_are_asked_for(agent: Agent, script: Script) -> None:
    script(REJECTED)
    path = f"{ACTIONS}/{after_check(agent)['id']}"
    whole = read(agent.get(path))
    some = agent.get(f"{path}?fields=status,verdict,status")
    assert read(some) == {"status": whole["status"], "verdict": whole["verdict"]}
    assert some["ETag"] != agent.get(path)["ETag"]
    assert agent.get(f"{path}?fields=status,verdict", If_None_Match=some["ETag"]).status_code == 304
    assert int(agent.get(f"{path}?fields=id")["Retry-After"]) > 0


def test_each_member_of_a_listed_action_is_the_same_when_it_is_asked_for_alone(agent: Agent, script: Script) -> None:
    script(PASSED)
    after_check(agent)
    (whole,) = read(agent.get(ACTIONS))["items"]
    assert whole["decision"]
    for name, value in whole.items():
        assert read(agent.get(f"{ACTIONS}?fields={name}")) == {"items": [{name: value}], "next_cursor": None}


def test_members_that_are_not_asked_for_are_not_read(agent: Agent, script: Script) -> None:
    script(PASSED)
    after_check(agent)
    tables = {}
    for fields in ("id,status", "decision", "verdict"):
        with CaptureQueriesContext(connection) as queries:
            agent.get(f"{ACTIONS}?fields={fields}")
        tables[fields] = {
            name for name in ("check", "finding") for query in queries if f'FROM "reviews_{name}"' in query["sql"]
        }
    assert tables == {"id,status": set(), "decision": {"check"}, "verdict": {"check", "finding"}}


@pytest.mark.parametrize("fields", ["colour", "id,colour", "id,", "", "decision.outcome"])
def test_a_member_that_no_action_has_is_refused_with_those_there_are(agent: Agent, fields: str) -> None:
    for path in (ACTIONS, f"{ACTIONS}/{agent.submit()['id']}"):
        refusal = check_problem(agent.get(f"{path}?fields={fields}"), 422, "/fields")
        assert "id, status, digest" in refusal["detail"]
