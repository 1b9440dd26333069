"""What an import says of itself: figures that add up, and reasons grouped with how often and one example."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from reviews.models import ImportJob, ImportProblem

# Kinds of mistakes that a page lists; all are counted.
MAX_GROUPS: Final = 20
# What differs between two records with the same mistake: numbers, and what is quoted.
_DIFFERING: Final = re.compile(r"\d+|'[^']*'|“[^”]*”|\"[^\"]*\"")


@dataclass(frozen=True)
class ReasonGroup:
    """Records that were left out for the same kind of reason."""

    example: str
    line: int
    """Of the example."""
    count: int


@dataclass(frozen=True)
class ImportSummary:
    """The records of a file: read ones and those that were left out make all of them."""

    job: ImportJob
    groups: list[ReasonGroup]

    @property
    def read(self) -> int:
        """Records that hold calls."""
        return self.job.done - self.job.rejected

    @property
    def calls(self) -> int:
        """Calls in them: new ones and those that the dataset held already."""
        return self.job.loaded + self.job.repeated

    @property
    def unexplained(self) -> int:
        """Records left out of which no reason is kept."""
        return max(0, self.job.rejected - sum(group.count for group in self.groups))


def summarize_import(job: ImportJob) -> ImportSummary:
    """The job's figures and reasons."""
    return ImportSummary(job, group_reasons(job.problems.order_by("line")))


def group_reasons(problems: Iterable[ImportProblem]) -> list[ReasonGroup]:
    """The reasons of an import, as `group_texts` groups them."""
    return group_texts((problem.line, problem.reason) for problem in problems)


def group_texts(reasons: Iterable[tuple[int, str]]) -> list[ReasonGroup]:
    """Reasons with their lines by their kind, the most frequent first, each with its first record."""
    groups: dict[str, list[tuple[int, str]]] = {}
    for line, reason in reasons:
        groups.setdefault(_DIFFERING.sub("…", reason), []).append((line, reason))
    listed = [ReasonGroup(rows[0][1], rows[0][0], len(rows)) for rows in groups.values()]
    return sorted(listed, key=lambda group: (-group.count, group.line))[:MAX_GROUPS]
