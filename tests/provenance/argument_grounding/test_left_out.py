"""A call is no proof of itself where its tool takes something that the request may speak of and the call lacks."""

from typing import Any

import pytest

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.core.context import ToolDoc
from tests.provenance.argument_grounding.made import call, context, user
from tests.provenance.argument_grounding.tools import TEXT

BREW = ToolDoc("brew_tea", "Brews a tea.", {"properties": {"tea": TEXT, "sweetener": TEXT, "notes": TEXT}})


@pytest.mark.parametrize(
    ("request_text", "is_proven"),
    [
        ("Brew a 'sencha' tea", True),
        ("Please brew a 'sencha' tea now, thanks", True),
        ("Brew a 'sencha' tea with honey", False),
        ("Brew a 'sencha' tea, sweetener as always", False),
    ],
)
def test_words_that_no_value_takes_up_may_speak_of_what_is_left_out(request_text: str, is_proven: bool) -> None:
    traced = Grounder(context(request_text, offered=(BREW,))).trace_call(call("brew_tea", tea="sencha"))
    assert traced.is_proven is is_proven
    assert bool(traced.missing) is not is_proven


@pytest.mark.parametrize("behind", ["", " I do not like biscuits.", " Would biscuits go with it?"])
def test_no_sentence_behind_the_request_settles_what_is_left_out(behind: str) -> None:
    asked = context(f"Brew a 'sencha' tea with honey.{behind}", offered=(BREW,))
    assert Grounder(asked).trace_call(call("brew_tea", tea="sencha")).missing


def test_no_later_message_settles_what_is_left_out() -> None:
    asked = context("Brew a 'sencha' tea with honey.", user("I have seven minutes."), offered=(BREW,))
    assert Grounder(asked).trace_call(call("brew_tea", tea="sencha")).missing


def test_what_the_agent_words_itself_may_be_left_out() -> None:
    tool = ToolDoc("brew_tea", "Brews a tea.", {"properties": {"tea": TEXT, "notes": TEXT}})
    action = call("brew_tea", tea="sencha")
    assert Grounder(context("Brew a 'sencha' tea, please.", offered=(tool,))).trace_call(action).is_proven


def test_what_is_quoted_and_taken_up_by_no_value_may_be_a_text_that_is_left_out() -> None:
    tool = ToolDoc("find_tea", "Finds teas.", {"properties": {"shelf": TEXT, "tea": TEXT}})
    asked = context("Where on shelf A7 are teas with 'sencha' on the label?", offered=(tool,))
    assert Grounder(asked).trace_call(call("find_tea", shelf="A7")).missing == "tea"
    assert not Grounder(asked).trace_call(call("find_tea", shelf="A7", tea="sencha")).missing


@pytest.mark.parametrize(("others", "expected"), [({}, True), ({"new_name": TEXT}, False), ({"caption": TEXT}, False)])
def test_a_text_that_may_be_another_one_that_is_left_out_is_not_said(others: dict[str, Any], expected: bool) -> None:
    tool = ToolDoc("set_order", "Sets an order.", {"properties": {"source": TEXT, "headline": TEXT, **others}})
    asked = context("Set the order to source 'Beta' 'Alpha'", offered=(tool,))
    traced = Grounder(asked).trace_call(call("set_order", source="Beta", headline="Alpha"))
    assert traced.is_proven is expected


@pytest.mark.parametrize(("said", "name", "expected"), [("called", "title", True), ("saying", "title", False)])
def test_what_a_text_says_is_not_what_it_is_called(said: str, name: str, expected: bool) -> None:
    tool = ToolDoc(
        "create_note", "Creates a note.", {"properties": {"title": TEXT, "content": TEXT}, "required": [name]}
    )
    traced = Grounder(context(f"Create a note {said} 'Milk'", offered=(tool,))).trace_call(
        call("create_note", title="Milk")
    )
    assert traced.is_proven is expected
