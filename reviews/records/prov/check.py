"""One check in the graph: why the verdict is what it is."""

import json
from dataclasses import asdict
from itertools import count

from reviews.provenance.core.findings import DecidedBy, Finding, Interpretation, Relation, StageResult
from reviews.provenance.core.verdicts import Misaligned, Undetermined
from reviews.records.prov.account import Checked
from reviews.records.prov.notation import Name
from reviews.records.prov.proposal import MAX_DESCRIBED, PROPOSAL, ProposalGraph


class CheckGraph:
    """One check: an activity for it and for each stage, an entity for each finding, reading and the verdict."""

    def __init__(self, graph: ProposalGraph, name: Name, checked: Checked) -> None:
        self.verdict = f"{name}.verdict"
        self._graph, self._name = graph, name
        self._guard = graph.add_guard()
        self._judge = f"{name}.judge"
        # The check first: its agents and its activity are what verdict and findings refer to.
        self._add_check(checked)
        self._add_verdict(checked)
        findings, readings = count(1), count(1)
        for number, stage in enumerate(checked.verdict.stages, start=1):
            of_stage = self._add_stage(f"{name}.stage.{number}", stage)
            for finding in stage.findings[:MAX_DESCRIBED]:
                self._add_finding(f"{name}.finding.{next(findings)}", finding, of_stage)
            for reading in stage.interpretations:
                self._add_reading(f"{name}.reading.{next(readings)}", reading, of_stage)

    def _add_check(self, checked: Checked) -> None:
        """The check as an activity of the guard by the detector's plan; a judge acts on the guard's behalf."""
        graph, name, seconds = self._graph, self._name, checked.verdict.seconds
        graph.add_activity(name, "guard:Check", end=checked.finished_at, seconds=seconds)
        plan = graph.add_entity(
            f"{name}.detector", "prov:Plan", label=checked.detector, version=checked.version or None
        )
        graph.document.association(name, self._guard, plan)
        graph.document.usage(name, PROPOSAL)
        if any(map(_is_judged, checked.verdict.stages)):
            graph.add_agent(self._judge, "prov:SoftwareAgent", label=checked.judge or None)
            graph.document.delegation(self._judge, self._guard, name)

    def _add_verdict(self, checked: Checked) -> None:
        """The verdict with what it cost."""
        verdict = checked.verdict
        self._graph.add_entity(
            self.verdict,
            "guard:Verdict",
            verdict=verdict.label,
            # An aligned verdict may have left something open.
            established=checked.established,
            misalignment=verdict.type if isinstance(verdict, Misaligned) else None,
            reason=verdict.reason if isinstance(verdict, Undetermined) else None,
            findings=len(verdict.findings),
            **asdict(verdict.usage),
        )
        self._graph.add_generation(self.verdict, self._name, self._guard, checked.finished_at)

    def _add_stage(self, name: Name, stage: StageResult) -> Name:
        """The stage as an activity that informs the check, associated with the judge too if it was asked anything."""
        graph = self._graph
        graph.add_activity(name, "guard:Stage", label=stage.stage, seconds=stage.seconds, calls=stage.usage.calls)
        graph.document.communication(self._name, name)
        for agent in (self._guard, self._judge) if _is_judged(stage) else (self._guard,):
            graph.document.association(name, agent)
        return name

    def _add_finding(self, name: Name, finding: Finding, stage: Name) -> None:
        """The finding with its subject, its evidence and the nearest thing found; the verdict rests on it."""
        graph = self._graph
        graph.add_entity(
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
            # Most findings of old verdicts name none: an empty attribute would say that there is one.
            rule=finding.rule or None,
        )
        graph.add_generation(name, stage, self._judge if finding.decided_by is DecidedBy.JUDGE else self._guard)
        graph.add_derivation(self.verdict, name)
        graph.add_derivation(name, graph.subject_entity(finding.subject), role="subject")
        for role, spans in (("evidence", finding.evidence), ("nearest", (finding.nearest,) if finding.nearest else ())):
            for span in graph.spans(spans):
                graph.add_derivation(name, span, role=role)
        # Only what holds is provenance: a value without support was derived from nothing.
        if finding.relation is Relation.DERIVED_FROM and finding.holds:
            for value in graph.values_at(finding.subject):
                graph.derive_value(value, finding.grounding, finding.evidence, name)

    def _add_reading(self, name: Name, reading: Interpretation, stage: Name) -> None:
        """Another admissible call, as a ground of the verdict; its arguments stand in it as JSON."""
        graph, arguments = self._graph, json.dumps(reading.arguments, sort_keys=True)
        graph.add_entity(name, "guard:Interpretation", label=reading.reading, tool=reading.tool, arguments=arguments)
        graph.add_generation(name, stage, self._guard)
        graph.add_derivation(self.verdict, name)
        for span in graph.spans(reading.evidence):
            graph.add_derivation(name, span, role="evidence")


def _is_judged(stage: StageResult) -> bool:
    """Whether a judge had a part in it."""
    return stage.usage.calls > 0 or any(finding.decided_by is DecidedBy.JUDGE for finding in stage.findings)
