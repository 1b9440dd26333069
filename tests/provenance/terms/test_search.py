"""What search proposes: every proposal verifies, and the best stands first."""

from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.core.context import JsonValue
from reviews.provenance.data.latest_request import find_latest_request
from reviews.provenance.data.sources import Evidence
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.search import MAX_CANDIDATES, propose_terms
from reviews.provenance.terms.terms import Confirmed, Documented, Field, Stated, Term, spans_of
from reviews.provenance.terms.verify import Verified, verify_term
from tests.provenance.argument_grounding.pairs import PAIRS
from tests.provenance.terms.checking import CONTEXT, PAY

WORDS = sorted({word.strip(".,\"'") for source in CONTEXT.sources.values() for word in source.text.split()})


def proposals(value: JsonValue, tool: str = "pay") -> tuple[Term, ...]:
    evidence = Evidence(CONTEXT)
    return propose_terms(Leaf(value, "/amount", tool=PAY), find_latest_request(evidence), evidence)


def kinds(value: JsonValue) -> list[type]:
    return [type(term) for term in proposals(value)]


def test_each_source_is_proposed_as_what_it_may_prove() -> None:
    assert kinds(30) == [Stated]
    assert kinds(45) == [Confirmed]
    assert kinds(41) == [Field]
    assert kinds(15) == [Documented]
    assert kinds("Bo Ray") == [Stated, Field]


def test_a_value_that_stands_nowhere_has_no_proposals() -> None:
    values: list[JsonValue] = [31, "Dee", "", None, True, []]
    assert [kinds(value) for value in values] == [[]] * 6


def test_an_agents_own_words_are_no_proposal() -> None:
    assert kinds("Sales") == kinds(47) == []


@given(st.sampled_from(WORDS) | st.integers(0, 99))
def test_every_proposal_verifies_to_the_character(value: JsonValue) -> None:
    terms = proposals(value)
    assert len(terms) <= MAX_CANDIDATES
    for term in terms:
        assert isinstance(verify_term(term, Leaf(value, "/amount", tool=PAY), Evidence(CONTEXT)), Verified)
        assert all(CONTEXT.verifies(span) for span in spans_of(term))


def test_every_proposal_in_a_made_conversation_verifies() -> None:
    for pair in PAIRS:
        evidence = Evidence(pair.context)
        for action in filter(None, (pair.right, pair.wrong)):
            for value in action.arguments.values():
                leaf = Leaf(value)
                terms = propose_terms(leaf, find_latest_request(evidence), evidence)
                assert all(isinstance(verify_term(term, leaf, evidence), Verified) for term in terms), (
                    pair.name,
                    value,
                )
