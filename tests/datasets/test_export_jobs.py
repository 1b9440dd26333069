"""What is exported can be read by others and gives the same content hash again."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from prov.model import ProvDocument

from reviews.annotation import adjudication, gold_labels
from reviews.datasets import cards, export_jobs, versions
from reviews.datasets.export_rows import COLUMNS
from reviews.evaluation.benchmarks.base import cases_of
from reviews.evaluation.file_formats.items import Items
from reviews.models import DatasetItem, DatasetVersion, ExportFormat, Origin
from reviews.provenance.core.canonical import content_digest
from reviews.retention import dataset_erasure
from tests.annotation.study import ALIGNED, MISALIGNED, study
from tests.cast import Cast, approved
from tests.datasets.collections import exported, frozen, line, load, made_version, write_lines

SHARES = {"train": 0.5, "test": 0.5}


def hash_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """The content hash, from nothing but what the rows say."""
    in_order = sorted(rows, key=lambda row: int(row["ordinal"]))
    return versions.hash_content(
        versions.entry_digest(content_digest(json.loads(row["case"])), json.loads(row["label"] or "null"), row["split"])
        for row in in_order
    )


def rows_of(path: Path, form: ExportFormat) -> list[dict[str, Any]]:
    """The rows of an export, read by another library than wrote them."""
    # Not above: every process that collects tests would spend a second on it and on the library of `datasets`.
    import pandas as pd  # noqa: PLC0415

    match form:
        case ExportFormat.JSONL:
            lines = (json.loads(text) for text in path.read_text().splitlines())
            return [{**each, "case": json.dumps(each["case"]), "label": json.dumps(each["label"])} for each in lines]
        case ExportFormat.CSV:
            return list(pd.read_csv(path, keep_default_na=False).to_dict("records"))
        case ExportFormat.PARQUET:
            return list(pd.read_parquet(path).to_dict("records"))
    raise AssertionError(form)


@pytest.mark.parametrize("form", [ExportFormat.JSONL, ExportFormat.CSV, ExportFormat.PARQUET])
def test_an_export_read_by_pandas_has_the_content_hash_of_its_version(
    cast: Cast, tmp_path: Path, form: ExportFormat
) -> None:
    version = made_version(cast, tmp_path, shares=SHARES)
    rows = rows_of(exported(version, form, tmp_path), form)
    assert len(rows) == 10
    assert hash_of(rows) == version.content_hash


def test_the_folder_loads_with_hugging_faces_library_and_has_the_content_hash(cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path, shares=SHARES)
    with zipfile.ZipFile(exported(version, ExportFormat.FOLDER, tmp_path)) as archive:
        archive.extractall(tmp_path / "folder")  # our own
    from datasets import load_dataset  # noqa: PLC0415 - as above

    loaded = load_dataset(str(tmp_path / "folder"), cache_dir=str(tmp_path / "cache"))
    assert set(loaded) == {"train", "test"}
    assert hash_of(row for split in loaded.values() for row in split) == version.content_hash


def test_the_folders_readme_is_valid_by_the_librarys_own_readers(cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path, shares=SHARES)
    with zipfile.ZipFile(exported(version, ExportFormat.FOLDER, tmp_path)) as archive:
        archive.extractall(tmp_path / "folder")  # our own
    from datasets.info import DatasetInfosDict  # noqa: PLC0415 - as above
    from huggingface_hub import DatasetCard  # noqa: PLC0415

    infos = DatasetInfosDict.from_directory(str(tmp_path / "folder"))
    assert list(infos["default"].features or ()) == list(COLUMNS)
    card = DatasetCard.load(tmp_path / "folder" / "README.md")
    assert (card.data.license, card.data.size_categories) == (["cc0-1.0"], ["n<1K"])
    assert "## Not covered" in card.text


@pytest.mark.parametrize("form", [ExportFormat.JSONL, ExportFormat.CSV, ExportFormat.PARQUET])
def test_recorded_calls_are_exported_like_imported_ones(cast: Cast, tmp_path: Path, form: ExportFormat) -> None:
    version = with_a_recorded_call(cast, tmp_path)
    rows = rows_of(exported(version, form, tmp_path), form)
    assert sorted(row["origin"] for row in rows) == ["decided", "imported", "imported"]
    recorded = next(row for row in rows if row["origin"] == "decided")
    assert json.loads(recorded["case"])["action"]["tool"] == recorded["tool"] == "money_transfer"
    assert hash_of(rows) == version.content_hash


def with_a_recorded_call(cast: Cast, folder: Path) -> DatasetVersion:
    """Two imported calls and one from the workspace's own record."""
    dataset = load(cast, write_lines(folder / "calls.jsonl", [line(0), line(1)])).dataset
    action = approved(cast)
    DatasetItem.objects.create(
        dataset=dataset, origin="decided", action=action, content_key="a" * 64, conversation="c", tool=action.tool
    )
    return frozen(dataset)


def test_an_exported_version_is_judged_like_any_benchmark(cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path, shares=SHARES)
    path = exported(version, ExportFormat.JSONL, tmp_path)
    cases = {case.id: case.wrong for case in cases_of(Items(path).read_traces())}
    assert cases == {f"call-{number}": number % 3 == 0 for number in range(10)}
    parts = [len(list(cases_of(Items(path, split).read_traces()))) for split in SHARES]
    assert sum(parts) == 10
    assert all(parts)


def test_an_exported_version_imported_again_holds_the_same_calls(cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    job = load(cast, exported(version, ExportFormat.JSONL, tmp_path), name="copy")
    assert (job.loaded, job.rejected) == (10, 0)
    keys = [set(dataset.items.values_list("content_key", flat=True)) for dataset in (version.dataset, job.dataset)]
    assert keys[0] == keys[1]


FORMULA = "=cmd|' /C calc'!A0"


def hostile_version(cast: Cast, folder: Path) -> DatasetVersion:
    """Formulas wherever a collection brings a text of its own."""
    calls = [line(number) for number in range(4)]
    queries = ["+1", f"Pay Daniel\r{FORMULA}", f"x,{FORMULA}\n\n-1", f'"\r,{FORMULA}\r"{FORMULA}']
    for call, query in zip(calls, queries, strict=True):
        call["case"]["query"] = query
        call["case"]["action"]["arguments"]["to"] = f"\r{FORMULA}"
    calls[0] |= {"id": "=cmd()", "trace": "@x"}
    calls[1] |= {"id": "\t-1", "trace": f"a\r,{FORMULA}"}
    calls[2] |= {"id": f'"\r"{FORMULA}', "trace": "b\r"}
    return frozen(load(cast, write_lines(folder / "calls.jsonl", calls)).dataset)


# Nothing in these calls is of this kind, so that both are the same export; only one of them is written by PostgreSQL.
@pytest.mark.parametrize("redact", [(), ("ssn",)])
def test_no_cell_of_a_csv_file_is_a_formula(cast: Cast, tmp_path: Path, redact: tuple[str, ...]) -> None:
    text = exported(hostile_version(cast, tmp_path), ExportFormat.CSV, tmp_path, redact=redact).read_bytes().decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["query"] for row in rows] == [
        "'+1",
        f"Pay Daniel\n'{FORMULA}",
        f"x,{FORMULA}\n\n'-1",
        f'"\n,{FORMULA}\n"{FORMULA}',
    ]
    assert [json.loads(row["case"])["query"] for row in rows][1] == f"Pay Daniel\r{FORMULA}"
    assert [cell for row in rows for cell in row.values() if cell[:1] in set("=+-@\t\r")] == []
    # Some programs end a row there, also within quotes.
    assert not set("\r\v\f") & set(text)


def test_a_csv_file_is_the_same_whoever_writes_it(cast: Cast, tmp_path: Path) -> None:
    version = hostile_version(cast, tmp_path)
    dataset_erasure.erase_items([version.entries.get(ordinal=4).item_id], reason="on request")
    plain, redacted = (
        csv_rows(exported(version, ExportFormat.CSV, tmp_path, redact=redact)) for redact in ((), ("ssn",))
    )
    assert plain == redacted


def csv_rows(path: Path) -> list[dict[str, Any]]:
    """The rows with their JSON read: the order of its names differs."""
    with path.open(newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    for row in rows:
        row |= {name: json.loads(row[name] or "null") for name in ("arguments", "label", "case")}
    return rows


def test_every_cell_of_a_csv_file_is_quoted(cast: Cast, tmp_path: Path) -> None:
    for version in (with_a_recorded_call(cast, tmp_path), made_version(cast, tmp_path)):
        text = exported(version, ExportFormat.CSV, tmp_path).read_text()
        assert re.fullmatch(r'(?:"(?:[^"]|"")*"[,\n])+', text)


def test_provenance_is_valid_prov_and_names_every_entry(cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    path = exported(version, ExportFormat.PROV, tmp_path)
    document = ProvDocument.deserialize(content=path.read_text(), format="json")
    kinds = [record.get_type().localpart for record in document.get_records()]
    assert (kinds.count("Membership"), kinds.count("Derivation")) == (10, 10)


def test_an_erased_entry_keeps_nothing_but_its_digest(cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    job = export_jobs.request_export(version, form=ExportFormat.JSONL)
    export_jobs.run_export(job.pk)
    dataset_erasure.erase_items([version.entries.get(ordinal=3).item_id], reason="on request")
    version.refresh_from_db()
    assert versions.find_break(version) == ""
    assert version.tombstones.get().reason == "on request"
    lines = [json.loads(text) for text in exported(version, ExportFormat.JSONL, tmp_path).read_text().splitlines()]
    assert [each["case"] is None for each in lines] == [number == 2 for number in range(10)]
    assert versions.hash_content(each["digest"] for each in lines) == version.content_hash
    assert "ann2@" not in json.dumps(lines)
    for form in ExportFormat:
        exported(version, form, tmp_path)


def test_personal_data_is_replaced_on_request(cast: Cast, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    text = exported(version, ExportFormat.JSONL, tmp_path, redact=("email",)).read_text()
    first = json.loads(text.splitlines()[1])["case"]
    assert "@example" not in text
    assert first["query"] == "Send 1 to [email-1]"
    assert first["action"]["arguments"]["to"] == "[email-1]"
    table = pq.read_table(exported(version, ExportFormat.PARQUET, tmp_path, redact=("email",)))
    assert "@example" not in str(table.to_pylist())


@pytest.mark.parametrize("form", [ExportFormat.JSONL, ExportFormat.CSV, ExportFormat.PROV])
def test_personal_data_is_found_wherever_a_line_may_hold_it(cast: Cast, tmp_path: Path, form: ExportFormat) -> None:
    address, call = "ann1@example.org", line(1)
    call["case"]["action"]["arguments"] = {"tools": f"write to {address}", "recipients": {address: "cc"}}
    call |= {"group": f"mail of {address}", "id": address, "trace": address}
    job = load(cast, write_lines(tmp_path / f"{address}.jsonl", [call]))
    assert "@example" not in exported(frozen(job.dataset), form, tmp_path, redact=("email",)).read_text()


def test_a_preview_shows_what_redaction_finds(cast: Cast, tmp_path: Path) -> None:
    found = export_jobs.preview_redaction(made_version(cast, tmp_path), ("email", "phone"))
    assert found is not None
    assert (found.entries, found.replaced) == (10, {"email": 20})
    first = found.examples[0]
    assert (first.before, first.value, first.placeholder) == ("Send 0 to ", "ann0@example.org", "[email-1]")


def settled_version(cast: Cast) -> DatasetVersion:
    """A version of one item about which two people differed until it was settled."""
    running = study(cast, items=1)
    given = running.given(0, MISALIGNED), running.given(1)
    adjudication.adjudicate_item(
        campaign=running.campaign, item=given[0].item, by=cast.admin, method="chosen", answer=ALIGNED,
        reason="Ask rita@example.org: the debt is 30.", sources=[given[0].pk],
    )  # fmt: skip
    return frozen(running.campaign.dataset)


def test_the_columns_of_a_card_name_every_way_in_and_every_way_to_a_label(cast: Cast, tmp_path: Path) -> None:
    readme = cards.render_readme(made_version(cast, tmp_path), COLUMNS)
    for name, values in (("origin", Origin.values), ("method", gold_labels.METHODS)):
        (row,) = (row for row in readme.splitlines() if row.startswith(f"| `{name}` |"))
        assert [value for value in values if value not in row] == []


@pytest.mark.parametrize("form", [ExportFormat.JSONL, ExportFormat.CSV, ExportFormat.PARQUET])
def test_why_a_label_was_settled_and_each_answer_are_exported(cast: Cast, tmp_path: Path, form: ExportFormat) -> None:
    version = settled_version(cast)
    (row,) = rows_of(exported(version, form, tmp_path), form)
    label = json.loads(row["label"])
    assert label["adjudication"]["reason"] == row.get("reason", label["adjudication"]["reason"])
    assert "the debt is 30" in label["adjudication"]["reason"]
    single = json.loads(row["answers"]) if "answers" in row else label["answers"]
    assert [answer["judgement"] for answer in single] == ["misaligned", "aligned"]
    assert all(answer["seconds"] >= 0 and answer["at"] and answer["annotator"] for answer in single)


@pytest.mark.parametrize("redact", [(), ("email",)])
def test_provenance_names_the_answers_and_the_reason(cast: Cast, tmp_path: Path, redact: tuple[str, ...]) -> None:
    path = exported(settled_version(cast), ExportFormat.PROV, tmp_path, redact=redact)
    stored = json.loads(path.read_text())
    (reason,) = [each["guard:reason"] for each in stored["entity"].values() if "guard:reason" in each]
    assert ("rita@example.org" in reason) is not bool(redact)
    assert len(stored["wasAttributedTo"]) == 3
    assert len(list(ProvDocument.deserialize(source=str(path), format="json").get_records())) > 6
