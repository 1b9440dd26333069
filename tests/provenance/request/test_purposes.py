"""What a tool does, as far as its document opens with it."""

import pytest

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.request.asked_for import asking_verb
from reviews.provenance.request.purposes import purpose_of


@pytest.mark.parametrize(
    ("description", "verb", "request_"),
    [
        ("Waters a bed of the nursery.", "water", "Water the bed with the ferns"),
        ("Takes crates out of the cellar.", "take", "Take the pears out, please"),
        ("Hoists the flag of a pier.", "hoist", "Please hoist the flag of the north pier"),
        ("Polishes a lens of the lighthouse.", "polish", "Polish the lens of the north light"),
    ],
)
def test_a_tool_is_asked_for_by_the_verb_that_its_document_opens_with(
    description: str, verb: str, request_: str
) -> None:
    tool = ToolDoc("step_9", description)
    assert verb in purpose_of(tool.name, description).own | purpose_of(tool.name, description).verbs
    found = asking_verb(tool, (request_,))
    assert found is not None
    assert found.word == verb


@pytest.mark.parametrize(
    ("description", "request_"),
    [
        ("Hoists the flag of a pier.", "Do not hoist the flag"),
        ("Hoists the flag of a pier.", "The flag of the north pier is torn"),
        # Only the word it opens with: what it says later is not asked for.
        ("Hoists the flag of a pier. Folds nothing.", "Fold the flag of the north pier"),
        # No verb in that form.
        ("Press of the cider house, switched over.", "Pres the cider"),
        ("The flag of a pier.", "The flag of the north pier"),
    ],
)
def test_a_tool_is_not_asked_for_by_another_word(description: str, request_: str) -> None:
    assert asking_verb(ToolDoc("step_9", description), (request_,)) is None


@pytest.mark.parametrize(
    ("request_", "vague"), [("Polish the lens of the north light", False), ("Polish the gnomon", False)]
)
def test_an_object_of_the_tools_or_one_that_no_table_knows_makes_a_verb_plain(request_: str, vague: bool) -> None:
    found = asking_verb(ToolDoc("step_9", "Polishes a lens of the lighthouse."), (request_,))
    assert found is not None
    assert found.vague is vague


def test_a_verb_that_many_tools_do_is_vague() -> None:
    found = asking_verb(ToolDoc("step_9", "Gives a lens to a keeper."), ("Give the lens to Ida",))
    assert found is not None
    assert found.vague
