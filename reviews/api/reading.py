"""A request's body as a proposal: its shape by the pydantic models, its meaning by the engine's formats."""

from collections.abc import Iterable
from itertools import chain, islice
from typing import Any

from django.conf import settings

from reviews import access
from reviews.api.exactness import inexact
from reviews.api.parsing import MOST_PROBLEMS, refuse_unstorable
from reviews.api.queries import validated
from reviews.api.submissions import Envelope, NativeSubmission, OpenAISubmission
from reviews.errors import FieldProblem, InvalidSubmissionError
from reviews.models import AgentKey, Risk
from reviews.provenance.context import JsonValue, Step
from reviews.provenance.formats import FormatError, Parsed, native, openai
from reviews.submission import Proposal


def proposal_of(body: JsonValue, agent_key: AgentKey) -> Proposal:
    """The proposal a body makes. Raises `InvalidError` pointing at each field that is wrong."""
    try:
        if isinstance(body, dict) and "messages" in body:
            return _openai(validated(OpenAISubmission, body), body, agent_key)
        return _native(validated(NativeSubmission, body), body, agent_key)
    except FormatError as error:
        raise InvalidSubmissionError(*(FieldProblem(*problem) for problem in error.problems)) from None


def _native(sent: Envelope, body: dict[str, Any], agent_key: AgentKey) -> Proposal:
    past = enumerate(body.get("history") or [])
    _refuse(
        inexact(body["tools"], "/tools"),
        (each for at, item in past for each in inexact(item.get("arguments"), f"/history/{at}/arguments")),
        inexact(body["action"].get("arguments"), "/action/arguments"),
    )
    return _proposal(sent, native.parse(body, trust_annotations=_trusts(body, agent_key), now=sent.now))


def _openai(sent: Envelope, body: dict[str, Any], agent_key: AgentKey) -> Proposal:
    parsed = openai.parse(body, trust_annotations=_trusts(body, agent_key), now=sent.now)
    # These arguments came as text inside the body, which the parser did not look into.
    proposed = parsed.case.action.arguments, "/tool_call/function/arguments"
    earlier = [(step.arguments, "/messages") for step in parsed.case.context.history if isinstance(step, Step)]
    for arguments, at in (proposed, *earlier):
        refuse_unstorable(arguments, max_nesting=settings.GUARD.max_nesting, at=at)
    _refuse(
        inexact(body["tools"], "/tools"),
        (each for arguments, at in (proposed, *earlier) for each in inexact(arguments, at)),
    )
    return _proposal(sent, parsed)


def _proposal(sent: Envelope, parsed: Parsed) -> Proposal:
    return Proposal(
        context=parsed.case.context,
        action=parsed.case.action,
        trace_id=sent.trace_id,
        history_given=parsed.history_given,
        tool_call_id=parsed.tool_call_id,
        risk=sent.risk or Risk.MEDIUM,
        expires_in=sent.expires_in,
        callback_url=str(sent.callback_url or ""),
        retry_of=sent.retry_of,
        metadata=sent.metadata or {},
    )


def _trusts(body: dict[str, Any], agent_key: AgentKey) -> bool:
    """Whether the workspace believes the annotations these tools carry; asked only when there are any."""
    annotated = any(tool.get("annotations") for tool in body["tools"])
    return annotated and access.current_profile(agent_key.workspace).trust_annotations


def _refuse(*problems: Iterable[FieldProblem]) -> None:
    found = list(islice(chain.from_iterable(problems), MOST_PROBLEMS))
    if found:
        raise InvalidSubmissionError(*found)
