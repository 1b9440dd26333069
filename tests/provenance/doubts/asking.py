"""What the tests of the doubts ask with: one doubt about one value of a call, and values that are no others."""

from types import ModuleType

from hypothesis import strategies as st

from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction
from reviews.provenance.data.sources import Evidence
from reviews.provenance.doubts import unproven_value
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.search import propose_terms
from tests.provenance.argument_grounding.made import call
from tests.provenance.argument_grounding.tools import COUNT, NUMBER, TEXT, tool

# Amounts that no clock, day or small count is mistaken for.
AMOUNTS = st.integers(min_value=2_100, max_value=9_999)
PAIRS_OF_AMOUNTS = st.tuples(AMOUNTS, AMOUNTS).filter(lambda pair: pair[0] != pair[1])
EVENTS = (tool("create_event", "Creates an event.", start=TEXT),)
FLIGHTS = [
    {"id": "ev-1a2b3c", "name": "Flight to Paris", "place": None, "guests": ["bob"]},
    {"id": "ev-4d5e6f", "name": "Dinner", "place": "Paris", "guests": ["alice"]},
    {"id": "ev-7a8b9c", "name": "Gym", "place": None, "guests": ["bob"]},
]
ORDER = tool("place_order", "Places an order.", item=TEXT, quantity=COUNT, address=TEXT, card=TEXT, tip=NUMBER)


def doubt_of(module: ModuleType, asked: Context, action: ProposedAction, pointer: str) -> Doubt | None:
    """What the module makes of one value; what it points at stands there, and it has a sentence for a person."""
    evidence = Evidence(asked)
    proposed = ProposedCall.of(Case(asked, action), evidence)
    leaf = next(leaf for leaf in proposed.leaves if leaf.pointer == pointer)
    terms = (propose_terms(leaf, proposed.latest_request, evidence),) if module is unproven_value else ()
    doubt: Doubt | None = module.raise_doubt(leaf, proposed, *terms)
    if doubt is not None:
        spans = [*doubt.spans, *(span for rival in doubt.rivals for span in rival.spans)]
        assert all(asked.verifies(span) for span in [*spans, *([doubt.nearest] if doubt.nearest else [])])
        assert doubt.rule.startswith("doubts.")
        assert doubt.note.endswith((".", "?"))
    return doubt


def order(**arguments: JsonValue) -> ProposedAction:
    return call("place_order", item="Chianti", **arguments)
