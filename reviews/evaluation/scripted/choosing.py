"""The scripted judges for offline evaluation, by name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Protocol, runtime_checkable

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.scripted.lenient import Lenient
from reviews.evaluation.scripted.reader import Reader
from reviews.provenance.judges import Judge, RulesFirst, RulesJudge


@runtime_checkable
class JudgeByCase(Protocol):
    """A source of judges: another one for each case."""

    @property
    def name(self) -> str:
        """Recorded with each result."""
        ...

    def judge_for(self, case: LabelledCase) -> Judge:
        """The judge of this case."""
        ...


JUDGES: Final[Mapping[str, Callable[[], Judge | JudgeByCase]]] = MappingProxyType(
    # Rules answer first, as in the product: a judge alone would say what it thinks of questions they have settled.
    {"rules": RulesJudge, "lenient": lambda: RulesFirst(Lenient()), "reader": Reader}
)
