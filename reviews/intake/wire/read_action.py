"""A decoded body as a proposed call. `reviews.intake.wire.submission` says what is checked where."""

from collections.abc import Callable
from dataclasses import replace

from reviews.intake.actions import Proposal
from reviews.intake.continuation import NOTHING, SentBefore
from reviews.intake.wire.claims import read_claims
from reviews.intake.wire.schemas.actions import SHAPES, Envelope
from reviews.intake.wire.submission import read_submission
from reviews.models import Risk
from reviews.provenance import formats
from reviews.provenance.core.context import JsonValue


def read_proposal(body: JsonValue, *, trusted: Callable[[], bool], sent_before: SentBefore = NOTHING) -> Proposal:
    """The proposal a body makes; `trusted` tells whether servers' words about their own tools are believed.

    Raises `InvalidSubmissionError` pointing at each field that is wrong.
    """
    read = read_submission(
        body,
        envelope=Envelope,
        shapes=SHAPES,
        detect=formats.detect_format,
        parse=formats.parse,
        trusted=trusted,
        sent_before=sent_before,
    )
    sent, parsed, earlier = read.envelope, read.parsed, read.earlier
    return Proposal(
        context=replace(parsed.context, now=sent.now),
        action=replace(parsed.case.action, claims=read_claims(sent.provenance, parsed, earlier)),
        trace_id=earlier.trace.external_id if earlier else sent.trace_id,
        history_given=parsed.history_given,
        tool_call_id=parsed.tool_call_id,
        # The agent names no risk: neither the first nor the last in the reviewers' queue.
        risk=sent.risk or Risk.MEDIUM,
        expires_in=sent.expires_in,
        retry_of=sent.retry_of,
        is_stuck=sent.kind == "stuck",
        metadata=sent.metadata or {},
        earlier=earlier,
        resumption=parsed.resumption,
        server_word=read.server_word,
    )
