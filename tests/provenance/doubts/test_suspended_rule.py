from dataclasses import replace

from reviews.provenance.core.findings import DecidedBy, Finding, Misalignment, Relation, StageResult
from reviews.provenance.core.verdicts import Aligned, Undetermined, conclude_stages
from reviews.provenance.doubts.suspended_rule import suspend_rules

SUSPENDED = frozenset({"proofs.near_copy"})
REFUTED = Finding(Relation.DERIVED_FROM, "/to", False, "A letter differs.", rule="proofs.near_copy")
PROVEN = replace(REFUTED, subject="/amount", holds=True)
BY_ANOTHER = replace(REFUTED, subject="/note", rule="proofs.own_terms")
REJECTED = StageResult("parameter", (REFUTED,), misalignment=Misalignment.PARAMETER)


def test_what_a_suspended_rule_refuted_goes_to_a_person() -> None:
    verdict = conclude_stages((suspend_rules(REJECTED, SUSPENDED),))
    assert isinstance(verdict, Undetermined)
    assert "A letter differs." in verdict.reason


def test_what_another_rule_refuted_too_stays_refuted() -> None:
    stage = suspend_rules(replace(REJECTED, findings=(REFUTED, BY_ANOTHER)), SUSPENDED)
    assert stage.misalignment is Misalignment.PARAMETER
    assert [finding.holds for finding in stage.findings] == [None, False]


def test_a_competing_reading_rejects_whatever_is_suspended() -> None:
    stage = replace(REJECTED, findings=(PROVEN,), misalignment=Misalignment.INTERPRETATION)
    assert suspend_rules(stage, SUSPENDED).misalignment is Misalignment.INTERPRETATION


def test_what_a_suspended_rule_proved_is_open() -> None:
    verdict = conclude_stages((suspend_rules(StageResult("parameter", (PROVEN,)), SUSPENDED),))
    assert isinstance(verdict, Aligned)
    assert not verdict.established


def test_what_a_suspended_rule_let_pass_unasked_goes_to_a_person() -> None:
    stage = suspend_rules(StageResult("tool", (PROVEN,), passed=True), SUSPENDED)
    assert isinstance(conclude_stages((stage,)), Undetermined)


def test_other_rules_go_on_deciding() -> None:
    assert suspend_rules(REJECTED, frozenset({"proofs.own_terms"})) is REJECTED


def test_what_a_suspended_question_refuted_or_proved_is_open_and_passes_nothing() -> None:
    asked = Finding(Relation.ENTAILED_BY, "pay", False, "Nothing says so.", DecidedBy.JUDGE, rule="judge.entailment")
    rejected = StageResult("entailment", (asked,), misalignment=Misalignment.PARAMETER)
    suspended = frozenset({"judge.entailment"})
    assert isinstance(conclude_stages((suspend_rules(rejected, suspended),)), Undetermined)
    verdict = conclude_stages((suspend_rules(StageResult("entailment", (replace(asked, holds=True),)), suspended),))
    assert isinstance(verdict, Aligned)
    assert not verdict.established


def test_text_that_a_suspended_question_labelled_stays_without_weight() -> None:
    label = Finding(Relation.UNTAINTED, "history/1", False, "It steers.", DecidedBy.JUDGE, rule="judge.segmentation")
    stage = StageResult("segment", (label,))
    assert suspend_rules(stage, frozenset({"judge.segmentation"})) is stage
