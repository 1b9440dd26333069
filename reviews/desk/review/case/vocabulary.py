"""The desk's vocabulary: where a value comes from, who wrote what, and where on the page it stands."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from reviews.desk.text.highlighting import Tone
from reviews.models import Finding
from reviews.provenance.core.context import SourceId, SourceKind
from reviews.provenance.core.findings import Grounding


class Origin(StrEnum):
    """What a page says of a value's origin where no `Grounding` tells it."""

    UNKNOWN = "unknown"
    CONTRADICTED = "contradicted"
    """The context speaks of it, and says something else."""
    INJECTED = "injected"
    """Its only source is text that gives the agent orders."""


TONES: Final[Mapping[str, Tone]] = MappingProxyType(
    {
        Grounding.COPY: Tone.COPY,
        Grounding.NORMALIZE: Tone.COPY,
        Grounding.DERIVE: Tone.DERIVED,
        Grounding.RESOLVE: Tone.DERIVED,
        Grounding.GENERATED: Tone.GENERATED,
        Grounding.COMPETING: Tone.COMPETING,
        Grounding.UNGROUNDED: Tone.NONE,
        Origin.UNKNOWN: Tone.GENERATED,
        Origin.CONTRADICTED: Tone.NONE,
        Origin.INJECTED: Tone.NONE,
    }
)

WRITERS: Final = MappingProxyType(
    {
        SourceKind.USER_QUERY: "user's words",
        SourceKind.SYSTEM_PROMPT: "system prompt",
        SourceKind.TOOL_DOC: "tool document",
        SourceKind.SKILL: "skill",
        SourceKind.MEMORY: "memory",
        SourceKind.TOOL_OUTPUT: "tool output",
        SourceKind.RETRIEVED: "retrieved text",
        SourceKind.TOOL_CALL: "agent's own words",
        SourceKind.AGENT_MESSAGE: "agent's own words",
    }
)
TRUSTED: Final = frozenset({SourceKind.USER_QUERY, SourceKind.SYSTEM_PROMPT, SourceKind.TOOL_DOC})
"""What the user, or whoever runs the agent, wrote. Into everything else others may have written."""
WRITER_ICONS: Final = MappingProxyType(
    {
        SourceKind.USER_QUERY: "user",
        SourceKind.SYSTEM_PROMPT: "policy",
        SourceKind.TOOL_DOC: "policy",
        SourceKind.TOOL_CALL: "edit",
        SourceKind.AGENT_MESSAGE: "edit",
    }
)
OTHERS_ICON: Final = "writer-others"


def origin_of(finding: Finding) -> str:
    """What a finding says of where its value comes from: a `Grounding` or an `Origin`."""
    if finding.holds is False and finding.untrusted_only:
        return Origin.INJECTED
    if finding.holds is False and finding.grounding == Grounding.UNGROUNDED and finding.evidence:
        return Origin.CONTRADICTED
    if finding.grounding or finding.holds is None:
        return finding.grounding or Origin.UNKNOWN
    return Grounding.DERIVE if finding.holds else Grounding.UNGROUNDED


def place(source: SourceId) -> str:
    """Where a source stands on the page: `request`, `history 2`, `call 2`, the name of a document."""
    match source.split("/", 2):
        case ["query"]:
            return "request"
        case ["history", position, "call"]:
            return f"call {position}"
        case ["history", position, _]:
            return f"history {position}"
        case ["tool", *_]:
            return "tool document"
        case ["source", *name]:
            return "/".join(name)
        case _:
            return source


def path_of(pointer: str) -> str:
    """A JSON Pointer as a person reads it: `items / 0 / price`; empty for the whole value."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    return " / ".join(parts)
