"""A decoded body as a proposed call. `reviews.intake.wire.submission` says what is checked where."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from reviews.errors import FieldProblem, InvalidSubmissionError
from reviews.intake.actions import Proposal
from reviews.intake.continuation import NOTHING, SentBefore, ToldResponse
from reviews.intake.wire.claims import read_claims
from reviews.intake.wire.references import References
from reviews.intake.wire.schemas.actions import ENVELOPES, SHAPES, Envelope, ResponsesEnvelope
from reviews.intake.wire.submission import read_submission
from reviews.models import Risk
from reviews.provenance import formats
from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.continuation import Resumption
from reviews.provenance.formats.inline_files import without_files
from reviews.provenance.formats.responses import response_items

# Of one turn of a model, which every continuation is read with once more and nobody is charged for then. Longer than
# models answer.
MAX_TURN_LENGTH: Final = 200_000
_TOO_LONG: Final = f"The turn has more than {MAX_TURN_LENGTH} characters: leave this out, and go on with `continues`."
_NO_END: Final = "`input` has to hold the whole output of this response, and so the proposed call by its id."


def read_proposal(body: JsonValue, *, trusted: Callable[[], bool], sent_before: SentBefore = NOTHING) -> Proposal:
    """The proposal a body makes; `trusted` tells whether servers' words about their own tools are believed.

    Raises `InvalidSubmissionError` pointing at each field that is wrong.
    """
    read = read_submission(
        body,
        envelope=Envelope,
        shapes=SHAPES,
        envelopes=ENVELOPES,
        detect=formats.detect_format,
        parse=formats.parse,
        trusted=trusted,
        sent_before=sent_before,
    )
    sent, parsed, earlier = read.envelope, read.parsed, read.references.earlier
    response = _read_response(sent, parsed, read.references)
    # Where the conversation has no other name, retries and the other calls of the same response find it by this one.
    conversation_name = sent.trace_id or (response.response_id if response else None)
    return Proposal(
        context=replace(parsed.context, now=sent.now),
        action=replace(parsed.case.action, claims=read_claims(sent.provenance, parsed, earlier)),
        trace_id=earlier.trace.external_id if earlier else conversation_name,
        history_given=parsed.history_given,
        tool_call_id=parsed.tool_call_id,
        # The agent names no risk: neither the first nor the last in the reviewers' queue.
        risk=sent.risk or Risk.MEDIUM,
        expires_in=sent.expires_in,
        retry_of=sent.retry_of,
        is_stuck=sent.kind == "stuck",
        metadata=sent.metadata or {},
        earlier=earlier,
        resumption=_behind_joined(parsed.resumption, read.references.joined),
        response=response,
        server_word=read.server_word,
    )


def _read_response(sent: Envelope, parsed: formats.Parsed, references: References) -> ToldResponse | None:
    """The response that the items end with; None where none is named. Raises `InvalidSubmissionError`."""
    if not isinstance(sent, ResponsesEnvelope) or sent.response_id is None:
        return None
    items, resumption = references.body.get("input"), parsed.resumption
    turn = items[resumption.messages :] if isinstance(items, list) and resumption is not None else []
    output = [without_files(item) for item in response_items(turn, parsed.tool_call_id)]
    # Without the call, its result would later be that of a call that nobody has.
    if resumption is None or not output:
        raise InvalidSubmissionError(FieldProblem("/response_id", _NO_END))
    if len(json.dumps(output)) > MAX_TURN_LENGTH:
        raise InvalidSubmissionError(FieldProblem("/response_id", _TOO_LONG))
    return ToldResponse(sent.response_id, resumption.position, output)


def _behind_joined(resumption: Resumption | None, joined: int) -> Resumption | None:
    """The resumption by what was sent; None where it begins with what was joined to that."""
    if resumption is None or resumption.messages < joined:
        return None
    return replace(resumption, messages=resumption.messages - joined)
