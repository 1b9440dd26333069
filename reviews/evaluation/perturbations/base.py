"""What a change of a case is, and which moves of the verdict it may cause."""

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.proof import Proof
from reviews.provenance.core.context import Case, Context

Change: TypeAlias = Callable[[LabelledCase], LabelledCase]
"""A pure function: the same case is changed alike in every run. A case it does not fit comes back as it is."""
Move: TypeAlias = tuple[Proof, Proof]
"""From what was shown of the call to what is shown of the changed one."""

LOST: Final[Move] = (Proof.ESTABLISHED, Proof.UNKNOWN)
CLEARED: Final[Move] = (Proof.REFUTED, Proof.UNKNOWN)

NOTHING: Final[frozenset[Move]] = frozenset()
"""What means the same is judged the same."""
LATER_MESSAGE: Final = frozenset({LOST})
"""What is said later opens what was said before, unless a judge reads it; it does nothing else."""
ADDED: Final = frozenset({LOST, CLEARED})
"""What does not concern a value neither establishes nor refutes it; it may leave a question."""


@dataclass(frozen=True)
class Perturbation:
    """One way of changing a case."""

    kind: str
    """What is chosen on the command line, such as `later-sentence`."""
    variant: str
    """Tells it from others of its kind; empty where it is the only one."""
    change: Change
    allowed: frozenset[Move]
    opens: bool = False
    """Whether a call that rules had established must not stay so: whoever asked for it takes it back."""

    @property
    def name(self) -> str:
        """For reports."""
        return f"{self.kind}: {self.variant}" if self.variant else self.kind

    def apply(self, case: LabelledCase) -> LabelledCase | None:
        """The changed case under an id of its own; None where the change does not fit."""
        changed = self.change(case)
        return None if changed == case else replace(changed, id=f"{case.id}/{self.name}")


def with_context(case: LabelledCase, context: Context) -> LabelledCase:
    """The same call in another context."""
    return replace(case, case=Case(context, case.case.action))


def seeded_random(*parts: str) -> random.Random:
    """Chance that is the same in every run."""
    # By a hash of our own: Python's differs between processes.
    seed = hashlib.sha256("\n".join(parts).encode(errors="surrogatepass")).digest()
    return random.Random(seed)  # noqa: S311  # nothing secret is drawn
