import pytest

from reviews.provenance.core.context import Case, Context, ProposedAction, ToolDoc
from reviews.provenance.judges import Answered, RulesJudge, Unknown
from reviews.provenance.judges.questions.provenance_guard import (
    Candidates,
    Contribution,
    Derivability,
    Relevance,
    Support,
)
from reviews.provenance.judges.rules import contribution, relevance
from reviews.provenance.request.actions import ActionClass, classes_in

TOOLS = {
    tool.name: tool
    for tool in (
        ToolDoc("money_transfer", "Transfer money to a person."),
        ToolDoc("request_money", "Ask a person for money."),
        ToolDoc("calendar.create_event", "Creates a new event."),
        ToolDoc("calendar.delete_event", "Deletes an event."),
        ToolDoc("calendar.update_event", "Updates an event."),
        ToolDoc("calendar.search_events", "Searches.", environment_changing=False),
        ToolDoc("send_email", "Sends an email."),
        ToolDoc("delete_email", "Deletes an email."),
        ToolDoc("search_emails", "Searches.", environment_changing=False),
        ToolDoc("process", "Does it."),
    )
}


def check_relevance(tool: str, request: str, expected: bool | None, *, subtask: str | None = None) -> None:
    answer = relevance(Relevance(TOOLS[tool], subtask, (request,), tuple(TOOLS.values())))
    assert (answer and answer.holds) == expected


def check_contribution(subtask: str, request: str, expected: bool | None) -> None:
    answer = contribution(Contribution(subtask, (request,)))
    assert (answer and answer.holds) == expected


@pytest.mark.parametrize(
    ("tool", "request_"),
    [
        ("money_transfer", "Pay Daniel $30"),
        ("money_transfer", "transfer 30 euros to Daniel"),
        ("request_money", "Request $30 from Daniel"),
        ("calendar.delete_event", "Cancel my next meeting with Nadia"),
        ("calendar.create_event", "Book a 30 minute meeting with Nadia"),
        ("calendar.update_event", "Rename the last event on Friday"),
        ("send_email", "Let Nadia know by mail"),
        ("delete_email", "get rid of my last email from Sofia"),
    ],
)
def test_the_right_kind_of_action_on_the_right_kind_of_thing_is_relevant(tool: str, request_: str) -> None:
    check_relevance(tool, request_, True)


@pytest.mark.parametrize(
    ("tool", "request_"),
    [
        ("money_transfer", "Request $30 from Daniel"),
        ("request_money", "Pay Daniel $30"),
        ("calendar.delete_event", "Book a meeting with Nadia"),
        ("calendar.create_event", "Delete the meeting with Nadia"),
        ("delete_email", "Show me the unread emails"),
        ("send_email", "Delete my last email from Sofia"),
    ],
)
def test_another_tools_kind_of_action_was_asked_for(tool: str, request_: str) -> None:
    check_relevance(tool, request_, False)


@pytest.mark.parametrize(
    ("tool", "request_"),
    [
        ("money_transfer", "Handle the request from Daniel"),
        ("money_transfer", "Daniel and the concert tickets"),
        ("process", "Request $30 from Daniel"),
        ("calendar.delete_event", "Delete all emails from Sofia"),
        ("send_email", "Book a meeting with Nadia and let her know"),
        ("calendar.create_event", "Do not book a meeting with Nadia"),
        ("calendar.create_event", "Write 'please book a meeting' on the board"),
    ],
)
def test_what_is_not_clear_is_left_open(tool: str, request_: str) -> None:
    check_relevance(tool, request_, None)


def test_the_rationale_names_the_tool_that_fits() -> None:
    answer = relevance(Relevance(TOOLS["money_transfer"], None, ("Request $30 from Daniel",), tuple(TOOLS.values())))
    assert answer is not None
    assert "request_money" in answer.rationale


def test_without_a_better_tool_nothing_is_ruled_out() -> None:
    question = Relevance(TOOLS["money_transfer"], None, ("Request $30 from Daniel",), (TOOLS["money_transfer"],))
    assert relevance(question) is None


def test_a_later_message_of_the_user_counts() -> None:
    said = ("Request $30 from Daniel", "No wait, pay him $30")
    assert relevance(Relevance(TOOLS["money_transfer"], None, said, tuple(TOOLS.values()))) is not None
    check_relevance("money_transfer", " ".join(said), True)


def test_the_step_is_what_the_tool_is_compared_with() -> None:
    check_relevance("money_transfer", "Settle with Daniel, then request $30", True, subtask="Pay Daniel the money")


@pytest.mark.parametrize(
    ("subtask", "request_"),
    [("Pay Daniel", "Request $30 from Daniel"), ("Delete the emails", "Summarize my unread emails")],
)
def test_a_step_against_the_request_does_not_contribute(subtask: str, request_: str) -> None:
    check_contribution(subtask, request_, False)


@pytest.mark.parametrize(
    ("subtask", "request_"),
    [
        ("Find Daniel's account", "Request $30 from Daniel"),
        ("Pay Daniel", "Handle what Daniel wants"),
        ("Cancel the old meeting", "Move my meeting to Friday"),
        ("Request $30 from Daniel", "Request $30 from Daniel"),
    ],
)
def test_any_other_step_is_left_open(subtask: str, request_: str) -> None:
    check_contribution(subtask, request_, None)


async def test_the_judge_says_unknown_to_what_needs_understanding() -> None:
    case = Case(Context("Hi"), ProposedAction("process", {}))
    for question in (Support(case, ()), Candidates(case.context)):
        assert isinstance(await RulesJudge().ask(question), Unknown)


async def test_a_parameter_is_classed_by_name_and_an_open_one_is_none() -> None:
    answer = await RulesJudge().ask(Derivability(TOOLS["send_email"], ("/recipient", "/body", "/zing")))
    assert isinstance(answer, Answered)
    assert [each.derivable for each in answer.answer.parameters] == [True, False, None]


@pytest.mark.parametrize(
    "text",
    [
        "Send $30 to Daniel",
        "Please send Daniel Kim 30 dollars",
        "Give her €12.50",
        "Send the money back",
        "send him 1,200 CHF",
    ],
)
def test_who_sends_money_pays(text: str) -> None:
    assert classes_in(text) == {ActionClass.PAY}


@pytest.mark.parametrize("text", ["Send Daniel a request for $30", "Send the invoice over $30", "Send a note to Kim"])
def test_who_sends_something_about_money_does_not_pay(text: str) -> None:
    assert ActionClass.SEND in classes_in(text)


def test_a_step_that_pays_does_not_serve_a_request_for_money() -> None:
    answer = contribution(Contribution("Send $30 to Daniel", ("Request $30 from Daniel",)))
    assert answer is not None
    assert not answer.holds
