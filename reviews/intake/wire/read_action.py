"""A request's body as a proposal: its shape by the pydantic models, its meaning by the engine's formats."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from types import MappingProxyType
from typing import Final, TypeVar

from django.conf import settings

from reviews import access
from reviews.errors import FieldProblem, InvalidSubmissionError
from reviews.intake.actions import Proposal
from reviews.intake.wire.json_body import MOST_PROBLEMS, refuse_unstorable
from reviews.intake.wire.numbers import inexact
from reviews.intake.wire.schemas.actions import SHAPES, Envelope
from reviews.intake.wire.validation import validated
from reviews.models import AgentKey, Risk
from reviews.provenance import formats
from reviews.provenance.core.context import Context, JsonValue
from reviews.provenance.formats import Format, FormatError, Parsed, ParsedContext

P = TypeVar("P", Parsed, ParsedContext)

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
    return read_proposal(body, trusted=lambda: access.current_profile(agent_key.workspace).trust_annotations)


def read_proposal(body: JsonValue, *, trusted: Callable[[], bool]) -> Proposal:
    """What `proposal_of` does; whether servers are `trusted` is asked only when one claims something."""
    with refused_by_format():
        shape = formats.detect(body)
        sent = validated(SHAPES[shape], body)
        parsed = believing(partial(formats.parse, body, now=sent.now), trusted)
    check(parsed.case.context, parsed.objects, shape)
    return _proposal(sent, parsed)


@contextmanager
def refused_by_format() -> Iterator[None]:
    """What no format can read, as a refusal. Raises `InvalidError`."""
    try:
        yield
    except FormatError as error:
        raise InvalidSubmissionError(*(FieldProblem(*problem) for problem in error.problems)) from None


def believing(parse: Callable[..., P], trusted: Callable[[], bool]) -> P:
    """What `parse` reads; where a server claims something and is trusted, read again with its word believed."""
    parsed = parse()
    return parse(trust_annotations=True) if parsed.disbelieved and trusted() else parsed


def check(context: Context, objects: Sequence[tuple[str, JsonValue]], shape: Format) -> None:
    """What holds for every shape. Raises `InvalidError`."""
    for at, value in objects:
        # Some came as text inside the body, which the parser did not look into.
        refuse_unstorable(value, max_nesting=settings.GUARD.max_nesting, at=at)
    _refuse(_too_many(context, _PAST[shape]), (each for at, value in objects for each in inexact(value, at)))


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
