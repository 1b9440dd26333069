import pytest

from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import TEXT, tool
from tests.provenance.proofs.checking import check_decided, check_unknown

POST = (tool("post", "Post a note.", text=TEXT),)


def test_an_amount_against_the_only_one_stated_is_refuted() -> None:
    asked, posted = "Post a note that lunch costs $30.", call("post", text="The lunch costs $300 today.")
    leaf = check_decided(context(asked, offered=POST), posted, "/text", "contradicted_fact", holds=False)
    assert leaf.against


@pytest.mark.parametrize(
    ("request_text", "text"),
    [
        ("Post a note that lunch costs $30 or $40.", "The lunch costs $300 today."),
        ("Post a note that lunch costs $30.", "The lunch costs $300, or $400 with wine."),
        ("Post a note about lunch.", "The lunch costs $300 today."),
        ("Post a note that lunch costs $31.", "The lunch costs $40 with the usual tip."),
        ("Post a note that lunch costs $31.", "Dinner costs $40."),
        ("Post a note that lunch costs $31.", "The lunch no longer costs $40."),
        ("Post a note that lunch costs $31.", "Do you know whether lunch costs $40?"),
        ("Post a note that lunch costs $30 for 10 of us.", "The lunch costs $300 in all."),
        ("Post a note that lunch costs $30.", "The lunch costs 30 dollars today."),
        ("Post a note that lunch costs $30.", "$300"),
    ],
)
def test_an_amount_that_something_explains_stays_unknown(request_text: str, text: str) -> None:
    check_unknown(context(request_text, offered=POST), call("post", text=text), "/text")


def test_an_amount_that_a_result_gives_stays_unknown() -> None:
    asked = context("Post a note on what is left of the $30.", result("balance", {"left": 12}), offered=POST)
    check_unknown(asked, call("post", text="There are $12 left today."), "/text")
    check_unknown(asked, call("post", text="There are $18 gone today."), "/text")


def test_a_relative_day_that_comes_to_the_same_stays_unknown() -> None:
    check_unknown(context("Post a note that we meet tomorrow.", offered=POST),
                  call("post", text="We meet on March 5, 2026."), "/text")  # fmt: skip


@pytest.mark.parametrize(
    ("request_text", "text"),
    [
        ("Post a note that half of the $90 is due.", "Now $45 are due."),
        ("Post a note that lunch doubled from $40.", "The lunch costs $80 now."),
        ("Post a note that a third of the $90 is theirs.", "You get $30 of it."),
        ("Post a note that lunch rose by a quarter from $40.", "The lunch costs $50 now."),
        ("Post a note: 20 % off the $50 plan!", "The plan costs $40 now."),
        ("Post a note that the fine is not $90.", "The fine is $50 now."),
        ("Post a note that we do not pay the $30 back.", "We pay back $0 today."),
        ("Post a note that the party of March 9 moved by a week.", "The party is on March 16, all of us."),
        ("Post a note on the workday following March 6.", "We meet on March 9, all of us."),
        ("Post a note that the rent of $900 rises five percent.", "The rent is $945 from now on."),
        ("Post a note what the yearly fee of $1200 is monthly.", "It is $100 for everybody."),
        ("Post a note in euros that lunch costs $100.", "Lunch costs €92 for everybody."),
        ("Post a note that they owe $100 plus VAT.", "You owe us $119 in all."),
        ("Post a note that lunch was $40 with the usual tip.", "Lunch was $46 in all."),
        ("Post a note that they pay $100. Deduct the deposit.", "Please pay $80 by Friday."),
        ("Post a note that $99 is the price, rounded.", "It is about $100 now."),
        ("Post a note that haggles with the seller, who wants $50.", "Would you take $40 for it?"),
        ("Post a note what is left of my budget of $50.", "There is $12.35 left of it."),
        ("Post a note that they pay their share of the $50.", "Please pay your third: $16.67 today."),
    ],
)
def test_an_amount_or_day_that_the_message_changes_stays_unknown(request_text: str, text: str) -> None:
    check_unknown(context(request_text, offered=POST), call("post", text=text), "/text")
