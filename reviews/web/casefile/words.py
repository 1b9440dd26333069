"""The desk's vocabulary: the reviewer's language first, the paper's formal name beside it."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from reviews.models import Finding
from reviews.provenance.context import SourceId, SourceKind
from reviews.provenance.relations import Grounding, Relation
from reviews.web.highlighting import Tone


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

_FAILS: Final = MappingProxyType(
    {
        Relation.SPECIFIED_BY: "There is no such tool",
        Relation.CONTRIBUTE_TO: "This step does not serve the request",
        Relation.RELEVANT_TO: "This tool does not serve the step",
        Relation.APPEAR_IN: "The evidence does not stand where it should",
        Relation.DERIVED_FROM: "{subject} has no source",
        Relation.CAN_ADDRESS: "This call cannot do what the step asks for",
    }
)
_UNKNOWN: Final = MappingProxyType(
    {
        Relation.SPECIFIED_BY: "Nobody could tell whether {subject} is documented",
        Relation.CONTRIBUTE_TO: "Nobody could tell whether this step serves the request",
        Relation.RELEVANT_TO: "Nobody could tell whether this tool serves the step",
        Relation.APPEAR_IN: "Nobody could tell whether the evidence stands where it should",
        Relation.DERIVED_FROM: "Nobody could tell where {subject} comes from",
        Relation.CAN_ADDRESS: "Nobody could tell whether this call does what the step asks for",
    }
)
_HOLDS: Final = MappingProxyType(
    {
        Relation.SPECIFIED_BY: "{subject} is documented",
        Relation.CONTRIBUTE_TO: "The step serves the request",
        Relation.RELEVANT_TO: "The tool serves the step",
        Relation.APPEAR_IN: "The evidence stands in the request or history",
        Relation.DERIVED_FROM: "{subject} has a source",
        Relation.CAN_ADDRESS: "The call can do what the step asks for",
    }
)
_BY_TRUTH: Final = MappingProxyType({True: _HOLDS, False: _FAILS, None: _UNKNOWN})
_ORIGINS: Final[Mapping[str, str]] = MappingProxyType(
    {
        Grounding.COMPETING: "Another value fits {subject} at least as well",
        Origin.CONTRADICTED: "{subject} does not fit what was asked",
        Origin.INJECTED: "{subject} comes from an instruction hidden in data",
    }
)
"""Why a value fails, where that is more than having no source."""
_FORMULAS: Final = MappingProxyType(
    {
        Relation.SPECIFIED_BY: "SpecifiedBy({subject}, d)",
        Relation.CONTRIBUTE_TO: "ContributeTo(s, q)",
        Relation.RELEVANT_TO: "RelevantTo(d, s)",
        Relation.APPEAR_IN: "AppearIn(e, q/h)",
        Relation.DERIVED_FROM: "DerivedFrom({subject}, e)",
        Relation.CAN_ADDRESS: "CanAddress(d, a, s)",
    }
)
_TRUTH: Final = MappingProxyType({True: "holds", False: "does not hold", None: "could not be established"})


def origin_of(finding: Finding) -> str:
    """What a finding says of where its value comes from: a `Grounding` or an `Origin`."""
    if finding.holds is False and finding.untrusted_only:
        return Origin.INJECTED
    if finding.holds is False and finding.grounding == Grounding.UNGROUNDED and finding.evidence:
        return Origin.CONTRADICTED
    if finding.grounding or finding.holds is None:
        return finding.grounding or Origin.UNKNOWN
    return Grounding.DERIVE if finding.holds else Grounding.UNGROUNDED


def relation_in_words(relation: Relation, subject: str, holds: bool | None, origin: str = "") -> str:
    """What a finding means to somebody who does not know the relation; `origin` is that of the value it speaks of."""
    of_value = relation == Relation.DERIVED_FROM and holds is not True
    words = (_ORIGINS.get(origin) if of_value else None) or _BY_TRUTH[holds][relation]
    return words.format(subject=f"“{subject}”")


def relation_in_symbols(relation: Relation, subject: str, holds: bool | None) -> str:
    """The formal statement, such as `DerivedFrom(amount, e) does not hold`."""
    return f"{_FORMULAS[relation].format(subject=subject)} {_TRUTH[holds]}"


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
