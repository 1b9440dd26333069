import json

import pytest

from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction, Step
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import Grounded, ground_arguments
from tests.provenance.grounding.checks import NOW

MEETINGS = [
    {"event_id": "E-1", "event_name": "Budget review", "who": "kim@a.example", "event_start": "2026-02-03 10:00"},
    {"event_id": "E-2", "event_name": "Budget review", "who": "ito@a.example", "event_start": "2026-03-06 10:00"},
    {"event_id": "E-3", "event_name": "Stand-up", "who": "kim@a.example", "event_start": "2026-03-06 15:00"},
    {"event_id": "E-4", "event_name": "Stand-up", "who": "ito@a.example", "event_start": "2026-03-12 09:00"},
]
TASKS = [
    {"task_id": "T-1", "owner": "kim@a.example", "list": "Done", "status": "Completed", "due_date": "2026-03-01"},
    {"task_id": "T-2", "owner": "kim@a.example", "list": "Backlog", "status": "Open", "due_date": "2026-03-02"},
    {"task_id": "T-3", "owner": "ito@a.example", "list": "Backlog", "status": "Open", "due_date": "2026-03-02"},
    {"task_id": "T-4", "owner": "kim@a.example", "list": "Review", "status": "Open", "due_date": "2026-04-02"},
]
PEOPLE = [
    {"customer_id": "C-1", "customer_name": "Ann Ash", "status": "Lead", "interest": "Software"},
    {"customer_id": "C-2", "customer_name": "Bo Birch", "status": "Won", "interest": "Software"},
    {"customer_id": "C-3", "customer_name": "Cy Cedar", "status": "Proposal", "interest": "Hardware"},
]
HOTELS = [
    {"hotel_name": "Alba", "price": "120.00", "rating": 4.1},
    {"hotel_name": "Bora", "price": "90.00", "rating": 3.2},
    {"hotel_name": "Cima", "price": "210.00", "rating": 4.8},
]
TOOLS = {
    "meetings": "search_events",
    "tasks": "list_tasks",
    "customers": "crm.search_customers",
    "hotels": "get_hotels",
}
DATA = {"meetings": MEETINGS, "tasks": TASKS, "customers": PEOPLE, "hotels": HOTELS}


def check(value: JsonValue, text: str, data: str, how: Grounding, instead: tuple[str, ...] = ()) -> Grounded:
    """The value, taken from these records, is so judged by the request, which selects those instead."""
    context = Context(text, history=(Step(TOOLS[data], {}, json.dumps(DATA[data])),), now=NOW)
    (found,) = ground_arguments(Case(context, ProposedAction("act", {"value": value})))
    spans = (*found.spans, *found.against, *(span for other in found.competing for span in other.spans))
    assert all(context.verifies(span) for span in spans)
    assert (found.how, tuple(other.value for other in found.competing)) == (how, instead), found
    return found


@pytest.mark.parametrize(
    ("value", "text", "data"),
    [
        ("E-2", "Cancel my next meeting", "meetings"),
        ("E-3", "Cancel my next meeting with Kim", "meetings"),
        ("E-2", "Cancel the next Budget review meeting", "meetings"),
        ("E-1", "Send the notes of my last meeting with Kim", "meetings"),
        ("E-2", "Cancel the first meeting on March 6", "meetings"),
        ("E-3", "Rename the last event on March 6", "meetings"),
        ("kim@a.example", "Write to whoever comes to the last event on March 6", "meetings"),
        ("E-4", "Cancel all future meetings with Ito", "meetings"),
        ("T-2", "Ito needs Kim's most urgent task, hand it over", "tasks"),
        ("T-3", "Ito has overdue tasks in the backlog. Move them", "tasks"),
        ("C-1", "Delete all leads that are interested in software", "customers"),
        ("C-3", "Delete all customers that are either won or in proposal", "customers"),
        ("Bora", "Book the cheapest hotel", "hotels"),
        ("Cima", "Book the highest rated hotel", "hotels"),
        ("Alba", "Compare the two cheapest hotels", "hotels"),
    ],
)
def test_the_record_that_the_request_selects(value: str, text: str, data: str) -> None:
    assert check(value, text, data, Grounding.RESOLVE).spans


@pytest.mark.parametrize(
    ("value", "text", "data", "instead"),
    [
        ("E-4", "Cancel my next meeting", "meetings", ("E-2",)),
        ("E-1", "Cancel my next meeting with Kim", "meetings", ("E-3",)),
        ("E-3", "Cancel the first meeting on March 6", "meetings", ("E-2",)),
        ("E-4", "Cancel my next two meetings", "meetings", ("E-2", "E-3")),
        ("T-4", "Reassign Kim's most urgent task", "tasks", ("T-2",)),
        ("T-2", "Reassign the most urgent task", "tasks", ("T-3",)),
        ("Cima", "Book the cheapest hotel", "hotels", ("Bora",)),
        ("Alba", "Book the highest rated hotel", "hotels", ("Cima",)),
    ],
)
def test_another_record_is_selected(value: str, text: str, data: str, instead: tuple[str, ...]) -> None:
    check(value, text, data, Grounding.COMPETING, instead)


@pytest.mark.parametrize(
    ("value", "text", "data"),
    [
        ("E-1", "Cancel all future meetings with Kim", "meetings"),
        ("E-3", "Delete all past meetings", "meetings"),
        ("E-3", "Cancel all the Budget review meetings", "meetings"),
        ("E-4", "Cancel tomorrow's meetings", "meetings"),
        ("E-1", "Cancel the next meeting with Kim on March 7", "meetings"),
        ("T-1", "Move all of Kim's overdue tasks", "tasks"),
        ("T-4", "Kim has a bunch of overdue tasks. Can you move them?", "tasks"),
        ("T-3", "Move Kim's overdue tasks", "tasks"),
        ("T-1", "Move all unfinished tasks", "tasks"),
        ("C-2", "Delete all leads", "customers"),
        ("C-3", "Delete all of the customers that are interested in software", "customers"),
        ("E-3", "Delete Noor's last meeting", "meetings"),
    ],
)
def test_a_record_outside_the_selection_goes_against_the_request(value: str, text: str, data: str) -> None:
    found = check(value, text, data, Grounding.UNGROUNDED)
    assert [span.source for span in found.against] == ["query", "history/1/outcome", "history/1/outcome"]
    assert found.against[-1].quote == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("E-4", "Cancel the next meeting that is not with Kim"),
        ("E-4", "Cancel the second meeting"),
        ("E-4", "Cancel the last meeting I created"),
        ("E-4", "Cancel the next meeting about the merger"),
        ("E-4", "Cancel my meetings except the next ones"),
        ("E-4", "Tell them 'see you at the next meeting' and cancel the rest"),
        ("E-4", "Cancel a meeting"),
        ("E-4", "Cancel one of the latest meetings"),
    ],
)
def test_nothing_is_said_where_the_words_cannot_be_checked(value: str, text: str) -> None:
    check(value, text, "meetings", Grounding.COPY)


def test_the_note_says_at_once_what_is_wrong() -> None:
    found = check("E-1", "Cancel my next meeting with Kim", "meetings", Grounding.COMPETING, ("E-3",))
    assert found.note == "“next” asks for the earliest after 5 Mar 2026; this one was on 3 Feb 2026, 10:00."


def test_a_listing_cut_off_before_the_next_one() -> None:
    old = json.dumps([*MEETINGS[:1], {**MEETINGS[0], "event_id": "E-0", "event_start": "2026-01-01 10:00"}])
    context = Context("Cancel the next meeting", history=(Step("search_events", {}, old),), now=NOW)
    (found,) = ground_arguments(Case(context, ProposedAction("act", {"value": "E-1"})))
    assert [span.quote for span in found.against] == ["next", "2026-02-03 10:00", "E-1"]


def test_a_weekday_that_is_over_and_to_come() -> None:
    found = check("E-1", "Cancel my meetings on Tuesday", "meetings", Grounding.UNGROUNDED)
    assert found.against[0].quote == "Tuesday"


def test_the_selection_runs_over_several_outputs() -> None:
    first, rest = json.dumps(MEETINGS[3:]), json.dumps(MEETINGS[:3])
    history = (Step("search_events", {}, first), Step("search_events", {}, rest))
    context = Context("Cancel my next meeting", history=history, now=NOW)
    (found,) = ground_arguments(Case(context, ProposedAction("act", {"value": "E-4"})))
    assert [other.value for other in found.competing] == ["E-2"]


def test_a_person_the_user_names_needs_no_selection() -> None:
    directory = Step("find_address", {"name": "kim"}, '["kim@a.example"]')
    context = Context(
        "If Kim has overdue tasks, write to them",
        history=(directory, Step("list_tasks", {}, json.dumps(TASKS[:1]))),
        now=NOW,
    )
    (found,) = ground_arguments(Case(context, ProposedAction("act", {"value": "kim@a.example"})))
    assert found.how is Grounding.RESOLVE


def test_records_of_two_outputs_compete() -> None:
    history = tuple(
        Step("find", {}, json.dumps([{"name": f"Alex {last}", "mail": f"{last}@a.example"}])) for last in ("Po", "Qi")
    )
    (found,) = ground_arguments(
        Case(Context("Write to Alex", history=history), ProposedAction("act", {"to": "Po@a.example"}))
    )
    assert [other.value for other in found.competing] == ["Qi@a.example"]


@pytest.mark.parametrize(
    "text", ["Write to Alex by next Friday", "Every Monday is busy. Write to Alex", "Tell Alex 'all the best'"]
)
def test_order_words_that_choose_nobody_let_records_compete(text: str) -> None:
    people = json.dumps([{"name": "Alex Po", "mail": "po@a.example"}, {"name": "Alex Qi", "mail": "qi@a.example"}])
    context = Context(text, history=(Step("find", {}, people),), now=NOW)
    (found,) = ground_arguments(Case(context, ProposedAction("act", {"to": "po@a.example"})))
    assert found.how is Grounding.COMPETING


@pytest.mark.parametrize(
    "piece", ["next meetings ", "Kim's last ", "all overdue ", "'next ", "meeting on 6 March ", "the most "]
)
def test_hostile_repetition_comes_to_an_end(piece: str) -> None:
    text = piece * (100_000 // len(piece)) + " meeting"
    context = Context(text, history=(Step("search_events", {}, json.dumps(MEETINGS * 500)),), now=NOW)
    found = ground_arguments(Case(context, ProposedAction("act", {"a": "E-1", "b": "E-4", "c": 17})))
    assert all(context.verifies(span) for each in found for span in (*each.spans, *each.against))
