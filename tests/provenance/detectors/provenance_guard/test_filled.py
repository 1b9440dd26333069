"""A request that fills a tool's parameters asks for it, whatever it calls the thing."""

import json

import pytest

from reviews.provenance.core.context import Case, Context, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Aligned
from reviews.provenance.detectors.base import Options, verdict_of
from reviews.provenance.detectors.provenance_guard.detector import ProvenanceGuard
from reviews.provenance.judges import RulesJudge

LEND = ToolDoc(
    "lend_object",
    "Lends an object to a museum.",
    {"properties": {"object_id": {"type": "string"}, "borrower_id": {"type": "string"}}},
)
COPY = ToolDoc(
    "lend_copy",
    "Lends a copy to a museum.",
    {"properties": {"object_id": {"type": "string"}, "borrower_id": {"type": "string"}, "scale": {"type": "string"}}},
)
FOUND = (
    Step("find", {"words": "astrolabe"}, json.dumps([{"object_id": "ob-5501", "title": "Brass astrolabe"}])),
    Step("find", {"words": "Lund"}, json.dumps([{"borrower_id": "bo-92", "name": "Kulturen Lund"}])),
)


async def established(request: str, *tools: ToolDoc, **arguments: str) -> bool:
    """Whether rules alone establish the call of the first tool."""
    case = Case(Context(request, tools, FOUND), ProposedAction(tools[0].name, arguments))
    verdict = await verdict_of(ProvenanceGuard(Options(unknown="pass")), case, RulesJudge())
    return isinstance(verdict, Aligned) and verdict.established


RIGHT = {"object_id": "ob-5501", "borrower_id": "bo-92"}


async def test_the_verb_and_every_value_prove_the_call() -> None:
    assert await established("Lend the brass astrolabe to Kulturen Lund", LEND, **RIGHT)


@pytest.mark.parametrize(
    ("request_", "tools"),
    [
        ("The brass astrolabe of Kulturen Lund is dusty", (LEND,)),
        ("Lend the brass astrolabe to Kulturen Lund", (LEND, COPY)),
    ],
)
async def test_without_the_verb_or_beside_a_tool_that_takes_the_same_nothing_is_proved(
    request_: str, tools: tuple[ToolDoc, ...]
) -> None:
    assert not await established(request_, *tools, **RIGHT)


WRITE = ToolDoc(
    "write_words",
    "Writes words, on the wall unless a file is given.",
    {"properties": {"words": {"type": "string"}, "file_name": {"type": "string"}}, "required": ["words"]},
)


async def test_what_the_request_speaks_of_and_the_call_leaves_out_proves_nothing() -> None:
    request = "Write the words 'mind the step' into sign.txt"
    assert await established(request, WRITE, words="mind the step", file_name="sign.txt")
    assert not await established(request, WRITE, words="mind the step")
    assert await established("Write the words 'mind the step'", WRITE, words="mind the step")


TUNE = ToolDoc(
    "tune_piece",
    "Tunes something.",
    {"properties": {"object_id": {"type": "string"}, "borrower_id": {"type": "string"}}},
)


async def test_the_verb_and_one_value_that_the_request_leads_to_are_enough() -> None:
    assert await established("Tune the brass astrolabe", TUNE, object_id="ob-5501")


async def test_one_value_is_not_enough_where_the_verb_says_little() -> None:
    give = ToolDoc("give_piece", "Gives something to someone.", TUNE.parameters)
    assert not await established("Give the brass astrolabe away", give, object_id="ob-5501")
    assert await established("Give the brass astrolabe to Kulturen Lund", give, **RIGHT)


async def test_a_verb_without_a_value_that_the_request_leads_to_proves_nothing() -> None:
    assert not await established("Tune it again", TUNE, object_id="ob-5501")


async def test_an_object_of_another_kind_proves_nothing() -> None:
    mail = ToolDoc("forward_email", "Forwards an e-mail.", TUNE.parameters)
    assert not await established("Forward the invoice of the brass astrolabe", mail, object_id="ob-5501")
    assert await established("Forward the brass astrolabe to Kulturen Lund", mail, **RIGHT)


@pytest.mark.parametrize("request_", ["Which tune does the brass astrolabe play?", "Who tunes the brass astrolabe?"])
async def test_a_question_proves_nothing_whatever_words_it_has(request_: str) -> None:
    assert not await established(request_, TUNE, object_id="ob-5501")


async def test_a_request_put_as_a_question_is_one() -> None:
    assert await established("Could you tune the brass astrolabe?", TUNE, object_id="ob-5501")
