import json
import re
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import pytest
from django.utils import timezone

from reviews.desk.review import value_fields
from reviews.desk.review.call_json import UnreadableError
from reviews.models import Action, Decision, Interpretation, Label, Membership, Outcome, Review
from reviews.profiles import versions
from reviews.provenance.core.context import JsonValue, ProposedAction, ToolDoc
from reviews.queue import ordering, review_claims
from tests.cast import PASSED, REJECTED, RIGHT, UNCLEAR, Cast, Script, flagged
from tests.desk.desk import HTMX, Desk, at, check_page, decision_of, held, rejected_by_another, waiting

FIXED = json.dumps(RIGHT.arguments)


def htmx(desk: Desk, path: str, **form: Any) -> Any:
    """What the page's own script is answered."""
    return desk.client.post(path, form, headers=HTMX)


def decide(desk: Desk, review: Review, **form: Any) -> Any:
    """The decision of a page that has shown the item for a minute."""
    return htmx(desk, at(review, "decide"), **decision_of(review, desk.membership, **form))


def check_refused(response: Any, status: int, *texts: str) -> None:
    """The response has this status and says all of this, and nothing was decided."""
    check_page(response, *texts, status=status)
    assert not Decision.objects.exists()


def over(review: Review) -> None:
    Action.objects.filter(pk=review.action_id).update(expires_at=timezone.now() - timedelta(seconds=1))


@pytest.mark.parametrize(
    ("form", "outcome"),
    [
        ({"outcome": "approve"}, Outcome.APPROVE),
        ({"outcome": "reject", "message": "Only $30."}, Outcome.REJECT),
        ({"outcome": "respond", "message": "Which Daniel?"}, Outcome.RESPOND),
        ({"outcome": "edit", "tool": "money_transfer", "arguments": FIXED}, Outcome.EDIT),
    ],
)
def test_each_decision_is_made_as_asked(cast: Cast, desk: Desk, form: dict[str, str], outcome: Outcome) -> None:
    decide(desk, flagged(cast), **form)
    decision = Decision.objects.get()
    assert (decision.outcome, decision.reviewer, decision.message) == (
        outcome,
        cast.reviewer.user,
        form.get("message", ""),
    )


def test_a_decision_opens_the_next_item(cast: Cast, desk: Desk) -> None:
    review, following = flagged(cast), waiting(cast, priority=1)
    assert decide(desk, review, outcome="approve").headers["HX-Redirect"] == at(following)


def test_the_last_decision_opens_the_queue(cast: Cast, desk: Desk) -> None:
    assert decide(desk, flagged(cast), outcome="approve").headers["HX-Redirect"] == "/queue"


def test_an_item_another_holds_is_not_opened_next(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    held(waiting(cast), cast.other_reviewer)
    assert decide(desk, review, outcome="approve").headers["HX-Redirect"] == "/queue"


def test_the_next_page_tells_what_was_done(cast: Cast, desk: Desk) -> None:
    decide(desk, flagged(cast), outcome="reject")
    desk.shows("/queue", "Rejected money_transfer · the agent is told, which is final")


def test_a_plain_form_decides_too(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    form = decision_of(review, cast.reviewer, outcome="approve")
    desk.sends(at(review, "decide"), "Approved money_transfer", **form)


def test_a_reviewers_type_reaches_the_label(cast: Cast, desk: Desk) -> None:
    decide(desk, flagged(cast), outcome="reject", misalignment="tool")
    assert Label.objects.get().misalignment == "tool"


@pytest.mark.parametrize(
    ("chosen", "as_suggested"), [({"misalignment": "parameter", "relation": "DerivedFrom"}, True), ({}, False)]
)
def test_the_label_tells_whether_the_guards_word_was_left_as_it_was(
    cast: Cast, desk: Desk, chosen: dict[str, str], *, as_suggested: bool
) -> None:
    decide(desk, flagged(cast), outcome="reject", **{"misalignment": "", "relation": "", **chosen})
    label = Label.objects.get()
    assert (label.type_as_suggested, label.relation_as_suggested) == (as_suggested, as_suggested)


def test_an_answer_makes_no_label(cast: Cast, desk: Desk) -> None:
    decide(desk, flagged(cast), outcome="respond", message="Which one?")
    assert not Label.objects.exists()


def test_rejecting_opens_with_the_guards_sentence_and_what_was_written_before(cast: Cast, desk: Desk) -> None:
    decide(desk, flagged(cast), outcome="reject", message="Ask for the invoice first.")
    body = desk.shows(at(flagged(cast, trace_id="next")), "Ask for the invoice first.", "Written before")
    assert re.search(r'<textarea[^>]*id="reject-message"[^>]*>to: “daniel.kin@example.org” is nearly', body)


def test_where_there_is_only_a_doubt_rejecting_opens_empty(cast: Cast, desk: Desk) -> None:
    versions.new_version(membership=cast.admin, on_unknown="review")
    body = desk.shows(at(flagged(cast, RIGHT, context=UNCLEAR)), "Say what is wrong and what would be right.")
    assert re.search(r'<textarea[^>]*id="reject-message"[^>]*></textarea>', body)


def test_a_value_is_typed_over_in_its_field(cast: Cast, desk: Desk) -> None:
    values = {"value:/to": "daniel.kim@example.org", "value:/amount": "30"}
    arguments = '{"to": "daniel.kin@example.org", "amount": 300}'
    decide(desk, flagged(cast), outcome="edit", tool="money_transfer", arguments=arguments, shown="fields", **values)
    assert Decision.objects.get().arguments == {"to": "daniel.kim@example.org", "amount": 30}


def test_what_is_typed_over_nothing_is_what_the_schema_takes(cast: Cast, desk: Desk) -> None:
    values = {"value:/amount": "30", "value:/to": "daniel.kim@example.org"}
    arguments = '{"to": null, "amount": null}'
    decide(desk, flagged(cast), outcome="edit", tool="money_transfer", arguments=arguments, shown="fields", **values)
    assert Decision.objects.get().arguments == {"to": "daniel.kim@example.org", "amount": 30}


@pytest.mark.parametrize(("typed", "value"), [("", None), ("true", True), ("false", False)])
def test_a_flag_that_nobody_has_set_can_be_set_and_left(typed: str, value: bool | None) -> None:
    schema: dict[str, JsonValue] = {"anyOf": [{"type": "boolean"}, {"type": "null"}]}
    tool = ToolDoc("pay", parameters={"properties": {"now": schema}})
    fields = value_fields.build_fields({"now": None}, tool)
    assert value_fields.apply_fields('{"now": null}', value_fields.read_fields(fields, {"value:/now": typed})) == {
        "now": value
    }


def typed_over_null(schema: JsonValue, typed: str) -> JsonValue:
    """What becomes of a null of this schema that is typed over."""
    tool = ToolDoc("pay", parameters={"properties": {"x": schema}, "$defs": {"Rate": {"type": "integer"}}})
    fields = value_fields.read_fields(value_fields.build_fields({"x": None}, tool), {"value:/x": typed})
    return value_fields.apply_fields('{"x": null}', fields)["x"]


@pytest.mark.parametrize(
    ("schema", "typed", "value"),
    [
        ({"type": ["number", "null"]}, "5", 5),
        ({"anyOf": [{"$ref": "#/$defs/Rate"}, {"type": "null"}]}, "5", 5),
        ({"enum": [1, 2.5, None]}, "2.5", 2.5),
        ({"type": ["boolean", "number", "null"]}, "5", 5),
        ({"type": ["boolean", "number", "null"]}, "true", True),
        ({"type": ["array", "integer", "null"]}, "5", 5),
        ({"type": ["number", "string", "null"]}, "5", "5"),
        ({"enum": ["5", "x", None]}, "5", "5"),
        ({}, "5", "5"),
    ],
)
def test_a_null_that_is_typed_over_becomes_of_a_type_the_schema_takes(
    schema: JsonValue, typed: str, value: JsonValue
) -> None:
    became = typed_over_null(schema, typed)
    assert (became, type(became)) == (value, type(value))


def test_a_null_in_place_of_a_list_is_written_as_json_like_a_list() -> None:
    tool = ToolDoc("pay", parameters={"properties": {"to": {"type": ["array", "null"]}}})
    assert [field.pointer for field in value_fields.build_fields({"to": None, "n": 1}, tool)] == ["/n"]


def test_what_is_typed_over_a_null_is_refused_by_what_may_stand_there() -> None:
    with pytest.raises(UnreadableError, match="x: This is no boolean or number"):
        typed_over_null({"type": ["boolean", "integer", "null"]}, "much")


def test_an_edit_in_fields_that_came_too_late_is_kept_as_it_was_typed(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    arguments = '{"to": "daniel.kim@example.org", "amount": 300}'
    edit = {"tool": "money_transfer", "arguments": arguments, "shown": "fields", "value:/amount": "31"}
    rejected_by_another(cast, review)
    response = decide(desk, review, outcome="edit", **edit)
    check_page(response, "It is kept here", "&quot;amount&quot;: 31", status=HTTPStatus.CONFLICT)


def test_a_field_that_cannot_be_read_is_kept_as_typed(cast: Cast, desk: Desk) -> None:
    edit = {"tool": "money_transfer", "arguments": '{"amount": 300}', "shown": "fields", "value:/amount": "much"}
    check_refused(decide(desk, flagged(cast), outcome="edit", **edit), 422, "This is no number.", 'value="much"')


@pytest.mark.parametrize("typed", [{"amount": "much", "to": "daniel.kim@example.org"}, {"amount": "", "to": "x"}])
def test_an_edit_that_is_refused_goes_on_in_the_field_that_is_wrong(
    cast: Cast, desk: Desk, typed: dict[str, str]
) -> None:
    arguments = '{"to": "daniel.kim@example.org", "amount": 300}'
    edit = {"tool": "money_transfer", "arguments": arguments, "shown": "fields"}
    edit |= {f"value:/{name}": text for name, text in typed.items()}
    body = decide(desk, flagged(cast), outcome="edit", **edit).content.decode()
    assert re.findall(r'data-pointer="([^"]+)"\s+data-starts', body) == ["/amount"]


def test_the_editor_opens_without_a_mistake_and_refuses_what_is_not_changed(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    edit = {"tool": "money_transfer", "arguments": json.dumps(review.action.arguments), "shown": "json"}
    preview = desk.client.post(at(review, "preview-edit"), edit, headers=HTMX).content.decode()
    assert "Nothing is changed yet." in preview
    assert "field__error" not in preview
    check_refused(decide(desk, review, outcome="edit", **edit), 422, "Nothing is changed. Approve the call instead.")


def test_a_list_is_typed_over_from_its_first_part(cast: Cast, desk: Desk) -> None:
    call = ProposedAction("money_transfer", {"amount": 300, "to": ["x@example.org", "y@example.org"]})
    body = desk.shows(at(flagged(cast, call)) + "?edit=1&at=/to", "data-starts")
    assert re.findall(r'data-pointer="([^"]+)" data-starts', body) == ["/to/0"]


def test_no_field_is_offered_that_would_change_its_value_unasked(cast: Cast, desk: Desk) -> None:
    call = ProposedAction("money_transfer", {"to": "x@example.org", "note": "a\rb"})
    assert "value:/to" not in desk.shows(at(flagged(cast, call)) + "?edit=1", 'value="json"', "a\\rb")


def test_fields_side_by_side_have_names_that_differ(cast: Cast, desk: Desk) -> None:
    parts: dict[str, JsonValue] = {"street": "Elm", "city": "Oslo"}
    for number in range(12):
        parts = {f"level_{number}": parts}
    body = desk.shows(at(flagged(cast, ProposedAction("money_transfer", parts))) + "?edit=1")
    assert len(set(re.findall(r'<label class="mono"[^>]*>(.*?)</label>', body))) == 2


def test_fields_become_json_with_what_was_typed(cast: Cast, desk: Desk) -> None:
    edit = {"tool": "money_transfer", "arguments": '{"amount": 300}', "shown": "fields", "value:/amount": "31"}
    response = desk.client.post(at(flagged(cast), "preview-edit") + "?switch=1", edit, headers=HTMX)
    check_page(response, "&quot;amount&quot;: 31", 'value="json"')


def test_a_field_that_cannot_be_read_becomes_json_to_be_put_right_there(cast: Cast, desk: Desk) -> None:
    edit = {"tool": "money_transfer", "arguments": '{"amount": 300}', "shown": "fields", "value:/amount": "[31]"}
    response = desk.client.post(at(flagged(cast), "preview-edit") + "?switch=1", edit, headers=HTMX)
    check_page(response, "&quot;amount&quot;: &quot;[31]&quot;", 'value="json"')


def test_json_that_cannot_be_read_becomes_no_fields_and_stays(cast: Cast, desk: Desk) -> None:
    edit = {"tool": "money_transfer", "arguments": '{"amount": 31', "shown": "json"}
    response = desk.client.post(at(flagged(cast), "preview-edit") + "?switch=1", edit, headers=HTMX)
    check_page(response, "{&quot;amount&quot;: 31", 'value="json"')


def test_one_choice_puts_the_wrong_value_right(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    body = desk.shows(
        at(review), 'data-key-label="Use “daniel.kim@example.org” for “to” instead"', "?edit=1&amp;mend=%2Fto"
    )
    assert "Ask the user which one" in body
    desk.shows(at(review) + "?edit=1&mend=/to", 'value="daniel.kim@example.org"', "data-mended")


def test_a_taken_reading_reaches_the_label(cast: Cast, desk: Desk, script: Script) -> None:
    script(PASSED, REJECTED)
    review = flagged(cast)
    reading = Interpretation.objects.get()
    decide(desk, review, outcome="edit", tool=reading.tool, arguments=FIXED, interpretation=reading.pk)
    assert Label.objects.get().interpretation == reading


def test_an_answer_needs_words(cast: Cast, desk: Desk) -> None:
    check_refused(decide(desk, flagged(cast), outcome="respond", message=" "), 422, "Write the answer first.")


@pytest.mark.parametrize("outcome", ["", "delete", "edit "])
def test_an_unknown_decision_is_none(cast: Cast, desk: Desk, outcome: str) -> None:
    response = decide(desk, flagged(cast), outcome=outcome, message="x")
    assert (response.status_code, Decision.objects.exists()) == (HTTPStatus.BAD_REQUEST, False)


def test_a_broken_edit_is_kept_as_typed(cast: Cast, desk: Desk) -> None:
    response = decide(desk, flagged(cast), outcome="edit", tool="money_transfer", arguments='{"to": ', message="psst")
    check_refused(response, 422, "Line 1, column 8", "{&quot;to&quot;:", "psst")


def test_an_edit_the_tools_schema_refuses_is_kept_as_typed(cast: Cast, desk: Desk) -> None:
    typed = '{"to": "x", "amount": "much"}'
    response = decide(desk, flagged(cast), outcome="edit", tool="money_transfer", arguments=typed)
    check_refused(response, 422, "/amount", "&quot;much&quot;")


def test_an_edit_nested_deeper_than_agents_may_is_kept_as_typed(cast: Cast, desk: Desk) -> None:
    typed = '{"to": ' + "[" * 40 + "]" * 40 + "}"
    response = decide(desk, flagged(cast), outcome="edit", tool="money_transfer", arguments=typed)
    check_refused(response, 422, "Nested deeper than 32 levels", "[" * 40)


def test_a_plain_form_is_kept_on_the_whole_page(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    desk.sends(
        at(review, "decide"),
        "Write the answer first.",
        "The agent wants to",
        outcome="respond",
        status=HTTPStatus.UNPROCESSABLE_ENTITY,
    )


def test_whoever_comes_second_learns_who_was_first(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    rejected_by_another(cast, review)
    response = decide(desk, review, outcome="reject", message="My reasons at length")
    body = response.content.decode()
    assert (response.status_code, response.headers["HX-Retarget"]) == (HTTPStatus.CONFLICT, "#state")
    assert [text for text in ("rejected", "rob", "No.", "My reasons at length") if text not in body] == []


def test_whoever_comes_second_by_a_plain_form_learns_it_too(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    rejected_by_another(cast, review)
    form = decision_of(review, cast.reviewer, outcome="reject", message="My reasons")
    desk.sends(at(review, "decide"), "rob", "My reasons", status=HTTPStatus.CONFLICT, **form)


def test_an_edit_that_comes_second_is_kept(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    rejected_by_another(cast, review)
    response = decide(desk, review, outcome="edit", tool="money_transfer", arguments=FIXED)
    assert "daniel.kim@example.org&quot;" in response.content.decode()


def test_an_item_another_holds_is_not_decided(cast: Cast, desk: Desk) -> None:
    review = held(flagged(cast), cast.other_reviewer)
    response = decide(desk, review, outcome="reject", message="It is the wrong account.")
    check_refused(response, 409, "rob", "is looking at this item", "Your decision was not recorded")
    assert "It is the wrong account." in response.content.decode()


def test_an_expired_item_is_not_decided(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    over(review)
    check_refused(decide(desk, review, outcome="approve"), 409, "Expired")


def test_an_annotator_does_not_decide(cast: Cast) -> None:
    check_refused(decide(Desk.of(cast.annotator), flagged(cast), outcome="approve"), 404)


def preview(desk: Desk, review: Review, arguments: str, tool: str = "money_transfer") -> str:
    response = htmx(desk, at(review, "preview-edit"), tool=tool, arguments=arguments)
    assert response.status_code == HTTPStatus.OK
    return str(response.content.decode())


def test_a_preview_shows_what_changes(cast: Cast, desk: Desk) -> None:
    body = preview(desk, flagged(cast), FIXED)
    assert ("<bdi>300</bdi></del>" in body, "<bdi>30</bdi></ins>" in body) == (True, True)


def test_a_preview_tells_a_text_from_a_number(cast: Cast, desk: Desk) -> None:
    typed = json.dumps({**RIGHT.arguments, "amount": "300"})
    assert "<bdi>“300”</bdi></ins>" in preview(desk, flagged(cast), typed)


def test_a_preview_of_a_long_text_shows_what_differs(cast: Cast, desk: Desk) -> None:
    call = ProposedAction("money_transfer", {"note": "word " * 200 + "before"})
    body = preview(desk, flagged(cast, call), json.dumps({"note": "word " * 200 + "after"}))
    assert ("before”" in body, "after”" in body) == (True, True)


def test_a_preview_says_how_many_changes_it_does_not_show(cast: Cast, desk: Desk) -> None:
    call = ProposedAction("money_transfer", {f"k{number}": number for number in range(50)})
    typed = json.dumps({f"k{number}": -1 for number in range(50)})
    assert "10 more changed." in preview(desk, flagged(cast, call), typed)


def test_a_preview_shows_where_a_new_value_comes_from(cast: Cast, desk: Desk) -> None:
    assert "request" in preview(desk, flagged(cast), FIXED)


def test_a_value_only_the_reviewer_knows_is_theirs(cast: Cast, desk: Desk) -> None:
    typed = json.dumps({**RIGHT.arguments, "amount": 7777})
    assert "from you" in preview(desk, flagged(cast), typed)


def test_a_preview_shows_another_tool(cast: Cast, desk: Desk) -> None:
    assert "request_money</bdi></ins>" in preview(desk, flagged(cast), FIXED, tool="request_money")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("{", "Line 1"),
        ('{"to": 1, "amount": 2}', "to"),
        ("{}", "is missing"),
        ('{"a": "\\ud800"}', "half a pair"),
        ('{"to": ' + "[" * 40 + "]" * 40 + "}", "Nested deeper than 32 levels"),
        ("", "{}"),
    ],
)
def test_a_preview_says_what_is_wrong(cast: Cast, desk: Desk, arguments: str, problem: str) -> None:
    assert problem in preview(desk, flagged(cast), arguments)


def test_a_tool_the_agent_lacks_is_named(cast: Cast, desk: Desk) -> None:
    assert "The agent has no tool" in preview(desk, flagged(cast), FIXED, tool="<b>x</b>")


def claim(cast: Cast, review: Review, member: Membership, shown: str = "") -> Any:
    return htmx(Desk.of(member), at(review, "claim"), shown=shown)


def test_a_claim_holds_the_item(cast: Cast) -> None:
    review = flagged(cast)
    assert "claimed by you" in claim(cast, review, cast.reviewer).content.decode()
    review.refresh_from_db()
    assert review.claimed_by == cast.reviewer.user


def test_a_renewed_claim_leaves_the_page_alone(cast: Cast) -> None:
    review = held(flagged(cast), cast.reviewer)
    assert claim(cast, review, cast.reviewer, shown="mine::").status_code == HTTPStatus.NO_CONTENT


def test_a_claim_of_a_held_item_says_who_holds_it(cast: Cast) -> None:
    body = claim(cast, held(flagged(cast), cast.other_reviewer), cast.reviewer, shown="free::").content.decode()
    assert "rob" in body


def test_a_claim_tells_an_open_page_that_it_is_stale(cast: Cast) -> None:
    review = flagged(cast)
    rejected_by_another(cast, review)
    body = claim(cast, review, cast.reviewer, shown="mine::").content.decode()
    assert ("No." in body, "data-poll" in body) == (True, False)


def test_released_items_are_free(cast: Cast, desk: Desk) -> None:
    review = held(flagged(cast), cast.reviewer)
    assert htmx(desk, at(review, "release")).headers["HX-Redirect"] == "/queue"
    review.refresh_from_db()
    assert review.claimed_by is None


def _claim(desk: Desk, review: Review) -> str:
    """Until when the claim lasts, as the page is told."""
    return str(json.loads(htmx(desk, at(review, "claim")).headers["HX-Trigger"])["claimed"]["until"])


def test_leaving_the_page_releases_without_a_word(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    assert htmx(desk, at(review, "release"), leaving=_claim(desk, review)).status_code == HTTPStatus.NO_CONTENT
    review.refresh_from_db()
    assert review.claimed_by is None


def test_a_page_that_was_left_takes_no_claim_from_the_one_that_came_after_it(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    left, _ = _claim(desk, review), _claim(desk, review)
    htmx(desk, at(review, "release"), leaving=left)
    review.refresh_from_db()
    assert review.claimed_by == cast.reviewer.user


@pytest.mark.parametrize("leaving", ["", "1", "now\x00"])
def test_leaving_a_claim_that_names_no_time_releases_nothing(cast: Cast, desk: Desk, leaving: str) -> None:
    review = held(flagged(cast), cast.reviewer)
    assert htmx(desk, at(review, "release"), leaving=leaving).status_code == HTTPStatus.NO_CONTENT
    review.refresh_from_db()
    assert review.claimed_by == cast.reviewer.user


def test_a_page_is_not_told_until_when_another_holds_the_item(cast: Cast, desk: Desk) -> None:
    assert _claim(desk, held(flagged(cast), cast.other_reviewer)) == ""


def test_a_snoozed_item_sleeps_for_as_long_as_chosen(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    htmx(desk, at(review, "snooze"), seconds="900")
    review.refresh_from_db()
    assert review.snoozed_until is not None
    assert timedelta(minutes=14) < review.snoozed_until - timezone.now() <= timedelta(minutes=15)


def test_an_item_is_back_before_it_expires_however_long_it_is_put_off(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    htmx(desk, at(review, "snooze"), seconds="86400")
    review.refresh_from_db()
    assert review.snoozed_until == review.due_at - review_claims.LEFT_AFTER_SNOOZE


def test_only_times_are_offered_that_end_before_the_expiry(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    body = desk.shows(at(review), "15 minutes", "Until 5 minutes before it expires")
    assert ("1 hour" in body, "Until tomorrow" in body) == (False, False)


def test_an_item_that_expires_soon_is_not_put_off(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    Review.objects.filter(pk=review.pk).update(due_at=timezone.now() + timedelta(minutes=4))
    response = htmx(desk, at(review, "snooze"), seconds="900")
    assert (response.status_code, "too soon" in response.headers["HX-Trigger"]) == (HTTPStatus.CONFLICT, True)
    desk.shows(at(review), "It expires too soon to be put off.")


@pytest.mark.parametrize("seconds", ["", "-1", "7", "99999999999"])
def test_only_the_offered_times_can_be_chosen(cast: Cast, desk: Desk, seconds: str) -> None:
    review = flagged(cast)
    assert htmx(desk, at(review, "snooze"), seconds=seconds).status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    review.refresh_from_db()
    assert review.snoozed_until is None


def test_an_escalated_item_is_on_top(cast: Cast, desk: Desk) -> None:
    waiting(cast, priority=8)
    review = flagged(cast)
    htmx(desk, at(review, "escalate"))
    top = ordering.next_review(membership=cast.other_reviewer)
    assert top == review


@pytest.mark.parametrize("path", ["snooze", "escalate"])
def test_what_another_holds_is_left_alone(cast: Cast, desk: Desk, path: str) -> None:
    response = htmx(desk, at(held(flagged(cast), cast.other_reviewer), path), seconds="900")
    check_refused(response, 409, "is looking at this item")
