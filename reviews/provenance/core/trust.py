"""How far a source is trusted: by its kind, or by what the workspace says of the tool or text it comes from.

ARGUS takes for granted that a document is genuine, and names forged carriers and messages of other agents as its weak
points. Only the workspace knows who can write what a tool returns; what it says decides which orders in a text taint,
and which support suffices for a grave call (`detectors.untrusted_support`).
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeAlias


class SourceKind(StrEnum):
    """What wrote a source. Decides how far it is trusted."""

    USER_QUERY = "user_query"
    SYSTEM_PROMPT = "system_prompt"
    TOOL_DOC = "tool_doc"
    TOOL_CALL = "tool_call"
    TOOL_OUTPUT = "tool_output"
    RETRIEVED = "retrieved"
    MEMORY = "memory"
    SKILL = "skill"
    AGENT_MESSAGE = "agent_message"
    REVIEWER = "reviewer"
    """What a person said when sending an earlier try of the call back. Never submitted: the product adds it."""


WISHES: Final = (SourceKind.USER_QUERY, SourceKind.REVIEWER)
"""Whoever writes these says what is wanted: the user, and the person who answers for the user in a review."""

TRUSTED: Final = (*WISHES, SourceKind.SYSTEM_PROMPT)
"""Whoever writes these may say what is wanted, what time it is and in which zone."""
BASE_TRUST: Final[Mapping[SourceKind, float]] = {
    # Those the agent works for.
    SourceKind.USER_QUERY: 1.0,
    SourceKind.REVIEWER: 1.0,
    SourceKind.SYSTEM_PROMPT: 1.0,
    # Installed by the operator, but often written by a server.
    SourceKind.TOOL_DOC: 0.9,
    # From here on others write: the more of them can, the less is it trusted.
    SourceKind.SKILL: 0.7,
    SourceKind.MEMORY: 0.6,
    SourceKind.TOOL_OUTPUT: 0.5,
    SourceKind.RETRIEVED: 0.4,
    # What an agent wrote itself proves nothing: its own earlier call must not become evidence for the next.
    SourceKind.TOOL_CALL: 0.3,
    SourceKind.AGENT_MESSAGE: 0.3,
}
"""Base trust by kind, after ARGUS (1.0 for system and user down to 0.3 for inter-agent messages)."""

OF_SOURCE: Final = "source/"
"""What the name of a submitted text begins with where it is rated; a tool is rated by its name alone."""


class TrustClass(StrEnum):
    """A class of writers: who can write what a tool returns, or what a text says."""

    ATTESTED = "attested"
    """Nobody but whom the workspace answers for, and the origin is checked: signed, or the workspace's own ledger."""
    INTERNAL = "internal"
    """People and systems of the workspace."""
    OPEN_WEB = "open_web"
    """Anyone: pages, mail from outside, uploads."""
    AGENT = "agent"
    """Another agent."""


BASE_TRUST_OF_CLASS: Final[Mapping[TrustClass, float]] = {
    # As far as the documents of tools, which the operator installs.
    TrustClass.ATTESTED: 0.9,
    TrustClass.INTERNAL: 0.7,
    # As retrieved texts and messages of agents have it without a rating.
    TrustClass.OPEN_WEB: 0.4,
    TrustClass.AGENT: 0.3,
}
"""τ₀ of a rated source."""
WEAK: Final = frozenset({TrustClass.OPEN_WEB, TrustClass.AGENT})
"""Classes whose word alone is not enough for a grave call."""

LABELS: Final[Mapping[TrustClass, str]] = {
    TrustClass.ATTESTED: "Attested",
    TrustClass.INTERNAL: "Internal",
    TrustClass.OPEN_WEB: "Open web",
    TrustClass.AGENT: "Another agent",
}
"""In a person's words."""

Ratings: TypeAlias = Mapping[str, TrustClass]
"""By a tool's exact name, or by `source/` and the name of a submitted text."""
