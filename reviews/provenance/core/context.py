"""What the guard may look at: the request, the tools, the history and every other source, as frozen values.

The vocabulary is the ProvenanceGuard paper's (section 4.1): query q, tool documents d, history h, subtask s,
proposed call (t, a). Evidence e is always a `Span` of a named `Source`, so that it can be checked to the character.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Any, TypeAlias

from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.core.readable_json import write_readably
from reviews.provenance.core.trust import (
    BASE_TRUST,
    BASE_TRUST_OF_CLASS,
    OF_SOURCE,
    TRUSTED,
    Ratings,
    SourceKind,
    TrustClass,
)

JsonValue: TypeAlias = Any
"""Anything `json.loads` returns."""
SourceId: TypeAlias = str
"""Names a source within one context: `query`, `history/2/outcome`, `tool/send_email`, `source/policy`."""


@dataclass(frozen=True, slots=True)
class Source:
    """One named text of the context."""

    id: SourceId
    kind: SourceKind
    text: str
    rating: TrustClass | None = None
    """What the workspace says of whoever writes it; None: nothing."""

    @property
    def trust(self) -> float:
        """Base trust, 0 to 1."""
        return BASE_TRUST[self.kind] if self.rating is None else BASE_TRUST_OF_CLASS[self.rating]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one source's text; `quote` is that text, kept so that a span can be verified anywhere."""

    source: SourceId
    start: int
    """Offset in characters, from 0."""
    end: int
    """Offset behind the last character."""
    quote: str


@dataclass(frozen=True)
class ToolDoc:
    """One tool's documentation d_t."""

    name: str
    description: str = ""
    parameters: Mapping[str, JsonValue] = field(default_factory=dict)
    """JSON schema of the arguments object."""
    environment_changing: bool = True
    """Read-only tools pass. True unless trusted metadata says otherwise."""

    @property
    def properties(self) -> Mapping[str, JsonValue]:
        """The schema of each named parameter; empty where the document gives none."""
        # An agent may send anything under this name.
        declared = self.parameters.get("properties")
        return declared if isinstance(declared, dict) else {}

    @property
    def text(self) -> str:
        """The document as evidence: name, description, then the schema as JSON, indented as far as anybody reads."""
        schema = write_readably(dict(self.parameters))
        return f"{self.name}\n{self.description}\n{schema}"


@dataclass(frozen=True)
class Step:
    """A finished tool call of the history."""

    tool: str
    arguments: Mapping[str, JsonValue]
    outcome: str | None = None
    """What the tool returned, as text; None when it is not known."""
    subtask: str | None = None


@dataclass(frozen=True)
class Message:
    """A turn of the conversation after the first request."""

    role: str
    """`user` or `assistant`."""
    text: str


@dataclass(frozen=True)
class NamedText:
    """A further source: a system prompt, a retrieved document, a memory; or a reviewer's words."""

    kind: SourceKind
    name: str
    text: str


@dataclass(frozen=True)
class PlanStep:
    """A step of the plan P that an agent made before it began (IntentGuard paper, 3.1)."""

    message: str
    """What the step is to achieve."""
    tool_use: tuple[str, ...] = ()
    """Names of the tools it is to use; none for a step that only reasons."""


@dataclass(frozen=True)
class Context:
    """Everything a verdict may rest on. History positions count from 1."""

    query: str
    tools: tuple[ToolDoc, ...] = ()
    history: tuple[Step | Message, ...] = ()
    extra: tuple[NamedText, ...] = ()
    now: datetime | None = None
    """The trace's clock, for relative dates; None when the submission gives none."""
    plan: tuple[PlanStep, ...] | None = None
    """The plan in force; None when none was submitted. The agent's own words: no source, and never evidence."""
    invariants: tuple[str, ...] = ()
    """The conditions of the task, where they were derived before (ARGUS): for the whole task they stay the same."""
    ratings: Ratings = field(default_factory=dict)
    """What the workspace says of the tools and texts that others write."""

    @cached_property
    def sources(self) -> Mapping[SourceId, Source]:
        """Every source by id, in reading order: request, system and retrieved texts, history, tool documents."""
        return MappingProxyType({source.id: source for source in self._iter_sources()})

    def _iter_sources(self) -> Iterator[Source]:
        yield Source("query", SourceKind.USER_QUERY, self.query)
        for text in self.submitted_texts:
            # Whoever the agent works for needs no rating, and must not lose by one.
            rating = None if text.kind in TRUSTED else self.ratings.get(f"{OF_SOURCE}{text.name}")
            yield Source(f"source/{text.name}", text.kind, text.text, rating)
        for position, item in enumerate(self.history, start=1):
            at = f"history/{position}"
            match item:
                # Two sources, trusted differently.
                case Step(tool, arguments, outcome):
                    call = f"{tool}({json.dumps(dict(arguments), ensure_ascii=False, sort_keys=True)})"
                    yield Source(f"{at}/call", SourceKind.TOOL_CALL, call)
                    if outcome is not None:
                        # A tool may be called as a rated text is, and is none.
                        rating = None if tool.startswith(OF_SOURCE) else self.ratings.get(tool)
                        yield Source(f"{at}/outcome", SourceKind.TOOL_OUTPUT, outcome, rating)
                case Message(role, words):
                    kind = SourceKind.USER_QUERY if role == "user" else SourceKind.AGENT_MESSAGE
                    yield Source(f"{at}/message", kind, words)
        # Behind the history: it was said after all of it. Under ids that no agent can give a source of its own.
        for number, comment in enumerate(self.feedback, start=1):
            yield Source(f"feedback/{number}", SourceKind.REVIEWER, comment)
        for document in self.tools:
            yield Source(f"tool/{document.name}", SourceKind.TOOL_DOC, document.text)

    @property
    def submitted_texts(self) -> tuple[NamedText, ...]:
        """The further sources that the agent submitted."""
        return tuple(text for text in self.extra if text.kind is not SourceKind.REVIEWER)

    @property
    def feedback(self) -> tuple[str, ...]:
        """What reviewers said of earlier tries of the call, in order: the sources `feedback/1` and so on."""
        return tuple(text.text for text in self.extra if text.kind is SourceKind.REVIEWER)

    def tool(self, name: str) -> ToolDoc | None:
        """The document of exactly this tool (SpecifiedBy), or None."""
        return self._tools_by_name.get(name)

    def result_of(self, step: int) -> SourceId | None:
        """The source that this call of the history returned, counted from 0; None where it returned none."""
        calls = (n for n, item in enumerate(self.history, start=1) if isinstance(item, Step))
        position = next(islice(calls, step, None), None)
        source = f"history/{position}/outcome"
        return source if source in self.sources else None

    def text_of(self, span: Span) -> str:
        """The source's text at the span's offsets, whatever its quote says; empty when there is no such source."""
        source = self.sources.get(span.source)
        return source.text[span.start : span.end] if source else ""

    def verifies(self, span: Span) -> bool:
        """Whether the quote stands in the source at exactly these offsets."""
        return bool(span.quote) and self.text_of(span) == span.quote

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over every source, as hexadecimal digits: the same for the same context only."""
        digest = hashlib.sha256()
        for source in self.sources.values():
            # As JSON, so that no text can run into the next one and look like another context.
            digest.update(json.dumps([source.id, source.kind, source.text]).encode())
        return digest.hexdigest()

    @cached_property
    def _tools_by_name(self) -> Mapping[str, ToolDoc]:
        return {tool.name: tool for tool in self.tools}


@dataclass(frozen=True, slots=True)
class Claim:
    """Where the agent says that it took a value from: words that it quotes, or a place in a result. Proves nothing."""

    pointer: str
    """JSON Pointer of the argument leaf."""
    quote: str = ""
    source: SourceId = ""
    """The source that the quote stands in; empty where the agent names none."""
    step: int | None = None
    """The call of the history that returned the value, counted from 0; None for a quote."""
    path: str = ""
    """JSON Pointer into what that call returned; empty for all of it."""


@dataclass(frozen=True)
class ProposedAction:
    """The call (t, a) an agent wants to make, and the subtask s it says it serves."""

    tool: str
    arguments: Mapping[str, JsonValue]
    subtask: str | None = None
    claims: tuple[Claim, ...] = ()
    """Where the agent says that it took values from; no part of the call."""


@dataclass(frozen=True)
class Case:
    """What a detector judges: one proposed action in its context."""

    context: Context
    action: ProposedAction


def leaves(value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Every leaf of a JSON value with its JSON Pointer (RFC 6901); empty objects and lists are leaves."""
    # A stack of its own instead of recursion: an agent's arguments may be nested deeper than Python recurses.
    pending = [("", value)]
    while pending:
        at, node = pending.pop()
        match node:
            case dict() if node:
                members = [(at + pointer_to(key), member) for key, member in node.items()]
            case list() if node:
                members = [(f"{at}/{index}", member) for index, member in enumerate(node)]
            case _:
                yield at, node
                continue
        # The stack gives back the last one first.
        pending += reversed(members)
