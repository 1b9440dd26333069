"""What a verdict rests on: proof of the call, proof against it, or neither."""

from collections.abc import Iterable
from enum import StrEnum

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.judged_case import Judged
from reviews.provenance.core.findings import DecidedBy, Finding
from reviews.provenance.detectors.provenance_guard.parameter import EXPLORED
from reviews.provenance.terms.derivability import DerivableParameters


class Proof(StrEnum):
    """What was shown of one call."""

    ESTABLISHED = "established"
    """Every relation that was tested holds by rule."""
    REFUTED = "refuted"
    """The call is misaligned."""
    UNKNOWN = "unknown"
    """Anything else: some relation is open, or rests on a judge's word."""


def proof_of(judged: Judged) -> Proof:
    """What was shown of the call by rule."""
    return _conclude(judged, open_findings(judged))


def conclusion_of(judged: Judged) -> Proof:
    """The same, whoever decided: what a judge says holds counts as a rule's word does."""
    unproven = (finding for finding in judged.findings if not finding.holds or finding.rule == EXPLORED)
    return _conclude(judged, unproven)


def _conclude(judged: Judged, unproven: Iterable[Finding]) -> Proof:
    if judged.verdict == "misaligned":
        return Proof.REFUTED
    # A verdict without findings shows nothing.
    return Proof.ESTABLISHED if judged.has_passed and judged.findings and not list(unproven) else Proof.UNKNOWN


def open_findings(judged: Judged) -> list[Finding]:
    """The findings that do not hold by rule. What a look-up merely tries out holds for nothing."""
    return [
        finding
        for finding in judged.findings
        if not (finding.holds and finding.decided_by is DecidedBy.RULE) or finding.rule == EXPLORED
    ]


def sources_established(case: LabelledCase, judged: Judged) -> bool:
    """Whether each argument leaf that needs a source was traced to one.

    A leaf needs one unless the rules know that the agent composes it: where its class is open, it does.
    """
    document = case.case.context.tool(case.case.action.tool)
    classes = DerivableParameters.by_rule(document) if document else None
    decisive = [leaf for leaf in judged.traced if classes is None or classes.is_derivable(leaf.pointer) is not False]
    return not any(leaf.is_questioned or leaf.open for leaf in decisive)
