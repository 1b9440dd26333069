"""One check in the graph: why the verdict is what it is."""

import json
from collections.abc import Sequence
from itertools import count

from reviews.provenance.core.findings import (
    DecidedBy,
    Finding,
    Interpretation,
    Misaligned,
    Relation,
    StageResult,
    Undetermined,
    Verdict,
)
from reviews.provenance.prov.account import Checked
from reviews.provenance.prov.notation import Name, Notation
from reviews.provenance.prov.proposal import MOST, PROPOSAL, ProposalGraph


class CheckGraph:
    """One check: an activity for it and for each stage, an entity for each finding, reading and the verdict."""

    def __init__(self, name: Name, checked: Checked, notation: Notation, proposal: ProposalGraph) -> None:
        self.verdict = f"{name}.verdict"
        self._name = name
        self._checked = checked
        self._notation = notation
        self._proposal = proposal
        self._guard = notation.guard()
        self._judge = f"{name}.judge"
        self._tell_check()
        self._tell_verdict(checked.verdict)
        self._tell_stages(checked.verdict.stages)

    def _tell_check(self) -> None:
        note, checked = self._notation, self._checked
        note.activity(self._name, "guard:Check", end=checked.finished_at, seconds=checked.verdict.seconds)
        plan = note.entity(
            f"{self._name}.detector", "prov:Plan", label=checked.detector, version=checked.version or None
        )
        note.document.association(self._name, self._guard, plan)
        note.document.usage(self._name, PROPOSAL)
        if any(map(_asked, checked.verdict.stages)):
            note.agent(self._judge, "prov:SoftwareAgent", label=checked.judge or None)
            note.document.delegation(self._judge, self._guard, self._name)

    def _tell_verdict(self, verdict: Verdict) -> None:
        self._notation.entity(
            self.verdict,
            "guard:Verdict",
            verdict=verdict.label,
            misalignment=verdict.type if isinstance(verdict, Misaligned) else None,
            reason=verdict.reason if isinstance(verdict, Undetermined) else None,
            findings=len(verdict.findings),
            calls=verdict.usage.calls,
            prompt_tokens=verdict.usage.prompt_tokens,
            completion_tokens=verdict.usage.completion_tokens,
            cost_usd=verdict.usage.cost_usd,
        )
        self._notation.made(self.verdict, self._name, self._guard, self._checked.finished_at)

    def _tell_stages(self, stages: Sequence[StageResult]) -> None:
        findings, readings = count(1), count(1)
        for number, stage in enumerate(stages, start=1):
            name = self._tell_stage(number, stage)
            for finding in stage.findings[:MOST]:
                self._tell_finding(f"{self._name}.finding.{next(findings)}", finding, name)
            for reading in stage.interpretations:
                self._tell_reading(f"{self._name}.reading.{next(readings)}", reading, name)

    def _tell_stage(self, number: int, stage: StageResult) -> Name:
        note, name = self._notation, f"{self._name}.stage.{number}"
        note.activity(name, "guard:Stage", label=stage.stage, seconds=stage.seconds, calls=stage.usage.calls)
        note.document.communication(self._name, name)
        for agent in (self._guard, self._judge) if _asked(stage) else (self._guard,):
            note.document.association(name, agent)
        return name

    def _tell_finding(self, name: Name, finding: Finding, stage: Name) -> None:
        note = self._notation
        note.entity(
            name,
            "guard:Finding",
            relation=finding.relation,
            subject=finding.subject,
            holds=finding.holds,
            rationale=finding.rationale,
            grounding=finding.grounding,
            score=finding.score,
            trust=finding.trust,
            untrusted_only=finding.untrusted_only,
        )
        note.made(name, stage, self._judge if finding.decided_by is DecidedBy.JUDGE else self._guard)
        note.derived(self.verdict, name)
        note.derived(name, self._subject(finding), role="subject")
        for span in self._proposal.spans(finding.evidence):
            note.derived(name, span, role="evidence")
        for span in self._proposal.spans((finding.nearest,) if finding.nearest else ()):
            note.derived(name, span, role="nearest")
        self._tell_origin(name, finding)

    def _subject(self, finding: Finding) -> Name:
        document = self._proposal.source(f"tool/{finding.subject}")
        return document if document and not finding.subject.startswith("/") else self._proposal.subject(finding.subject)

    def _tell_origin(self, name: Name, finding: Finding) -> None:
        if finding.relation is Relation.DERIVED_FROM and finding.holds:
            for value in self._proposal.values_at(finding.subject):
                self._proposal.rest_on(value, finding.grounding, finding.evidence, name)

    def _tell_reading(self, name: Name, reading: Interpretation, stage: Name) -> None:
        note = self._notation
        arguments = json.dumps(reading.arguments, sort_keys=True)
        note.entity(name, "guard:Interpretation", label=reading.reading, tool=reading.tool, arguments=arguments)
        note.made(name, stage, self._guard)
        note.derived(self.verdict, name)
        for span in self._proposal.spans(reading.evidence):
            note.derived(name, span, role="evidence")


def _asked(stage: StageResult) -> bool:
    """Whether a judge had a part in it."""
    return stage.usage.calls > 0 or any(finding.decided_by is DecidedBy.JUDGE for finding in stage.findings)
