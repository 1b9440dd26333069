"""Every published detector, as its paper has it, and ours beside, each with the judge it is meant to have."""

from dataclasses import dataclass, replace
from typing import Final

from reviews.evaluation.runs.contestants import Contestant
from reviews.provenance.detectors import DETECTORS, Options, build
from reviews.provenance.detectors.base import Aggregate
from reviews.provenance.detectors.critical_actions import CriticalAction
from reviews.provenance.judges import Caching, Judge, RulesFirst, RulesJudge
from reviews.provenance.judges.caching import MemoryAnswers
from reviews.provenance.judges.openai import OpenAIJudge

OURS: Final = "provenance-guard"
# By their papers they ask once about a plan, a tool or an observation, and not again at each call.
_REMEMBERING: Final = frozenset({"intent-guard", "argus"})
# Each prompt begins with what the one before has left in the endpoint's prefix cache; the others follow.
_ORDER: Final = (
    "direct-prompt", "prove-prompt", "token-probability", "token-entropy", "multi-step", "infer-act-direct",
    "self-consistency",
    "infer-act-verb", "infer-act-prob",
)  # fmt: skip
_PAPER_OF_OURS: Final = f"{OURS}-paper"
_RULES_OF_OURS: Final = f"{OURS}-rules"
# Its paper leaves every model at the endpoint's default sampling and runs it several times (5.3, 5.4.1).
_SAMPLED: Final = frozenset({_PAPER_OF_OURS, OURS, "direct-prompt", "prove-prompt"})


@dataclass(frozen=True)
class Choices:
    """What a comparison chooses for all of its contestants."""

    critical: tuple[CriticalAction, ...] = ()
    """The benchmark's calls that end a task."""
    reconstruct_subtasks: bool = False
    aggregate: Aggregate = Options.aggregate
    window: int = Options.window
    """h: how many of the latest calls IntentGuard judges together."""
    repeats: int = 1
    """R: how often each case is judged."""


def enter_contestant(name: str, model: Judge, choices: Choices) -> Contestant:
    """The contestant of this name, with its repeats. Raises KeyError when there is none."""
    first, *repeats = (_enter_once(name, model, choices) for _ in range(choices.repeats))
    return replace(first, repeats=tuple(repeats))


def _enter_once(name: str, model: Judge, choices: Choices) -> Contestant:
    if choices.repeats > 1 and name in _SAMPLED and isinstance(model, OpenAIJudge):
        model = model.with_options(replace(model.options, temperature=None))
    if name == OURS:
        return _enter_ours(model, choices)
    if name == _RULES_OF_OURS:
        return Contestant(name, build(OURS, Options(unknown="pass")), RulesJudge())
    return _enter_published(name, name.removesuffix("-paper"), model, choices)


def _enter_published(name: str, detector: str, model: Judge, choices: Choices) -> Contestant:
    """A method as its paper has it: the model alone, or with what it remembers by its paper."""
    # Output that cannot be read is what the papers take it for, and not asked for again.
    once = model.read_once() if isinstance(model, OpenAIJudge) else model
    # One memory for the whole comparison: what a method remembers outlives the case it asked for.
    remembers = detector in _REMEMBERING or (choices.reconstruct_subtasks and detector == OURS)
    judge = Caching(once, MemoryAnswers(), scope="compare") if remembers else once
    # The calls made so far where the record holds no plan.
    options = Options(
        unknown="pass", order="paper", without_plan="steps", critical=choices.critical,
        reconstruct_subtasks=choices.reconstruct_subtasks, aggregate=choices.aggregate, window=choices.window,
    )  # fmt: skip
    return Contestant(name, build(detector, options), judge, variant=_variant_of(once))


def _enter_ours(model: Judge, choices: Choices) -> Contestant:
    """Our detector as the product has it: behind rules and a cache, and what nobody can tell passes."""
    judge = RulesFirst(Caching(model, MemoryAnswers(), scope="compare"))
    options = Options(unknown="pass", reconstruct_subtasks=choices.reconstruct_subtasks)
    return Contestant(OURS, build(OURS, options), judge, variant=_variant_of(model))


def _variant_of(model: Judge) -> str:
    """How the model is asked: an answer under other options is another model's."""
    return f"{model.options.fingerprint} {model.readings}" if isinstance(model, OpenAIJudge) else ""


CONTESTANTS: Final = tuple(dict.fromkeys([_RULES_OF_OURS, _PAPER_OF_OURS, OURS, *_ORDER, *DETECTORS]))
"""Every contestant: the published methods, and ours beside its paper's, with the model and without."""
