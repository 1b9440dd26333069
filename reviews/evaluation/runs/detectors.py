"""Every published detector, as its paper has it, and ours beside, each with the judge it is meant to have."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from reviews.evaluation.runs.comparison import Contestant
from reviews.provenance.detectors import DETECTORS, Options, build
from reviews.provenance.judges import Caching, Judge, RulesFirst
from reviews.provenance.judges.caching import MemoryAnswers
from reviews.provenance.judges.openai import OpenAIJudge

_OURS: Final = "provenance-guard"
# By their papers they ask once about a plan, a tool or an observation, and not again at each call.
_REMEMBERING: Final = frozenset({"intent-guard", "argus"})
# Each prompt begins with what the one before has left in the endpoint's prefix cache; the others follow.
_ORDER: Final = (
    "direct-prompt", "prove-prompt", "token-probability", "token-entropy", "multi-step", "infer-act-direct",
    "self-consistency",
    "infer-act-verb", "infer-act-prob",
)  # fmt: skip
# A method as its paper has it: the model alone, and the calls made so far where the record holds no plan.
_PUBLISHED: Final = Options(unknown="pass", order="paper", without_plan="steps")


def _published(name: str, detector: str, model: Judge) -> Contestant:
    """A method as its paper has it, with the judge it is meant to have."""
    # One memory for the whole comparison: what a method remembers outlives the case it asked for.
    # Output that cannot be read is what the papers take it for, and not asked for again.
    once = model.read_once() if isinstance(model, OpenAIJudge) else model
    judge = Caching(once, MemoryAnswers(), scope="compare") if detector in _REMEMBERING else once
    return Contestant(name, build(detector, _PUBLISHED), judge)


def _ours(model: Judge) -> Contestant:
    """Our detector as the product has it: behind rules and a cache, and what nobody can tell passes."""
    judge = RulesFirst(Caching(model, MemoryAnswers(), scope="compare"))
    return Contestant(_OURS, build(_OURS, Options(unknown="pass")), judge)


_OTHERS: Final = tuple(dict.fromkeys(name for name in (*_ORDER, *DETECTORS) if name != _OURS))
CONTESTANTS: Final[Mapping[str, Callable[[Judge], Contestant]]] = MappingProxyType(
    {
        f"{_OURS}-paper": partial(_published, f"{_OURS}-paper", _OURS),
        _OURS: _ours,
        **{name: partial(_published, name, name) for name in _OTHERS},
    }
)
"""Each as it is meant to run: the published ones with the model alone, or with what they remember by their
papers; ours behind rules and a cache."""
