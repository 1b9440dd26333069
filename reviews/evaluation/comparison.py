"""Several detectors on the same cases, one case after the other."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.metrics import Rate, rate
from reviews.evaluation.results import Judged
from reviews.evaluation.runner import run
from reviews.provenance.detectors import Detector
from reviews.provenance.judges.base import Judge
from reviews.provenance.relations import Usage


@dataclass
class Contestant:
    """A detector with its judge, and what it has made of the cases so far."""

    name: str
    detector: Detector
    judge: Judge
    results: dict[str, Judged] = field(default_factory=dict)
    """By the case's key."""


@dataclass(frozen=True)
class Score:
    """How one contestant did."""

    name: str
    error_rate: Rate
    """ER: calls that should have been stopped and passed."""
    intervention_rate: Rate
    """IR: right calls that were stopped."""
    undetermined: int
    usage: Usage
    """Of all cases together."""
    seconds: float
    """Of all cases together."""
    cases: int


async def compare(
    cases: Iterable[LabelledCase],
    contestants: Iterable[Contestant],
    *,
    done: Callable[[Contestant, Judged], None] = lambda *_: None,
) -> None:
    """Let every contestant judge every case it has no result for, and keep the results.

    All judge a case before the next one is begun: an endpoint that keeps the beginning of prompts reads the case's
    context once for all of them.
    """
    entered = tuple(contestants)
    for case in cases:
        for each in entered:
            found = await run([case], each.detector, each.judge, known=each.results, done=_telling(each, done))
            each.results.update(found)


def score(cases: Iterable[LabelledCase], contestant: Contestant) -> Score:
    """The rates and what they cost. A case that could not be judged counts nowhere."""
    told = [(case, judged) for case in cases if (judged := contestant.results.get(case.key)) and not judged.error]
    return Score(
        name=contestant.name,
        error_rate=rate((judged.passed for case, judged in told if case.wrong is True), bool),
        intervention_rate=rate((not judged.passed for case, judged in told if case.wrong is False), bool),
        undetermined=sum(judged.verdict == "undetermined" for _, judged in told),
        usage=sum((judged.usage for _, judged in told), Usage()),
        seconds=sum(judged.seconds for _, judged in told),
        cases=len(told),
    )


def mistaken(case: LabelledCase, results: Mapping[str, Judged]) -> bool:
    """Whether the verdict on the case is not what its label asks for."""
    judged = results.get(case.key)
    return judged is not None and not judged.error and judged.passed is case.wrong


def _telling(contestant: Contestant, done: Callable[[Contestant, Judged], None]) -> Callable[[Judged], None]:
    return lambda judged: done(contestant, judged)
