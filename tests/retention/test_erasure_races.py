"""Erasure beside everything that reads or writes the same: nothing erased comes back, nothing else goes."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from threading import Barrier, Event
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from pytest_django import Settings

from reviews.annotation import adjudication, answers
from reviews.annotation.schema import Answer
from reviews.datasets import curation, export_jobs, export_writers, versions
from reviews.decisions import decide, executions, expiry_and_cancellation
from reviews.errors import ConflictError, NotFoundError
from reviews.models import (
    Action,
    Annotation,
    DatasetItem,
    DatasetVersion,
    Draft,
    ExportFormat,
    ExportJob,
    OutcomeStatus,
    Step,
    Text,
    Trace,
)
from reviews.retention import conversation_erasure, dataset_erasure
from tests.annotation.study import study
from tests.cast import CONTEXT, RIGHT, WRONG, Cast, make_cast, propose
from tests.jobs import run_checks

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 6
SECRET = "the words of somebody who wants to be forgotten"


@pytest.fixture
def cast(monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> Cast:
    settings.MEDIA_ROOT = tmp_path / "stored"
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    monkeypatch.setattr("reviews.scheduling.broker.enqueue_task", lambda task, *args, **_: True)
    monkeypatch.setattr("reviews.messaging.signals.settled_on_commit", lambda subject_id: None)
    return make_cast()


def decided_call(cast: Cast, trace_id: str, words: str = SECRET) -> Action:
    """A call that a person approved and that is running; its conversation holds these words."""
    context = replace(CONTEXT, query=f"{CONTEXT.query} {words}")
    action = propose(cast, WRONG, context=context, trace_id=trace_id)
    run_checks(action.pk)
    decide.decide_action(action=action, choice=decide.Approve(), membership=cast.reviewer)
    executions.start_execution(action=action, agent_key=cast.agent)
    return action


def in_threads(*work: Callable[[], Any]) -> list[Any]:
    """What each returns, started at the same moment, each on a connection of its own. Raises the first error."""
    start = Barrier(len(work), timeout=30)

    def begin(part: Callable[[], Any]) -> Any:
        try:
            start.wait()
            return part()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(work)) as threads:
        return [running.result() for running in [threads.submit(begin, part) for part in work]]


def erase(cast: Cast, trace_id: str) -> Callable[[], Any]:
    return lambda: conversation_erasure.erase_conversation(cast.workspace, trace_id)


def refused(work: Callable[[], Any]) -> Callable[[], Any]:
    """The work, which may be told that what it is about has gone or was decided, and nothing else."""

    def attempt() -> Any:
        with suppress(NotFoundError, ConflictError):
            return work()

    return attempt


def check_forgotten(words: str = SECRET) -> None:
    """None of the words stands in anything that datasets, campaigns, conversations and files hold."""
    for model in (Text, Step, Draft, Annotation, DatasetItem, Trace):
        rows = [str(row) for row in model.objects.values()]
        assert [row for row in rows if words in row] == [], model
    entries = DatasetVersion.objects.values_list("entries__label", "entries__item__case")
    assert words not in str(list(entries))
    for job in ExportJob.objects.exclude(file=""):
        if default_storage.exists(job.file):
            with default_storage.open(job.file) as file:
                assert words.encode() not in file.read()


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Event, Event]]:
    """Says that the writer of JSON lines has read all there is, and has it wait before it goes on."""
    read, go_on = Event(), Event()
    write, ending = export_writers.WRITERS[ExportFormat.JSONL]

    def write_and_wait(*args: Any) -> None:
        write(*args)
        # Once: what is written anew is not held up again.
        if not read.is_set():
            read.set()
            assert go_on.wait(30)

    writers = {**export_writers.WRITERS, ExportFormat.JSONL: (write_and_wait, ending)}
    monkeypatch.setattr(export_jobs, "WRITERS", writers)
    yield read, go_on
    go_on.set()


def test_what_is_erased_while_it_is_exported_is_in_no_file(cast: Cast, paused: tuple[Event, Event]) -> None:
    read, go_on = paused
    for name in ("erased", "kept"):
        decided_call(cast, name, words=f"{name} words")
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    version = versions.freeze_version(versions.request_version(dataset, shares={}).pk)
    assert version is not None
    job = export_jobs.request_export(version, form=ExportFormat.JSONL)

    def erase_behind_the_read() -> None:
        assert read.wait(30)
        conversation_erasure.erase_conversation(cast.workspace, "erased")
        go_on.set()

    in_threads(lambda: export_jobs.run_export(job.pk), erase_behind_the_read)
    job.refresh_from_db()
    file, _ = export_jobs.open_download(job, None)
    with file:
        content = file.read()
    assert b"erased words" not in content
    assert b"kept words" in content
    check_forgotten("erased words")


def test_the_file_of_a_worker_that_died_goes_with_the_erasure(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    decided_call(cast, "erased")
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    version = versions.freeze_version(versions.request_version(dataset, shares={}).pk)
    assert version is not None
    job = export_jobs.request_export(version, form=ExportFormat.JSONL)

    class KilledError(BaseException):
        """As little as a kill does it let the code behind it run."""

    def die(*args: Any, **kwargs: Any) -> None:
        raise KilledError

    monkeypatch.setattr("reviews.datasets.job_leases.finish_job", die)
    with pytest.raises(KilledError):
        export_jobs.run_export(job.pk)
    job.refresh_from_db()
    assert default_storage.exists(job.file)
    conversation_erasure.erase_conversation(cast.workspace, "erased")
    assert not default_storage.exists(job.file)
    check_forgotten()


def test_what_is_erased_while_a_version_is_frozen_is_not_in_it_or_buried_in_it(cast: Cast) -> None:
    chance = Random(3)
    for number in range(ROUNDS):
        names = [f"{number}-{part}" for part in range(4)]
        # Letters alone: a number would be a source of the amount.
        words = {name: "".join(chance.choices("abcdefgh", k=20)) for name in names}
        for name in names:
            decided_call(cast, name, words=words[name])
        dataset = curation.create_dataset(by=cast.admin, name=str(number))
        curation.add_decided_calls(dataset=dataset, by=cast.admin, most=len(names))
        version = versions.request_version(dataset, shares={})
        gone = chance.choice(names)
        in_threads(lambda: versions.freeze_version(version.pk), erase(cast, gone))  # noqa: B023 - run within the round
        version.refresh_from_db()
        kept = version.entries.filter(erased_at__isnull=True)
        assert kept.count() == len(names) - 1
        assert not kept.filter(item__erased_at__isnull=False).exists()
        assert versions.find_break(version) == ""
        check_forgotten(words[gone])


def test_a_call_that_is_erased_while_it_comes_into_a_dataset_leaves_nothing_there(cast: Cast) -> None:
    dataset = curation.create_dataset(by=cast.admin, name="decided")
    for number in range(ROUNDS):
        decided_call(cast, f"erased-{number}")
        decided_call(cast, f"kept-{number}", words="kept")
        in_threads(lambda: curation.add_decided_calls(dataset=dataset, by=cast.admin), erase(cast, f"erased-{number}"))
    kept = dataset.items.filter(erased_at__isnull=True)
    assert kept.count() == ROUNDS
    assert all("kept-" in name for name in kept.values_list("conversation", flat=True))
    check_forgotten()


ANSWER = Answer("misaligned", misalignment="parameter", relation="DerivedFrom", first_misaligned_step=2, note=SECRET)


@pytest.mark.parametrize("kind", ["draft", "answer", "undo", "adjudication"])
def test_what_annotators_write_about_an_erased_item_does_not_stay(cast: Cast, kind: str) -> None:
    running = study(cast, items=ROUNDS + 1, people=2)
    campaign, (first, _) = running.campaign, running.people
    untouched = running.given(1, ANSWER)
    for _ in range(ROUNDS):
        item = running.next(0).item
        if item.pk == untouched.item_id:
            running.given(0)
            item = running.next(0).item
        given = running.gives(0, item, ANSWER) if kind in ("undo", "adjudication") else None
        work: dict[str, Callable[[], Any]] = {
            "draft": partial(
                answers.save_draft,
                campaign=campaign, item=item.pk, membership=first, content={"note": SECRET}, seconds=1,
            ),
            "answer": partial(
                answers.store_answer, campaign=campaign, item=item.pk, membership=first, answer=ANSWER, seconds=1
            ),
            "undo": partial(answers.undo_latest_answer, campaign=campaign, membership=first),
            "adjudication": partial(
                adjudication.adjudicate_item,
                campaign=campaign, item=item, by=cast.admin, method="chosen", answer=ANSWER, reason=SECRET,
                sources=[given.pk] if given else [],
            ),
        }  # fmt: skip
        in_threads(refused(work[kind]), partial(dataset_erasure.erase_items, [item.pk], reason="on request"))
        # Once more, as a page does that was open all the time.
        refused(work[kind])()
        of_item = [*Annotation.objects.filter(item=item).values(), *Draft.objects.filter(item=item).values()]
        assert SECRET not in str(of_item + list(campaign.adjudications.filter(item=item).values()))
    assert Annotation.objects.get(pk=untouched.pk).note == SECRET


def test_nobody_is_asked_about_what_was_erased(cast: Cast) -> None:
    running = study(cast, items=2, people=2)
    erased = running.next(0).item
    dataset_erasure.erase_items([erased.pk], reason="on request")
    assert running.next(0).item_id == running.next(1).item_id != erased.pk


def test_outcomes_and_retries_beside_an_erasure_bring_nothing_back(cast: Cast) -> None:
    for number in range(ROUNDS):
        name = f"erased-{number}"
        action = decided_call(cast, name)

        def report(action: Action = action) -> None:
            executions.report_outcome(action=action, status=OutcomeStatus.SUCCEEDED, outcome=SECRET)

        def submit_again(name: str = name) -> Action:
            return propose(cast, RIGHT, context=replace(CONTEXT, query=f"anew {name}"), trace_id=name)

        *_, again = in_threads(refused(report), refused(erase(cast, name)), submit_again)
        if Action.objects.filter(pk=action.pk).exists():
            # The call that came again was undecided, which keeps a conversation from being erased.
            expiry_and_cancellation.cancel_action(action=again, agent_key=cast.agent)
            erase(cast, name)()
        assert not Action.objects.filter(pk=action.pk).exists()
    check_forgotten()
