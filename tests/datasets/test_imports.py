import json
import time
import zipfile
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from reviews.datasets import curation, imports, job_leases
from reviews.datasets.held_labels import HELD_OTHERWISE
from reviews.evaluation.benchmarks.base import TraceDataError
from reviews.evaluation.file_formats.openai_chats import OpenAIChats
from reviews.models import DatasetItem, ImportJob, JobStatus
from reviews.records.cases import case_from_json
from tests.cast import Cast
from tests.datasets.collections import line, load, write_lines
from tests.evaluation.data import DATA, needs_bfcl


def test_every_line_becomes_an_item_with_its_source_and_its_label(cast: Cast, tmp_path: Path) -> None:
    job = load(cast, write_lines(tmp_path / "calls.jsonl", [line(0), line(1)]))
    first, second = DatasetItem.objects.order_by("source_line")
    assert (job.status, job.done, job.loaded, job.rejected) == (JobStatus.DONE, 2, 2, 0)
    assert (first.source, first.licence) == ("Our own JSON lines: calls.jsonl, line 1", "CC0")
    assert [item.given_label and item.given_label["aligned"] for item in (first, second)] == [False, True]
    assert (first.conversation, first.tool) == ("talk-0", "send")
    assert case_from_json(second.case).action.arguments == {"to": "ann1@example.org", "n": 1}


def test_importing_again_loads_nothing_twice(cast: Cast, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "calls.jsonl", [line(0), line(1), line(0)])
    first, second = load(cast, path), load(cast, path)
    assert (first.loaded, first.repeated) == (2, 1)
    assert (second.loaded, second.repeated) == (0, 3)
    assert DatasetItem.objects.count() == 2


def labelled(number: int, aligned: bool | None) -> dict[str, object]:
    return {**line(number), "label": {"aligned": aligned}}


def test_a_label_that_is_not_taken_is_told_and_what_is_held_stands(cast: Cast, tmp_path: Path) -> None:
    held = [labelled(0, True), labelled(1, False), labelled(2, None)]
    load(cast, write_lines(tmp_path / "held.jsonl", held))
    beside = [labelled(0, False), labelled(1, False), labelled(1, None), labelled(2, True), labelled(3, True)]
    job = load(cast, write_lines(tmp_path / "beside.jsonl", [*beside, labelled(3, False)]))
    assert (job.loaded, job.repeated, job.rejected) == (1, 5, 0)
    assert [(problem.line, problem.reason) for problem in job.problems.all()] == [
        (1, HELD_OTHERWISE), (4, HELD_OTHERWISE), (6, HELD_OTHERWISE),
    ]  # fmt: skip
    stored = DatasetItem.objects.order_by("import_job__created_at", "source_line")
    assert [item.given_label and item.given_label["aligned"] for item in stored] == [True, False, None, True]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{", "line 2"),
        ("[]", "holds no object"),
        ("1,2", "is no JSON, of which each line holds one object"),
        ({"id": "x"}, "the field 'case' is missing"),
        (line(5, case={**line(5)["case"], "query": "nul \0"}), "NUL"),
        (line(5, case={**line(5)["case"], "query": 7}), "must be text"),
        (line(5, label={"aligned": "yes"}), "true, false or null"),
        (line(5, label="wrong"), "the label is an object or null"),
        (line(5, label={"aligned": False, "right": ["send", {}]}), "right is a call"),
        # Read letter by letter it would be two places that nobody named.
        (line(5, label={"aligned": False, "differing": "to"}), "differing is a list of pointers"),
        (line(5, case={**line(5)["case"], "tools": ["send"]}), "'send' must be an object"),
        (line(5, trace="t" * 400), "longer than 300"),
        (line(5, case={**line(5)["case"], "action": {"tool": "send", "arguments": {"n": 2**60}}}), "too large"),
        # The database keeps it as an integer of 21 digits, which no digest is made of.
        (line(5, case={**line(5)["case"], "action": {"tool": "send", "arguments": {"n": 1e20}}}), "too large"),
        (line(5, label={"aligned": False, "right": {"tool": "send", "arguments": {"n": -1.5e30}}}), "too large"),
    ],
)
def test_a_bad_line_is_reported_and_the_rest_is_loaded(cast: Cast, tmp_path: Path, bad: object, reason: str) -> None:
    job = load(cast, write_lines(tmp_path / "calls.jsonl", [line(0), bad, line(1)]))
    (problem,) = job.problems.all()
    assert (job.status, job.loaded, job.rejected, problem.line) == (JobStatus.DONE, 2, 1, 2)
    assert reason in problem.reason


CALLS = [{"id": f"c{number}", "function": {"name": "send", "arguments": "{}"}} for number in range(20_000)]
TALK = [{"role": "user", "content": "Send it."}, {"role": "assistant", "content": "Yes."}]


@pytest.mark.parametrize(
    "log",
    [
        {"messages": TALK * 10_000 + [{"role": "assistant", "tool_calls": CALLS[:1]}]},
        {"messages": [*TALK, {"role": "assistant", "tool_calls": CALLS}]},
        {"messages": [*TALK, *({"role": "assistant", "tool_calls": [call]} for call in CALLS)]},
        {"messages": [TALK[0], {"role": "assistant", "tool_calls": CALLS[:1]}], "tools": [{}] * 20_000},
    ],
    ids=["messages", "calls of one message", "messages and calls", "tools"],
)
def test_a_conversation_beyond_the_bounds_is_a_bad_record_soon(
    cast: Cast, tmp_path: Path, log: dict[str, object]
) -> None:
    path = write_lines(tmp_path / "logs.jsonl", [log])
    started = time.process_time()
    json.loads(path.read_text())
    floor = time.process_time() - started
    started = time.process_time()
    (record,) = OpenAIChats(path).iter_records()
    with pytest.raises(TraceDataError, match="more than 512"):
        record.read()
    # Twice is what the line itself takes; what would be gone through for each call takes thousands of times as long.
    assert time.process_time() - started < 200 * max(floor, 0.01)
    job = load(cast, path, reader="openai-chats")
    assert (job.status, job.loaded, job.rejected) == (JobStatus.DONE, 0, 1)


def test_a_conversation_whose_calls_take_too_much_together_is_a_bad_record(cast: Cast, tmp_path: Path) -> None:
    # Each call is kept with the long request before it.
    talk = [{"role": "user", "content": "Send it. " * 20_000}, {"role": "assistant", "tool_calls": CALLS[:400]}]
    short = [{**TALK[0]}, {"role": "assistant", "tool_calls": CALLS[:2]}]
    job = load(
        cast, write_lines(tmp_path / "logs.jsonl", [{"messages": talk}, {"messages": short}]), reader="openai-chats"
    )
    # Of the short one both calls: the second is proposed beside the first, which is another case.
    assert (job.loaded, job.repeated, job.rejected) == (2, 0, 1)
    assert "more than 33554432 bytes" in job.problems.get().reason


@pytest.mark.parametrize("deep", ["[" * 980 + "]" * 980, '{"a":' * 980 + "1" + "}" * 980])
def test_a_line_nested_as_deep_as_can_be_read_is_a_bad_record(cast: Cast, tmp_path: Path, deep: str) -> None:
    bad = json.dumps(line(1, case={**line(1)["case"], "action": {"tool": "send", "arguments": {"x": "@"}}}))
    job = load(cast, write_lines(tmp_path / "calls.jsonl", [line(0), bad.replace('"@"', deep), line(2)]))
    assert (job.status, job.loaded, job.rejected) == (JobStatus.DONE, 2, 1)


def test_bytes_that_are_no_text_are_one_bad_line(cast: Cast, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "calls.jsonl", [line(0), line(1, id="ä")])
    path.write_bytes(path.read_bytes().replace("ä".encode(), b"\xff"))
    job = load(cast, path)
    assert (job.loaded, job.rejected) == (1, 1)


def test_a_file_that_cannot_be_read_fails_the_job_with_its_reason(cast: Cast, tmp_path: Path) -> None:
    job = load(cast, tmp_path, reader="webshop")
    assert job.status == JobStatus.FAILED
    assert "react_webshop_log.txt" in job.failure


@needs_bfcl
def test_a_packed_collection_is_unpacked_and_its_upload_deleted(cast: Cast, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bfcl.zip", "w") as archive:
        archive.write(DATA / "bfcl" / "base.json", "bfcl/base.json")
    name = default_storage.save("imports/bfcl.zip", ContentFile((tmp_path / "bfcl.zip").read_bytes()))
    job = imports.request_import(curation.get_or_create_dataset(cast.workspace, "study"), reader="bfcl", file=name)
    imports.run_import(job.pk)
    job.refresh_from_db()
    assert (job.status, job.done, job.licence) == (JobStatus.DONE, 58, "Apache-2.0")
    assert not default_storage.exists(name)


def test_an_archive_that_names_a_file_outside_of_itself_is_refused(cast: Cast, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("../../outside.json", "[]")
    name = default_storage.save("imports/bad.zip", ContentFile((tmp_path / "bad.zip").read_bytes()))
    job = imports.request_import(curation.get_or_create_dataset(cast.workspace, "study"), reader="bfcl", file=name)
    imports.run_import(job.pk)
    job.refresh_from_db()
    assert (job.status, "outside of itself" in job.failure) == (JobStatus.FAILED, True)


@pytest.mark.parametrize(
    ("reader", "member", "told"),
    [
        ("workbench", "notes.txt", "There are no GPT-4 traces under data/results"),
        ("workbench", "bench/notes.txt", "There are no GPT-4 traces under data/results"),
        ("bfcl", "notes.txt", "There is no JSON file in the archive"),
        ("webshop", "notes.txt", "react_webshop_log.txt"),
    ],
)
def test_why_an_archive_cannot_be_read_names_no_place_on_this_machine(
    cast: Cast, tmp_path: Path, reader: str, member: str, told: str
) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr(member, "x")
    name = default_storage.save("imports/other.zip", ContentFile((tmp_path / "other.zip").read_bytes()))
    job = imports.request_import(curation.get_or_create_dataset(cast.workspace, "study"), reader=reader, file=name)
    imports.run_import(job.pk)
    job.refresh_from_db()
    assert job.status == JobStatus.FAILED
    assert told in job.failure
    assert "/import-" not in job.failure


def test_a_job_is_run_by_one_worker_at_a_time(cast: Cast) -> None:
    job = imports.request_import(curation.get_or_create_dataset(cast.workspace, "study"), reader="items")
    first, second = job_leases.take_job(ImportJob, job.pk), job_leases.take_job(ImportJob, job.pk)
    assert first is not None
    assert second is None


def test_a_worker_that_lost_its_job_writes_nothing_more(cast: Cast) -> None:
    job = imports.request_import(curation.get_or_create_dataset(cast.workspace, "study"), reader="items")
    taken = job_leases.take_job(ImportJob, job.pk)
    assert taken is not None
    assert job_leases.cancel_job(job)
    with pytest.raises(job_leases.JobLostError):
        job_leases.finish_job(taken)
