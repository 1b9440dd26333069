import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reviews.desk.review.case.record_comparison import MAX_ROWS, MAX_TEXT
from reviews.desk.review.case.records import RecordTable
from reviews.models import Decision, GuardProfile, OnUnknown, Review
from reviews.provenance.core.context import Context, JsonValue, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Finding as Found
from reviews.provenance.core.findings import Grounding, Misalignment, Relation, StageResult
from tests.cast import CONTEXT, Cast, Script, flagged, propose
from tests.desk.desk import Desk, at, opened
from tests.desk.kinds import waiting_item
from tests.desk.poisoned import span_of
from tests.jobs import run_checks

EVENTS = [
    {"id": "e1", "name": "Retrospective", "start": "2026-12-12 09:00", "room": "A"},
    {"id": "e2", "name": "Budget", "start": "2026-12-13 10:30", "room": "A"},
    {"id": "e3", "name": "Planning", "start": "2026-12-13 09:00", "room": "A"},
]
ASKED = "Cancel my first meeting on 13 December 2026"


def context_of(*results: JsonValue, query: str = ASKED, tool: str = "list_events") -> Context:
    texts = [result if isinstance(result, str) else json.dumps(result) for result in results]
    document = ToolDoc("cancel", "Cancels.", {"type": "object"})
    return replace(CONTEXT, query=query, tools=(document,), history=tuple(Step(tool, {}, text) for text in texts))


def tables_of(
    cast: Cast, script: Script, context: Context, arguments: Mapping[str, JsonValue], **places: str
) -> list[RecordTable]:
    """What is shown of a call whose values are copies of these places; they stand as JSON in the first result."""
    found = [
        Found(
            Relation.DERIVED_FROM,
            f"/{name}",
            None,
            "Is it the one?",
            evidence=(span_of("history/1/outcome", quote, context),),
            grounding=Grounding.RESOLVE,
        )
        for name, quote in places.items()
    ]
    script(StageResult("parameter", tuple(found), misalignment=Misalignment.PARAMETER))
    return opened(flagged(cast, ProposedAction("cancel", dict(arguments)), context=context)).records


def table_of(
    cast: Cast, script: Script, context: Context, arguments: Mapping[str, JsonValue], **places: str
) -> RecordTable:
    [table] = tables_of(cast, script, context, arguments, **places)
    return table


def texts(table: RecordTable) -> list[Sequence[str]]:
    return [[value.text for value in row.values] for row in table.rows]


def test_the_record_of_a_value_stands_beside_the_others_of_its_list(cast: Cast, script: Script) -> None:
    table = table_of(cast, script, context_of(EVENTS), {"id": "e2"}, id="e2")
    assert list(table.columns) == ["id", "start", "name"]
    assert [row.is_proposed for row in table.rows] == [False, True, False]
    assert texts(table)[1] == ["e2", "2026-12-13 10:30", "Budget"]


def test_what_the_user_has_said_is_marked_be_it_as_a_day(cast: Cast, script: Script) -> None:
    table = table_of(cast, script, context_of(EVENTS), {"id": "e2"}, id="e2")
    assert [row.values[1].is_said for row in table.rows] == [False, True, True]


def test_a_field_that_tells_no_record_apart_is_told_once(cast: Cast, script: Script) -> None:
    table = table_of(cast, script, context_of(EVENTS), {"id": "e2"}, id="e2")
    assert [(name, value.text) for name, value in table.shared] == [("room", "A")]


def test_another_record_is_taken_with_all_that_the_call_copies_from_it(cast: Cast, script: Script) -> None:
    arguments = {"id": "e2", "name": "Budget", "why": "asked for"}
    table = table_of(cast, script, context_of(EVENTS), arguments, id="e2", name="Budget")
    assert [dict(reading.arguments) for reading in table.readings] == [
        {"id": "e1", "name": "Retrospective", "why": "asked for"},
        {"id": "e3", "name": "Planning", "why": "asked for"},
    ]


def test_a_number_is_taken_as_a_number(cast: Cast, script: Script) -> None:
    rows = [{"id": 11, "name": "Ann"}, {"id": 12, "name": "Bob"}, {"id": "none", "name": "Cy"}]
    table = table_of(cast, script, context_of(rows, query="Cancel Bob"), {"id": 11}, id="11")
    assert [row.reading and dict(row.reading.arguments) for row in table.rows] == [None, {"id": 12}, None]


def test_a_record_has_what_the_record_around_it_says(cast: Cast, script: Script) -> None:
    people = [
        {"name": "Daniel Kim", "accounts": [{"id": "acc-1", "type": "savings"}]},
        {"name": "Lena Ortiz", "accounts": [{"id": "acc-2", "type": "savings"}]},
    ]
    context = context_of({"customers": people}, query="Cancel Daniel's savings account")
    table = table_of(cast, script, context, {"id": "acc-2"}, id="acc-2")
    assert list(table.columns) == ["id", "customers.name"]
    assert [row.values[1].is_said for row in table.rows] == [True, False]


def test_results_that_are_one_record_stand_beside_each_other(cast: Cast, script: Script) -> None:
    chair, charger = ({"id": n, "items": [{"name": name}]} for n, name in ((7, "Chair"), (8, "Charger")))
    context = context_of(chair, charger, charger, "Error", query="Cancel the charger")
    table = table_of(cast, script, context, {"id": 7}, id="7")
    assert texts(table) == [["7", "Chair"], ["8", "Charger"]]
    assert table.rows[1].values[1].is_said


def test_a_record_is_found_beside_the_list_that_names_it(cast: Cast, script: Script) -> None:
    context = context_of({"orders": ["o1", "o2"]}, {"id": "o2", "status": "sent"}, {"id": "o1", "status": "open"})
    table = table_of(cast, script, context, {"id": "o2"}, id="o2")
    assert texts(table) == [["o2", "sent"], ["o1", "open"]]
    assert table.place == "history 2"


def test_of_a_list_of_bare_values_none_stands_for_all(cast: Cast, script: Script) -> None:
    rows = [{"id": "o1", "tags": ["a", "b"], "to": "Ann"}, {"id": "o2", "tags": ["c"], "to": "Bob"}]
    assert list(table_of(cast, script, context_of(rows), {"id": "o1"}, id="o1").columns) == ["id", "to"]


def test_what_all_records_say_was_not_chosen_among_them(cast: Cast, script: Script) -> None:
    rows = [{"user": "ann", "order": 1}, {"user": "ann", "order": 2}]
    assert tables_of(cast, script, context_of(rows), {"user": "ann"}, user="ann") == []


def test_of_a_record_that_was_changed_meanwhile_the_latest_is_shown(cast: Cast, script: Script) -> None:
    context = context_of({"id": "o1", "status": "open"}, {"id": "o2", "status": "sent"}, {"id": "o2", "status": "lost"})
    table = table_of(cast, script, context, {"id": "o1"}, id="o1")
    assert texts(table) == [["o1", "open"], ["o2", "lost"]]


def test_the_key_of_a_map_is_not_told_twice(cast: Cast, script: Script) -> None:
    items = {
        f"54{n}": {"id": f"54{n}", "size": size} for n, size in enumerate(["small", "large", "huge", "tiny", "wide"])
    }
    table = table_of(cast, script, context_of({"variants": items}), {"id": "541"}, id="541")
    assert list(table.columns)[1:] == ["size"]


def test_of_many_records_those_are_shown_that_the_users_words_fit(cast: Cast, script: Script) -> None:
    rows = [{"id": f"t{n}", "name": f"Task {n}"} for n in range(40)]
    table = table_of(cast, script, context_of(rows, query="Cancel Task 31"), {"id": "t20"}, id="t20")
    assert len(table.rows) == MAX_ROWS
    assert table.unlisted == 40 - MAX_ROWS
    assert {"t20", "t31"} <= {row[0] for row in texts(table)}


def test_each_list_has_a_table_and_every_other_record_a_key(cast: Cast, script: Script) -> None:
    rooms = [{"at": "r1", "beds": 5}, {"at": "r2", "beds": 6}]
    result = {"people": [{"to": "ann", "age": 3}, {"to": "bob", "age": 4}], "rooms": rooms}
    first, second = tables_of(cast, script, context_of(result), {"to": "ann", "at": "r1"}, to="ann", at="r1")
    assert [(reading.number, reading.arguments["to"]) for reading in first.readings] == [(1, "bob")]
    assert [(reading.number, reading.arguments["at"]) for reading in second.readings] == [(2, "r2")]


def test_a_record_that_the_call_has_already_is_offered_to_no_other_value(cast: Cast, script: Script) -> None:
    arguments: dict[str, JsonValue] = {"ids": ["e1", "e3"]}
    places = {"ids/0": "e1", "ids/1": "e3"}
    table = table_of(cast, script, context_of(EVENTS), arguments, **places)
    assert [row.is_proposed for row in table.rows] == [True, False, True]
    assert [dict(reading.arguments) for reading in table.readings] == [{"ids": ["e2", "e3"]}]


def test_what_other_records_say_too_makes_none_of_them_the_calls(cast: Cast, script: Script) -> None:
    places = [{"id": "e1", "room": "A"}, {"id": "e2", "room": "A"}, {"id": "e3", "room": "B"}]
    table = table_of(cast, script, context_of(places), {"id": "e2", "at": "A"}, id="e2", at="A")
    assert [row.is_proposed for row in table.rows] == [False, True, False]


def test_a_column_that_repeats_another_one_is_left_out(cast: Cast, script: Script) -> None:
    variants = {
        item: {"item_id": item, "for": name} for item, name in (("7747408585", "Siri"), ("4983901480", "Alexa"))
    }
    table = table_of(cast, script, context_of({"variants": variants}), {"id": "4983901480"}, id="4983901480")
    assert list(table.columns) == ["item_id", "for"]


def test_a_column_is_named_by_the_last_key_that_tells_it_apart(cast: Cast, script: Script) -> None:
    rows = [
        {"id": n, "to": {"city": c, "zip": z}, "from": {"zip": "1"}}
        for n, c, z in (("a", "Bonn", "5"), ("b", "Ulm", "8"))
    ]
    table = table_of(cast, script, context_of(rows), {"id": "b"}, id="b")
    assert list(table.columns) == ["id", "city", "zip"]
    different = [{**row, "from": {"zip": f"3{row['id']}"}} for row in rows]
    table = table_of(cast, script, context_of(different), {"id": "b"}, id="b")
    assert list(table.columns) == ["id", "city", "to.zip", "from.zip"]


def test_codes_stand_behind_what_people_know_a_record_by(cast: Cast, script: Script) -> None:
    rows = [{"id": "t1", "product": "8310926033", "price": 55}, {"id": "t2", "product": "1656367028", "price": 269}]
    assert list(table_of(cast, script, context_of(rows), {"id": "t2"}, id="t2").columns) == ["id", "price", "product"]


def test_a_value_that_no_record_has_is_compared_with_nothing(cast: Cast, script: Script) -> None:
    assert tables_of(cast, script, context_of("It is e2."), {"id": "e2"}, id="e2") == []
    assert tables_of(cast, script, context_of({"ids": ["e1", "e2"]}), {"id": "e2"}, id="e2") == []


def test_a_result_that_a_page_cannot_afford_to_read_has_no_table(cast: Cast, script: Script) -> None:
    long = [*EVENTS, {"id": "e4", "name": "x" * MAX_TEXT, "start": "", "room": ""}]
    assert tables_of(cast, script, context_of(long), {"id": "e2"}, id="e2") == []
    wide = [{"id": "e2", **{f"f{n}": n for n in range(6_000)}}, {"id": "e3"}]
    assert tables_of(cast, script, context_of(wide), {"id": "e2"}, id="e2") == []


def test_the_user_is_asked_by_what_the_records_say(cast: Cast) -> None:
    question = opened(waiting_item(cast, "one of a list")).question
    assert question
    assert question.message == (
        "Ask the user which “event_id” is meant: “evt-104, 2026-12-13 10:30, Budget”, "
        "“evt-107, 2026-12-13 09:00, Planning” or “evt-109, 2026-12-14 09:00, Review”."
    )


def test_what_a_record_leaves_out_is_not_asked_about(cast: Cast) -> None:
    rows = [{"event_id": f"evt-{n}", "place": place, "name": f"Event {n}", "start": f"1{n}:00"} for n, place in
            ((101, None), (102, "Paris"), (103, None))]  # fmt: skip
    GuardProfile.objects.update(on_unknown=OnUnknown.REVIEW)
    context = context_of(rows, query="Cancel the meeting")
    question = opened(flagged(cast, ProposedAction("cancel", {"event_id": "evt-102"}), context=context)).question
    assert question
    assert "“evt-101, Event 101, " in question.message
    assert "“evt-102, Paris, Event 102”" in question.message


def test_a_question_about_many_records_leaves_room_for_another_one(cast: Cast) -> None:
    rows = [{"event_id": f"evt-{n}", "name": f"Event {n}"} for n in range(101, 110)]
    GuardProfile.objects.update(on_unknown=OnUnknown.REVIEW)
    context = context_of(rows, query="Cancel the meeting")
    question = opened(flagged(cast, ProposedAction("cancel", {"event_id": "evt-105"}), context=context)).question
    assert question
    assert question.message.startswith("Ask the user which “event_id” is meant: “evt-105, Event 105”, “evt-1")
    assert question.message.endswith("” or another one.")


def test_a_taken_record_opens_the_editor_and_is_sent(cast: Cast, script: Script) -> None:
    context = context_of(EVENTS)
    [table] = tables_of(cast, script, context, {"id": "e2"}, id="e2")
    review = Review.objects.get()
    desk, address = Desk.of(cast.reviewer), table.readings[1].address
    desk.shows(f"{at(review)}?edit=1&{address}", 'value="e3"', "Which one", "the call")
    desk.lacks(f"{at(review)}?edit=1&record=history%2F9%2Foutcome%3A1", 'value="e3"')
    assert not Decision.objects.exists()


def test_the_records_of_a_call_that_passed_are_shown_and_none_is_taken(cast: Cast) -> None:
    action = propose(cast, ProposedAction("cancel", {"id": "e2"}), context=context_of(EVENTS))
    run_checks(action.pk)
    assert not Review.objects.exists()
    desk = Desk.of(cast.reviewer)
    desk.shows(f"/actions/{action.pk}", "Which one", "Retrospective", "the call")
    desk.lacks(f"/actions/{action.pk}", "?edit=1")
