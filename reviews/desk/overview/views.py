"""How the desk does, for whoever leads it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from reviews import access
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.overview import charts
from reviews.evaluation.measures.detection_rates import Rate
from reviews.lab import day_figures
from reviews.lab.day_figures import Figures
from reviews.models import DayFigures, Membership

SPANS: Final = (7, 30, 90)
"""Days that the page can show."""


@dataclass(frozen=True)
class DayRow:
    """One day, with the addresses of what its numbers count."""

    day: date
    figures: Figures

    @property
    def within(self) -> str:
        """The filters that list the actions of this day."""
        return urlencode({"since": self.day.isoformat(), "until": self.day.isoformat()})


@dataclass(frozen=True)
class PrecisionRow:
    """How often a detector or a tool was rightly stopped, as people labelled it."""

    name: str
    precision: Rate
    href: str


@require_safe
@member_page
def overview(request: MemberRequest) -> HttpResponse:
    """The figures of the latest days: of this workspace in full, of the person's others in a row joined."""
    membership = request.membership
    access.require(membership, access.Permission.VIEW)
    days = next((span for span in SPANS if str(span) == request.GET.get("days")), SPANS[1])
    since = timezone.now().date() - timedelta(days=days - 1)
    rows = list(access.day_figures_for(membership).filter(day__gte=since).order_by("day"))
    counted = {row.day: day_figures.read_figures(row) for row in rows}
    by_day = [DayRow(day, counted[day]) for day in counted]
    # Also days on which nothing happened: the axis is one of time.
    drawn = [DayRow(day, counted.get(day, Figures())) for day in (since + timedelta(days=n) for n in range(days))]
    total = day_figures.add_up(rows)
    within = urlencode({"since": since.isoformat()})
    context = {
        "days": days,
        "spans": SPANS,
        "since": since,
        "within": within,
        "total": total,
        "p50": total.quantile(0.5, of="decision_seconds"),
        "p95": total.quantile(0.95, of="decision_seconds"),
        "check_p50": total.quantile(0.5, of="check_seconds"),
        "check_p95": total.quantile(0.95, of="check_seconds"),
        "latest": by_day[-1].figures if by_day else Figures(),
        "counted_at": rows[-1].counted_at if rows else None,
        "by_day": by_day[::-1],
        "detectors": _precision_rows(total.detectors, "detector", within),
        "tools": _precision_rows(total.tools, "tool", within),
        "workspaces": _workspace_rows(membership, since),
        "calls_chart": _draw_calls(drawn),
        "times_chart": _draw_times(drawn),
    }
    return render(request, "overview/overview.html", context)


def _precision_rows(counts: dict[str, list[int]], parameter: str, within: str) -> list[PrecisionRow]:
    """The most labelled first."""
    address = reverse("actions")
    return [
        PrecisionRow(name, Rate(right, rows), f"{address}?{within}&{urlencode({'went': 'stopped', parameter: name})}")
        for name, (rows, right) in sorted(counts.items(), key=lambda row: -row[1][0])
    ]


def _workspace_rows(membership: Membership, since: date) -> list[tuple[str, Figures]]:
    """The workspaces whose queue the person sees, this one included; empty where this is the only one."""
    memberships = access.memberships_in_order(membership.user)
    mine = [joined for joined in memberships if access.can(joined, access.Permission.VIEW)]
    if len(mine) < 2:  # noqa: PLR2004 - one is the page itself
        return []
    rows: dict[object, list[DayFigures]] = {joined.workspace_id: [] for joined in mine}
    for row in access.day_figures_of(mine).filter(day__gte=since).order_by("day"):
        rows[row.workspace_id].append(row)
    return [(joined.workspace.name, day_figures.add_up(rows[joined.workspace_id])) for joined in mine]


def _draw_calls(by_day: Sequence[DayRow]) -> str:
    return charts.draw_bars(
        [f"{row.day:%-d %b}" for row in by_day],
        {
            "passed by itself": [row.figures.passed for row in by_day],
            "denied by a policy": [row.figures.denied for row in by_day],
            "before a person": [row.figures.stopped for row in by_day],
        },
        title="Calls a day: passed by itself, denied by a policy, before a person. The table below has the numbers.",
    )


def _draw_times(by_day: Sequence[DayRow]) -> str:
    return charts.draw_lines(
        [f"{row.day:%-d %b}" for row in by_day],
        {
            "half within": [row.figures.quantile(0.5, of="decision_seconds") for row in by_day],
            "95 of 100 within": [row.figures.quantile(0.95, of="decision_seconds") for row in by_day],
        },
        title="Seconds to a decision, day by day. The table below has the numbers.",
    )
