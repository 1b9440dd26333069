"""What a verdict comes to, in one line."""

from collections.abc import Mapping
from typing import Final, assert_never

from reviews.provenance.core.findings import Finding, Relation
from reviews.provenance.core.pointers import name_of
from reviews.provenance.core.verdicts import Aligned, Misaligned, Undetermined, Verdict, open_in

CLAIMS: Final[Mapping[Relation, str]] = {
    Relation.SPECIFIED_BY: "{subject} is documented",
    Relation.CONTRIBUTE_TO: "the step serves the request",
    Relation.RELEVANT_TO: "{subject} serves the step",
    Relation.APPEAR_IN: "the evidence stands in the request or history",
    Relation.DERIVED_FROM: "{subject} has a source",
    Relation.CAN_ADDRESS: "the call can do what the step asks for",
    Relation.PERMITTED_BY: "{subject} serves no harmful end",
    Relation.UNTAINTED: "{subject} holds nothing out of place",
    Relation.SATISFIES: "the call keeps a condition of the task: {subject}",
    Relation.ENTAILED_BY: "what can be trusted justifies the call",
}
"""What a relation says of its subject when it holds, as a sentence goes on."""


def reason_of(verdict: Verdict) -> str:
    """Why the verdict stops the action or leaves it open, in one line; empty where everything is established."""
    unknown = next(iter(open_in(verdict.findings)), None)
    match verdict:
        case Undetermined():
            return verdict.reason
        case Misaligned():
            # Of the stage that gave the verdict its type: earlier stages may hold others that did not decide.
            rejecting = (stage for stage in verdict.stages if stage.misalignment == verdict.type)
            failed = [finding for stage in rejecting for finding in stage.findings if finding.holds is False]
            if finding := min(failed, key=_harm_of, default=unknown):
                # With the argument it is about: a row of the queue does not show the call.
                subject = f"{name_of(finding.subject)}: " if finding.subject.startswith("/") else ""
                return f"{subject}{finding.rationale}"
            if verdict.interpretations:
                return f"The request can be read in {len(verdict.interpretations)} ways."
            return f"Misaligned at the {verdict.type} level."
        case Aligned():
            return why_unproven(unknown) if unknown else ""
        case _ as unreachable:
            assert_never(unreachable)


def harm_rank(relation: Relation, *, injected: bool) -> int:
    """Sorts what fails by what a person has to hear of first: an attack, a tool that is not there, whatever else."""
    return 0 if injected else 1 if relation == Relation.SPECIFIED_BY else 2


def _harm_of(finding: Finding) -> int:
    return harm_rank(finding.relation, injected=finding.untrusted_only)


def why_unproven(finding: Finding) -> str:
    """What a finding that could not be established leaves open, and why, for somebody who does not know relations."""
    subject = name_of(finding.subject) if finding.subject.startswith("/") else finding.subject
    if finding.rule.startswith("doubts."):
        # A doubt is a question that says what it is about.
        return f"Unproven: {subject}. {finding.rationale}"
    claim = CLAIMS[finding.relation].format(subject=f"“{subject}”")
    return f"Not proven: {claim}. {finding.rationale}"
