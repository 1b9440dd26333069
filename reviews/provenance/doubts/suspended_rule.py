"""A rule that a workspace does not believe any more: what it decided is a doubt there."""

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from reviews.provenance.core.findings import Relation, StageResult

NOTE: Final = "People overruled this rule too often here, so that it decides nothing. "


def suspend_rules(stage: StageResult, rules: Collection[str]) -> StageResult:
    """The stage without what these rules decided: their findings are open, and a stage that they rejected is undecided.

    Such a stage ends the check as before, with a person: the stages behind it have not run, and nobody may take the
    call for checked. Text that was labelled anomalous stays so: without its label it would count as evidence.
    """
    suspended = [
        finding
        for finding in stage.findings
        if finding.rule in rules
        and finding.holds is not None
        # A check that goes on after a crash reads the labels here: one that is gone would only let more pass.
        and not (finding.relation is Relation.UNTAINTED and finding.holds is False)
    ]
    if not suspended:
        return stage
    refuted = [finding for finding in stage.findings if finding.holds is False]
    findings = tuple(
        replace(finding, holds=None, rationale=NOTE + finding.rationale) if finding in suspended else finding
        for finding in stage.findings
    )
    rejected_by_others = stage.misalignment is not None and not (refuted and all(f in suspended for f in refuted))
    if rejected_by_others or not stage.final:
        return replace(stage, findings=findings)
    reason = stage.undetermined or NOTE + suspended[0].rationale
    return replace(stage, findings=findings, misalignment=None, passed=False, undetermined=reason)
