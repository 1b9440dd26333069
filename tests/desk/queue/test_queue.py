import re
from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviews.models import Action, ActionText, Check, OnUnknown, Review, SavedView, pipeline
from reviews.profiles import versions
from reviews.queue import handovers, review_claims, saved_views
from reviews.workspaces import agent_keys
from tests.cast import RIGHT, UNCLEAR, UNSURE, WRONG, Cast, flagged, propose
from tests.desk.desk import Desk, decision_of, held, rejected_by_another, waiting
from tests.jobs import run_checks
from tests.panel import FIRST, INJECTED, SECOND, Say, looked_at

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def tools(desk: Desk, path: str = "/queue") -> list[str]:
    """The tools the list shows, from the top."""
    return re.findall(r'class="row-link[^>]*title="([^"]*)"', desk.shows(path))


def version(desk: Desk, path: str = "/queue") -> str:
    """What the list calls the state it shows."""
    found = re.search(r"since=(\w+)", desk.shows(path))
    assert found
    return found[1]


def outsider_desk(cast: Cast) -> Desk:
    return Desk.of(cast.outsider)


def test_the_root_leads_to_the_queue(desk: Desk) -> None:
    assert desk.client.get("/").headers["Location"] == "/queue"


def test_a_stranger_is_asked_to_sign_in(stranger: Client) -> None:
    assert stranger.get("/queue?tool=x").headers["Location"] == "/sign-in?next=/queue%3Ftool%3Dx"


def test_a_poll_after_the_session_ended_leads_the_whole_page_to_the_sign_in(stranger: Client) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/queue?tool=x"}
    assert stranger.get("/queue", headers=headers).headers["HX-Redirect"] == "/sign-in?next=/queue%3Ftool%3Dx"


def test_a_row_says_what_waits_and_why(cast: Cast, desk: Desk) -> None:
    waiting(cast, "wire", reason="300 has no source.")
    desk.shows("/queue", "wire", "300 has no source.", "support-bot", "conv-0", "Parameter")


def test_a_row_leads_to_its_review(cast: Cast, desk: Desk) -> None:
    desk.shows("/queue", f'href="/reviews/{waiting(cast).pk}"')


def test_the_gravest_is_first_and_then_what_expires_first(cast: Cast, desk: Desk) -> None:
    soon, late = timezone.now() + timedelta(minutes=5), timezone.now() + timedelta(hours=2)
    for tool, priority, due in (("late", 4, late), ("soon", 4, soon), ("grave", 8, late)):
        waiting(cast, tool, priority=priority, due_at=due)
    assert tools(desk) == ["grave", "soon", "late"]


def of_another_agent(cast: Cast, review: Review) -> None:
    key = agent_keys.issue_key(membership=cast.admin, name="other-bot").agent_key
    Action.objects.filter(pk=review.action_id).update(agent=key.agent, agent_key=key)


FILTERED: Final = {
    "agent=support-bot": ["old", "real"],
    "agent=other-bot": ["other"],
    "risk=high": ["old"],
    "age=1h": ["old"],
    "detector=provenance-guard&risk=medium": ["other", "real"],
    "relation=DerivedFrom": ["real"],
    "held_by=rob": ["other"],
    "agent=support-bot&relation=DerivedFrom&tool=nothing": [],
}


def test_each_filter_lists_what_it_names(cast: Cast, desk: Desk) -> None:
    old = waiting(cast, "old")
    Review.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(hours=2))
    Action.objects.filter(pk=old.action_id).update(risk="high")
    of_another_agent(cast, held(waiting(cast, "other"), cast.other_reviewer))
    Action.objects.filter(pk=flagged(cast).action_id).update(tool="real")
    assert {query: sorted(tools(desk, f"/queue?{query}")) for query in FILTERED} == FILTERED


def test_an_item_keeps_the_filters_it_was_found_with(cast: Cast, desk: Desk) -> None:
    first, _, third = waiting(cast, "wire"), waiting(cast, "mail"), waiting(cast, "wire")
    within = "?type=parameter&tool=wire"
    desk.shows(f"/queue{within}", f'href="/reviews/{first.pk}?type=parameter&amp;tool=wire"')
    page = f"/reviews/{first.pk}{within}"
    desk.shows(page, f'href="/reviews/{third.pk}?type=parameter&amp;tool=wire"', "1 of 2")
    desk.shows(page, 'href="/queue?type=parameter&amp;tool=wire"')
    desk.shows(f"/reviews/{third.pk}{within}", f'href="/reviews/{first.pk}?type=parameter&amp;tool=wire"')


def test_a_decision_opens_the_next_item_of_the_same_filters(cast: Cast, desk: Desk) -> None:
    first, _, third = waiting(cast, "wire"), waiting(cast, "mail"), waiting(cast, "wire")
    for review, leads_to in ((first, f"/reviews/{third.pk}?tool=wire"), (third, "/queue?tool=wire")):
        form = decision_of(review, cast.reviewer, outcome="reject")
        response = desk.client.post(f"/reviews/{review.pk}/decide?tool=wire", form)
        assert response.headers["Location"] == leads_to


def test_the_page_costs_as_many_queries_however_many_wait(
    cast: Cast, desk: Desk, django_assert_num_queries: Any
) -> None:
    waiting(cast)
    desk.shows("/queue?risk=medium")
    with CaptureQueriesContext(connection) as few:
        desk.shows("/queue?risk=medium")
    for number in range(30):
        waiting(cast, f"tool_{number}")
    with django_assert_num_queries(len(few)):
        desk.shows("/queue?risk=medium")


def test_another_workspace_sees_none_of_it(cast: Cast) -> None:
    waiting(cast, "wire")
    outsider_desk(cast).lacks("/queue", "wire")


def test_another_workspace_has_its_own_count(cast: Cast) -> None:
    waiting(cast)
    assert 'id="pending-count">0<' in outsider_desk(cast).shows("/queue")


def test_a_snoozed_item_is_not_shown(cast: Cast, desk: Desk) -> None:
    waiting(cast, "wire", snoozed_until=timezone.now() + timedelta(minutes=5))
    assert tools(desk) == []


def test_an_undetermined_item_says_so(cast: Cast, desk: Desk) -> None:
    waiting(cast, misalignment="")
    assert tools(desk, "/queue?type=undetermined") == ["money_transfer"]


def test_what_nobody_could_prove_is_unproven_in_row_and_filter(cast: Cast, desk: Desk) -> None:
    waiting(cast, misalignment="")
    waiting(cast, "refuted", misalignment="tool")
    assert tools(desk, "/queue?type=unproven") == ["money_transfer"]
    desk.shows("/queue", 'id="chip-unproven"', "Unproven</span>")
    desk.lacks("/queue", "Undetermined")


def test_only_chips_that_match_something_are_offered(cast: Cast, desk: Desk) -> None:
    waiting(cast, "one", misalignment="tool")
    waiting(cast, "two", misalignment="parameter")

    def offered(address: str) -> list[str]:
        return [chip.label for chip in desk.client.get(address).context["types"]()]

    assert offered("/queue") == ["Tool", "Parameter"]
    assert offered("/queue?type=injection&tool=two") == ["Parameter", "Injection"]


def test_the_type_filter_hides_other_types(cast: Cast, desk: Desk) -> None:
    waiting(cast, "one", misalignment="tool")
    waiting(cast, "two", misalignment="parameter")
    assert tools(desk, "/queue?type=tool") == ["one"]


def test_the_tool_search_takes_part_of_a_name_in_any_case(cast: Cast, desk: Desk) -> None:
    waiting(cast, "money_transfer")
    waiting(cast, "send_email")
    assert tools(desk, "/queue?tool=MONEY") == ["money_transfer"]


def test_the_tool_search_knows_no_wildcards(cast: Cast, desk: Desk) -> None:
    waiting(cast, "transfer")
    assert [tools(desk, f"/queue?tool={pattern}") for pattern in ("%25", "_", "\\")] == [[], [], []]


def test_mine_are_the_items_i_hold(cast: Cast, desk: Desk) -> None:
    held(waiting(cast, "mine"), cast.reviewer)
    held(waiting(cast, "theirs"), cast.other_reviewer)
    assert tools(desk, "/queue?holder=mine") == ["mine"]


def test_unclaimed_are_free_items_and_those_whose_lease_ran_out(cast: Cast, desk: Desk) -> None:
    waiting(cast, "free")
    held(waiting(cast, "left"), cast.other_reviewer, seconds=-1)
    held(waiting(cast, "held"), cast.other_reviewer)
    assert tools(desk, "/queue?holder=unclaimed") == ["free", "left"]


def test_a_held_item_names_its_holder(cast: Cast, desk: Desk) -> None:
    held(waiting(cast), cast.other_reviewer)
    desk.shows("/queue", '<span class="truncate">rob</span>')


def test_what_i_hold_says_you(cast: Cast, desk: Desk) -> None:
    held(waiting(cast), cast.reviewer)
    desk.shows("/queue", '<span class="truncate">you</span>')


WRONG_ADDRESSES: Final = (
    "holder=nobody", "type=nonsense", "page=nonsense", "page=-1", "page=0", "page=" + "9" * 5000, "tool=%00",
)  # fmt: skip


def test_what_an_address_says_wrongly_is_left_out(cast: Cast, desk: Desk) -> None:
    waiting(cast, "wire")
    assert [query for query in WRONG_ADDRESSES if tools(desk, f"/queue?{query}") != ["wire"]] == []


def test_an_empty_queue_says_how_to_fill_it(desk: Desk) -> None:
    desk.shows("/queue", "Nothing waits for you", "curl http://testserver/api/v1/actions")


def test_an_empty_queue_leads_an_administrator_to_the_keys(admin_desk: Desk) -> None:
    admin_desk.shows("/queue", 'href="/settings#keys"')


def test_an_empty_queue_tells_a_reviewer_who_issues_keys(desk: Desk) -> None:
    desk.shows("/queue", "An administrator of Acme issues agent keys.")


def test_a_filter_that_matches_nothing_leads_back(cast: Cast, desk: Desk) -> None:
    waiting(cast)
    desk.shows("/queue?tool=nothing", "Nothing waiting matches", "Show the whole queue")


def test_a_poll_hears_nothing_while_nothing_changed(cast: Cast, desk: Desk) -> None:
    waiting(cast)
    assert desk.poll(version(desk)).status_code == HTTPStatus.NO_CONTENT


def test_a_poll_brings_a_new_item_and_the_new_count(cast: Cast, desk: Desk) -> None:
    before = version(desk)
    waiting(cast, "wire")
    body = desk.poll(before).content.decode()
    assert "wire" in body
    assert re.search(r'id="pending-count" hx-swap-oob="true">1<', body)


def test_a_poll_brings_the_list_only(cast: Cast, desk: Desk) -> None:
    waiting(cast)
    assert "<html" not in desk.poll("old").content.decode()


def claim(cast: Cast, review: Review) -> None:
    review_claims.claim_review(review=review, membership=cast.other_reviewer)


def escalate(cast: Cast, review: Review) -> None:
    handovers.escalate_review(review=review, membership=cast.other_reviewer)


def snooze(cast: Cast, review: Review) -> None:
    review_claims.snooze_review(review=review, membership=cast.other_reviewer, seconds=60)


@pytest.mark.parametrize("act", [claim, escalate, snooze, rejected_by_another])
def test_a_poll_hears_of_what_others_do(cast: Cast, desk: Desk, act: Any) -> None:
    review = waiting(cast)
    before = version(desk)
    act(cast, review)
    assert desk.poll(before).status_code == HTTPStatus.OK


def test_a_poll_costs_few_queries_however_long_the_list(
    cast: Cast, desk: Desk, django_assert_max_num_queries: Any
) -> None:
    for number in range(12):
        waiting(cast, f"tool_{number}")
    before = version(desk)
    with django_assert_max_num_queries(6):
        desk.poll(before)


def test_every_item_of_a_long_queue_stands_on_one_page_which_says_where_it_is(cast: Cast, desk: Desk) -> None:
    for number in range(53):
        waiting(cast, f"tool_{number}")
    pages = ["/queue", "/queue?page=2", "/queue?page=3"]
    assert [tool for page in pages for tool in tools(desk, page)] == [f"tool_{number}" for number in range(53)]
    desk.shows("/queue", "1–25 of 53 · page 1 of 3", 'href="/queue?page=2"')
    desk.shows("/queue?page=2", "26–50 of 53 · page 2 of 3", 'href="/queue"', 'href="/queue?page=3"')
    desk.shows("/queue?page=3", "51–53 of 53 · page 3 of 3", 'href="/queue?page=2"', "First page")
    desk.lacks("/queue?page=3", 'id="queue-next"')


def test_a_page_whose_items_were_decided_is_the_last_one_that_is_left(cast: Cast, desk: Desk) -> None:
    for number in range(26):
        waiting(cast, f"tool_{number}")
    rejected_by_another(cast, Review.objects.earliest("created_at"))
    assert tools(desk, "/queue?page=2") == tools(desk, "/queue")
    desk.shows("/queue?page=2", "1–25 of 25")


def test_a_filter_counts_what_it_lets_through(cast: Cast, desk: Desk) -> None:
    for number in range(27):
        waiting(cast, "wire" if number else "mail")
    desk.shows("/queue?tool=wire", "1–25 of 26 · page 1 of 2", 'href="/queue?tool=wire&amp;page=2"')


def test_a_poll_of_a_later_page_hears_when_its_place_in_the_queue_changes(cast: Cast, desk: Desk) -> None:
    for number in range(27):
        waiting(cast, f"tool_{number}")
    before = version(desk, "/queue?page=2")
    waiting(cast, "one_more", priority=9)
    assert "27–28" not in desk.poll(before, page="2").content.decode()
    assert "26–28 of 28" in desk.poll(before, page="2").content.decode()


def test_nothing_is_cached_where_a_part_could_stand_in_for_the_page(desk: Desk) -> None:
    assert "no-store" in desk.client.get("/queue").headers["Cache-Control"]


def test_hostile_text_is_shown_as_text(cast: Cast, desk: Desk) -> None:
    waiting(cast, HOSTILE[:200], reason=HOSTILE)
    desk.lacks("/queue", "<script>alert", "<img src=x")


def test_characters_that_bend_the_text_are_revealed(cast: Cast, desk: Desk) -> None:
    waiting(cast, "pay\u202eeno", reason="\u202eSafe")
    desk.lacks("/queue", "\u202e")


def test_a_hostile_search_is_shown_as_text(desk: Desk) -> None:
    desk.lacks("/queue?tool=%22%3E%3Cimg%20src=x%3E", "<img src=x")


def test_a_person_without_a_workspace_is_told_so(cast: Cast, desk: Desk) -> None:
    cast.reviewer.delete()
    desk.shows("/queue", "You belong to no workspace yet", "Ask an administrator", status=HTTPStatus.FORBIDDEN)


def test_what_is_said_in_shadow_is_not_in_the_queue(cast: Cast, desk: Desk, say: Say) -> None:
    say(UNSURE, INJECTED)
    looked_at(cast, detectors=[FIRST], shadow=[SECOND])
    assert tools(desk, "/queue?type=undetermined") == ["money_transfer"]
    assert tools(desk, "/queue?type=injection") == []
    assert [row["stopped_by"] for row in desk.client.get("/queue").context["rows"]] == ["undetermined"]


# Both orders: one of them is also that of the names, in which an index holds them.
@pytest.mark.parametrize("detectors", [[FIRST, SECOND], [SECOND, FIRST]])
def test_a_row_names_the_first_objection_in_the_order_of_the_profile(
    cast: Cast, desk: Desk, say: Say, detectors: list[str]
) -> None:
    say(*(INJECTED if name == detectors[0] else UNSURE for name in (FIRST, SECOND)))
    looked_at(cast, detectors=detectors)
    # Both were stored in one moment; this one lies behind the other on the disk now, and in the index of its calls.
    Check.objects.filter(detector=detectors[0]).update(started_at=timezone.now())
    assert [row["stopped_by"] for row in desk.client.get("/queue").context["rows"]] == ["injection"]


def passed(cast: Cast, **profile: Any) -> None:
    """A call that nobody could establish and that passed, under a profile with these changes."""
    versions.new_version(membership=cast.admin, **profile)
    run_checks(propose(cast, RIGHT, UNCLEAR, trace_id="left-open").pk)


@pytest.mark.parametrize("show", ["guard", "policy", "audit"])
def test_an_old_address_of_what_passed_leads_to_where_it_is_listed(cast: Cast, desk: Desk, show: str) -> None:
    passed(cast, on_unknown=OnUnknown.PASS, audit_rate=1.0)
    response = desk.client.get(f"/queue/recent?show={show}", follow=True)
    assert ("left-open" in response.content.decode()) == (show != "guard")


FOUND: Final = {
    "daniel": ["wire"],
    "DANIEL kim": ["wire"],
    "kim@exam": ["wire"],
    "lunch owe": ["wire"],
    "conv-1": ["mail"],
    "ma": ["mail"],
    "100%": [],
    "' OR 1=1 & !": [],
    "\u202e": [],
}


def test_the_search_finds_words_and_parts_of_what_was_asked_and_proposed(cast: Cast, desk: Desk) -> None:
    waiting(cast, "wire")
    mail = waiting(cast, "mail")
    Action.objects.filter(pk=mail.action_id).update(arguments={"to": "lena"})
    ActionText.objects.filter(pk=mail.action_id).update(body="mail lena conv-1")
    assert {text: tools(desk, f"/queue?{urlencode({'text': text})}") for text in FOUND} == FOUND


def test_a_view_is_saved_for_everybody_and_removed_by_whoever_saved_it(cast: Cast, desk: Desk) -> None:
    desk.sends("/views", "Saved as Mail first", page="queue", query="page=3&tool=mail&x=1", name="Mail first")
    view = SavedView.objects.get()
    assert view.query == "tool=mail"
    colleague = Desk.of(cast.other_reviewer)
    colleague.shows("/queue", 'href="/queue?tool=mail"', "Mail first")
    colleague.sends(f"/views/{view.pk}/remove", status=HTTPStatus.FORBIDDEN)
    colleague.lacks("/queue?tool=mail", f"/views/{view.pk}/remove")
    desk.shows("/queue?tool=mail", f"/views/{view.pk}/remove")
    outsider_desk(cast).lacks("/queue", "Mail first")
    desk.sends(f"/views/{view.pk}/remove", "Removed the view Mail first")
    assert not SavedView.objects.exists()


def test_a_view_of_somebody_else_is_not_replaced_but_by_an_administrator(cast: Cast, desk: Desk) -> None:
    desk.sends("/views", page="queue", query="tool=mail", name="Mail first")
    form: dict[str, Any] = {"page": "queue", "query": "tool=pay", "name": "Mail first"}
    body = Desk.of(cast.other_reviewer).sends("/views", "Somebody else saved a view of this name", **form)
    # The filters that were to be saved still stand there.
    assert 'name="query" value="tool=pay"' in body
    assert SavedView.objects.get().query == "tool=mail"
    Desk.of(cast.admin).sends("/views", "Saved as Mail first", **form)
    assert SavedView.objects.get().query == "tool=pay"


def test_a_view_of_everything_or_beyond_the_limit_is_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.sends("/views", "Choose a filter first", page="actions", query="nonsense=1", name="All")
    monkeypatch.setattr(saved_views, "MAX_SAVED_VIEWS", 1)
    for name in ("One", "One"):
        desk.sends("/views", "Saved as One", page="actions", query="risk=high", name=name)
    desk.sends("/views", "At most 1 views", page="actions", query="risk=low", name="Two")


def test_the_unproven_can_be_filtered(cast: Cast, desk: Desk) -> None:
    passed(cast, on_unknown=OnUnknown.REVIEW_GRAVE)
    run_checks(propose(cast, WRONG).pk)
    assert tools(desk) == ["money_transfer", "money_transfer"]
    assert tools(desk, "/queue?type=unproven") == ["money_transfer"]
    desk.shows("/queue?type=unproven", "left-open")


@pytest.mark.usefixtures("cast")
def test_who_asks_is_read_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    execute, statements = pipeline.execute, []

    def noted(sql: str, *parameters: Any, **options: Any) -> Any:
        statements.append(sql)
        return execute(sql, *parameters, **options)

    monkeypatch.setattr(pipeline, "execute", noted)
    desk.shows("/queue")
    assert sum("reviews_membership AS m" in sql for sql in statements) == 1
