"""Responses by whose ids agents of the Responses API go on: each is the end of exactly one past."""

import json
from typing import Final

from reviews.errors import FieldProblem, InvalidSubmissionError
from reviews.intake.continuation import ToldResponse
from reviews.models import Action, ModelResponse
from reviews.provenance.core.canonical import content_digest
from reviews.provenance.core.context import Context
from reviews.provenance.core.trust import SourceKind
from reviews.records import store
from reviews.records.stored_past import StoredPast

_OTHER_PAST: Final = "Another past has ended with this response: its id and the items up to its end belong together."


def build_response(
    action: Action, context: Context, earlier: StoredPast | None, response: ToldResponse | None
) -> ModelResponse | None:
    """The response that ends the past of this action, to be stored with it; None where none is told, or it is stored.

    Several calls of one response come one by one, each with the same past. Raises `InvalidSubmissionError` where it is
    another one: nobody could say which of them the agent goes on with. Of two that arrive at once, the unique
    constraint has the second look again.
    """
    if response is None:
        return None
    digest = _digest_past(action, context, earlier, response)
    stored = ModelResponse.objects.filter(agent=action.agent_id, response_id=response.response_id)
    stored_digest = stored.values_list("digest", flat=True).first()
    if stored_digest is not None:
        if stored_digest != digest:
            raise InvalidSubmissionError(FieldProblem("/response_id", _OTHER_PAST))
        return None
    return ModelResponse(
        agent_id=action.agent_id,
        response_id=response.response_id,
        action=action,
        position=response.position,
        items=response.items,
        digest=digest,
    )


def _digest_past(action: Action, context: Context, earlier: StoredPast | None, response: ToldResponse) -> str:
    """The hash of all up to the end of the response, whichever part of it was sent."""
    before = earlier.digests() if earlier else []
    entries = [*before, *(store.step_digest(item) for item in context.history)][: response.position]
    # What a reviewer said of a try belongs to that try alone.
    sources = [source for source in action.sources if source["kind"] != SourceKind.REVIEWER]
    # As a text: an item may hold numbers that no call may, and which have no canonical form.
    return content_digest([context.query, sources, entries, json.dumps(response.items, sort_keys=True)])
