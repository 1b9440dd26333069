"""What became of verdicts when their cases were changed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.detection_rates import Rate
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.measures.proof import Proof, conclusion_of, proof_of
from reviews.evaluation.measures.rules import rule_of

# Examples kept of each change and kind of move: more of the same tell nothing new, and a run keeps no case for them.
_MAX_EXAMPLES: Final = 5
# Two lines of a terminal for each text.
_EXCERPT: Final = 160
_OUTCOMES: Final = {True: "holds", False: "does not hold", None: "open"}


class MoveKind(StrEnum):
    """Where a verdict went."""

    TO_FALSE = "to false"
    TO_TRUE = "to true"
    TO_UNKNOWN = "to unknown"
    STAYED_TRUE = "stayed true"
    """Of a call that was taken back: rules say that it is right all the same."""


_TO: Final = {Proof.REFUTED: MoveKind.TO_FALSE, Proof.ESTABLISHED: MoveKind.TO_TRUE, Proof.UNKNOWN: MoveKind.TO_UNKNOWN}


@dataclass(frozen=True)
class Moved:
    """One verdict that moved, in words for a person."""

    change: str
    kind: MoveKind
    forbidden: bool
    text: str


@dataclass
class Tally:
    """What one change did."""

    cases: int = 0
    failed: int = 0
    """Changed cases that could not be judged."""
    moves: Counter[MoveKind] = field(default_factory=Counter)
    forbidden: Counter[MoveKind] = field(default_factory=Counter)
    """Those of the moves that must not be."""
    of_right_calls: int = 0
    """The forbidden ones among verdicts on right calls."""


class Moves:
    """The tallies by change, and a few examples of each. Cases pass through and are not kept."""

    def __init__(self, changes: Iterable[str]) -> None:
        # All from the start: reports list them in this order, those that fit no case too.
        self.by_change = {change: Tally() for change in changes}
        self.errors: list[str] = []
        """Why changed cases could not be judged; the first few."""
        self._examples: dict[tuple[str, MoveKind, bool], list[Moved]] = defaultdict(list)

    @property
    def examples(self) -> Sequence[Moved]:
        """Some verdicts that moved where they must not."""
        return [moved for examples in self._examples.values() for moved in examples if moved.forbidden]

    @property
    def forbidden(self) -> Rate:
        """How many verdicts moved where they must not."""
        tallies = self.by_change.values()
        moved, cases = sum(tally.forbidden.total() for tally in tallies), sum(tally.cases for tally in tallies)
        # Changes of one case are not independent: it tells as much as there are cases of the change that fits most.
        return Rate(moved, cases, evidence=max((tally.cases for tally in tallies), default=0) or None)

    def count_failure(self, change: str, changed: Judged) -> None:
        """Note a changed case that could not be judged."""
        self.by_change[change].failed += 1
        if len(self.errors) < _MAX_EXAMPLES:
            self.errors.append(changed.error)

    def count_moves(
        self,
        change: str,
        before: tuple[LabelledCase, Judged],
        after: tuple[LabelledCase, Judged],
        allowed: Iterable[tuple[Proof, Proof]],
        *,
        opens: bool = False,
    ) -> None:
        """Count one changed case, and keep an example where its verdict moved."""
        tally = self.by_change[change]
        tally.cases += 1
        kind, forbidden = find_move(before, after[1], allowed, opens=opens)
        if kind is None:
            return
        tally.moves[kind] += 1
        tally.forbidden[kind] += forbidden
        tally.of_right_calls += forbidden and before[0].wrong is False
        examples = self._examples[change, kind, forbidden]
        if forbidden and len(examples) < _MAX_EXAMPLES:
            examples.append(Moved(change, kind, forbidden, _describe_move(change, kind, before, after)))


def find_move(
    before: tuple[LabelledCase, Judged], after: Judged, allowed: Iterable[tuple[Proof, Proof]], *, opens: bool
) -> tuple[MoveKind | None, bool]:
    """Where the verdict on a changed case went, None if nowhere, and whether it must not be so."""
    labelled, judged = before
    move = conclusion_of(judged), conclusion_of(after)
    if move[0] is not move[1]:
        return _TO[move[1]], move not in allowed
    # A judge may still take it for wanted: that is the judge's mistake, and no rule's.
    # What only reads passes whoever wants it.
    if opens and not labelled.look_up and proof_of(after) is Proof.ESTABLISHED:
        return MoveKind.STAYED_TRUE, True
    return None, False


def _describe_move(
    change: str, kind: MoveKind, before: tuple[LabelledCase, Judged], after: tuple[LabelledCase, Judged]
) -> str:
    """The case, the call as it is now, and what is said of it that was not."""
    case, action = before[0], after[0].case.action
    arguments = " ".join(str(dict(action.arguments)).split())[:_EXCERPT]
    earlier = {(finding.subject, finding.holds, finding.rule) for finding in before[1].findings}
    new = (finding for finding in after[1].findings if (finding.subject, finding.holds, finding.rule) not in earlier)
    heading = f"{kind} by {change}: {case.id} [{case.label}]\n  call: {action.tool} {arguments}"
    lines = (
        f"{finding.relation} {finding.subject[:80]} {_OUTCOMES[finding.holds]}, {rule_of(finding)}: "
        f"{finding.rationale[:_EXCERPT]}"
        for finding in new
    )
    return "\n    ".join((heading, *lines))
