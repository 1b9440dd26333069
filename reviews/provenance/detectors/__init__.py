"""The detectors by name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from reviews.provenance.detectors import direct_prompt, provenance_guard
from reviews.provenance.detectors.base import Detector, Options, verdict_of
from reviews.provenance.detectors.direct_prompt import DirectPrompt
from reviews.provenance.detectors.provenance_guard import ProvenanceGuard
from reviews.provenance.schema import schema_problems

__all__ = [
    "DETECTORS", "Detector", "DirectPrompt", "Options", "ProvenanceGuard", "build", "schema_problems", "verdict_of",
]  # fmt: skip

DETECTORS: Mapping[str, Callable[[Options], Detector]] = MappingProxyType(
    {provenance_guard.NAME: ProvenanceGuard, direct_prompt.NAME: DirectPrompt}
)
"""What makes each detector."""


def build(name: str, options: Options) -> Detector:
    """The detector of this name. Raises KeyError when there is none."""
    return DETECTORS[name](options)
