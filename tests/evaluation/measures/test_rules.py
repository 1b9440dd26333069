from dataclasses import replace

import pytest

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.detection_rates import Rate
from reviews.evaluation.measures.judged_case import Judged, Rejection
from reviews.evaluation.measures.rules import Decided, RuleRecord, records_by_rule
from reviews.provenance.core.findings import DecidedBy, Finding, Relation
from tests.evaluation.made import case, judged

COPY = "proofs.near_copy"
WRONG_AT = {"/to": 1, "/to/0": 1, "": 0, "/top": 0, "/amount": 0}


def finding(
    holds: bool | None, *, subject: str = "/to", rule: str = COPY, relation: Relation = Relation.DERIVED_FROM
) -> Finding:
    return Finding(relation, subject, holds, "", rule=rule)


def verdict(
    of: LabelledCase, end: str, *findings: Finding, rejections: tuple[Rejection, ...] | None = None
) -> tuple[LabelledCase, Judged]:
    return of, replace(judged(of, end), findings=findings, rejections=rejections)


def refuted(of: LabelledCase, *findings: Finding) -> tuple[LabelledCase, Judged]:
    rejection = Rejection("parameter", tuple(place for place, each in enumerate(findings) if each.holds is False))
    return verdict(of, "misaligned", *findings, rejections=(rejection,))


def record(*pairs: tuple[LabelledCase, Judged], rule: str = COPY) -> RuleRecord:
    return records_by_rule(pairs)[rule]


def test_a_rule_is_precise_where_it_refutes_wrong_calls_at_the_value_that_is_wrong() -> None:
    right, wrong = case(wrong=False), case(wrong=True)
    of_rule = record(
        refuted(right, finding(False)),
        refuted(wrong, finding(False)),
        refuted(wrong, finding(False, subject="/amount")),
    )
    assert of_rule.refuted == Decided(right=1, wrong=2, at_value=1)
    assert of_rule.precision_of_refuting == Rate(1, 3)


@pytest.mark.parametrize(("subject", "count"), WRONG_AT.items())
def test_a_value_is_spoken_of_by_its_pointer_or_what_is_in_it(subject: str, count: int) -> None:
    assert record(refuted(case(wrong=True), finding(False, subject=subject or "pay"))).refuted.at_value == count


def test_what_is_said_of_all_arguments_is_said_of_the_wrong_one() -> None:
    whole = finding(False, subject="pay", relation=Relation.CAN_ADDRESS)
    assert record(refuted(case(wrong=True), whole)).refuted.at_value == 1


def test_a_call_that_is_wrong_as_a_whole_is_wrong_everywhere() -> None:
    injected = replace(case(wrong=True), differing=None)
    assert record(refuted(injected, finding(False, subject="/amount"))).refuted.at_value == 1


def test_only_what_fails_in_the_rejecting_stage_refutes() -> None:
    label = finding(False, rule="argus.label", relation=Relation.UNTAINTED)
    pair = verdict(case(wrong=True), "misaligned", label, finding(False), rejections=(Rejection("parameter", (1,)),))
    assert set(records_by_rule([pair])) == {COPY}


def test_a_stage_that_rejects_without_a_finding_is_named() -> None:
    pair = verdict(case(wrong=True), "misaligned", finding(True), rejections=(Rejection("interpretation", ()),))
    assert set(records_by_rule([pair])) == {"(stage interpretation)"}


def test_of_older_results_every_failing_finding_counts() -> None:
    assert record(verdict(case(wrong=True), "misaligned", finding(True, rule="x"), finding(False))).refuted.wrong == 1


def test_establishing_is_measured_by_the_wrong_values_a_rule_vouched_for() -> None:
    right, wrong = case(wrong=False), case(wrong=True)
    pairs = [
        verdict(right, "aligned", finding(True)),
        verdict(wrong, "aligned", finding(True)),
        verdict(wrong, "aligned", finding(True, subject="/amount"), finding(True, rule="other")),
    ]
    assert record(*pairs).established == Decided(right=1, wrong=2, at_value=1)
    assert record(*pairs).precision_of_establishing == Rate(1, 2)
    assert record(*pairs, rule="other").established.at_value == 1


@pytest.mark.parametrize("holds", [None, False])
def test_what_stays_open_is_decided_by_nobody(holds: bool | None) -> None:
    assert not records_by_rule([verdict(case(wrong=False), "undetermined", finding(True), finding(holds))])


def test_a_call_of_which_nobody_knows_counts_nowhere() -> None:
    assert not records_by_rule([refuted(case(wrong=None), finding(False))])


def test_a_rule_without_a_name_is_told_by_who_decided_what() -> None:
    unnamed = finding(True, rule="")
    by_judge = replace(unnamed, decided_by=DecidedBy.JUDGE)
    pair = verdict(case(wrong=False), "aligned", unnamed, by_judge)
    assert set(records_by_rule([pair])) == {"(DerivedFrom)", "(judge: DerivedFrom)"}
