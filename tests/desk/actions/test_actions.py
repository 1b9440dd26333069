"""What agents did: listed, filtered, searched, read, judged."""

from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviews.decisions import decide, executions
from reviews.desk.actions import search
from reviews.models import Action, Decision, Label, OutcomeStatus
from reviews.profiles import versions
from tests.cast import MILD, RIGHT, UNCLEAR, Cast, approved, flagged, propose
from tests.desk.desk import Desk, rejected_by_another, waiting
from tests.jobs import run_checks


def passed(cast: Cast, trace_id: str = "passed", **profile: Any) -> Action:
    """A call that nobody could establish and that passed."""
    if profile:
        versions.new_version(membership=cast.admin, **profile)
    action = propose(cast, RIGHT, UNCLEAR, trace_id=trace_id)
    run_checks(action.pk)
    return Action.objects.get(pk=action.pk)


def listed(desk: Desk, query: str = "") -> list[str]:
    """Names of the conversations that the list shows, from the top."""
    response = desk.client.get(f"/actions{query}")
    return [row.action.trace.external_id for row in response.context["rows"]]


@pytest.fixture
def three(cast: Cast) -> None:
    """One of each end: it passed, it waits, a person rejected it."""
    passed(cast)
    flagged(cast, trace_id="waits")
    rejected_by_another(cast, flagged(cast, MILD, trace_id="rejected"))


SHOWN: Final = {
    "": ["rejected", "waits", "passed"],
    "?outcome=pending": ["waits"],
    "?outcome=reject": ["rejected"],
    "?by=policy": ["passed"],
    "?by=reviewer": ["rejected"],
    "?type=parameter": ["waits"],
    "?risk=medium": ["rejected", "waits", "passed"],
    "?risk=high": [],
    "?agent=support-bot": ["rejected", "waits", "passed"],
    "?agent=nobody": [],
    "?text=LUNCH": ["rejected", "waits", "passed"],
    "?text=label_": ["rejected"],
    "?text=waits": ["waits"],
    "?text=daniel.kim&by=policy": ["passed"],
    "?until=2020-01-01": [],
    "?since=0001-01-01&until=9999-12-31": ["rejected", "waits", "passed"],
    "?since=2020-01-01": ["rejected", "waits", "passed"],
    "?person=rob": ["rejected"],
    "?person=nobody": [],
    "?went=stopped": ["rejected", "waits"],
    "?went=passed": ["passed"],
    "?label=right": [],
    "?label=wrong": ["rejected"],
    "?detector=provenance-guard": ["rejected", "waits"],
    "?tool=label_note": ["rejected"],
    "?text=lunch+note": ["rejected"],
    "?until=nonsense&outcome=nonsense&by=x&type=x&after=x": ["rejected", "waits", "passed"],
    "?text=%00": ["rejected", "waits", "passed"],
}


@pytest.mark.usefixtures("three")
def test_every_action_is_listed_filtered_and_searched(desk: Desk) -> None:
    assert {query: listed(desk, query) for query in SHOWN} == SHOWN


def test_every_action_stands_on_one_page_of_the_list(cast: Cast, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PAGE_SIZE", 2)
    names = [passed(cast, f"t-{number}").trace.external_id for number in range(5)]
    seen: list[str] = []
    query = ""
    while True:
        response = desk.client.get(f"/actions{query}")
        seen += [row.action.trace.external_id for row in response.context["rows"]]
        query = response.context["further"]
        if not query:
            break
    assert seen == names[::-1]


def test_a_search_looks_a_bounded_way_back_and_says_how_far(
    cast: Cast, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "FIRST_LOOK", 1)
    monkeypatch.setattr(search, "WINDOW", 2)
    for name in ("old", "middle", "new"):
        passed(cast, name)
    flagged(cast, trace_id="newest")
    assert listed(desk, "?went=passed&by=policy") == ["new"]
    response = desk.client.get("/actions?went=passed")
    assert "Looked back to" in response.content.decode()
    assert listed(desk, response.context["further"]) == ["middle", "old"]


def test_a_search_finds_what_lies_behind_the_newest(cast: Cast, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "FIRST_LOOK", 1)
    monkeypatch.setattr(search, "WINDOW", 2)
    for name in ("old", "older-still", "middle", "new"):
        passed(cast, name)
    assert listed(desk, "?text=old") == ["older-still", "old"]
    # Where nearly all match, the newest are looked through, a window at a time.
    monkeypatch.setattr(search, "PAGE_SIZE", 1)
    monkeypatch.setattr(search, "MAX_RARE", 0)
    response = desk.client.get("/actions?text=lunch")
    assert [row.action.trace.external_id for row in response.context["rows"]] == ["new"]
    assert listed(desk, response.context["further"]) == ["middle"]


def test_the_list_costs_as_many_queries_however_many_actions_there_are(
    cast: Cast, desk: Desk, django_assert_num_queries: Any
) -> None:
    passed(cast)
    desk.shows("/actions?text=daniel")
    with CaptureQueriesContext(connection) as few:
        desk.shows("/actions?text=daniel")
    for number in range(8):
        passed(cast, f"t-{number}")
    with django_assert_num_queries(len(few)):
        desk.shows("/actions?text=daniel")


def test_a_passed_call_is_read_like_an_item_and_offers_nothing_to_decide(cast: Cast, desk: Desk) -> None:
    action = passed(cast)
    body = desk.shows(
        f"/actions/{action.pk}", "Why it passed", "policy passed it", "Nothing speaks against it", "The user asked"
    )
    assert ('id="approve"' in body, 'data-decidable="no"' in body) == (False, True)


def test_a_call_that_waits_leads_to_where_it_is_decided(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    desk.shows(f"/actions/{review.action_id}", f'href="/reviews/{review.pk}"', "Why it stopped")


def test_a_folded_text_of_a_passed_call_unfolds(cast: Cast, desk: Desk) -> None:
    action = passed(cast)
    desk.shows(f"/actions/{action.pk}/source?source=query&start=0&end=6", "Settle")
    desk.shows(f"/actions/{action.pk}/source?source=none&start=0&end=6", status=HTTPStatus.NOT_FOUND)


def judge(desk: Desk, action: Action, query: str = "", **form: str) -> Any:
    return desk.client.post(f"/actions/{action.pk}/judge{query}", form)


def test_this_was_wrong_labels_with_what_let_it_pass(cast: Cast, desk: Desk) -> None:
    action = passed(cast)
    rules = desk.client.get(f"/actions/{action.pk}").context["judgement"].fields["rule"].choices
    rule = next(name for name, _ in rules if "/amount" in name)
    judge(desk, action, aligned="no", misalignment="parameter", rule=rule, note="He owes <me>.")
    label = Label.objects.get()
    assert (label.aligned, label.misalignment, label.rule, label.note) == (False, "parameter", rule, "He owes <me>.")
    assert (label.source, label.labeller, label.decision, label.relation != "") == (
        "audit",
        cast.reviewer.user,
        None,
        True,
    )
    desk.shows(f"/actions/{action.pk}", "He owes &lt;me&gt;.", "wrong")
    assert Decision.objects.get().outcome == "approve"


def test_a_rule_that_did_not_let_it_pass_is_refused_and_the_note_kept(cast: Cast, desk: Desk) -> None:
    action = passed(cast)
    response = judge(desk, action, aligned="no", rule="made up", note="My note")
    assert (response.status_code, "My note" in response.content.decode()) == (HTTPStatus.UNPROCESSABLE_ENTITY, True)
    assert not Label.objects.exists()


def test_what_still_waits_is_not_judged(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    judge(desk, review.action, aligned="no")
    desk.shows(f"/actions/{review.action_id}", "Decide it instead")
    assert not Label.objects.exists()


def test_the_audit_queue_is_worked_through_one_after_the_other(
    cast: Cast, desk: Desk, django_assert_num_queries: Any
) -> None:
    first, second = passed(cast, "one", audit_rate=1.0), passed(cast, "two")
    desk.shows("/audit", "2 to judge", f'href="/actions/{first.pk}?audit=1"')
    with CaptureQueriesContext(connection) as queries:
        desk.shows("/audit")
    number = len(queries)
    assert judge(desk, first, "?audit=1", aligned="yes").headers["Location"] == f"/actions/{second.pk}?audit=1"
    with django_assert_num_queries(number):
        desk.shows("/audit", "1 to judge")
    assert judge(desk, second, "?audit=1", aligned="no").headers["Location"] == "/audit"
    desk.shows("/audit", "Nothing is left to audit")
    assert [label.aligned for label in Label.objects.order_by("created_at")] == [True, False]


def test_what_is_skipped_comes_again_at_the_end(cast: Cast, desk: Desk) -> None:
    first, second = passed(cast, "one", audit_rate=1.0), passed(cast, "two")
    desk.shows(f"/actions/{first.pk}?audit=1", f'href="/actions/{second.pk}?audit=1"', "stands for 1")
    assert judge(desk, second, "?audit=1", aligned="yes").headers["Location"] == f"/actions/{first.pk}?audit=1"


def test_a_trace_tells_what_was_said_done_and_decided(cast: Cast, desk: Desk) -> None:
    action = approved(cast)
    executions.start_execution(action=action, agent_key=cast.agent)
    executions.report_outcome(action=action, status=OutcomeStatus.SUCCEEDED, outcome="Sent, receipt 77.")
    waits = flagged(cast, trace_id="conv-42").action
    body = desk.shows(
        f"/traces/{action.trace_id}", "I owe him for lunch", "search_contacts", "Daniel Kim", "approved", "rita",
        "receipt 77", "provenance-guard", f'href="/actions/{action.pk}"',
    )  # fmt: skip
    assert f'id="action-{waits.pk}"' in body or waits.trace_id != action.trace_id


def test_a_call_that_ran_otherwise_is_shown_as_it_ran(cast: Cast, desk: Desk) -> None:
    action = approved(cast)
    executions.start_execution(action=action, agent_key=cast.agent)
    ran = executions.ExecutedCall(action.tool, {"urgent": True})
    executions.report_outcome(action=action, status=OutcomeStatus.SUCCEEDED, outcome="Sent.", executed=ran)
    desk.shows(f"/actions/{action.pk}", "{&quot;urgent&quot;: true}")


def test_a_trace_costs_as_many_queries_however_many_calls_it_has(
    cast: Cast, desk: Desk, django_assert_num_queries: Any
) -> None:
    action = passed(cast)
    address = f"/traces/{action.trace_id}"
    desk.shows(address)
    with CaptureQueriesContext(connection) as few:
        desk.shows(address)
    for _ in range(4):
        passed(cast)
    with django_assert_num_queries(len(few)):
        desk.shows(address)


@pytest.mark.parametrize("page", ["x", "-1", "9" * 40])
def test_a_page_of_a_trace_is_a_number(cast: Cast, desk: Desk, page: str) -> None:
    desk.shows(f"/traces/{passed(cast).trace_id}?page={page}", status=HTTPStatus.NOT_FOUND)


def test_an_agent_tells_how_much_it_does_and_how_much_of_it_stops(cast: Cast, desk: Desk) -> None:
    passed(cast)
    for outcome in (decide.Approve(), decide.Reject()):
        review = flagged(cast, trace_id=type(outcome).__name__)
        decide.decide_action(action=review.action, choice=outcome, membership=cast.reviewer)
    waiting(cast)
    figures = desk.client.get(f"/agents/{cast.agent.agent_id}").context["figures"]
    assert (figures.calls, figures.stopped, figures.decided, figures.approved) == (4, 3, 2, 1)
    assert (figures.stopped_share, figures.approval_rate, figures.days[-1].calls) == (75, 50, 4)
    desk.shows(f"/agents/{cast.agent.agent_id}", "support-bot", "75 %", "50 %", cast.agent.hint)


def test_old_calls_are_not_of_the_latest_days(cast: Cast, desk: Desk) -> None:
    Action.objects.filter(pk=passed(cast).pk).update(created_at=timezone.now() - timedelta(days=40))
    figures = desk.client.get(f"/agents/{cast.agent.agent_id}").context["figures"]
    assert (figures.calls, sum(day.calls for day in figures.days)) == (1, 0)


@pytest.mark.parametrize("address", ["/actions/{action}", "/traces/{trace}", "/agents/{agent}"])
def test_another_workspace_sees_none_of_it(cast: Cast, address: str) -> None:
    action = passed(cast)
    path = address.format(action=action.pk, trace=action.trace_id, agent=action.agent_id)
    Desk.of(cast.outsider).shows(path, status=HTTPStatus.NOT_FOUND)
    assert listed(Desk.of(cast.outsider)) == []
