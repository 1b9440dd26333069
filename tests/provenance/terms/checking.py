"""One check for a term that holds and one for a term that does not."""

import json
from typing import Any

from reviews.provenance.core.context import Context, JsonValue, Message, NamedText, Span, Step, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.sources import Evidence
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.terms import Term
from reviews.provenance.terms.verify import Refused, Verified, verify_term

PEOPLE = [
    {"name": "Ann Lee", "email": "ann@firm.example", "age": 41, "joined": "2026-01-05"},
    {"name": "Bo Ray", "email": "bo@firm.example", "age": 35, "joined": "2026-02-07"},
    {"name": "Cy Fox", "email": "cy@firm.example", "age": 29, "joined": "2025-12-24"},
]
PAY = ToolDoc("pay", "Pay a person. The usual amount is 15.", {"properties": {"amount": {"type": "number"}}})
CONTEXT = Context(
    "Pay $30.00 to Bo Ray on 1 December, and 12.5 % of 80.",
    (PAY,),
    (
        Step("list_people", {"team": "Sales"}, json.dumps(PEOPLE)),
        Message("assistant", "Shall I pay 45?"),
        Message("user", "Yes."),
        Message("assistant", "Shall I pay 46?"),
        Step("list_people", {"team": "Support"}, "[]"),
        Message("assistant", "I mean 47."),
    ),
    (NamedText(SourceKind.SYSTEM_PROMPT, "system", "The fee is 2."), NamedText(SourceKind.MEMORY, "old", "Limit: 90")),
)
RESULT = "history/1/outcome"


def at(source: str, quote: str, nth: int = 0) -> Span:
    """The place of a quote in a source of the context."""
    text, start = CONTEXT.sources[source].text, -1
    for _ in range(nth + 1):
        start = text.index(quote, start + 1)
    return Span(source, start, start + len(quote), quote)


def check_verified(term: Term, value: JsonValue, how: Grounding | None = None, **leaf: Any) -> Verified:
    """The term gives the value, by spans that stand in their sources."""
    outcome = verify_term(term, Leaf(value, **leaf), Evidence(CONTEXT))
    assert isinstance(outcome, Verified), outcome
    assert all(CONTEXT.verifies(span) for span in outcome.spans)
    assert how is None or outcome.how is how
    return outcome


def check_refused(term: Term, value: JsonValue, because: str = "", **leaf: Any) -> None:
    """The term does not give the value, and the reason says why."""
    outcome = verify_term(term, Leaf(value, **leaf), Evidence(CONTEXT))
    assert isinstance(outcome, Refused), outcome
    assert because in outcome.reason
