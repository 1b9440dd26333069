"""The rules that decided a call, and whether they spoke of what is wrong with it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.detection_rates import Rate
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.measures.proof import Proof, conclusion_of
from reviews.provenance.core.findings import DecidedBy, Finding, Relation

# About the call with its arguments: where one of these is wrong, they speak of it. Others are about tool or subtask.
_OF_ALL_ARGUMENTS: Final = frozenset({Relation.CAN_ADDRESS, Relation.SATISFIES, Relation.ENTAILED_BY})


@dataclass
class Decided:
    """The calls that one rule had a part in deciding one way."""

    right: int = 0
    wrong: int = 0
    at_value: int = 0
    """Of the wrong ones those in which it spoke of what is wrong."""


@dataclass
class RuleRecord:
    """What one rule decided. A call counts once for each rule that had a part in it."""

    established: Decided
    refuted: Decided

    @property
    def precision_of_refuting(self) -> Rate:
        """Of the calls it refuted, the wrong ones in which it spoke of what is wrong: anything else is luck."""
        return Rate(self.refuted.at_value, self.refuted.right + self.refuted.wrong)

    @property
    def precision_of_establishing(self) -> Rate:
        """Of the calls it helped to establish, without those that are wrong elsewhere, the right ones."""
        # What it said of the right value of a wrong call is no mistake.
        return Rate(self.established.right, self.established.right + self.established.at_value)


def records_by_rule(pairs: Iterable[tuple[LabelledCase, Judged]]) -> Mapping[str, RuleRecord]:
    """Each rule that decided a call whose label says whether it is right, by name."""
    records: dict[str, RuleRecord] = defaultdict(lambda: RuleRecord(Decided(), Decided()))
    for case, judged in pairs:
        conclusion = conclusion_of(judged)
        if case.wrong is None or conclusion is Proof.UNKNOWN:
            continue
        for rule, spoke_of_error in _deciding_rules(case, judged, conclusion).items():
            record = records[rule]
            decided = record.refuted if conclusion is Proof.REFUTED else record.established
            decided.right += not case.wrong
            decided.wrong += case.wrong
            decided.at_value += case.wrong and spoke_of_error
    return records


def _deciding_rules(case: LabelledCase, judged: Judged, conclusion: Proof) -> Mapping[str, bool]:
    """The rules behind the conclusion, and whether each spoke of what is wrong."""
    if conclusion is Proof.ESTABLISHED:
        deciding = (finding for finding in judged.findings if finding.holds)
        return _group_by_rule(case, ((rule_of(finding), finding) for finding in deciding))
    return _group_by_rule(case, _refuting_findings(judged))


def _group_by_rule(case: LabelledCase, deciding: Iterable[tuple[str, Finding | None]]) -> Mapping[str, bool]:
    rules: dict[str, bool] = {}
    for rule, finding in deciding:
        rules[rule] = rules.get(rule, False) or concerns_error(case, finding)
    return rules


def _refuting_findings(judged: Judged) -> Iterator[tuple[str, Finding | None]]:
    """What fails in the stages that reject the call; of a stage in which nothing fails, its name."""
    if judged.rejections is None:
        # Results of earlier runs do not say in which stage a finding failed.
        yield from ((rule_of(finding), finding) for finding in judged.findings if finding.holds is False)
        return
    for rejection in judged.rejections:
        for position in rejection.findings:
            yield rule_of(judged.findings[position]), judged.findings[position]
        if not rejection.findings:
            yield f"(stage {rejection.stage})", None


def rule_of(finding: Finding) -> str:
    """The rule's name; of what names none, who decided and what about."""
    by = "judge: " if finding.decided_by is DecidedBy.JUDGE else ""
    return finding.rule or f"({by}{finding.relation})"


def concerns_error(case: LabelledCase, finding: Finding | None) -> bool:
    """Whether the finding speaks of what is wrong with a wrong call."""
    # A call that is wrong as a whole is wrong wherever one looks.
    if not case.differing:
        return True
    # A stage that rejects without a finding objects to the call with all its arguments.
    if finding is None or (finding.relation in _OF_ALL_ARGUMENTS and not finding.subject.startswith("/")):
        return True
    return any(_are_nested(finding.subject, pointer) for pointer in case.differing)


def _are_nested(first: str, second: str) -> bool:
    """Whether one JSON Pointer leads to the other's value, into it, or around it."""
    return f"{first}/".startswith(f"{second}/") or f"{second}/".startswith(f"{first}/")
