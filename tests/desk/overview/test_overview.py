"""What whoever leads the desk sees of it."""

from datetime import timedelta
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviews.decisions import decide
from reviews.desk.overview import charts
from reviews.lab import day_figures
from reviews.models import DayFigures, Membership, Role
from tests.cast import Cast, flagged
from tests.desk.desk import INLINE, Desk, rejected_by_another


def test_each_number_leads_to_what_it_counts(cast: Cast, desk: Desk) -> None:
    rejected_by_another(cast, flagged(cast))
    day_figures.refresh_figures(cast.workspace)
    today = timezone.now().date().isoformat()
    body = desk.shows(
        "/overview?days=7",
        f'href="/actions?since={today}&amp;until={today}&amp;went=stopped">1</a>',
        "1 rejected",
        "provenance-guard",
        "went=stopped&amp;detector=provenance-guard",
    )
    assert not INLINE.search(body)
    desk.shows(f"/actions?since={today}&until={today}&went=stopped", "money_transfer")


def test_what_was_decided_and_how_fast_is_told_in_sentences(cast: Cast, desk: Desk) -> None:
    desk.shows("/overview?days=7", "nothing was decided")
    action = flagged(cast).action
    decide.decide_action(action=action, choice=decide.Respond("Ask first."), membership=cast.other_reviewer)
    day_figures.refresh_figures(cast.workspace)
    desk.shows("/overview?days=7", "1 answered", "for half of them at most,", "for 95 of 100")


def test_another_workspace_counts_only_its_own(cast: Cast) -> None:
    flagged(cast)
    day_figures.refresh_all()
    outsider = Desk.of(cast.outsider)
    assert outsider.client.get("/overview").context["total"].proposed == 0
    outsider.lacks("/overview", "Your workspaces")
    Membership.objects.create(workspace=cast.workspace, user=cast.outsider.user, role=Role.REVIEWER)
    outsider.shows("/overview", "Your workspaces", "Acme")
    Membership.objects.filter(workspace=cast.workspace, user=cast.outsider.user).update(role=Role.ANNOTATOR)
    outsider.lacks("/overview", "Your workspaces", "Acme</th>")


def test_the_page_costs_as_many_queries_however_many_days(
    cast: Cast, desk: Desk, django_assert_num_queries: Any
) -> None:
    desk.shows("/overview?days=90")
    with CaptureQueriesContext(connection) as few:
        desk.shows("/overview?days=90")
    now = timezone.now()
    DayFigures.objects.bulk_create(
        DayFigures(workspace=cast.workspace, day=now.date() - timedelta(days=back), counted_at=now, figures={"new": 1})
        for back in range(60)
    )
    with django_assert_num_queries(len(few)):
        desk.shows("/overview?days=90")


def test_a_chart_has_neither_style_nor_script_and_is_one_picture() -> None:
    drawn = charts.draw_bars(["1 <b>", "2"], {"a": [1, 2], "b": [0, 0]}, title="Calls")
    assert not INLINE.search(drawn)
    assert ('role="img"' in drawn, 'aria-label="Calls"' in drawn, "<b>" in drawn) == (True, True, False)
    assert charts.draw_lines([], {"a": []}, title="Nothing")
