"""The one question about a whole call, whose answer names where each value comes from in terms that code verifies."""

from dataclasses import dataclass
from typing import Literal

from reviews.provenance.judges.questions.blocks import numbered_blocks
from reviews.provenance.judges.questions.question_forms import AboutCase, Answer, Quote
from reviews.provenance.prompts.prompt import Material
from reviews.provenance.terms.terms import Comparison


class Where(Answer):
    """One condition of a query, and the user's words that state its value."""

    field: str
    comparison: Comparison
    value: str | int | float | bool
    quote: Quote


class Query(Answer):
    """A small query over the records of one result."""

    source: str
    records: str
    """JSON Pointer to the list, with * for positions; empty where the result itself is the list."""
    field: str
    where: list[Where]
    order_by: str | None
    descending: bool
    take: int | None
    total: Literal["count", "sum"] | None


class OwnTerm(Answer):
    """Where a value comes from, in the judge's own words: data that code verifies."""

    kind: Literal["quote", "document", "query", "computation"]
    quotes: list[Quote]
    """The words or the field that give the value; of a computation, its inputs in order."""
    operation: str | None
    """Of a computation: a formula over its inputs, or a named operation."""
    query: Query | None


class ArgumentSource(Answer):
    """Where one argument's value comes from, for this parameter."""

    argument: int
    """Its number in the question."""
    source: Literal["candidate", "own", "none", "unclear"]
    candidate: int | None
    """The number of the listed candidate that is meant."""
    term: OwnTerm | None


class CallSupportAnswer(Answer):
    """The support of a whole call: its tool, its step and each of its values."""

    arguments: list[ArgumentSource]
    relevant: bool | None
    contributes: bool | None
    can_address: bool | None
    quotes: list[Quote]
    """The words that ask for the call."""
    rationale: str


@dataclass(frozen=True)
class CallSupport(AboutCase[CallSupportAnswer], answer=CallSupportAnswer):
    """One question for the whole call: RelevantTo, ContributeTo, DerivedFrom of each open value, CanAddress.

    It holds the call's values against what the user means, with the candidates that search found for each; the judge
    picks by number, gives a term of its own, or says that there is none.
    """

    arguments: tuple[str, ...]
    """The open arguments, each with its candidates, in words."""
    refused: tuple[str, ...] = ()
    """Of a second try: what did not verify in the first, and why."""

    @property
    def material(self) -> Material:
        """What the judge may see."""
        arguments, refused = numbered_blocks("argument", self.arguments), numbered_blocks("refused", self.refused)
        return {**super().material, "arguments": arguments, "refused": refused}
