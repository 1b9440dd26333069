from dataclasses import replace

from reviews.profiles import versions
from tests.cast import CONTEXT, RIGHT, TRANSFER, Cast, propose
from tests.desk.desk import Desk

PAGE = "/settings/tools"


def test_a_workspace_without_calls_is_told_what_to_do(admin_desk: Desk) -> None:
    admin_desk.shows(PAGE, "No agent has proposed a call yet")


def test_a_tool_is_listed_with_its_document_and_how_often_it_was_called(cast: Cast, admin_desk: Desk) -> None:
    for number in range(3):
        propose(cast, replace(RIGHT, subtask=f"step {number}"), trace_id=f"t{number}")
    body = admin_desk.shows(PAGE, "money_transfer", "Sends money to a person.", "changes")
    assert '<td class="num">3</td>' in body


def test_the_document_is_that_of_the_latest_call(cast: Cast, admin_desk: Desk) -> None:
    propose(cast, RIGHT, trace_id="one")
    renamed = replace(CONTEXT, tools=(replace(TRANSFER, description="Now with a fee.", environment_changing=False),))
    propose(cast, RIGHT, renamed, trace_id="two")
    body = admin_desk.shows(PAGE, "Now with a fee.", "reads")
    assert "Cannot be undone" not in body


def test_a_tool_that_came_without_a_document_is_listed(cast: Cast, admin_desk: Desk) -> None:
    propose(cast, replace(RIGHT, tool="made_up"))
    admin_desk.shows(PAGE, "made_up", "the agent sent no document for it")


def test_what_the_profile_says_of_a_tool_stands_beside_it(cast: Cast, admin_desk: Desk) -> None:
    propose(cast, RIGHT)
    critical = [{"tool": "money_*", "pointer": "/amount", "operator": "above", "value": "100"}]
    policies = {"money_transfer": "always_review"}
    versions.new_version(membership=cast.admin, critical_actions=critical, tool_policies=policies)
    admin_desk.shows(PAGE, "Always review", "critical")


def test_a_tool_leads_to_the_row_of_its_standing_order(cast: Cast, admin_desk: Desk) -> None:
    propose(cast, replace(RIGHT, tool='x"&y=1'))
    admin_desk.shows(PAGE, 'href="/settings/profile?tool=x%22%26y%3D1#policies"', "Give one")
    form = admin_desk.client.get("/settings/profile", {"tool": 'x"&y=1'}).context["form"]
    assert [(row.tool, row.policy) for row in form.policies] == [('x"&y=1', "")]


def test_a_tool_that_has_a_standing_order_gets_no_second_row(cast: Cast, admin_desk: Desk) -> None:
    propose(cast, RIGHT)
    versions.new_version(membership=cast.admin, tool_policies={"money_transfer": "always_review"})
    admin_desk.shows(PAGE, "Change<")
    form = admin_desk.client.get("/settings/profile?tool=money_transfer").context["form"]
    assert [row.policy for row in form.policies] == ["always_review"]
    assert len(admin_desk.client.get("/settings/profile", {"tool": "x" * 201}).context["form"].policies) == 1


def test_a_hostile_document_is_shown_as_text(cast: Cast, admin_desk: Desk) -> None:
    hostile = replace(CONTEXT, tools=(replace(TRANSFER, description="<img src=x>"),))
    propose(cast, RIGHT, hostile)
    admin_desk.lacks(PAGE, "<img src=x>")


def test_the_tools_of_another_workspace_are_not_listed(cast: Cast) -> None:
    propose(cast, RIGHT)
    Desk.of(cast.outsider).lacks(PAGE, "money_transfer")
