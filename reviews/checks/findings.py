"""Store a verdict's findings and interpretations as rows."""

from typing import Any

from reviews.models import Check, Finding, Interpretation, pipeline
from reviews.provenance.core.context import Span
from reviews.provenance.core.verdicts import Verdict


def store_findings(examined: Check, verdict: Verdict) -> None:
    """Store what every stage found, in its order, and the other readings of the request."""
    if rows := [*build_findings(examined, verdict), *build_interpretations(examined, verdict)]:
        pipeline.insert_rows(rows)


def build_findings(examined: Check, verdict: Verdict) -> list[Finding]:
    """What every stage found, unsaved."""
    # Numbered over all stages: people read them in the order in which they were found.
    findings = [(stage.stage, finding) for stage in verdict.stages for finding in stage.findings]
    return [
        Finding(
            check_run=examined,
            ordinal=ordinal,
            stage=stage,
            relation=finding.relation,
            subject=finding.subject,
            holds=finding.holds,
            rationale=finding.rationale,
            decided_by=finding.decided_by,
            grounding=finding.grounding or "",
            score=finding.score,
            evidence=[span_to_json(span) for span in finding.evidence],
            sources=list(finding.sources),
            trust=finding.trust,
            untrusted_only=finding.untrusted_only,
            rule=finding.rule,
            nearest=span_to_json(finding.nearest) if finding.nearest else None,
        )
        for ordinal, (stage, finding) in enumerate(findings)
    ]


def build_interpretations(examined: Check, verdict: Verdict) -> list[Interpretation]:
    """The other readings of the request, unsaved."""
    return [
        Interpretation(
            check_run=examined,
            ordinal=ordinal,
            reading=reading.reading,
            tool=reading.tool,
            arguments=reading.arguments,
            evidence=[span_to_json(span) for span in reading.evidence],
        )
        for ordinal, reading in enumerate(verdict.interpretations)
    ]


def span_to_json(span: Span) -> dict[str, Any]:
    """A span as the JSON columns of findings hold it."""
    return {"source": span.source, "start": span.start, "end": span.end, "quote": span.quote}
