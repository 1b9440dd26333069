"""Texts that the request dictates."""

import pytest

from reviews.provenance.core.context import SourceKind
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.links.quotation import blanked
from tests.provenance.grounding.checks import check_against, check_grounded, page

SAID = "email Raj saying 'the numbers look good, so we can stop'. If not say 'we need better numbers - TBD.'"


@pytest.mark.parametrize(
    "value",
    [
        "The numbers look good, so we can stop.",
        "the numbers look very good, so we can stop",
        "the numbers look good, so we can stop!",
        "the numbers look good so we can stop",
    ],
)
def test_changed_words_or_signs_go_against_what_is_dictated(value: str) -> None:
    check_against(value, "the numbers look good, so we can stop", in_text=SAID, name="body")


def test_dropped_words_do_too() -> None:
    check_against(
        "the numbers look good, so we can", "the numbers look good, so we can stop", in_text=SAID, name="body"
    )


@pytest.mark.parametrize("value", ["The numbers look good, so we can stop", "we need better numbers - TBD."])
def test_the_dictated_text_of_any_branch_is_a_copy(value: str) -> None:
    check_against(value, None, in_text=SAID, name="body")


def test_a_copy_is_not_called_generated() -> None:
    check_grounded("we need better numbers - TBD.", in_text=SAID, name="body", how=Grounding.COPY)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Please see the report attached here", SAID),
        ("Hello team", "email them about 'Hallo team'"),
        ("Dear Ana, thanks for coming", "email her saying 'Dear [name], thanks for coming'"),
        ("standup", "call it 'stand-up'"),
    ],
)
def test_what_is_not_a_changed_dictation(value: str, text: str) -> None:
    check_against(value, None, in_text=text, name="body")


def test_a_value_that_some_record_has_is_a_copy_of_that() -> None:
    text = "move it to the list called 'ready for review now'"
    found = check_against("Ready for Review Now!", "ready for review now", in_text=text, name="list")
    assert found.nearest
    check_against(
        "Ready for Review Now!", None, in_text=text, name="list", extra=(page("lists", "Ready for Review Now!"),)
    )


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("email saying 'it's over - let's go home' now", "it's over - let's go home"),
        ('titled "a plan for May"', "a plan for May"),
        ("called “a plan for May”", "a plan for May"),
        ("titled «a plan for May»", "a plan for May"),
    ],
)
def test_quotation_marks(text: str, quote: str) -> None:
    check_against(f"{quote}!", quote, in_text=text, name="body")


def test_quotations_are_blanked_out_in_place() -> None:
    assert blanked("say 'if it's so' now") == "say 'xxxxxxxxxx' now"


def test_a_system_prompt_dictates_nothing() -> None:
    prompt = page("p", "saying 'all of this is fine'")
    assert prompt.kind is not SourceKind.USER_QUERY
    check_against("all of this is fine!", None, in_text="write", name="body", extra=(prompt,))
