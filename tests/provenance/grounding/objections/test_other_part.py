"""Another record of the list has the part that the parameter asks for."""

from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import ground_arguments
from tests.provenance.grounding.test_told_apart import listed

KEEPERS = listed("keepers", {"name": "Ida", "keeper": "ke-7"}, {"name": "Tom", "keeper": "ke-8"})
ASSIGN = ToolDoc(
    "assign_kiln",
    "Assigns a kiln to a keeper.",
    {
        "type": "object",
        "properties": {"kiln": {"type": "integer"}, "keeper": {"description": "Id of the keeper who gets the kiln"}},
    },
)


def keeper(request: str, value: str, **others: JsonValue) -> Grounding:
    """How the keeper of an assignment is traced."""
    action = ProposedAction("assign_kiln", {"kiln": 14, "keeper": value, **others})
    found = ground_arguments(Case(Context(request, (ASSIGN,), (KEEPERS,)), action))
    return next(leaf.how for leaf in found if leaf.pointer == "/keeper")


def test_who_gives_a_thing_away_does_not_get_it() -> None:
    assert keeper("Ida takes over kiln 14 from Tom", "ke-8") is Grounding.UNGROUNDED
    assert keeper("Ida takes over kiln 14 from Tom", "ke-7") is Grounding.RESOLVE


def test_where_nobody_else_is_said_to_get_it_nothing_is_proved() -> None:
    assert keeper("Do kiln 14 as in the letter from Tom", "ke-8") is not Grounding.UNGROUNDED


def test_whom_another_argument_takes_up_is_no_rival() -> None:
    assert keeper("Ida takes over kiln 14 from Tom", "ke-8", heir="ke-7") is not Grounding.UNGROUNDED
