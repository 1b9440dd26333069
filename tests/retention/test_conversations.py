"""What is let go of, and what stays."""

import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models, transaction
from django.db.models import F
from django.utils import timezone

from reviews import audit
from reviews.annotation import answers, assignment, campaigns
from reviews.annotation.schema import Answer
from reviews.datasets import curation
from reviews.decisions import executions, expiry_and_cancellation
from reviews.models import (
    Action,
    Annotation,
    AuditEvent,
    Check,
    DatasetItem,
    Decision,
    Execution,
    Finding,
    Label,
    Review,
    Step,
    Text,
    ToolSet,
    Trace,
)
from reviews.provenance.core.context import NamedText, Span
from reviews.provenance.core.trust import SourceKind
from reviews.records import load, texts_lock
from reviews.retention import conversation_erasure, pruning, removal
from reviews.workspaces import agent_keys
from tests.cast import CONTEXT, RIGHT, Cast, approved, flagged, make_cast, propose
from tests.jobs import run_checks

pytestmark = pytest.mark.django_db(transaction=True)

LONG_AGO = timedelta(days=100)


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def aged() -> None:
    """Everything that is stored now happened long ago."""
    earlier = F("created_at") - LONG_AGO
    for model in (Trace, Step, Text, ToolSet):
        model._default_manager.update(created_at=earlier)
    Action.objects.update(created_at=earlier, settled_at=F("settled_at") - LONG_AGO)


def pruned(cast: Cast) -> removal.Removed:
    return pruning.prune_conversations(cast.workspace, timezone.now() - timedelta(days=90))


def passed(cast: Cast, **choices: Any) -> Action:
    """A call that the guard let pass; nobody labelled it."""
    action = propose(cast, RIGHT, **choices)
    run_checks(action.pk)
    return action


def test_an_old_conversation_goes_with_all_that_hangs_on_it(cast: Cast) -> None:
    passed(cast)
    aged()
    assert pruned(cast) == removal.Removed(traces=1, actions=1, texts=2, tool_sets=1)
    left: list[type[models.Model]] = [Trace, Action, Step, Check, Finding, Review, Text, ToolSet]
    assert [model.__name__ for model in left if model._default_manager.exists()] == []


def test_an_executed_call_goes_too(cast: Cast) -> None:
    action = passed(cast)
    execution = executions.start_execution(action=action, agent_key=cast.agent)
    assert execution
    aged()
    assert pruned(cast).actions == 1
    assert not Execution.objects.exists()


def test_a_young_conversation_stays(cast: Cast) -> None:
    passed(cast)
    assert pruned(cast) == removal.Removed()


def test_a_conversation_that_went_on_lately_stays(cast: Cast) -> None:
    passed(cast)
    aged()
    passed(cast)
    assert pruned(cast).traces == 0


def test_an_undecided_call_keeps_its_conversation(cast: Cast) -> None:
    flagged(cast)
    aged()
    assert pruned(cast).traces == 0


def test_a_label_keeps_what_it_is_about(cast: Cast) -> None:
    approved(cast)
    aged()
    assert pruned(cast) == removal.Removed()
    assert Label.objects.count() == 1
    assert load.load_case(Action.objects.get()).context.query == CONTEXT.query


def test_a_text_that_a_younger_conversation_shares_stays(cast: Cast) -> None:
    passed(cast, trace_id="old")
    aged()
    young = passed(cast, trace_id="young")
    assert pruned(cast) == removal.Removed(traces=1, actions=1)
    assert load.load_case(Action.objects.get(pk=young.pk)).context.query == CONTEXT.query


def test_a_further_source_that_a_younger_call_shares_stays(cast: Cast) -> None:
    policy = NamedText(SourceKind.SYSTEM_PROMPT, "policy", "Never pay strangers.")
    passed(cast, trace_id="old", context=replace(CONTEXT, extra=(policy,)))
    aged()
    young = passed(cast, trace_id="young", context=replace(CONTEXT, query="Send $30 to Daniel.", extra=(policy,)))
    assert pruned(cast).traces == 1
    assert load.load_case(Action.objects.get(pk=young.pk)).context.extra == (policy,)


def test_another_workspace_keeps_its_own(cast: Cast) -> None:
    passed(cast)
    aged()
    assert pruning.prune_conversations(cast.outsider.workspace, timezone.now()) == removal.Removed()
    assert Trace.objects.exists()


def test_what_was_pruned_is_audited(cast: Cast) -> None:
    passed(cast)
    aged()
    pruned(cast)
    assert AuditEvent.objects.get(verb="traces.pruned").details["traces"] == 1
    assert audit.first_broken(cast.workspace) is None


@contextmanager
def submission_in_flight(cast: Cast) -> Iterator[None]:
    """On a connection of its own, a submission that has looked its texts up and refers to them later."""
    looked, done = threading.Event(), threading.Event()

    def look() -> None:
        with transaction.atomic():
            texts_lock.share_lock(cast.workspace.pk)
            looked.set()
            done.wait(10)
        connection.close()

    thread = threading.Thread(target=look)
    thread.start()
    looked.wait(10)
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_no_text_goes_while_a_submission_may_count_on_it(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts_lock, "WAIT_MILLISECONDS", 50)
    passed(cast)
    aged()
    with submission_in_flight(cast):
        assert pruned(cast) == removal.Removed(traces=1, actions=1)
    # The next run takes what this one had to leave.
    assert pruned(cast).texts == 2


def test_the_command_only_tells_in_a_dry_run(cast: Cast) -> None:
    passed(cast)
    aged()
    out = io.StringIO()
    call_command("prune", "--older-than", "90d", "--dry-run", stdout=out)
    assert "acme: 1 conversations would be removed" in out.getvalue()
    assert Trace.objects.count() == 1
    call_command("prune", "--older-than", "90d", stdout=out)
    assert not Trace.objects.exists()


@pytest.mark.parametrize("span", ["90", "0d", "-1d", "x"])
def test_a_span_that_is_no_number_of_days_is_refused(cast: Cast, span: str) -> None:
    with pytest.raises(CommandError):
        call_command("prune", f"--older-than={span}")


def test_an_erased_conversation_leaves_a_tombstone_and_an_audit_entry(cast: Cast) -> None:
    approved(cast)
    out = io.StringIO()
    call_command("erase_trace", "acme", "conv-42", stdout=out)
    assert "1 calls" in out.getvalue()
    tombstone = Trace.objects.get()
    assert tombstone.erased_at is not None
    assert "conv-42" not in tombstone.external_id
    assert set(Text.objects.values_list("body", flat=True)) == {removal.ERASED}
    assert not Action.objects.exists()
    assert not Label.objects.exists()
    assert AuditEvent.objects.get(verb="trace.erased").subject == str(tombstone.pk)
    assert audit.first_broken(cast.workspace) is None


def proposed_by_a_test_key(cast: Cast) -> Action:
    """A settled call of the conversation "conv-42" that a test key proposed."""
    tester = agent_keys.create_key(cast.workspace, name="ci", is_test=True).agent_key
    action = propose(replace(cast, agent=tester))
    expiry_and_cancellation.expire_action(action)
    return action


def test_what_test_keys_proposed_in_it_is_erased_too(cast: Cast) -> None:
    proposed_by_a_test_key(cast)
    out = io.StringIO()
    call_command("erase_trace", "acme", "conv-42", stdout=out)
    assert "1 revisions with 1 calls" in out.getvalue()
    assert set(Text.objects.values_list("body", flat=True)) == {removal.ERASED}
    assert AuditEvent.objects.get(verb="trace.erased").workspace == cast.workspace


def test_one_workspace_is_pruned_with_what_its_test_keys_proposed(cast: Cast) -> None:
    proposed_by_a_test_key(cast)
    aged()
    call_command("prune", "--older-than=90d", "--workspace=acme", stdout=io.StringIO())
    assert not Action.objects.exists()


def test_another_conversation_keeps_what_it_shares_with_an_erased_one(cast: Cast) -> None:
    passed(cast, trace_id="theirs")
    passed(cast)
    conversation_erasure.erase_conversation(cast.workspace, "conv-42")
    left = load.load_case(Action.objects.get()).context
    assert (left.query, left.history) == (CONTEXT.query, CONTEXT.history)


def test_a_conversation_with_an_undecided_call_is_not_erased(cast: Cast) -> None:
    action = flagged(cast).action
    with pytest.raises(CommandError, match="undecided"):
        call_command("erase_trace", "acme", "conv-42")
    expiry_and_cancellation.expire_action(action)
    call_command("erase_trace", "acme", "conv-42", stdout=io.StringIO())


@pytest.mark.parametrize(("workspace", "name"), [("acme", "nobody's"), ("nowhere", "conv-42")])
def test_what_is_not_there_cannot_be_erased(cast: Cast, workspace: str, name: str) -> None:
    with pytest.raises(CommandError, match="There is no"):
        call_command("erase_trace", workspace, name)


def in_a_campaign(cast: Cast, action: Action) -> Annotation:
    """The call, decided and in a dataset, with a blind answer that quotes its conversation."""
    Decision.objects.filter(action=action).update(audit_probability=0.5)
    dataset = curation.create_dataset(by=cast.admin, name="Audit")
    curation.add_audited_calls(dataset=dataset, by=cast.admin)
    campaign = campaigns.open_campaign(
        by=cast.admin, dataset=dataset, name="Blind", annotators=[cast.annotator], annotators_per_item=1
    )
    slot = assignment.next_item(campaign=campaign, membership=cast.annotator)
    assert slot
    answer = Answer("aligned", evidence=(Span("query", 0, 4, CONTEXT.query[:4]),), note="He owes Daniel.")
    return answers.store_answer(
        campaign=campaign, item=slot.item_id, membership=cast.annotator, answer=answer, seconds=1
    )


def test_a_conversation_of_a_dataset_is_kept(cast: Cast) -> None:
    action = propose(cast, RIGHT)
    run_checks(action.pk)
    in_a_campaign(cast, action)
    aged()
    assert not pruning.prunable_conversations(cast.workspace, timezone.now() - timedelta(days=90)).exists()


def test_an_erased_conversation_leaves_of_its_dataset_items_the_hash_and_the_judgement(cast: Cast) -> None:
    action = propose(cast, RIGHT)
    run_checks(action.pk)
    given = in_a_campaign(cast, action)
    key = given.item.content_key
    conversation_erasure.erase_conversation(cast.workspace, "conv-42")
    given.refresh_from_db()
    item = DatasetItem.objects.get()
    assert (given.judgement, given.evidence, given.note, given.corrected_arguments) == ("aligned", [], "", None)
    assert (item.content_key, item.action, item.erased_at is None) == (key, None, False)
    assert "conv-42" not in item.conversation
