"""What a body only refers to, because it was sent before: the beginning of its conversation, and its tools."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from reviews.errors import FieldProblem
from reviews.intake.continuation import SentBefore
from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.formats.continuation import BEGINNINGS
from reviews.records.stored_past import UNKNOWN_PAST, StoredPast

# Behind the digest of tools of which a server says itself that they only read: what was made of its word.
BELIEVED: Final = ".believed"
DISBELIEVED: Final = ".disbelieved"
_UNKNOWN_TOOLS: Final = "No tools are stored under this digest, or they read otherwise by now: send `tools` whole."
_BEGINNING: Final = "What is continued has its own: leave this out, or send all, without `continues`."
_OTHER_TRACE: Final = "What is continued has another `trace_id`; leave this out, or send all of the conversation."
_TWICE: Final = "The tools stand in `tools`; one of the two must go."


@dataclass(frozen=True)
class References:
    """A body with the tools it refers to, and the past it continues."""

    body: dict[str, JsonValue]
    earlier: StoredPast | None
    server_word: str
    """What was made of a server's word about the tools it refers to: `BELIEVED`, `DISBELIEVED` or nothing."""
    problems: tuple[FieldProblem, ...]


def resolve_references(
    body: dict[str, JsonValue], sent: SentBefore, *, may_continue: bool, trusted: Callable[[], bool]
) -> References:
    """Look up what the body refers to; a reference that is of a wrong type is left to the envelope's reader."""
    problems: list[FieldProblem] = []
    earlier, token, digest = None, body.get("continues"), body.get("tools_digest")
    if may_continue and isinstance(token, str):
        earlier = sent.find_past(token)
        problems += [FieldProblem("/continues", UNKNOWN_PAST)] if earlier is None else _clashes(body, earlier)
    if not isinstance(digest, str):
        return References(body, earlier, "", tuple(problems))
    digest, dot, word = digest.partition(".")
    tools = sent.find_tools(digest)
    read_otherwise = dot and f".{word}" != (BELIEVED if trusted() else DISBELIEVED)
    if body.get("tools") is not None:
        problems.append(FieldProblem("/tools_digest", _TWICE))
    elif tools is None or read_otherwise:
        problems.append(FieldProblem("/tools_digest", _UNKNOWN_TOOLS))
    return References({"tools": tools or [], **_given(body)}, earlier, dot + word, tuple(problems))


def _clashes(body: dict[str, JsonValue], earlier: StoredPast) -> list[FieldProblem]:
    problems = [FieldProblem(pointer_to(name), _BEGINNING) for name in BEGINNINGS if body.get(name) is not None]
    if body.get("trace_id") not in (None, earlier.trace.external_id):
        problems.append(FieldProblem("/trace_id", _OTHER_TRACE))
    return problems


def _given(body: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: value for name, value in body.items() if value is not None}
