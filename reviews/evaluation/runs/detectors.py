"""Every published detector, as its paper has it, and ours beside, each with the judge it is meant to have."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from reviews.evaluation.runs.comparison import Contestant
from reviews.provenance.detectors import DETECTORS, Options, build
from reviews.provenance.judges import Caching, Judge, RulesFirst
from reviews.provenance.judges.caching import MemoryAnswers

_OURS: Final = "provenance-guard"
_REMEMBER: Final = frozenset({"intent-guard", "argus"})
_ORDER: Final = (
    "direct-prompt", "prove-prompt", "token-probability", "token-entropy", "multi-step", "self-consistency",
    "infer-act-verb", "infer-act-prob",
)  # fmt: skip
"""Each prompt begins with what the one before has left in the endpoint's prefix cache; the others follow."""
_PUBLISHED: Final = Options(unknown="pass", order="paper", without_plan="steps")
"""A method as its paper has it: the model alone, and the calls made so far where the record holds no plan."""


def _published(name: str, detector: str = "") -> Callable[[Judge], Contestant]:
    return lambda model: Contestant(name, build(detector or name, _PUBLISHED), model)


def _remembering(name: str) -> Callable[[Judge], Contestant]:
    """A method that asks once about a plan, a tool or an observation, and not again at each call."""
    return lambda model: Contestant(name, build(name, _PUBLISHED), _with_memory(model))


def _ours(model: Judge) -> Contestant:
    return Contestant(_OURS, build(_OURS, Options(unknown="pass")), RulesFirst(_with_memory(model)))


def _with_memory(model: Judge) -> Judge:
    return Caching(model, MemoryAnswers(), scope="compare")


CONTESTANTS: Final[Mapping[str, Callable[[Judge], Contestant]]] = MappingProxyType(
    {
        f"{_OURS}-paper": _published(f"{_OURS}-paper", _OURS),
        _OURS: _ours,
        **{
            name: _remembering(name) if name in _REMEMBER else _published(name)
            for name in (*_ORDER, *DETECTORS)
            if name != _OURS
        },
    }
)
"""Each as it is meant to run: the published ones with the model alone, or with what they remember by their
papers; ours behind rules and a cache."""
