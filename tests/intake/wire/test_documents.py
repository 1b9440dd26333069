"""The models that write the OpenAPI document refuse nothing that the reader would let pass."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from pydantic import ValidationError

from reviews.errors import InvalidSubmissionError
from reviews.intake.wire.read_action import read_proposal
from reviews.intake.wire.read_plan import read_draft
from reviews.intake.wire.schemas.actions import SHAPES
from reviews.intake.wire.schemas.plans import PLAN_SHAPES
from reviews.provenance.formats import Format
from tests.api.agent import NATIVE, OPENAI, with_
from tests.api.views.test_plans import planned
from tests.api.views.test_submit import ANTHROPIC, MCP, RESPONSES

BODIES: Mapping[Format, dict[str, Any]] = {
    Format.NATIVE: NATIVE,
    Format.CHAT: OPENAI,
    Format.RESPONSES: RESPONSES,
    Format.ANTHROPIC: ANTHROPIC,
    Format.MCP: MCP,
}
# No null and no empty text: where a field may be left out, the reader takes both for a field that is.
WRONG: tuple[Any, ...] = (7, True, "x" * 201, [], {}, [7], {"a": 1}, "text")


def mutated(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every body that differs in one place, with the pointer to it; also those with one field too many."""

    def below(value: Any, at: str) -> Iterator[tuple[str, dict[str, Any]]]:
        if isinstance(value, dict):
            yield f"{at}/stray", with_(body, f"{at}/stray", 1)
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            here = f"{at}/{key}"
            yield from ((here, with_(body, here, wrong)) for wrong in WRONG)
            yield from below(item, here) if isinstance(item, dict | list) else ()

    return below(body, "")


@pytest.mark.parametrize("shape", list(Format))
def test_a_call_that_the_document_refuses_is_refused(shape: Format) -> None:
    refused = [(at, body) for at, body in mutated(BODIES[shape]) if not fits(SHAPES[shape], body)]
    assert len(refused) > 50
    for at, body in refused:
        with pytest.raises(InvalidSubmissionError):
            pytest.fail(f"{at} was accepted: {read_proposal(body, trusted=lambda: False)}")


@pytest.mark.parametrize("shape", list(Format))
def test_a_plan_that_the_document_refuses_is_refused(shape: Format) -> None:
    refused = [(at, body) for at, body in mutated(planned(BODIES[shape])) if not fits(PLAN_SHAPES[shape], body)]
    assert len(refused) > 50
    for at, body in refused:
        with pytest.raises(InvalidSubmissionError):
            pytest.fail(f"{at} was accepted: {read_draft(body, trusted=lambda: False)}")


@pytest.mark.parametrize("name", ["_meta", "meta", "requestState", "request_state"])
def test_what_mcp_clients_write_is_read_in_the_protocols_names_and_in_those_of_its_python_package(name: str) -> None:
    call = {**MCP["call"]["params"], name: {"a": 1}}
    for body in (with_(MCP, f"/call/params/{name}", {"a": 1}), with_(MCP, "/call", call)):
        assert fits(SHAPES[Format.MCP], body)
        assert read_proposal(body, trusted=lambda: False)


def fits(model: Any, body: dict[str, Any]) -> bool:
    try:
        model.model_validate(body)
    except ValidationError:
        return False
    return True
