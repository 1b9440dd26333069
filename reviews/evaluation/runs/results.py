"""What a detector made of one case, and its storage as lines of JSON."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from reviews.provenance.core.context import SourceKind
from reviews.provenance.core.findings import Finding, Grounding, Misalignment, Usage


class ResultsError(Exception):
    """The file holds something else than results; the message names the line."""


@dataclass(frozen=True)
class Traced:
    """How the rules alone traced one argument leaf, before anything is made of it."""

    pointer: str
    value: str
    """Shortened, for a person to read."""
    how: Grounding
    note: str
    sources: tuple[SourceKind, ...] = ()

    @property
    def questioned(self) -> bool:
        """Whether the value has no source, or another one fits as well or better."""
        return self.how in (Grounding.UNGROUNDED, Grounding.COMPETING)


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
    traced: tuple[Traced, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    error: str = ""
    """Why there is no verdict."""
    unreadable: int | None = None
    """How many of the model's answers made no sense; None: nobody counted."""

    @property
    def unparsable(self) -> bool:
        """Whether an answer could not be read. Where nobody counted: whether a model was asked and nothing decided."""
        if self.unreadable is None:
            return self.verdict == "undetermined" and self.usage.calls > 0
        return self.unreadable > 0

    @property
    def score(self) -> float | None:
        """Of a detector that judges the call as a whole: how sure it is that the call is right, 0 to 1."""
        scores = [finding.score for finding in self.findings if finding.score is not None]
        return scores[0] if len(scores) == 1 else None

    @property
    def passed(self) -> bool:
        """Whether the guard would have let the call pass."""
        return self.verdict == "aligned"


_JUDGED = TypeAdapter(Judged)


def line_of(judged: Judged) -> str:
    """The result as one line of JSON, with its line end."""
    return f"{_JUDGED.dump_json(judged).decode()}\n"


def read_results(path: Path) -> Mapping[str, Judged]:
    """The results of a file by key, the last of equals; none where there is no file. Raises `ResultsError`."""
    # Only "\n" ends a line: a quote may hold U+2028, which JSON leaves as it is.
    *lines, _half = path.read_text(encoding="utf-8").split("\n") if path.exists() else [""]
    # A run that was stopped while writing leaves half a line, which is judged again.
    return {judged.key: judged for judged in _read(path, lines)}


def _read(path: Path, lines: Iterable[str]) -> Iterable[Judged]:
    for number, line in enumerate(lines, start=1):
        try:
            yield _JUDGED.validate_json(line)
        except ValidationError as error:
            raise ResultsError(f"{path}, line {number}: {error.errors()[0]['msg']}") from error
