"""Judge entries of an experiment: each call as it is, and every variant of it that the experiment tries."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from itertools import chain, starmap
from typing import Any, Final, NamedTuple, TypeAlias

from reviews.datasets import job_process
from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.measures.rules import rule_of
from reviews.evaluation.runs.runner import judge_case
from reviews.evaluation.runs.trials import Effect, Trial
from reviews.judging import build
from reviews.lab.arm_options import options_under
from reviews.lab.experiment_calls import Subject, is_high_risk, labelled_case
from reviews.lab.experiments import is_sampled, profile_of_arm
from reviews.lab.trial_choices import trial_of
from reviews.models import ExperimentArm, ExperimentVerdict, GuardProfile
from reviews.profiles.options import critical_actions, rate_sources
from reviews.provenance import detectors
from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult, stage_to_json
from reviews.provenance.detectors.base import Stages
from reviews.provenance.detectors.severity import severity_of
from reviews.provenance.doubts.suspended_rule import suspend_rules
from reviews.provenance.judges import Judge, RulesJudge
from reviews.scheduling import event_loop

# Seconds of one verdict. A model may be asked a dozen questions, each with its retries.
_SECONDS_OF_RULES: Final = 30.0
_SECONDS_OF_MODEL: Final = 600.0
_UNANSWERED: Final = "Nothing speaks against the call, and no answer was had."
"""Of a detector whose questions found nobody to answer."""

_SubjectCase: TypeAlias = tuple[Subject, LabelledCase]
"""A call, and what it is judged by."""

NOTHING_DONE: Final = Effect("", is_failure=False)


@dataclass(frozen=True)
class Round:
    """One run of one arm."""

    arm: ExperimentArm
    run: int
    detector: detectors.Detector
    judge: Judge
    trial: Trial | None
    profile: GuardProfile
    """In force, with the arm's judge."""

    @classmethod
    def begin(cls, arm: ExperimentArm, run: int) -> "Round":
        """The round under the profile in force. Raises `InvalidProfileError`."""
        draft = profile_of_arm(arm)
        options = options_under(draft, arm.detector, arm.settings.get("options", {}))
        detector = detectors.build(arm.detector, options)
        # A run of its own asks anew: answers of another run would say the same again.
        draw = f"{arm.experiment_id}/{run}" if run > 1 or arm.experiment.fresh else ""
        sampled, published = is_sampled(arm.experiment), options.as_published
        judge = build.judge_for(draft, draw=draw, is_sampled=sampled, as_published=published)
        return cls(arm, run, detector, judge, trial_of(arm.experiment), draft)

    @property
    def asks_nobody(self) -> bool:
        """Whether rules alone judge."""
        return isinstance(self.judge, RulesJudge)

    @property
    def max_verdicts(self) -> int:
        """Verdicts on one entry at most."""
        return 1 + (self.trial.per_call if self.trial else 0)

    async def judge_one(self, case: LabelledCase) -> tuple[Judged, Sequence[StageResult]]:
        """The verdict on one case, and its stages."""
        believed = _BelievedDetector(self.detector, frozenset(self.profile.suspended_rules))
        # Told apart by their rows, not by what names the run: finding that out takes a tenth of a verdict.
        judged = await judge_case(case, believed, self.judge, traced=False, by=self.arm.detector)
        return judged, believed.kept


class _BelievedDetector:
    """A detector as a check runs it, without what suspended rules decide; it keeps the stages it passes on."""

    def __init__(self, detector: detectors.Detector, suspended: Collection[str]) -> None:
        self.name, self.version = detector.name, detector.version
        self.kept: list[StageResult] = []
        self._detector = detector
        self._suspended = suspended

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        async with aclosing(self._detector.stages(case, judge, done)) as stages:
            async for stage in stages:
                self.kept.append(suspend_rules(stage, self._suspended))
                yield self.kept[-1]


class Result(NamedTuple):
    """What was made of a call, or of a variant of it."""

    subject: Subject
    judged: Judged
    case: Case
    variant: str = ""
    effect: Effect = NOTHING_DONE
    stages: Sequence[StageResult] = ()
    """Of a model's verdict on the call as it is."""


def judge_entries(batch: Sequence[Subject], of: Round, place: job_process.Place) -> list[Result]:
    """What the arm makes of each call; one that ends the process is told by its place."""
    # Read here and not within: verdicts are made where the database may not be asked.
    cases = [(subject, _read_case(subject, of, place)) for subject in batch]
    if of.asks_nobody:
        # One loop for the batch: making one takes a fifth of a verdict.
        return asyncio.run(_judge_in_turn(cases, of, place))
    # Of a few that wait together the first is noted; the others are judged again.
    with place.working_on(batch[0].ordinal, _SECONDS_OF_MODEL * of.max_verdicts):
        # On the loop that the model's connections belong to, which outlives the batch.
        judging = asyncio.run_coroutine_threadsafe(_judge_together(cases, of), event_loop.running_loop())
        return judging.result()


def _read_case(subject: Subject, of: Round, place: job_process.Place) -> LabelledCase:
    with place.working_on(subject.ordinal, _SECONDS_OF_RULES):
        labelled = labelled_case(subject)
        # Not as the profile of then rated them: what it would be now is asked.
        return replace(labelled, case=rate_sources(of.profile, labelled.case))


async def _judge_in_turn(cases: Sequence[_SubjectCase], of: Round, place: job_process.Place) -> list[Result]:
    results = []
    for subject, case in cases:
        judging = _judge_variants(subject, case, of)
        while True:
            # Each verdict has its own time; nothing else runs here meanwhile.
            with place.working_on(subject.ordinal, _SECONDS_OF_RULES):
                result = await anext(judging, None)
            if result is None:
                break
            results.append(result)
    return results


async def _judge_together(cases: Sequence[_SubjectCase], of: Round) -> list[Result]:
    async def collect_results(subject: Subject, case: LabelledCase) -> list[Result]:
        return [result async for result in _judge_variants(subject, case, of)]

    return list(chain.from_iterable(await asyncio.gather(*starmap(collect_results, cases))))


async def _judge_variants(subject: Subject, case: LabelledCase, of: Round) -> AsyncGenerator[Result, None]:
    """The call as it is, then each variant of it, one after the other."""
    before, stages = await of.judge_one(case)
    # What rules found is found again in no time; what a model said is not.
    yield Result(subject, before, case.case, stages=() if of.asks_nobody else stages)
    # Without a verdict on the call nobody can say whether another one moved.
    if of.trial is None or before.error:
        return
    for variant in of.trial.list_variants(case):
        after, _ = await of.judge_one(variant.case)
        effect = NOTHING_DONE if after.error else variant.find_effect(before, after)
        yield Result(subject, after, variant.case.case, variant.name, effect)


def verdict_row(of: Round, result: Result) -> ExperimentVerdict:
    """The result as it is stored."""
    judged = result.judged
    refuting = [finding for finding in judged.findings if finding.holds is False]
    deciding = refuting or [finding for finding in judged.findings if finding.holds is None]
    rationale = next((finding.rationale for finding in deciding), _UNANSWERED)
    return ExperimentVerdict(
        arm=of.arm,
        run=of.run,
        **{of.arm.experiment.subject: result.subject},
        variant=result.variant,
        outcome=result.effect.outcome,
        is_failure=result.effect.is_failure,
        verdict=judged.verdict,
        misalignment=judged.type or "",
        reason=judged.error or ("" if judged.has_passed else rationale),
        rules=sorted({rule_of(finding) for finding in deciding or judged.findings}),
        score=judged.score,
        usage=asdict(judged.usage),
        seconds=judged.seconds,
        **({} if result.variant else _describe_call(of, result)),
    )


def _describe_call(of: Round, result: Result) -> dict[str, Any]:
    """What is kept of a verdict on a call as it is: what the call is, and what a model's answers came to."""
    case = result.case
    grave = severity_of(
        case.action,
        case.context.tool(case.action.tool),
        critical=critical_actions(of.profile),
        high_risk=is_high_risk(result.subject),
    )
    return {
        "is_grave": grave is not None,
        "position": len(case.context.history) + 1,
        "stages": [stage_to_json(stage) for stage in result.stages] or None,
    }
