"""What an agent says of where it took a value from stands there to the character, or is told as not standing there."""

from typing import Any

import pytest

from reviews.provenance.core.context import Claim, Context, Message, NamedText, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.latest_request import find_latest_request
from reviews.provenance.data.sources import Evidence
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.claims import CheckedClaim, check_claim
from reviews.provenance.terms.terms import Confirmed, Documented, Field, Reading, Stated

PAY = ToolDoc("pay", "Pays somebody. The account is EUR-MAIN unless another is named.")
RECORDS = '[{"name": "Ann", "email": "ann@example.org", "active": true}, {"name": "Bo", "email": "bo@example.org"}]'
CONTEXT = Context(
    "Pay Ann $30, 130 at most.",
    (PAY,),
    (
        Message("assistant", "Shall I book it as lunch-42?"),
        Message("user", "Yes, please."),
        Step("find", {"name": "zed99"}, "There is no contact zed99."),
        Step("find", {"name": "Ann"}, RECORDS),
        Step("wait", {}),
    ),
    (NamedText(SourceKind.SYSTEM_PROMPT, "policy", "Transfers carry the tag HQ-7."),),
)


def checked(value: Any, claim: Claim, *, composed: bool = False) -> CheckedClaim:
    evidence = Evidence(CONTEXT)
    leaf = Leaf(value, claim.pointer, tool=PAY)
    return check_claim(claim, leaf, find_latest_request(evidence), evidence, composed=composed)


def said(quote: str, source: str = "") -> Claim:
    return Claim("/x", quote, source)


def returned(step: int, path: str = "") -> Claim:
    return Claim("/x", step=step, path=path)


@pytest.mark.parametrize(
    ("value", "claim", "term", "place"),
    [
        (30, said("$30"), Stated, ("query", "30")),
        (30, said("Ann $30", "query"), Stated, ("query", "30")),
        ("HQ-7", said("the tag HQ-7"), Stated, ("source/policy", "HQ-7")),
        ("lunch-42", said("lunch-42"), Confirmed, ("history/1/message", "lunch-42")),
        ("EUR-MAIN", said("EUR-MAIN"), Documented, ("tool/pay", "EUR-MAIN")),
        ("bo@example.org", said("bo@example.org"), Field, ("history/4/outcome", "bo@example.org")),
        ("ann@example.org", returned(1, "/0/email"), Field, ("history/4/outcome", "ann@example.org")),
        ("ann@example.org", returned(1), Field, ("history/4/outcome", "ann@example.org")),
    ],
)
def test_a_value_that_stands_where_the_agent_says_is_a_term_for_it(
    value: Any, claim: Claim, term: type, place: tuple[str, str]
) -> None:
    outcome = checked(value, claim)
    assert outcome.stands is True
    assert isinstance(outcome.term, term)
    assert (outcome.spans[0].source, outcome.spans[0].quote) == place
    assert outcome.note.endswith("and it stands there.")


@pytest.mark.parametrize(
    ("value", "claim"),
    [
        pytest.param(30, said("$35"), id="words that nobody says"),
        pytest.param(30, said("130 at most"), id="a part of a larger number"),
        pytest.param(30, said("Pay Ann"), id="words that say something else"),
        pytest.param(30, said("$30", "source/policy"), id="another source"),
        pytest.param(30, said("$30", "history/9/outcome"), id="no source"),
        pytest.param("find", said("find"), id="only a call of its own"),
        pytest.param("ann@example.org", returned(1, "/1/email"), id="another record"),
        pytest.param("ann@example.org", returned(1, "/0/name"), id="another field"),
        pytest.param("ann@example.org", returned(1, "/7/email"), id="a path that leads nowhere"),
        pytest.param("ann@example.org", returned(0), id="another call"),
        pytest.param("ann@example.org", returned(2), id="a call without a result"),
        pytest.param("ann@example.org", returned(99), id="no call"),
        pytest.param("zed99", returned(0), id="a result that repeats what was looked up"),
        pytest.param("zed99", said("no contact zed99"), id="words that repeat what was looked up"),
        pytest.param("lunch-4", said("lunch-42"), id="a part of an identifier"),
    ],
)
def test_a_value_that_does_not_stand_where_the_agent_says_is_no_term(value: Any, claim: Claim) -> None:
    outcome = checked(value, claim)
    assert (outcome.stands, outcome.term, outcome.spans) == (False, None, ())
    assert outcome.note.endswith("and it does not stand there.")


def test_the_sentence_names_value_and_place() -> None:
    assert checked("eve@x.org", returned(1, "/0/email")).note == (
        "The agent says that it took “eve@x.org” from history 4 at /0/email, and it does not stand there."
    )
    assert checked(35, said("$35", "query")).note == (
        "The agent says that it took “35” from “$35” in the request, and it does not stand there."
    )


@pytest.mark.parametrize(("value", "path", "stands"), [(True, "/0/active", True), (False, "/0/active", False)])
def test_a_setting_stands_in_a_field_that_holds_it_literally(value: bool, path: str, stands: bool) -> None:
    assert checked(value, returned(1, path)).stands is stands


def test_a_number_is_no_setting() -> None:
    evidence = Evidence(Context("Go", (), (Step("find", {}, '{"active": 1}'),)))
    claim = returned(0, "/active")
    assert check_claim(claim, Leaf(True, "/x"), find_latest_request(evidence), evidence, composed=False).stands is False


def test_words_that_are_there_may_or_may_not_ask_for_a_setting() -> None:
    assert checked(True, said("at most")).stands is None
    assert checked(True, said("urgently")).stands is False


def test_words_that_are_there_may_say_the_value_to_whoever_reads_them() -> None:
    outcome = checked("USD", said("$30"))
    assert (outcome.stands, type(outcome.term)) == (None, Reading)
    assert checked("EUR", said("$30")).stands is False


def test_a_composed_text_rests_on_words_that_stand_there_and_offers_no_term() -> None:
    outcome = checked("The thirty dollars, as agreed", said("$30"), composed=True)
    assert (outcome.stands, outcome.term) == (True, None)
    assert [span.quote for span in outcome.spans] == ["$30"]
    assert checked("The thirty dollars, as agreed", said("$31"), composed=True).stands is False


def test_the_quote_that_says_the_value_counts_wherever_else_its_words_stand() -> None:
    evidence = Evidence(Context(f"{'130 ' * 40}and then 30 , please", (PAY,)))
    claim = said("30 ")
    outcome = check_claim(claim, Leaf(30, "/x"), find_latest_request(evidence), evidence, composed=False)
    assert [evidence.context.text_of(span) for span in outcome.spans] == ["30"]
