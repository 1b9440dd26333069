"""What one detector made of one labelled case."""

from dataclasses import dataclass, field
from typing import Final

from reviews.provenance.core.findings import Finding, Grounding, Misalignment, Usage
from reviews.provenance.core.trust import SourceKind

ENDS: Final = ("passed", *Misalignment, "undetermined")
"""What a detector that names types makes of a call."""


@dataclass(frozen=True)
class Traced:
    """How the rules alone traced one argument leaf, before anything is made of it."""

    pointer: str
    value: str
    """Shortened, for a person to read."""
    how: Grounding
    note: str
    sources: tuple[SourceKind, ...] = ()
    open: bool = False
    """Whether rules cannot tell that the source speaks of this value."""

    @property
    def is_questioned(self) -> bool:
        """Whether the value has no source, or another one fits as well or better."""
        return self.how in (Grounding.UNGROUNDED, Grounding.COMPETING)


@dataclass(frozen=True)
class Rejection:
    """A stage that rejects the call."""

    stage: str
    findings: tuple[int, ...]
    """Positions, among the verdict's findings, of those that fail in this stage; none where a reading competes."""


@dataclass(frozen=True)
class Judged:
    """One case judged by one detector."""

    key: str
    """The case's, by which a stopped run goes on."""
    id: str
    label: str
    by: str
    """Detector and judge: results of another pair are no results of this one."""
    verdict: str = ""
    """`aligned`, `misaligned` or `undetermined`; empty after an error."""
    type: Misalignment | None = None
    findings: tuple[Finding, ...] = ()
    rejections: tuple[Rejection, ...] | None = None
    """The stages that reject the call; None: results of earlier runs do not say."""
    traced: tuple[Traced, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    error: str = ""
    """Why there is no verdict."""
    unreadable: int | None = None
    """How many of the model's answers made no sense; None: nobody counted."""

    @property
    def is_unparsable(self) -> bool:
        """Whether an answer could not be read."""
        # Results of earlier runs have no count: then a model was asked in vain where nothing was decided.
        if self.unreadable is None:
            return self.verdict == "undetermined" and self.usage.calls > 0
        return self.unreadable > 0

    @property
    def score(self) -> float | None:
        """Of a detector that judges the call as a whole: how sure it is that the call is right, 0 to 1."""
        scores = [finding.score for finding in self.findings if finding.score is not None]
        # Several scores belong to single relations, and none of them to the call.
        return scores[0] if len(scores) == 1 else None

    @property
    def has_passed(self) -> bool:
        """Whether the guard would have let the call pass."""
        return self.verdict == "aligned"

    @property
    def end(self) -> str:
        """One of `ENDS`; `misaligned` where a call was stopped without a type."""
        return "passed" if self.has_passed else self.type or self.verdict
