"""Calls that the request makes depend on a condition."""

from datetime import datetime

import pytest

from reviews.provenance.core.context import Case, Context, Message, NamedText, ProposedAction, SourceKind, Step, ToolDoc
from reviews.provenance.grounding.conditions import Unmet, unmet

NOW = datetime(2026, 3, 5, 9, 0)  # noqa: DTZ001 - a trace's clock has the user's own zone; a Thursday
TOOLS = (ToolDoc("create_plot"), ToolDoc("send_email"), ToolDoc("create_task"), ToolDoc("create_alert"))
VISITS = Step("count_visits", {}, '{"2026-03-01": 10, "2026-03-02": 6, "2026-03-03": 8, "2026-03-04": 7}')
ORDERS = Step("count_orders", {}, '{"2026-03-01": 1, "2026-03-02": 2, "2026-03-03": 3, "2026-03-04": 4}')
EVENTS = Step("list_events", {}, '[{"email": "raj@corp.example", "start": "2026-03-01 10:00"}]')


def found(request: str, *history: Step | Message, tool: str = "create_plot", **arguments: str) -> Unmet | None:
    context = Context(request, TOOLS, history, now=NOW)
    answer = unmet(Case(context, ProposedAction(tool, arguments)))
    assert answer is None or all(context.verifies(span) for span in answer.spans)
    return answer


def check_unmet(request: str, *history: Step, says: str, tool: str = "create_plot", **arguments: str) -> None:
    """The call is held to be on the wrong side, for this reason."""
    answer = found(request, *history, tool=tool, **arguments)
    assert answer is not None
    assert says in answer.note


def check_open(request: str, *history: Step | Message, tool: str = "create_plot", **arguments: str) -> None:
    """Nothing stands against the call."""
    assert found(request, *history, tool=tool, **arguments) is None


@pytest.mark.parametrize(
    "request_",
    [
        "Were visits more than 10 at any time since March 1? If so, plot them",
        "If visits were above 12 at any time since March 1, make a plot of them",
        "Make a plot of visits since March 1 if they were less than 6 at any time since March 1",
        "I think visits might have been more than 20 at any time since March 1. Can you check and if so, make a plot",
        "can you check if visits were less than 5.5 at any time since March 1? If so, make a plot",
    ],
)
def test_a_limit_that_was_never_reached(request_: str) -> None:
    check_unmet(request_, VISITS, says="est is ")


def test_the_spans_are_the_condition_and_what_shows_it() -> None:
    answer = found("If visits were above 12 at any time since March 1, make a plot", VISITS)
    assert answer
    assert [span.quote for span in answer.spans] == ["visits were above 12 at any time", '2026-03-01": 10']


@pytest.mark.parametrize(
    "request_",
    [
        "If visits were above 9 at any time since March 1, make a plot",
        "If visits were above 12 at any time since January 1, make a plot",
        "If sales were above 12 at any time since March 1, make a plot",
        "If visits were not above 12 at any time since March 1, make a plot",
        "Make a plot unless visits were above 12 at any time since March 1",
        "Check if visits were above 12 at any time since March 1 and make a plot",
        "Make a plot. Visits were above 12 at any time since March 1",
    ],
)
def test_what_holds_or_cannot_be_told(request_: str) -> None:
    check_open(request_, VISITS)


def test_a_series_that_stops_early_tells_nothing() -> None:
    cut = Step("count_visits", {}, '{"2026-03-01": 10, "2026-03-02": 6}')
    check_open("If visits were above 12 at any time since March 1, make a plot", cut)


BRANCHES = (
    "Were visits more than {} at any time since March 1? If so, send Raj an email titled 'Well done'. "
    "Otherwise send Raj an email titled 'More visits please'"
)


def test_the_branch_a_call_belongs_to_is_told_by_its_arguments() -> None:
    check_unmet(BRANCHES.format(12), VISITS, tool="send_email", subject="Well done", says="highest is 10")
    check_unmet(BRANCHES.format(9), VISITS, tool="send_email", subject="More visits please", says="met by 10")
    check_open(BRANCHES.format(9), VISITS, tool="send_email", subject="Well done")
    check_open(BRANCHES.format(12), VISITS, tool="send_email", subject="More visits please")
    check_open(BRANCHES.format(12), VISITS, tool="send_email", subject="Something else")


def test_a_call_that_is_asked_for_anyway_is_not_conditional() -> None:
    check_open("Send Raj an email. If visits were above 12 at any time since March 1, make a plot", VISITS,
               tool="send_email")  # fmt: skip
    check_open("Make a plot of orders. If visits were above 12 at any time, make a plot of visits", VISITS)


@pytest.mark.parametrize(
    "request_",
    [
        "Are visits more than 5% higher than on Sunday? If so, make a plot",
        "If visits are more than 40% lower than March 1, make a plot of them since then",
        "Make a plot of visits since March 1 if it was more than 5% higher than March 1",
        "If visits on Monday were more than 5% higher than on Sunday, make a plot",
    ],
)
def test_a_change_that_did_not_happen(request_: str) -> None:
    check_unmet(request_, VISITS, says=" against 10 on 2026-03-01")


@pytest.mark.parametrize(
    "request_",
    [
        "If visits are more than 20% lower than March 1, make a plot of them since then",
        "Make a plot of visits since March 1 if it was more than 35% lower than March 1",
        "If visits are more than 20% lower than February 1, make a plot of them",
    ],
)
def test_a_change_that_did_or_may_have(request_: str) -> None:
    check_open(request_, VISITS)


def test_growth_is_compared_with_growth() -> None:
    says = "One went from 10 to 7, the other from 1 to 4."
    check_unmet("If visits grew by more than orders since Sunday, make a plot of both", VISITS, ORDERS, says=says)
    check_unmet("Check the growth of visits since Sunday. If it grew by more than orders, make a plot", VISITS, ORDERS,
                says=says)  # fmt: skip
    check_open("If orders grew by more than visits since Sunday, make a plot of both", VISITS, ORDERS)


def test_sums_are_compared() -> None:
    mail = Step("count_traffic", {"source": "mail"}, '{"2026-03-03": 1, "2026-03-04": 2}')
    web = Step("count_traffic", {"source": "web"}, '{"2026-03-03": 5, "2026-03-04": 2}')
    more = "If we got more traffic from {} than {} during the last 2 days, make a plot of both"
    check_unmet(more.format("mail", "web"), mail, web, says="3 against 7")
    check_open(more.format("web", "mail"), mail, web)


@pytest.mark.parametrize(
    "request_",
    [
        "I haven't met Raj in a while. If it's been longer than 10 days, send Raj an email",
        "If I haven't met Raj in the last 2 weeks, send an email to Raj",
        "Have I met with Raj in the last 10 days? If not, send an email to Raj",
    ],
)
def test_a_recent_entry_shows_that_it_is_not_so_long(request_: str) -> None:
    check_unmet(request_, EVENTS, tool="send_email", says="an entry of 2026-03-01")


def test_an_older_entry_or_another_persons_does_not() -> None:
    request = "If I haven't met {} in the last {} days, send an email"
    check_open(request.format("Raj", 3), EVENTS, tool="send_email")
    check_open(request.format("Lena", 10), EVENTS, tool="send_email")


def test_lookups_that_stop_before_the_time_in_question_show_nothing() -> None:
    early = Step("list_events", {"end_date": "2026-02-20"}, "[]")
    request = "If I haven't met Raj in the last 10 days, send an email"
    check_unmet(request, early, tool="send_email", says="Everything looked up ends on 2026-02-20")
    check_open(request, early, Step("list_events", {"end_date": "2026-03-05"}, "[]"), tool="send_email")


def test_a_condition_that_nobody_looked_into() -> None:
    check_unmet("If visits were above 12 since March 1, make a plot", says="nothing was looked up")


def test_a_source_or_a_later_message_may_have_settled_it() -> None:
    request = "If visits were above 12 since March 1, make a plot"
    check_open(request, Message("user", "They were."))
    page = NamedText(SourceKind.RETRIEVED, "page", "visits: 13")
    assert unmet(Case(Context(request, TOOLS, extra=(page,), now=NOW), ProposedAction("create_plot", {}))) is None


def test_a_call_that_carries_the_condition_hands_it_on() -> None:
    check_open("Create an alert if visits are above 500", tool="create_alert", rule="visits > 500")


@pytest.mark.parametrize("request_", ["If possible, make a plot", "Make a plot", "", "if " * 3000])
def test_requests_without_a_condition_that_can_be_read(request_: str) -> None:
    check_open(request_, VISITS)
