"""Where an agent says that it took a call's values from."""

from typing import Annotated, Final, TypeAlias

from pydantic import Discriminator, Field, StrictInt, Tag

from reviews.intake.wire.schemas.parts import CallId, Name, Part
from reviews.provenance.terms.claims import MAX_CLAIMS

# Characters of a quote: a paragraph, and much more than one value takes.
MAX_QUOTE_LENGTH: Final = 2000
# Characters of a path: deeper than any result that a person could check.
MAX_PATH_LENGTH: Final = 1000
POINTER: Final = r"^(/|$)"
"""The pattern of a JSON Pointer: empty, or it begins with a slash."""
# What a database's integer holds; histories are bounded far below.
_MAX_STEPS: Final = 2**31 - 1

_Path: TypeAlias = Annotated[
    str,
    Field(
        max_length=MAX_PATH_LENGTH,
        pattern=POINTER,
        description="JSON Pointer into what the call returned; all of it when empty.",
    ),
]


class QuotedWords(Part):
    """The value stands in these words of the user, a system prompt, a result or the tool's document."""

    quote: Annotated[str, Field(max_length=MAX_QUOTE_LENGTH, pattern=r"\S")] = Field(description="To the character.")
    source: Name | None = Field(
        None, description="Where they stand, as evidence names it: `query`, `history/2/outcome`, `source/policy`."
    )


class ResultOfStep(Part):
    """The value stands in what a call of the history returned."""

    step: Annotated[StrictInt, Field(ge=0, le=_MAX_STEPS)] = Field(
        description="The finished calls of the history, counted from 0."
    )
    path: _Path = ""


class ResultOfCall(Part):
    """The value stands in what the call with this id returned, where the conversation names its calls."""

    tool_call_id: StrictInt | CallId
    path: _Path = ""


# Not by the fields' own names: a problem's place is told apart from the alternative it was found in by its name.
def _kind_of_claim(claim: object) -> str | None:
    if isinstance(claim, dict):
        kinds = {"quote": "quoted words", "tool_call_id": "named call", "step": "counted call"}
        return next((kind for name, kind in kinds.items() if name in claim), None)
    if isinstance(claim, QuotedWords):
        return "quoted words"
    return "named call" if isinstance(claim, ResultOfCall) else "counted call"


AnyClaim: TypeAlias = Annotated[
    Annotated[QuotedWords, Tag("quoted words")]
    | Annotated[ResultOfStep, Tag("counted call")]
    | Annotated[ResultOfCall, Tag("named call")],
    Discriminator(_kind_of_claim),
]
Provenance: TypeAlias = Annotated[dict[str, AnyClaim], Field(max_length=MAX_CLAIMS)]
