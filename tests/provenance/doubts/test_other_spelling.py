"""What the user's words say in another spelling stands somewhere, and nothing else is said in its place."""

import pytest

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.argument_grounding.results import Grounded
from reviews.provenance.core.context import Context
from reviews.provenance.doubts import other_spelling, other_value, quoted_text, unproven_value
from tests.provenance.argument_grounding.made import call, context, user
from tests.provenance.argument_grounding.tools import TEXT, tool

PLOTTED = ["session_duration_seconds", "engaged_users", "total_visits"]
TOOLS = (
    tool("create_task", "Creates a task.", board=TEXT),
    tool("send_email", "Sends an email.", to=TEXT, body=TEXT),
    tool("add_reminder", "Adds a reminder.", task=TEXT),
    tool("create_plot", "Creates a plot.", value_to_plot={**TEXT, "enum": PLOTTED}),
)


def asked(query: str) -> Context:
    return context(query, offered=TOOLS)


def trace(query: str, tool_name: str, **arguments: str) -> Grounded:
    return Grounder(asked(query)).trace_call(call(tool_name, **arguments)).leaves[-1]


@pytest.mark.parametrize("said", ["front-end", "front_end", "Front–End"])
def test_a_name_with_other_signs_between_its_words_stands_in_the_request(said: str) -> None:
    leaf = trace(f"Make one on the {said} page called 'New leads'", "create_task", board="Front end")
    assert leaf.rule == unproven_value.SAID
    assert leaf.note == f"The request says “{said}” (Front end). Is it meant for board?"
    assert [span.quote for span in leaf.spans] == [said]


def test_a_text_with_escapes_and_marks_stands_in_the_request() -> None:
    body = "Hi Jo,\n\nStarting on 'Create wireframe' today.\nBo"
    typed = body.replace("\n", "\\n")
    leaf = trace(f"Email jo@shop.test '{typed}', or else 'Nothing today'.", "send_email", to="jo@shop.test", body=body)
    assert leaf.rule == unproven_value.SAID


def test_what_words_of_the_value_speak_of_is_said_in_no_others_place() -> None:
    query = "Show me the distribution of total visits and average session duration"
    assert trace(query, "create_plot", value_to_plot="session_duration_seconds").rule != other_value.RULE
    assert trace(query, "create_plot", value_to_plot="engaged_users").rule == other_value.RULE


def test_a_text_that_is_dictated_but_for_its_last_sign_is_no_other_text() -> None:
    query = "Email jo@shop.test 'It all looks good', or 'We need you to improve it' if not."
    leaf = trace(query, "send_email", to="jo@shop.test", body="it all looks good.")
    assert leaf.rule not in (quoted_text.RULE, other_value.RULE)


def test_an_option_of_which_words_are_said_is_told_with_them() -> None:
    leaf = trace("Show me charts of session duration", "create_plot", value_to_plot="session_duration_seconds")
    assert leaf.note == (
        "The tool's document has “session_duration_seconds”; the request says “session duration”. Is it asked for?"
    )


def test_of_an_option_two_words_in_the_other_order_are_told_as_well() -> None:
    leaf = trace(
        "Show me a chart of the duration session by session", "create_plot", value_to_plot="session_duration_seconds"
    )
    assert "the request says “duration session”" in leaf.note


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("pay my electricity bill", "Pay electricity bill"),
        ("pack my two bags", "Pack bags"),
        ("call my dad when I land", "call dad when I land"),
    ],
)
def test_a_text_with_other_words_between_its_own_stands_in_the_request(said: str, task: str) -> None:
    leaf = trace(f"Remind me to {said} on Friday.", "add_reminder", task=task)
    assert leaf.rule == unproven_value.SAID
    assert leaf.note == f"The request says “{said}” ({task}). Is it meant for task?"


def test_a_text_with_another_word_within_is_told_beside_what_is_said() -> None:
    leaf = trace("Remind me to finish my report on Friday.", "add_reminder", task="finish your report")
    assert leaf.rule == unproven_value.NOWHERE
    assert leaf.note == "“finish your report” appears nowhere; the request says “finish my report”."
    assert leaf.nearest is not None
    assert leaf.nearest.quote == "finish my report"


def test_of_a_text_with_two_other_words_nothing_like_it_is_told() -> None:
    leaf = trace("Remind me to pay my gas bill on Friday.", "add_reminder", task="Pay the electricity bill")
    assert leaf.note == "“Pay the electricity bill” appears nowhere."


@pytest.mark.parametrize(
    "request_text",
    ["My bags are here, pack them.", "Pack my two very old bags.", "The bags I pack", "Packing bags is dull."],
)
def test_words_in_another_order_or_far_apart_are_no_wording(request_text: str) -> None:
    assert trace(request_text, "add_reminder", task="Pack bags").note == "“Pack bags” appears nowhere."


def test_what_was_said_earlier_in_another_spelling_is_told_with_its_brackets() -> None:
    asked_before = context("My new number is (276) 555-0133.", user("And my board is Sales."), offered=TOOLS)
    leaf = Grounder(asked_before).trace_call(call("create_task", board="276-555-0133")).leaves[-1]
    assert leaf.rule == unproven_value.EARLIER
    assert leaf.note == ("The user said “(276) 555-0133” (276-555-0133) before the latest message. Does it still hold?")


def test_a_word_that_a_message_repeats_is_followed_from_few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    followed: list[object] = []
    monkeypatch.setattr(other_spelling, "_follow_words", lambda *words: followed.append(words))
    trace("now " + "pay " * 2_000, "add_reminder", task="pay one two three four five six now")
    assert 0 < len(followed) < 1_000
