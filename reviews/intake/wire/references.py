"""What a body only refers to, because it was sent before: the beginning of its conversation, and its tools."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
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
_BEGINNING: Final = "What is continued has its own: leave this out, or send all of the conversation."
_OTHER_TRACE: Final = "What is continued has another `trace_id`; leave this out, or send all of the conversation."
_TWICE: Final = "The tools stand in `tools`; one of the two must go."
_TWO_PASTS: Final = "`continues` says already from where the conversation goes on; one of the two must go."
UNKNOWN_RESPONSE: Final = (
    "No submission of this agent that is still stored has ended with this response, as its `response_id`: name the last"
    " one that ended one, with every item since in `input`, go on with `continues`, or send all of the conversation."
)
# Fields that name a past, with those of a beginning that stand beside none. The Responses API takes instructions with
# each request anew.
_PASTS: Final[Mapping[str, Collection[str]]] = MappingProxyType(
    {
        "continues": BEGINNINGS,
        "previous_response_id": tuple(name for name in BEGINNINGS if name != "instructions"),
    }
)
_ITEM: Final = re.compile("/input/([0-9]+)")


@dataclass(frozen=True)
class References:
    """A body with the tools it refers to, and the past it continues."""

    body: dict[str, JsonValue]
    earlier: StoredPast | None
    server_word: str
    """What was made of a server's word about the tools it refers to: `BELIEVED`, `DISBELIEVED` or nothing."""
    problems: tuple[FieldProblem, ...]
    joined: int = 0
    """How many items that were sent before stand in the body's `input` now, before those that came."""

    def pointer_as_sent(self, pointer: str) -> str:
        """Where what is wrong stands in the body without the items that were joined to it."""
        match = _ITEM.match(pointer)
        if not self.joined or match is None:
            return pointer
        at = int(match[1]) - self.joined
        return "/previous_response_id" if at < 0 else f"/input/{at}{pointer[match.end() :]}"


def resolve_references(
    body: dict[str, JsonValue], sent: SentBefore, *, fields: Collection[str], trusted: Callable[[], bool]
) -> References:
    """Look up what the body refers to; `fields` may name a past.

    A reference that is of a wrong type is left to the envelope's reader.
    """
    references = {name: value for name in fields if isinstance(value := body.get(name), str)}
    earlier, items, problems = _find_past(body, sent, references)
    if items:
        new = body.get("input")
        # As the API takes a text for a message of the user.
        new = [{"role": "user", "content": new}] if isinstance(new, str) and new.strip() else new
        body = {**body, "input": [*items, *new] if isinstance(new, list) else new}
    joined, digest = len(items), body.get("tools_digest")
    if not isinstance(digest, str):
        return References(body, earlier, "", tuple(problems), joined)
    digest, dot, word = digest.partition(".")
    tools = sent.find_tools(digest)
    read_otherwise = dot and f".{word}" != (BELIEVED if trusted() else DISBELIEVED)
    if body.get("tools") is not None:
        problems.append(FieldProblem("/tools_digest", _TWICE))
    elif tools is None or read_otherwise:
        problems.append(FieldProblem("/tools_digest", _UNKNOWN_TOOLS))
    return References({"tools": tools or [], **_given(body)}, earlier, dot + word, tuple(problems), joined)


def _find_past(
    body: dict[str, JsonValue], sent: SentBefore, references: dict[str, str]
) -> tuple[StoredPast | None, list[JsonValue], list[FieldProblem]]:
    """The past that the body continues, the items of its last turn that are to be joined, and what is wrong with it."""
    match references:
        case {"continues": token, **second}:
            earlier, items, unknown = sent.find_past(token), list[JsonValue](), UNKNOWN_PAST
            if second:
                return earlier, [], [FieldProblem("/previous_response_id", _TWO_PASTS)]
        case {"previous_response_id": response_id}:
            earlier, items = sent.find_response(response_id) or (None, [])
            unknown = UNKNOWN_RESPONSE
        case _:
            return None, [], []
    field = next(iter(references))
    if earlier is None:
        return None, [], [FieldProblem(pointer_to(field), unknown)]
    return earlier, items, _clashes(body, earlier, _PASTS[field])


def _clashes(body: dict[str, JsonValue], earlier: StoredPast, beginnings: Collection[str]) -> list[FieldProblem]:
    problems = [FieldProblem(pointer_to(name), _BEGINNING) for name in beginnings if body.get(name) is not None]
    if body.get("trace_id") not in (None, earlier.trace.external_id):
        problems.append(FieldProblem("/trace_id", _OTHER_TRACE))
    return problems


def _given(body: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: value for name, value in body.items() if value is not None}
