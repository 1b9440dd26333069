"""The record of each rule, and rules that people overrule too often."""

from io import StringIO

import pytest
from django.core.management import call_command

from reviews import access
from reviews.errors import ForbiddenError, InvalidProfileError
from reviews.lab.rule_records import RuleRecord, count_rule_records, version_of
from reviews.lab.rule_suspension import suspend_imprecise_rules, switch_on
from reviews.models import (
    Action,
    Adjudication,
    AuditEvent,
    Check,
    Dataset,
    DatasetItem,
    Finding,
    GuardProfile,
    JudgeKind,
    Status,
)
from reviews.profiles import versions
from reviews.tasks import suspend_rules
from tests.annotation.test_gold_labels import answered, campaign
from tests.cast import Cast, flagged
from tests.lab.judged_rules import judged


def record_of(cast: Cast, rule: str) -> RuleRecord:
    (record,) = [record for record in count_rule_records(cast.workspace) if record.rule == rule]
    return record


def suspended(cast: Cast) -> list[str]:
    """The rules that decide nothing now."""
    return list(access.current_profile(cast.workspace).suspended_rules)


def test_a_refutation_is_upheld_by_a_rejection_and_overruled_by_an_approval(cast: Cast) -> None:
    record = record_of(cast, judged(cast, upheld=2, overruled=1))
    assert (record.upheld, record.overruled) == (2, 1)
    (tool,) = record.tools
    assert (tool.tool, tool.rate.count, tool.rate.total) == ("money_transfer", 2, 3)
    assert tool.interval_in_words == "21 % and 94 %"


def test_a_rule_that_proves_one_value_and_refutes_another_decided_the_call_once(cast: Cast) -> None:
    rule = judged(cast, overruled=1)
    refuting = Finding.objects.get(rule=rule, holds=False)
    Finding.objects.filter(check_run=refuting.check_run).exclude(pk=refuting.pk).update(rule=rule, holds=True)
    record = record_of(cast, rule)
    assert (record.decided, record.upheld, record.overruled) == (1, 0, 1)


def test_another_workspaces_labels_count_for_nothing(cast: Cast) -> None:
    judged(cast, upheld=1)
    assert not count_rule_records(cast.outsider.workspace)


def test_a_rule_overruled_too_often_is_suspended_and_stops_no_call_by_itself(cast: Cast) -> None:
    rule = judged(cast, overruled=4)
    versions.new_version(membership=cast.admin, min_rule_precision=0.9)
    assert suspend_imprecise_rules(cast.workspace) == [rule]
    assert suspended(cast) == [rule]
    review = flagged(cast, trace_id="after")
    (check,) = review.action.checks.all()
    assert (review.action.status, check.verdict) == (Status.PENDING, "undetermined")
    assert {finding.holds for finding in check.findings.filter(rule=rule)} == {None}


@pytest.mark.parametrize("earlier", ["4.9", "4.9+0123456789ab"])
def test_what_an_earlier_version_of_a_rule_did_suspends_nothing(cast: Cast, earlier: str) -> None:
    rule = judged(cast, overruled=4)
    Check.objects.update(detector_version=earlier)
    versions.new_version(membership=cast.admin, min_rule_precision=0.9)
    assert record_of(cast, rule).is_below(0.9)
    assert not suspend_imprecise_rules(cast.workspace)


def test_a_suspension_stands_in_the_audit_log(cast: Cast) -> None:
    rule = judged(cast, overruled=4)
    versions.new_version(membership=cast.admin, min_rule_precision=0.9)
    suspend_imprecise_rules(cast.workspace)
    event = AuditEvent.objects.filter(workspace=cast.workspace, verb="profile.changed").latest("sequence")
    assert event.details["after"] == {"suspended_rules": [rule]}


def test_a_price_that_was_taken_out_of_the_installation_keeps_no_rule_in_force(cast: Cast) -> None:
    rule = judged(cast, overruled=4)
    versions.new_version(membership=cast.admin, min_rule_precision=0.9)
    GuardProfile.objects.update(judge=JudgeKind.OPENAI, daily_usd=1)
    suspend_rules()
    assert suspended(cast) == [rule]
    switch_on(cast.admin, rule)
    assert not suspended(cast)


def test_without_a_least_precision_nothing_is_suspended(cast: Cast) -> None:
    judged(cast, overruled=4)
    assert not suspend_imprecise_rules(cast.workspace)


@pytest.mark.parametrize("least", [0.5, 0.9, 0.97])
def test_one_overruled_decision_proves_nothing(cast: Cast, least: float) -> None:
    judged(cast, overruled=1)
    versions.new_version(membership=cast.admin, min_rule_precision=least)
    assert not suspend_imprecise_rules(cast.workspace)


def test_one_overruled_decision_proves_that_not_all_are_upheld(cast: Cast) -> None:
    rule = judged(cast, upheld=1, overruled=1)
    assert record_of(cast, rule).is_below(1.0)
    assert not record_of(cast, rule).is_below(0.95)


def test_a_rule_that_a_person_switched_on_stays_on(cast: Cast) -> None:
    rule = judged(cast, overruled=4)
    versions.new_version(membership=cast.admin, min_rule_precision=0.9)
    suspend_imprecise_rules(cast.workspace)
    switch_on(cast.admin, rule)
    assert not suspend_imprecise_rules(cast.workspace)
    assert not suspended(cast)


def test_only_an_administrator_switches_a_rule_on(cast: Cast) -> None:
    with pytest.raises(ForbiddenError):
        switch_on(cast.reviewer, "proofs.near_copy")
    with pytest.raises(InvalidProfileError):
        switch_on(cast.admin, "proofs.near_copy")


def test_the_command_prints_each_rule_with_its_interval(cast: Cast) -> None:
    rule = judged(cast, upheld=1)
    output = StringIO()
    call_command("rules", cast.workspace.slug, stdout=output)
    assert f"| {rule} | 5." in output.getvalue()
    assert "| all | 1 | 100.0% (1 of 1), 95 % between" in output.getvalue()
    assert "| money_transfer |  | 100.0% (1 of 1), 95 % between" in output.getvalue()


def item_of(action: Action) -> DatasetItem:
    """The call in a dataset."""
    dataset = Dataset.objects.create(workspace=action.workspace, name="calls")
    return DatasetItem.objects.create(
        dataset=dataset, origin="decided", action=action, content_key="0" * 64, conversation="one", tool=action.tool
    )


def test_what_annotators_agree_on_goes_before_the_label(cast: Cast) -> None:
    rule = judged(cast, upheld=1)
    answered(cast, item_of(Action.objects.get()), "aligned", "aligned")
    record = record_of(cast, rule)
    assert (record.upheld, record.overruled) == (0, 1)


def test_one_annotator_alone_overrules_nothing(cast: Cast) -> None:
    rule = judged(cast, upheld=1)
    answered(cast, item_of(Action.objects.get()), "aligned")
    assert record_of(cast, rule).upheld == 1


def test_an_adjudication_upholds_what_no_label_speaks_of(cast: Cast) -> None:
    action = flagged(cast).action
    item = item_of(action)
    Adjudication.objects.create(
        campaign=campaign(item), item=item, adjudicator=cast.admin.user, judgement="misaligned", method="written",
        reason="Nobody asked for it.", misalignment="parameter",
    )  # fmt: skip
    rule = Finding.objects.filter(check_run__action=action, holds=False).values_list("rule", flat=True)[0]
    assert (record_of(cast, rule).upheld, record_of(cast, rule).overruled) == (1, 0)


def test_a_rule_counts_what_it_decided_whether_or_not_anybody_labelled_it(cast: Cast) -> None:
    rule = judged(cast, upheld=1)
    flagged(cast, trace_id="unlabelled")
    record = record_of(cast, rule)
    assert (record.decided, record.precision.total) == (2, 1)


def test_a_question_has_a_record_for_each_of_its_wordings(cast: Cast) -> None:
    judged(cast, upheld=1)
    (check,) = Check.objects.all()
    check.findings.filter(holds=False).update(rule="judge.support")
    Check.objects.update(prompts={"support": "3fa2c81b9d0e", "relevance": "0123456789ab"})
    record = record_of(cast, "judge.support")
    check.refresh_from_db()
    assert record.version == f"{check.detector_version}+3fa2c81b9d0e" == version_of("judge.support", check)
    assert version_of("proofs.near_copy", check) == check.detector_version


def test_a_label_of_a_text_is_no_decision_on_the_call(cast: Cast) -> None:
    judged(cast, overruled=1)
    Finding.objects.filter(holds=False).update(relation="Untainted", rule="judge.segmentation")
    assert not [record for record in count_rule_records(cast.workspace) if record.rule == "judge.segmentation"]
