"""Judge entries of an experiment: each call as it is, and every variant of it that the experiment tries."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Final, NamedTuple

from reviews.datasets import job_process
from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.benchmarks.call_kinds import only_reads
from reviews.evaluation.measures.judged import Judged
from reviews.evaluation.measures.rules import rule_of
from reviews.evaluation.runs.runner import judge_case
from reviews.evaluation.runs.trials import Effect, Trial
from reviews.judging import build
from reviews.lab.experiments import is_sampled, profile_of_arm
from reviews.lab.trial_choices import trial_of
from reviews.models import ExperimentArm, ExperimentVerdict, VersionEntry
from reviews.profiles.options import detector_options
from reviews.provenance import detectors
from reviews.provenance.judges import Judge, RulesJudge
from reviews.records.dataset_items import case_of_item
from reviews.scheduling import event_loop

# Seconds of one verdict. A model may be asked a dozen questions, each with its retries.
_SECONDS_OF_RULES: Final = 30.0
_SECONDS_OF_MODEL: Final = 600.0
_UNANSWERED: Final = "Nothing speaks against the call, and no answer was had."
"""Of a detector whose questions found nobody to answer."""

NOTHING_DONE: Final = Effect("", is_failure=False)


@dataclass(frozen=True)
class Round:
    """One run of one arm."""

    arm: ExperimentArm
    run: int
    detector: detectors.Detector
    judge: Judge
    trial: Trial | None

    @classmethod
    def begin(cls, arm: ExperimentArm, run: int) -> "Round":
        """The round under the profile in force. Raises `InvalidProfileError`."""
        draft = profile_of_arm(arm)
        detector = detectors.build(arm.detector, detector_options(draft, arm.detector))
        # A run of its own asks anew: answers of another run would say the same again.
        draw = f"{arm.experiment_id}/{run}" if run > 1 else ""
        judge = build.judge_for(draft, draw=draw, is_sampled=is_sampled(arm.experiment))
        return cls(arm, run, detector, judge, trial_of(arm.experiment))

    @property
    def asks_nobody(self) -> bool:
        """Whether rules alone judge."""
        return isinstance(self.judge, RulesJudge)

    @property
    def max_verdicts(self) -> int:
        """Verdicts on one entry at most."""
        return 1 + (self.trial.per_call if self.trial else 0)

    async def judge_one(self, case: LabelledCase) -> Judged:
        """The verdict on one case."""
        # Told apart by their rows, not by what names the run: finding that out takes a tenth of a verdict.
        return await judge_case(case, self.detector, self.judge, traced=False, by=self.arm.detector)


class Result(NamedTuple):
    """What was made of an entry, or of a variant of it."""

    entry: VersionEntry
    judged: Judged
    variant: str = ""
    effect: Effect = NOTHING_DONE


def judge_entries(batch: Sequence[VersionEntry], of: Round, place: job_process.Place) -> list[Result]:
    """What the arm makes of each entry; one that ends the process is told by its place."""
    if of.asks_nobody:
        # One loop for the batch: making one takes a fifth of a verdict.
        return asyncio.run(_judge_in_turn(batch, of, place))
    # Of a few that wait together the first is noted; the others are judged again.
    with place.working_on(batch[0].ordinal, _SECONDS_OF_MODEL * of.max_verdicts):
        # On the loop that the model's connections belong to, which outlives the batch.
        judging = asyncio.run_coroutine_threadsafe(_judge_together(batch, of), event_loop.running_loop())
        return judging.result()


async def _judge_in_turn(batch: Sequence[VersionEntry], of: Round, place: job_process.Place) -> list[Result]:
    results = []
    for entry in batch:
        judging = _judge_variants(entry, of)
        while True:
            # Each verdict has its own time; nothing else runs here meanwhile.
            with place.working_on(entry.ordinal, _SECONDS_OF_RULES):
                result = await anext(judging, None)
            if result is None:
                break
            results.append(result)
    return results


async def _judge_together(batch: Sequence[VersionEntry], of: Round) -> list[Result]:
    async def collect_results(entry: VersionEntry) -> list[Result]:
        return [result async for result in _judge_variants(entry, of)]

    return list(chain.from_iterable(await asyncio.gather(*map(collect_results, batch))))


async def _judge_variants(entry: VersionEntry, of: Round) -> AsyncGenerator[Result, None]:
    """The call as it is, then each variant of it, one after the other."""
    case = labelled_case(entry)
    before = await of.judge_one(case)
    yield Result(entry, before)
    # Without a verdict on the call nobody can say whether another one moved.
    if of.trial is None or before.error:
        return
    for variant in of.trial.list_variants(case):
        after = await of.judge_one(variant.case)
        effect = NOTHING_DONE if after.error else variant.find_effect(before, after)
        yield Result(entry, after, variant.name, effect)


def labelled_case(entry: VersionEntry) -> LabelledCase:
    """The entry's call with what its label says of it."""
    case, label = case_of_item(entry.item), entry.label or {}
    aligned, document = label.get("aligned"), case.context.tool(case.action.tool)
    return LabelledCase(
        # The item's: what is drawn by it is the same in every version that holds the item.
        id=str(entry.item_id),
        label="",
        case=case,
        wrong=None if aligned is None else not aligned,
        look_up=document is not None and only_reads(document),
    )


def verdict_row(of: Round, result: Result) -> ExperimentVerdict:
    """The result as it is stored."""
    judged = result.judged
    refuting = [finding for finding in judged.findings if finding.holds is False]
    deciding = refuting or [finding for finding in judged.findings if finding.holds is None]
    rationale = next((finding.rationale for finding in deciding), _UNANSWERED)
    return ExperimentVerdict(
        arm=of.arm,
        run=of.run,
        entry=result.entry,
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
    )
