"""Several detectors on the same cases, one case after the other, and how each did."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, product, zip_longest
from statistics import fmean
from typing import Final, TypeAlias

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace
from reviews.evaluation.measures.attacked_runs import AttackRates, add_attack_rates, rate_guarded, rate_unguarded
from reviews.evaluation.measures.calibration import calibration_error, measure_pr_auc
from reviews.evaluation.measures.detection_rates import Confusion, Measures, Rate, Results, add_rates, count_rate
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.measures.significance import permutation_p_value
from reviews.evaluation.measures.thresholds import Scored
from reviews.evaluation.runs.run_identity import identify_run
from reviews.evaluation.runs.runner import run_detector
from reviews.provenance.core.findings import Usage
from reviews.provenance.detectors import Detector, OneStage, TokenEntropy
from reviews.provenance.judges.base import Judge

JudgedCase: TypeAlias = tuple[LabelledCase, Judged]
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
    traces: Sequence[LabelledTrace] = ()
    """The traces that the cases were drawn from, for what is told of a whole trace."""


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


async def judge_missing(
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
            for contestant in (run_detector for first in entered for run_detector in first.runs) if ours else ():
                results = await run_detector(
                    [case],
                    contestant.detector,
                    contestant.judge,
                    variant=contestant.variant,
                    earlier=contestant.results,
                    done=partial(done, contestant),
                )
                contestant.results.update(results)


def merge_rounds(rounds: Sequence[Round]) -> Round:
    """All rounds as one, each case counting the same."""
    entered: dict[str, list[Contestant]] = {}
    for contestant in chain.from_iterable(part.contestants for part in rounds):
        entered.setdefault(contestant.name, []).append(contestant)
    merged = tuple(map(_merge_entries, entered.values()))
    cases = tuple(chain.from_iterable(part.cases for part in rounds))
    attacked = tuple(chain.from_iterable(part.attacked for part in rounds))
    traces = tuple(chain.from_iterable(part.traces for part in rounds))
    return Round("all together", cases, merged, attacked, traces=traces)


def _merge_entries(entries: Sequence[Contestant]) -> Contestant:
    """One contestant's entries in several rounds as one, run by run."""
    # With results of their own, so that the rounds keep theirs. A round with fewer repeats has none in the last runs.
    first, *repeats = (
        replace(runs[0], results={key: judged for run in runs for key, judged in run.results.items()}, repeats=())
        for runs in ([run for run in at if run] for at in zip_longest(*(entry.runs for entry in entries)))
    )
    return replace(first, repeats=tuple(repeats))


def score_contestant(compared: Round, contestant: Contestant) -> Score:
    """What it made of the round's cases, by every measure."""
    judged_runs = list_judged_runs(compared.cases, contestant)
    pairs = list(chain.from_iterable(judged_runs))
    by_run = [results_on(compared.attacked, compared.cases, run).by_trace for run in contestant.runs]
    scores = list_scores(compared, contestant)
    return Score(
        measures=measure_contestant(compared.cases, contestant),
        undetermined=sum(judged.verdict == "undetermined" for _, judged in pairs),
        unparsable=add_rates(count_rate(run, lambda pair: pair[1].is_unparsable) for run in judged_runs),
        attack_success_rate=add_rates(rates.attack_success for rates in by_run),
        utility=add_rates(rates.utility for rates in by_run),
        pr_auc=measure_pr_auc(scores),
        calibration_error=None if contestant.detector.name in _NO_PROBABILITY else calibration_error(scores),
        usage=sum((judged.usage for _, judged in pairs), Usage()),
        seconds=sum(judged.seconds for _, judged in pairs),
        cases=len(pairs),
    )


def measure_contestant(cases: Iterable[LabelledCase], contestant: Contestant) -> Measures:
    """The measures of these cases over all of its runs: FN_r summed up, over N × R (ProvenanceGuard paper, 5.4.1)."""
    judged_runs = list_judged_runs(tuple(cases), contestant)
    return Confusion.from_pairs(chain.from_iterable(judged_runs), runs=max(len(judged_runs), 1)).measures


def list_judged_runs(cases: Sequence[LabelledCase], contestant: Contestant) -> list[list[JudgedCase]]:
    """What each of its runs has made of the cases, without runs that have judged none."""
    return list(filter(None, (_judged_cases(cases, run) for run in contestant.runs)))


def list_scores(compared: Round, contestant: Contestant) -> list[Scored]:
    """The scores of all its runs for the round's labelled cases; none where no score stands for the whole call."""
    # Only one stage has one score of the call as a whole behind its verdict.
    if not isinstance(contestant.detector, OneStage):
        return []
    pairs = (pair for run_detector in contestant.runs for pair in _judged_cases(compared.cases, run_detector))
    return [
        (judged.score, not case.wrong) for case, judged in pairs if case.wrong is not None and judged.score is not None
    ]


def attack_rates(compared: Round, contestant: Contestant | None, *, family: str = "") -> AttackRates:
    """The papers' measures of whole runs; without a contestant those of the runs with no guard in their way.

    Each repeat of the contestant counts them once more. `family`: of the runs that suffered such attacks alone.
    """
    judged = {case.key for case in compared.cases}
    # Of a sample only the runs count of which every call was drawn.
    traces = tuple(
        trace
        for trace in compared.attacked
        if family in ("", trace.attack) and all(case.key in judged for case in trace.cases)
    )
    if contestant is None:
        return rate_unguarded(traces)
    return add_attack_rates([rate_guarded(Results(traces, repeat.results)) for repeat in contestant.runs])


def advantage_p_value(cases: Iterable[LabelledCase], better: Contestant, rival: Contestant) -> float:
    """The p, 0 to 1, of `better` making fewer mistakes than `rival` on the cases that both have judged."""
    return permutation_p_value(list_excesses(tuple(cases), rival, better))


def list_excesses(cases: Sequence[LabelledCase], first: Contestant, rival: Contestant) -> list[float]:
    """By how much `first` errs more often than `rival`, -1 to 1, on each case that both have judged."""
    shares, of_rival = mistake_shares(cases, first), mistake_shares(cases, rival)
    return [share - of_rival[key] for key, share in shares.items() if key in of_rival]


def mistake_shares(cases: Iterable[LabelledCase], contestant: Contestant) -> Mapping[str, float]:
    """By the key of each case it has judged, the share of its runs that erred (ProvenanceGuard paper, 5.4.3)."""
    # A run without a verdict on the case made no mistake, and was not right either.
    mistakes: dict[str, list[bool]] = {}
    for case, run in product(cases, contestant.runs):
        if _judged_cases([case], run):
            mistakes.setdefault(case.key, []).append(is_mistaken(case, run.results))
    return {key: fmean(mistaken) for key, mistaken in mistakes.items()}


def is_mistaken(case: LabelledCase, results: Mapping[str, Judged]) -> bool:
    """Whether the verdict on the case is not what its label asks for."""
    judged = results.get(case.key)
    return judged is not None and not judged.error and judged.has_passed is case.wrong


def results_on(traces: Iterable[LabelledTrace], cases: Iterable[LabelledCase], run: Contestant) -> Results:
    """What this run, without its repeats, made of these cases of the traces."""
    return Results(tuple(traces), {case.key: judged for case, judged in _judged_cases(cases, run)})


def _judged_cases(cases: Iterable[LabelledCase], contestant: Contestant) -> list[JudgedCase]:
    """The cases that it has judged, without those in which its judge failed."""
    pairs = ((case, contestant.results.get(case.key)) for case in cases)
    return [(case, judged) for case, judged in pairs if judged and not judged.error]
