"""Options and set points that the tool's document words in its prose."""

import pytest

from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import Grounded, ground_arguments
from tests.provenance.grounding.checks import NOW
from tests.provenance.grounding.test_singled_out import holds
from tests.provenance.grounding.test_told_apart import ground

LOOM = ToolDoc("start_loom", "Starts a loom.")
WEAVES = "The weave: p = plain, t = twill, a = atlas"
REGIONS = "Copies an archive between depots: the northern one is no-1, the southern one so-2, the island one is-3."
SHIP = ToolDoc("ship_archive", REGIONS)
ALARM = ToolDoc("set_alarm", "Sets an alarm. Level 1 for wind, level 2 for hail, level 3 for frost.")


def woven(value: JsonValue, request: str, description: str = WEAVES) -> Grounded:
    """What is traced of the weave of a loom."""
    schema: JsonValue = {"properties": {"weave": {"type": "string", "description": description}}}
    tool = ToolDoc(LOOM.name, LOOM.description, schema)
    return ground_arguments(Case(Context(request, (tool,), now=NOW), ProposedAction(tool.name, {"weave": value})))[0]


@pytest.mark.parametrize(
    ("request_", "value"),
    [("Start the loom in twill", "t"), ("Weave it plain", "p"), ("An atlas weave on the loom, please", "a")],
)
def test_a_letter_that_the_description_explains_is_chosen_by_its_word(request_: str, value: str) -> None:
    found = woven(value, request_)
    assert holds(found)
    assert found.how is Grounding.RESOLVE


@pytest.mark.parametrize(("request_", "value"), [("Start the loom in twill", "p"), ("Weave it plain", "a")])
def test_another_letter_than_the_words_is_contradicted(request_: str, value: str) -> None:
    found = woven(value, request_)
    assert found.how is Grounding.UNGROUNDED
    assert found.against


def test_a_part_of_the_day_chooses_in_any_language() -> None:
    description = "The weave: a = morning, b = afternoon, c = evening"
    assert holds(woven("c", "Avvia il telaio di sera", description))
    assert woven("b", "Avvia il telaio di sera", description).against


def test_an_article_chooses_no_option() -> None:
    found = woven("a", "Start a loom for a rug")
    assert not (holds(found) and found.how is Grounding.RESOLVE)
    assert not woven("t", "Start a loom for a rug in twill").against


def test_the_option_of_an_article_does_not_speak_against_another() -> None:
    schema: JsonValue = {"properties": {"weave": {"type": "string", "enum": ["a", "b", "t"]}}}
    tool = ToolDoc(LOOM.name, LOOM.description, schema)
    context = Context("Start a weave with a red warp", (tool,), now=NOW)
    (found,) = ground_arguments(Case(context, ProposedAction(tool.name, {"weave": "t"})))
    assert not found.against


@pytest.mark.parametrize("request_", ["Start the loom", "Weave it plain or in twill"])
def test_where_none_or_several_are_named_the_document_says_nothing(request_: str) -> None:
    for value in ("p", "t"):
        found = woven(value, request_)
        assert found.how is not Grounding.RESOLVE
        assert not found.against


def test_one_figure_in_a_description_is_no_list_of_options() -> None:
    found = woven("7", "Weave it plain", description="The weave: 7 is plain")
    assert found.how is not Grounding.RESOLVE


@pytest.mark.parametrize(
    ("origin", "target", "expected"), [("no-1", "is-3", True), ("is-3", "no-1", False), ("so-2", "is-3", False)]
)
def test_two_places_of_one_list_are_told_apart_by_their_part(origin: str, target: str, expected: bool) -> None:
    query = "Copy the archive from the northern depot to the island"
    found = ground(SHIP, {"source_depot": origin, "target_depot": target}, query)
    assert all(map(holds, found)) is expected


@pytest.mark.parametrize(("value", "expected"), [(3, True), (1, False)])
def test_a_level_is_chosen_by_what_it_is_for(value: int, expected: bool) -> None:
    assert all(map(holds, ground(ALARM, {"level": value}, "Set an alarm for frost"))) is expected
