"""A request's body as a proposal: its shape by the pydantic models, its meaning by the engine's formats."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain, islice
from types import MappingProxyType
from typing import Final

from django.conf import settings

from reviews import access
from reviews.api.exactness import inexact
from reviews.api.parsing import MOST_PROBLEMS, refuse_unstorable
from reviews.api.queries import validated
from reviews.api.submissions import SHAPES, Envelope
from reviews.errors import FieldProblem, InvalidSubmissionError
from reviews.models import AgentKey, Risk
from reviews.provenance import formats
from reviews.provenance.context import Context, JsonValue
from reviews.provenance.formats import Format, FormatError, Parsed
from reviews.submission import Proposal

_PAST: Final[Mapping[Format, str]] = MappingProxyType(
    {
        Format.NATIVE: "/history",
        Format.CHAT: "/messages",
        Format.RESPONSES: "/input",
        Format.ANTHROPIC: "/messages",
        Format.MCP: "/history",
    }
)


def proposal_of(body: JsonValue, agent_key: AgentKey) -> Proposal:
    """The proposal a body makes. Raises `InvalidError` pointing at each field that is wrong."""
    try:
        shape = formats.detect(body)
        sent = validated(SHAPES[shape], body)
        parsed = _parsed(body, agent_key, now=sent.now)
    except FormatError as error:
        raise InvalidSubmissionError(*(FieldProblem(*problem) for problem in error.problems)) from None
    _check(parsed, shape)
    return _proposal(sent, parsed)


def _parsed(body: JsonValue, agent_key: AgentKey, *, now: datetime | None) -> Parsed:
    parsed = formats.parse(body, now=now)
    # Whether servers are believed is asked only when one claims something.
    if parsed.disbelieved and access.current_profile(agent_key.workspace).trust_annotations:
        return formats.parse(body, trust_annotations=True, now=now)
    return parsed


def _check(parsed: Parsed, shape: Format) -> None:
    """What holds for every shape. Raises `InvalidError`."""
    for at, value in parsed.objects:
        # Some came as text inside the body, which the parser did not look into.
        refuse_unstorable(value, max_nesting=settings.GUARD.max_nesting, at=at)
    _refuse(
        _too_many(parsed.case.context, _PAST[shape]),
        (each for at, value in parsed.objects for each in inexact(value, at)),
    )


def _too_many(context: Context, past: str) -> Iterator[FieldProblem]:
    """One message may hold many calls, and one list of tools many servers' lists."""
    bounds = ((past, context.history, settings.GUARD.max_history), ("/tools", context.tools, settings.GUARD.max_tools))
    for at, found, limit in bounds:
        if len(found) > limit:
            yield FieldProblem(at, f"At most {limit} are accepted; these are {len(found)}.")


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


def _refuse(*problems: Iterable[FieldProblem]) -> None:
    found = list(islice(chain.from_iterable(problems), MOST_PROBLEMS))
    if found:
        raise InvalidSubmissionError(*found)
