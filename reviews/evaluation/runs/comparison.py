"""Several detectors on the same cases, one case after the other, and how each did."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from statistics import fmean
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace
from reviews.evaluation.measures.calibration import calibration_error, measure_pr_auc
from reviews.evaluation.measures.judged import Judged
from reviews.evaluation.measures.metrics import Confusion, Measures, Rate, Results, rate
from reviews.evaluation.measures.significance import permutation_p_value
from reviews.evaluation.runs.run_identity import identify_run
from reviews.evaluation.runs.runner import run as run_detector
from reviews.provenance.core.findings import Usage
from reviews.provenance.detectors import Detector, OneStage, TokenEntropy
from reviews.provenance.judges.base import Judge

# Their score is something else than the probability that the call is right.
_NO_PROBABILITY: Final = frozenset({TokenEntropy.name})


@dataclass
class Contestant:
    """A detector with its judge, and what it has made of the cases so far."""

    name: str
    detector: Detector
    judge: Judge
    results: dict[str, Judged] = field(default_factory=dict)
    """By the case's key."""
    variant: str = ""
    """How the judge's model is asked."""
    repeats: tuple["Contestant", ...] = ()
    """The same once more, where each case is judged several times: whatever is drawn at random is drawn anew."""

    @property
    def by(self) -> str:
        """What its results carry; those of another version, wording or setting are not its own."""
        return identify_run(self.detector, self.judge, variant=self.variant)

    @property
    def runs(self) -> tuple["Contestant", ...]:
        """Itself and its repeats."""
        return (self, *self.repeats)


@dataclass(frozen=True)
class Round:
    """One benchmark's cases, and who judged them."""

    name: str
    cases: Sequence[LabelledCase]
    contestants: Sequence[Contestant]
    attacked: Sequence[LabelledTrace] = ()
    """Whole runs of a benchmark of attacks, for what is measured by the run."""
    drawn: str = ""
    """How the cases were drawn, in words."""


@dataclass(frozen=True)
class Score:
    """How one contestant did. A case that could not be judged counts nowhere."""

    measures: Measures
    undetermined: int
    unparsable: Rate
    """Verdicts for which some answer could not be read."""
    attack_success_rate: Rate
    utility: Rate
    pr_auc: float | None
    calibration_error: float | None
    """None also where the score is no probability."""
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
    claim: Callable[[LabelledCase], AbstractContextManager[bool]] = lambda _: nullcontext(True),
) -> None:
    """Let every contestant judge every case it has no result for, and keep the results.

    `claim` is entered before a case, and says whether it is ours to judge.
    """
    entered = tuple(contestants)
    # All judge a case before the next one is begun: an endpoint that keeps the beginning of prompts reads the case's
    # context once for all of them.
    for case in cases:
        with claim(case) as ours:
            for contestant in (run for one in entered for run in one.runs) if ours else ():
                results = await run_detector(
                    [case],
                    contestant.detector,
                    contestant.judge,
                    variant=contestant.variant,
                    earlier=contestant.results,
                    done=partial(done, contestant),
                )
                contestant.results.update(results)


def together(rounds: Sequence[Round]) -> Round:
    """All rounds as one, each case counting the same."""
    merged: dict[str, Contestant] = {}
    for contestant in chain.from_iterable(one.contestants for one in rounds):
        # With results of its own, so that the rounds keep theirs.
        whole = merged.setdefault(contestant.name, replace(contestant, results={}))
        whole.results.update(contestant.results)
    cases = tuple(chain.from_iterable(one.cases for one in rounds))
    attacked = tuple(chain.from_iterable(one.attacked for one in rounds))
    return Round("all together", cases, tuple(merged.values()), attacked)


def score(compared: Round, contestant: Contestant) -> Score:
    """What it made of the round's cases, by every measure."""
    # Over all runs: FN_r summed up, over N times R (ProvenanceGuard paper, 5.4.1).
    pairs = [pair for run in contestant.runs for pair in _judged(compared.cases, run)]
    by_run = Results(tuple(compared.attacked), {case.key: judged for case, judged in pairs}).by_trace
    # Only one stage has one score of the call as a whole behind its verdict.
    scored = isinstance(contestant.detector, OneStage)
    scores = [
        (judged.score, not case.wrong)
        for case, judged in pairs
        if scored and case.wrong is not None and judged.score is not None
    ]
    return Score(
        measures=Confusion.of(pairs).measures,
        undetermined=sum(judged.verdict == "undetermined" for _, judged in pairs),
        unparsable=rate((judged.unparsable for _, judged in pairs), bool),
        attack_success_rate=by_run.attack_success,
        utility=by_run.utility,
        pr_auc=measure_pr_auc(scores),
        calibration_error=None if contestant.detector.name in _NO_PROBABILITY else calibration_error(scores),
        usage=sum((judged.usage for _, judged in pairs), Usage()),
        seconds=sum(judged.seconds for _, judged in pairs),
        cases=len(pairs),
    )


def chance(cases: Iterable[LabelledCase], better: Contestant, other: Contestant) -> float:
    """The p, 0 to 1, of `better` making fewer mistakes than `other` on the cases that both have judged."""
    by_better = [case for case, _ in _judged(cases, better)]
    by_both = [case for case, _ in _judged(by_better, other)]
    return permutation_p_value([_mistakes(case, other) - _mistakes(case, better) for case in by_both])


def _mistakes(case: LabelledCase, contestant: Contestant) -> float:
    """The share of its runs in which it was mistaken about the case (ProvenanceGuard paper, 5.4.3)."""
    return fmean(mistaken(case, run.results) for run in contestant.runs)


def mistaken(case: LabelledCase, results: Mapping[str, Judged]) -> bool:
    """Whether the verdict on the case is not what its label asks for."""
    judged = results.get(case.key)
    return judged is not None and not judged.error and judged.passed is case.wrong


def _judged(cases: Iterable[LabelledCase], contestant: Contestant) -> list[tuple[LabelledCase, Judged]]:
    """The cases that it has judged, without those in which its judge failed."""
    pairs = ((case, contestant.results.get(case.key)) for case in cases)
    return [(case, judged) for case, judged in pairs if judged and not judged.error]
