"""Read a decoded body, whether it proposes a call or submits a plan. Every field is checked once:

* `bounded_json_body` has bounded the body as a whole: it is JSON, not too large or too deep, and can be stored.
* The envelope, which is what agents add for us (trace, clock, risk, expiry, plan), is checked by the pydantic models
  of `schemas`. They refuse names nobody knows. The models of the whole shapes only write the OpenAPI document.
* The conversation, the tools and the call are checked by the engine's reader of their format, `provenance.formats`.
* What shows only once the conversation is read is checked here: how many calls and tools it unfolds to, and what
  came as JSON inside a text.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Generic, TypeVar

from django.conf import settings
from pydantic import BaseModel

from reviews.errors import FieldProblem, InvalidError, InvalidSubmissionError
from reviews.intake.continuation import SentBefore
from reviews.intake.wire.bounded_json_body import MAX_PROBLEMS
from reviews.intake.wire.pydantic_errors import validate_model
from reviews.intake.wire.references import BELIEVED, DISBELIEVED, References, resolve_references
from reviews.intake.wire.schemas.history import Past
from reviews.provenance.core.bounds import find_unacceptable_parts
from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.formats import Format, FormatError, Parsed, ParsedContext, original_pointer, unify
from reviews.provenance.formats.aliases import Renamed
from reviews.provenance.formats.suggestions import unknown_field
from reviews.records.stored_past import StoredPast

EnvelopeT = TypeVar("EnvelopeT", bound=Past)
ParsedT = TypeVar("ParsedT", Parsed, ParsedContext)


@dataclass(frozen=True)
class Read(Generic[EnvelopeT, ParsedT]):
    """A body that was read."""

    envelope: EnvelopeT
    parsed: ParsedT
    references: References
    """The past that it continues, and the body with what was joined to it."""
    server_word: str
    """What was made of a server's word about its tools (`references`); empty where no server said anything."""


_PAST: Final[Mapping[Format, str]] = MappingProxyType(
    {
        Format.NATIVE: "history",
        Format.CHAT: "messages",
        Format.RESPONSES: "input",
        Format.ANTHROPIC: "messages",
        Format.MCP: "history",
    }
)
"""The field of each format that lists what happened before."""


def read_submission(
    body: JsonValue,
    *,
    envelope: type[EnvelopeT],
    shapes: Mapping[Format, type[EnvelopeT]],
    envelopes: Mapping[Format, type[EnvelopeT]] = MappingProxyType({}),
    detect: Callable[[JsonValue], Format],
    parse: Callable[..., ParsedT],
    trusted: Callable[[], bool],
    sent_before: SentBefore,
) -> Read[EnvelopeT, ParsedT]:
    """The envelope, and what the format's reader makes of the rest.

    `envelopes` are those of shapes that have another one than the others.
    `trusted` tells whether servers' words about their own tools are believed. It is called only when a server says
    something, because the answer may cost a query and most submissions need none.
    Raises `InvalidSubmissionError` pointing at every wrong field of envelope and conversation at once.
    """
    problems: list[FieldProblem] = []
    unified, renamed = unify(body)
    references = References({}, None, "", ())
    try:
        shape = detect(unified)
        envelope = envelopes.get(shape, envelope)
        references = resolve_references(unified, sent_before, fields=envelope.CONTINUED_BY, trusted=trusted)
        unified = references.body
        problems += references.problems
        # An agent without tools sends an empty list: forgotten ones would make a stranger of every tool it calls.
        if unified.get("tools") is None:
            problems.append(FieldProblem("/tools", "This field is required."))
        try:
            sent = _read_envelope(unified, envelope, shapes[shape])
        except InvalidError as error:
            # A reference that is not known is told once, in the words of whoever looked it up.
            looked_up = {problem.pointer for problem in references.problems}
            problems += [problem for problem in error.errors if problem.pointer not in looked_up]
        # Each entry costs the reader more than the decoder: a body of empty ones would be read for seconds.
        too_many: list[FieldProblem] = list(_too_many(unified, _PAST[shape]))
        if too_many:
            raise InvalidSubmissionError(*_as_sent([*problems, *too_many], renamed, references))
        parsed, server_word = _parse_as_trusted(parse, references, trusted)
        problems += _beyond_bounds(shape, parsed, references.earlier)
    except FormatError as error:
        problems += [_with_place(FieldProblem(*problem), envelope) for problem in error.problems]
    if problems:
        raise InvalidSubmissionError(*_as_sent(problems, renamed, references))
    return Read(sent, parsed, references, server_word)


def _parse_as_trusted(
    parse: Callable[..., ParsedT], references: References, trusted: Callable[[], bool]
) -> tuple[ParsedT, str]:
    """What the format's reader makes of the body, and what was made of a server's word about its tools."""
    options = {} if references.earlier is None else {"earlier": references.earlier}
    parsed, server_word = parse(references.body, **options), references.server_word
    if parsed.disbelieved:
        server_word = BELIEVED if trusted() else DISBELIEVED
    if server_word == BELIEVED:
        parsed = parse(references.body, **options, trust_annotations=True)
    return parsed, server_word


def _read_envelope(unified: dict[str, JsonValue], envelope: type[EnvelopeT], shape: type[EnvelopeT]) -> EnvelopeT:
    """The fields around the conversation. Those that are of no shape stay among them, and the envelope refuses them."""
    conversation = shape.model_fields.keys() - envelope.model_fields.keys()
    sent = {name: value for name, value in unified.items() if name not in conversation}
    return validate_model(envelope, sent, shape=shape)


def _with_place(problem: FieldProblem, envelope: type[BaseModel]) -> FieldProblem:
    """The problem; where a field of the envelope stands within the call, with the place where it belongs."""
    name = problem.pointer.rpartition("/")[2]
    if problem.message == f"{unknown_field(name)}." and name in envelope.model_fields:
        return FieldProblem(problem.pointer, f"{unknown_field(name)}; it belongs at the top of the body.")
    return problem


def _as_sent(problems: list[FieldProblem], renamed: Renamed, references: References) -> list[FieldProblem]:
    """The first of the problems, where they stand in the body as it was sent."""
    listed = problems[:MAX_PROBLEMS]
    pointers = (original_pointer(references.pointer_as_sent(problem.pointer), renamed) for problem in listed)
    return [FieldProblem(pointer, problem.message) for pointer, problem in zip(pointers, listed, strict=True)]


def _too_many(body: Mapping[str, JsonValue], past: str) -> Iterator[FieldProblem]:
    """The lists of what happened and of tools that are too long as they were sent."""
    for name, limit in ((past, settings.GUARD.max_history), ("tools", settings.GUARD.max_tools)):
        if isinstance(sent := body.get(name), list):
            yield from _length_problems(name, len(sent), limit)


def _length_problems(name: str, count: int, limit: int) -> Iterator[FieldProblem]:
    if count > limit:
        yield FieldProblem(f"/{name}", f"At most {limit} are accepted; these are {count}.")


def _beyond_bounds(shape: Format, parsed: Parsed | ParsedContext, earlier: StoredPast | None) -> Iterator[FieldProblem]:
    """What shows only once the conversation is read."""
    # One message may hold many calls, and one list of tools many servers' lists.
    happened = len(parsed.context.history) + (earlier.position if earlier else 0)
    yield from _length_problems(_PAST[shape], happened, settings.GUARD.max_history)
    if earlier and earlier.size > (limit := settings.GUARD.max_history_bytes):
        yield FieldProblem(
            pointer_to(earlier.named_in),
            f"What came before holds {earlier.size:,} bytes, and at most {limit:,} are continued: send what still "
            "counts of it, without this.",
        )
    yield from _length_problems("tools", len(parsed.context.tools), settings.GUARD.max_tools)
    for at, value in parsed.objects:
        # Looked into again, because some came as text inside the body, and because these are hashed.
        for problem in find_unacceptable_parts(value, max_nesting=settings.GUARD.max_nesting, at=at, exact=True):
            yield FieldProblem(*problem)
