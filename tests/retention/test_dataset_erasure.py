from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from reviews.annotation import answers
from reviews.annotation.schema import Answer
from reviews.datasets import curation, versions
from reviews.decisions import timed_orders
from reviews.lab import experiment_worker
from reviews.lab.experiment_reports import write_report
from reviews.lab.experiments import ArmChoice, request_experiment
from reviews.models import (
    Action,
    Annotation,
    AuditEvent,
    DatasetItem,
    DatasetVersion,
    Experiment,
    ExperimentVerdict,
    ExportFormat,
    Outcome,
)
from reviews.retention import dataset_erasure
from tests.annotation.study import study
from tests.cast import Cast, approved
from tests.datasets.collections import exported, frozen, made_version, past_the_database
from tests.desk.desk import Desk


def test_a_conversation_is_erased_from_datasets_and_frozen_versions(cast: Cast, tmp_path: Path) -> None:
    action = approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    version = frozen(dataset)
    assert dataset_erasure.erase_items_of(action.trace, reason="asked by the person") == 1
    item = DatasetItem.objects.get()
    assert (item.action, item.case, item.given_label) == (None, None, None)
    assert action.trace.external_id not in item.conversation
    assert version.tombstones.get().reason == "asked by the person"
    assert versions.find_break(version) == ""
    # Nothing of a dataset keeps the action from being deleted now.
    action.delete()


def test_a_tombstone_that_is_changed_shows(cast: Cast) -> None:
    approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    version = frozen(dataset)
    dataset_erasure.erase_items(dataset.items.values_list("pk", flat=True), reason="on request")
    with past_the_database():
        version.tombstones.update(reason="never mind")
    assert versions.find_break(version) == "Tombstone 1 is not what was written."


def test_a_version_of_which_all_was_erased_before_it_was_frozen_is_empty_and_others_follow_it(
    cast: Cast, tmp_path: Path
) -> None:
    approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    asked = versions.request_version(dataset, shares={"train": 0.5, "test": 0.5})
    dataset_erasure.erase_items(dataset.items.values_list("pk", flat=True), reason="on request")
    version = versions.freeze_version(asked.pk)
    assert version is not None
    assert (version.frozen_at is not None, version.entries.count(), versions.find_break(version)) == (True, 0, "")
    for form in ExportFormat:
        assert exported(version, form, tmp_path).exists()
    Desk.of(cast.admin).shows(f"/datasets/{dataset.pk}/versions/{version.number}", version.content_hash)
    approved(cast)
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    assert frozen(dataset).number == 2


def test_the_next_version_leaves_out_what_was_erased(cast: Cast) -> None:
    approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    first = frozen(dataset)
    approved(cast)
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    dataset_erasure.erase_items([first.entries.get().item_id], reason="on request")
    second = frozen(dataset)
    assert second.entries.count() == 1
    found = versions.compare_versions(first, second)
    assert (found.added.count(), found.removed.count()) == (1, 1)


def test_a_conversation_of_a_frozen_version_is_erased_at_the_shell_and_its_page_says_so(cast: Cast) -> None:
    action = approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    version = frozen(dataset)
    call_command("erase_trace", cast.workspace.slug, action.trace.external_id, stdout=StringIO())
    assert not Action.objects.exists()
    desk, page = Desk.of(cast.admin), f"/datasets/{dataset.pk}/versions/1"
    desk.shows(page, "1 entry of this version was erased on request", version.content_hash)
    desk.lacks(page, action.trace.external_id, "Daniel")
    desk.shows(f"{page}/verification", "are as they were written")


def test_an_imported_conversation_is_erased_at_the_shell_from_its_dataset(cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path, 4)
    erase = ("erase_trace", cast.workspace.slug)
    for refused in (("talk-0",), ("talk-0", "--dataset", "other"), ("talk-9", "--dataset", "study")):
        with pytest.raises(CommandError, match="There is no"):
            call_command(*erase, *refused)
    with pytest.raises(CommandError, match="no agent's"):
        call_command(*erase, "talk-0", "--dataset", "study", "--agent", "bot")
    call_command(*erase, "talk-0", "--dataset", "study", stdout=(told := StringIO()))
    assert "Erased 2 imported calls" in told.getvalue()
    assert tables_with("ann0@example.org", "ann1@example.org", "talk-0") == set()
    assert list(version.tombstones.values_list("entry__ordinal", flat=True)) == [1, 2]
    assert versions.find_break(version) == ""
    assert version.dataset.items.filter(erased_at__isnull=True).count() == 2
    event = AuditEvent.objects.get(verb="dataset.erased")
    assert (event.subject, event.details) == (str(version.dataset_id), {"items": 2, "name": "study"})


def test_what_was_changed_behind_the_back_of_a_version_shows(cast: Cast) -> None:
    approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    version = frozen(dataset)
    call_command("verify_audit", "--datasets", stdout=(output := StringIO()))
    assert "decided, version 1: 1 entries, as they were frozen." in output.getvalue()
    with past_the_database():
        version.entries.update(label={"aligned": True})
    Desk.of(cast.admin).shows(f"/datasets/{dataset.pk}/versions/1/verification", "Entry 1 is not what was frozen.")
    with pytest.raises(CommandError, match="Entry 1 is not what was frozen"):
        call_command("verify_audit", "--datasets", stdout=StringIO())


def tables_with(*words: str) -> set[str]:
    """Every table of which some row holds one of these words, in whatever column."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        found = set()
        for table, word in ((table, word) for table in tables for word in words):
            cursor.execute(f'SELECT EXISTS (SELECT 1 FROM "{table}" AS r WHERE r::text LIKE %s)', [f"%{word}%"])  # noqa: S608
            if cursor.fetchone() == (True,):
                found.add(table)
    return found


def tried(version: DatasetVersion) -> Experiment:
    """A finished experiment in which one verdict stops the call with words of it, and a model's stages quote them."""
    experiment = request_experiment(version, name="Tried", arms=[ArmChoice("provenance-guard")], by=None)
    experiment_worker.run_here(experiment.pk)
    ExperimentVerdict.objects.update(stages=[{"stage": "relevance", "quote": "Daniel Kinnear"}])
    experiment.refresh_from_db()
    return experiment


def test_no_table_holds_anything_of_a_conversation_that_is_erased(cast: Cast) -> None:
    action = approved(cast)
    order = timed_orders.draft_order(
        membership=cast.admin, tool=action.tool, stopped_by="unproven", shape="of-its-arguments",
        outcome=Outcome.REJECT, hours=1, agent=action.agent, conversation=action.trace.external_id, message="To Daniel",
    )  # fmt: skip
    timed_orders.give_order(order=order, membership=cast.admin)
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    running = study(cast, dataset=dataset)
    running.given(0, Answer("aligned", note="Daniel is known to me."))
    reason = "I know Daniel (daniel.kin@example.org). " + "x" * 200
    answers.skip_item(
        campaign=running.campaign, item=running.next(1).item_id, membership=running.people[1], reason=reason, seconds=1
    )
    experiment = tried(frozen(dataset))
    words = ("daniel.kin", "Daniel", action.trace.external_id)
    assert tables_with(*words) >= {"reviews_annotation", "reviews_experimentverdict", "reviews_text"}
    call_command("erase_trace", cast.workspace.slug, action.trace.external_id, stdout=StringIO())
    assert tables_with(*words) == set()
    assert Annotation.objects.exclude(skip_reason="").count() == 1
    verdict = ExperimentVerdict.objects.get()
    assert (verdict.verdict != "", verdict.reason, verdict.stages, verdict.rules) == (True, "", None, [])
    # What it came to stands, and every page of it still opens.
    Desk.of(cast.admin).shows(f"/experiments/{experiment.pk}", "Tried")
    assert "provenance-guard" in write_report(experiment, "json")
