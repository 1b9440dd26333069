"""The words, colours and icons of the desk for what the engine names: origins of values, writers, places, pointers."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from django.contrib.humanize.templatetags.humanize import ordinal

from reviews.desk.text.highlighting import Tone
from reviews.models import Finding
from reviews.provenance.core import trust
from reviews.provenance.core.context import JsonValue, SourceId
from reviews.provenance.core.findings import DecidedBy, Grounding
from reviews.provenance.core.pointers import keys_of
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.doubts import other_parameter


class PageOrigin(StrEnum):
    """What a page says of a value's origin where none of the engine's `Grounding`s says it."""

    UNCHECKED = "unchecked"
    """Nobody has looked."""
    UNKNOWN = "unknown"
    """Nobody could tell."""
    UNPROVEN = "unproven"
    """It stands somewhere, and nothing proves that it is meant."""
    EXCHANGED = "exchanged"
    """The request says it for another parameter, and that one's value for this one."""
    CONTRADICTED = "contradicted"
    """The context speaks of it, and says something else."""
    INJECTED = "injected"
    """Its only source is text that gives the agent orders."""


class Certainty(StrEnum):
    """What is known of a finding."""

    FALSE = "false"
    UNPROVEN = "unproven"
    """Rules found no proof either way."""
    UNTOLD = "untold"
    """Whoever was asked could not tell, or nobody was."""
    ESTABLISHED = "established"


# Green for values that stand somewhere as they are, blue for those that follow from something, grey for what needs no
# source or is not known, amber for a choice among several, red for a reason to stop.
_TONES: Final[Mapping[str, Tone]] = MappingProxyType(
    {
        Grounding.COPY: Tone.COPY,
        Grounding.NORMALIZE: Tone.COPY,
        Grounding.DERIVE: Tone.DERIVED,
        Grounding.RESOLVE: Tone.DERIVED,
        Grounding.GENERATED: Tone.GENERATED,
        Grounding.COMPETING: Tone.COMPETING,
        Grounding.UNGROUNDED: Tone.NONE,
        PageOrigin.UNCHECKED: Tone.GENERATED,
        PageOrigin.UNKNOWN: Tone.GENERATED,
        PageOrigin.UNPROVEN: Tone.GENERATED,
        PageOrigin.EXCHANGED: Tone.COMPETING,
        PageOrigin.CONTRADICTED: Tone.NONE,
        PageOrigin.INJECTED: Tone.NONE,
    }
)

# Characters of a path beside its value.
MAX_LABEL: Final = 80
WRITERS: Final = MappingProxyType(
    {
        SourceKind.USER_QUERY: "user's words",
        SourceKind.REVIEWER: "reviewer's words",
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
_PLACES: Final = MappingProxyType(
    {"query": "request", "tool": "tool document", "feedback": WRITERS[SourceKind.REVIEWER]}
)
# What the user, or whoever runs the agent, wrote. Into everything else others may have written.
TRUSTED: Final = frozenset({*trust.TRUSTED, SourceKind.TOOL_DOC})
WRITER_ICONS: Final = MappingProxyType(
    {
        SourceKind.USER_QUERY: "user",
        SourceKind.REVIEWER: "user",
        SourceKind.SYSTEM_PROMPT: "policy",
        SourceKind.TOOL_DOC: "policy",
        SourceKind.TOOL_CALL: "edit",
        SourceKind.AGENT_MESSAGE: "edit",
    }
)
# For every kind that is not named above: what others may have written.
OTHERS_ICON: Final = "writer-others"


def name_origin(finding: Finding) -> str:
    """What a finding says of where its value comes from: a `Grounding` or a `PageOrigin`."""
    # The order matters: an injected value has a grounding, too, and would look like an honest copy.
    if finding.holds is False and finding.untrusted_only:
        return PageOrigin.INJECTED
    # Evidence of a value without a source is what speaks against it.
    if finding.holds is False and finding.grounding == Grounding.UNGROUNDED and finding.evidence:
        return PageOrigin.CONTRADICTED
    if finding.holds is None and finding.rule == other_parameter.EXCHANGED:
        return PageOrigin.EXCHANGED
    # That a value stands somewhere is not yet that it is meant: only what is established is told as traced.
    if finding.holds is None and finding.grounding not in (Grounding.COMPETING, Grounding.UNGROUNDED):
        return PageOrigin.UNPROVEN if finding.grounding else PageOrigin.UNKNOWN
    if finding.grounding:
        return finding.grounding
    # Not every detector says how a value was traced: then the page claims no more than that it has a source or none.
    return Grounding.DERIVE if finding.holds else Grounding.UNGROUNDED


def choose_tone(origin: str, holds: bool | None) -> Tone:
    """How a value of this origin is coloured: red is for what is known to be wrong, green for what is established."""
    tone = _TONES[origin]
    return Tone.COMPETING if holds is None and tone is Tone.NONE else tone


def read_certainty(finding: Finding) -> Certainty:
    """What is known of the finding."""
    if finding.holds is None:
        return Certainty.UNPROVEN if finding.decided_by == DecidedBy.RULE else Certainty.UNTOLD
    return Certainty.ESTABLISHED if finding.holds else Certainty.FALSE


def name_place(source: SourceId) -> str:
    """Where a source stands on the page: `request`, `history 2`, `call 2`, the name of a document."""
    match source.split("/", 2):
        case ["history", position, "call"]:
            return f"call {position}"
        case ["history", position, _]:
            return f"history {position}"
        case ["source", *name]:
            return "/".join(name)
        case parts:
            return _PLACES.get(parts[0], source)


def name_path(pointer: str, value: JsonValue) -> str:
    """A JSON Pointer into this value as a person reads it, who counts from one: `items / 1st / price`.

    Empty for the whole value.
    """
    names: list[str] = []
    for key in keys_of(pointer):
        # An object may have a key of digits, such as a year.
        position = int(key) if isinstance(value, list) and key.isdecimal() else None
        names.append(key if position is None else str(ordinal(position + 1)))
        match value:
            case dict():
                value = value.get(key)
            case list() if position is not None and position < len(value):
                value = value[position]
            case _:
                value = None
    return " / ".join(names)


def shorten_path(path: str) -> str:
    """The path, or the end of a long one: it tells apart what stands side by side."""
    return path if len(path) <= MAX_LABEL else f"…{path[1 - MAX_LABEL :]}"
