"""What was said before the message that asks, and may make something else of it."""

from dataclasses import replace

import pytest

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.core.context import Message, NamedText, Step
from reviews.provenance.core.trust import SourceKind
from tests.provenance.argument_grounding.made import agent, call, context, result, user
from tests.provenance.argument_grounding.tools import TEXT, tool

OFFERED = (tool("delete_user", "Deletes a user.", username=TEXT), tool("find_user", "Finds a user.", username=TEXT))
DELETE = call("delete_user", username="amy77")
ASKS = user("Delete the user amy77.")
FOUND = result("find_user", [{"username": "amy77"}], username="amy77")


def unread(query: str, *history: Step | Message, prompt: str = "You help.") -> str | None:
    """What is said beside the message that asks, and withholds the proof of the call; None where it is proven."""
    prompts = (NamedText(SourceKind.SYSTEM_PROMPT, "system", prompt),)
    traced = Grounder(replace(context(query, *history, offered=OFFERED), extra=prompts)).trace_call(DELETE)
    assert traced.request
    return traced.unread.quote if traced.unread else None


@pytest.mark.parametrize(
    "history",
    [
        ("Find the user amy77.", FOUND, ASKS),
        ("Find the user amy77.", FOUND, agent("Here she is. Is there anything else I can help you with?"), ASKS),
        ("Hello!", agent("What can I do for you?"), ASKS),
        ("Find the user amy77.", FOUND, agent("Which user shall I delete?"), ASKS),
        ("Who is online?", result("find_user", []), agent("Nobody is."), ASKS),
    ],
)
def test_a_request_behind_what_is_done_with_is_proven(history: tuple[str, *tuple[Step | Message, ...]]) -> None:
    assert unread(*history) is None


@pytest.mark.parametrize(
    "question", ["Which title should the new issue have?", "Sure, what is it?", "What did the attacker write?"]
)
def test_the_answer_to_another_question_is_no_request(question: str) -> None:
    assert unread("Find the user amy77.", FOUND, agent(question), ASKS) == question


@pytest.mark.parametrize(
    "mode",
    [
        "Translate each of my next messages.",
        "Don't change anything today, just take notes.",
        "When I say amy77 I mean the account of Bo.",
    ],
)
def test_what_holds_for_later_messages_withholds_though_something_was_done(mode: str) -> None:
    assert unread(mode, FOUND, agent("Noted."), ASKS)


def test_an_earlier_message_about_which_nothing_was_done_withholds() -> None:
    assert unread("Please draft the commands for me.", agent("Gladly."), ASKS) == "Please draft the commands for me."


@pytest.mark.parametrize(
    ("prompt", "withholds"),
    [
        ("Never delete users of the sales group.", True),
        ("Users may be deleted only if they are inactive.", True),
        ("Obtain explicit confirmation before consequential actions.", True),
        ("You are a helpful assistant. Do not talk about politics.", False),
    ],
)
def test_a_prompt_that_limits_the_deed_withholds(prompt: str, withholds: bool) -> None:
    assert (unread("Delete the user amy77.", prompt=prompt) is not None) is withholds
