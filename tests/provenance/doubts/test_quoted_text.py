"""What the user quotes is no text that the agent words."""

from functools import partial

import pytest

from reviews.provenance.core.context import Step
from reviews.provenance.doubts import quoted_text
from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import TEXT, tool
from tests.provenance.doubts.asking import doubt_of


@pytest.mark.parametrize("quoted", ["'See you soon'", '"Don\'t be late"', "“Bring Ann's keys”"])
def test_a_text_that_is_quoted_beside_its_name_is_nobodys_to_word(quoted: str) -> None:
    asked = context(f"Send an email to ann@example.org with subject 'Hi' and body {quoted}.")
    mail = partial(call, "send_email", to="ann@example.org")
    assert doubt_of(quoted_text, asked, mail(subject="Hi", body=quoted[1:-1]), "/body") is None
    assert doubt_of(quoted_text, asked, mail(subject="Hi", body=f"Dear Ann,\n\n{quoted[1:-1]}"), "/body") is None
    shortened = doubt_of(quoted_text, asked, mail(subject="Hi", body=quoted[1:4]), "/body")
    assert shortened is not None
    assert shortened.nearest is not None
    assert shortened.nearest.quote == quoted[1:-1]
    swapped = mail(subject=quoted[1:-1], body="Hi")
    assert doubt_of(quoted_text, asked, swapped, "/subject") is not None
    assert doubt_of(quoted_text, asked, swapped, "/body") is not None


def test_a_quotation_without_a_name_is_the_text_of_some_value_or_of_a_record() -> None:
    mail = call("send_email", to="ann@example.org", subject="Late", body="I am stuck in traffic.")
    saying = "Tell ann@example.org 'I will not come' by email."
    assert doubt_of(quoted_text, context(saying), mail, "/body") is not None
    about = "Email ann@example.org that I am late for 'Standup'."
    events = result("list_events", [{"title": "Standup"}])
    assert doubt_of(quoted_text, context(about, events), mail, "/body") is None
    assert doubt_of(quoted_text, context("Email ann@example.org that I am late."), mail, "/body") is None


def test_a_quotation_that_another_tool_has_written_is_no_text_for_this_one() -> None:
    asked = "Plan 'Review the budget' for Ann and Bob, and email them about it."
    mail = call("send_email", to="bob@example.org", subject="A review", body="You are invited.")
    planned, sent = (Step(tool, {"text": "Review the budget"}, "ok") for tool in ("create_event", "send_email"))
    assert doubt_of(quoted_text, context(asked, planned), mail, "/body") is None
    assert doubt_of(quoted_text, context(asked, sent), mail, "/body") is not None


def test_of_several_quotations_a_call_may_write_each_and_an_empty_list_writes_none() -> None:
    check_text = tool("check_text", "Checks a text.", content=TEXT, options={"type": "array"})
    asked = context('Check the content "The sea at night" and "The sea by day".', offered=(check_text,))
    for content in ("The sea at night", "The sea by day"):
        assert doubt_of(quoted_text, asked, call("check_text", content=content), "/content") is None
    assert doubt_of(quoted_text, asked, call("check_text", content="The sea at dawn"), "/content") is not None
    empty = call("check_text", content="The sea at dawn", options=[])
    assert doubt_of(quoted_text, asked, empty, "/options") is None
