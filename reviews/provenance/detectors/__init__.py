"""The detectors by name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from reviews.provenance.detectors.argus.detector import Argus
from reviews.provenance.detectors.base import Detector, Options, verdict_of
from reviews.provenance.detectors.infer_act import (
    InferActDirect,
    InferActProb,
    InferActVerb,
    MultiStep,
    SelfConsistency,
    TokenEntropy,
    TokenProbability,
)
from reviews.provenance.detectors.intent_guard.detector import IntentGuard
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.prompt_baselines import DirectPrompt, ProvePrompt
from reviews.provenance.detectors.provenance_guard.detector import ProvenanceGuard

__all__ = [
    "DETECTORS", "Argus", "Detector", "DirectPrompt", "InferActDirect", "InferActProb", "InferActVerb", "IntentGuard",
    "MultiStep", "OneStage", "Options", "ProvePrompt", "ProvenanceGuard", "SelfConsistency", "TokenEntropy",
    "TokenProbability", "build", "verdict_of",
]  # fmt: skip

DETECTORS: Mapping[str, Callable[[Options], Detector]] = MappingProxyType(
    {
        ProvenanceGuard.name: ProvenanceGuard,
        DirectPrompt.name: DirectPrompt,
        ProvePrompt.name: ProvePrompt,
        InferActVerb.name: InferActVerb,
        InferActProb.name: InferActProb,
        InferActDirect.name: InferActDirect,
        SelfConsistency.name: SelfConsistency,
        TokenProbability.name: TokenProbability,
        TokenEntropy.name: TokenEntropy,
        MultiStep.name: MultiStep,
        IntentGuard.name: IntentGuard,
        Argus.name: Argus,
    }
)
"""What makes each detector."""


def build(name: str, options: Options) -> Detector:
    """The detector of this name. Raises KeyError when there is none."""
    return DETECTORS[name](options)
