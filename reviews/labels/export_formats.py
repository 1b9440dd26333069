"""A frozen version as a file: JSON lines, CSV, Parquet, a folder for Hugging Face's library, PROV-JSON.

Each writer writes batch by batch and calls `done` with the rows written so far; memory does not grow with their number.
"""

import csv
import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Final

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from django.conf import settings

from reviews.labels import cards
from reviews.labels.export_rows import (
    COLUMNS,
    batches,
    column_batches,
    copied_blocks,
    copied_csv,
    copied_lines,
    guarded,
    needs_python,
)
from reviews.models import DatasetVersion, ExportFormat

Done = Callable[[int], None]
Writer = Callable[[DatasetVersion, Collection[str], BinaryIO, Done], None]

_KINDS: Final = {"ordinal": pa.int64(), "first_misaligned_step": pa.int32(), "aligned": pa.bool_()}
SCHEMA: Final = pa.schema(
    (name, pa.float64() if name == "audit_probability" else _KINDS.get(name, pa.string())) for name in COLUMNS
)
"""Of Parquet."""
# Columns whose values repeat. Looking for repetitions among whole conversations costs half the time and finds none.
_REPEATED: Final = ["trace", "split", "origin", "tool", "misalignment", "relation", "method", "licence"]
# Small enough to be written with some tens of megabytes at hand, large enough to compress well.
_ROWS_IN_GROUP: Final = 2_000
# Long conversations make a group before there are that many of them.
_BYTES_IN_GROUP: Final = 16 * 1024 * 1024
# Values that PostgreSQL writes: conversations hold line ends, truth is a letter, and nothing at all is null.
_CSV: Final = pa_csv.ParseOptions(newlines_in_values=True)
_FROM_CSV: Final = pa_csv.ConvertOptions(
    column_types=SCHEMA,
    null_values=[""],
    strings_can_be_null=True,
    quoted_strings_can_be_null=False,
    true_values=["t"],
    false_values=["f"],
)
# Files of the folder: a library fetches them one by one.
_ROWS_IN_FILE: Final = 100_000


def write_jsonl(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """One object a line, as `evaluation.benchmarks.items` reads it."""
    _write_pieces(jsonl(version, redact), file, done)


def jsonl(version: DatasetVersion, redact: Collection[str] = ()) -> Iterator[bytes]:
    """The same as pieces of any length, for an answer that is streamed."""
    if not needs_python(version, redact):
        yield from copied_lines(version)
        return
    for lines in batches(version, redact=redact):
        yield "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def write_csv(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """A header and one row an entry."""
    if not needs_python(version, redact):
        _write_pieces(copied_csv(version), file, done)
        return
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer, written = csv.writer(text, lineterminator="\n"), 0
    writer.writerow(COLUMNS)
    for columns in column_batches(version, redact=redact):
        for row in zip(*columns.values(), strict=True):
            writer.writerow(guarded(name, value) for name, value in zip(COLUMNS, row, strict=True))
        written += len(columns["id"])
        done(written)
    # The file is the caller's to close.
    text.detach()


def write_parquet(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """All splits in one file, in row groups."""
    written = 0
    with _parquet(file) as parquet:
        for table in _tables(version, redact):
            parquet.write_table(table)
            written += table.num_rows
            done(written)


def _parquet(file: BinaryIO | Path) -> pq.ParquetWriter:
    return pq.ParquetWriter(file, SCHEMA, compression="zstd", compression_level=1, use_dictionary=_REPEATED)


def write_folder(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """A zip archive with README.md and `data/<split>-00000.parquet`, which `datasets.load_dataset` loads unpacked."""
    with (
        tempfile.TemporaryDirectory(prefix="export-", dir=settings.FILE_UPLOAD_TEMP_DIR) as place,
        zipfile.ZipFile(file, "w") as archive,
    ):
        archive.writestr("README.md", cards.readme(version, COLUMNS))
        shards, written = _Shards(Path(place), archive), 0
        try:
            for table in _tables(version, redact):
                for split in table["split"].unique().to_pylist():
                    shards.write(split or "train", table.filter(pa.compute.equal(table["split"], split)))
                written += table.num_rows
                done(written)
        finally:
            shards.close()


class _Shards:
    """The Parquet files of a folder: one open for each split, put into the archive when it is full."""

    def __init__(self, place: Path, archive: zipfile.ZipFile) -> None:
        self._place, self._archive = place, archive
        self._open: dict[str, pq.ParquetWriter] = {}
        self._rows: dict[str, int] = {}
        self._files: dict[str, int] = {}

    def write(self, split: str, table: pa.Table) -> None:
        """Append rows of one split."""
        if split not in self._open:
            self._open[split] = _parquet(self._path(split))
            self._rows[split] = 0
        self._open[split].write_table(table)
        self._rows[split] += table.num_rows
        if self._rows[split] >= _ROWS_IN_FILE:
            self._finish(split)

    def close(self) -> None:
        """Put what is open into the archive."""
        for split in list(self._open):
            self._finish(split)

    def _finish(self, split: str) -> None:
        self._open.pop(split).close()
        path = self._path(split)
        # Stored as it is: Parquet is compressed already.
        self._archive.write(path, f"data/{path.name}")
        path.unlink()
        self._files[split] = self._files.get(split, 0) + 1

    def _path(self, split: str) -> Path:
        return self._place / f"{split}-{self._files.get(split, 0):05}.parquet"


def write_prov(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """The version, its entries and where each comes from, as W3C PROV in JSON; it names nobody and quotes nothing."""
    file.write(b'{"prefix": {"guard": "urn:provenanceguard:"}')
    # PROV-JSON lists by kind of statement, so the entries are read once for each kind rather than held.
    for kind, statements in _PROV.items():
        file.write(f', "{kind}": {{'.encode())
        for number, (name, statement) in enumerate(statements(version)):
            separator = ", " if number else ""
            file.write(f"{separator}{json.dumps(name)}: {json.dumps(statement)}".encode())  # one by one
        file.write(b"}")
        done(0)
    file.write(b"}")


def _prov_entities(version: DatasetVersion) -> Iterator[tuple[str, dict[str, Any]]]:
    name = _prov_name(version)
    hashes = {"guard:contentHash": version.content_hash, "guard:chainHash": version.chain_hash}
    yield name, {"prov:type": "prov:Collection", "prov:label": f"{version.dataset} {version}", **hashes}
    if version.parent is not None:
        yield _prov_name(version.parent), {"prov:type": "prov:Collection"}
    for entry in _prov_rows(version):
        yield (
            f"guard:entry/{entry['digest']}",
            {
                "guard:method": entry["method"] or "unlabelled",
                "guard:origin": entry["origin"],
                "guard:erased": bool(entry["erased_at"]),
            },
        )
    for source in _sources(version):
        yield f"guard:source/{source}", {"prov:label": source}


def _prov_members(version: DatasetVersion) -> Iterator[tuple[str, dict[str, Any]]]:
    for entry in _prov_rows(version):
        member = {"prov:collection": _prov_name(version), "prov:entity": f"guard:entry/{entry['digest']}"}
        yield f"_:m{entry['ordinal']}", member


def _prov_origins(version: DatasetVersion) -> Iterator[tuple[str, dict[str, Any]]]:
    if version.parent is not None:
        derived = {"prov:generatedEntity": _prov_name(version), "prov:usedEntity": _prov_name(version.parent)}
        yield "_:d0", {**derived, "prov:type": "prov:Revision"}
    for entry in _prov_rows(version):
        source = f"guard:source/{_collection(entry['source'])}"
        derived = {"prov:generatedEntity": f"guard:entry/{entry['digest']}", "prov:usedEntity": source}
        yield f"_:d{entry['ordinal']}", derived


_PROV: Final[Mapping[str, Callable[[DatasetVersion], Iterator[tuple[str, dict[str, Any]]]]]] = MappingProxyType(
    {"entity": _prov_entities, "hadMember": _prov_members, "wasDerivedFrom": _prov_origins}
)


def _prov_name(version: DatasetVersion) -> str:
    return f"guard:version/{version.pk}"


def _prov_rows(version: DatasetVersion) -> Iterator[dict[str, Any]]:
    """What PROV says of each entry, without its conversation."""
    rows = version.entries.order_by("ordinal").values_list(
        "ordinal", "digest", "erased_at", "label__method", "item__origin", "item__source"
    )
    names = ("ordinal", "digest", "erased_at", "method", "origin", "source")
    for row in rows.iterator():
        yield dict(zip(names, row, strict=True))


def _sources(version: DatasetVersion) -> set[str]:
    found = version.entries.order_by().values_list("item__source", flat=True)
    return {_collection(source) for source in found.iterator()}


def _collection(source: str) -> str:
    """The collection's name without the place of the record in it, fit for the name of an entity."""
    return "-".join(source.partition(": ")[0].split()) or "this-workspace"


def _write_pieces(pieces: Iterable[bytes], file: BinaryIO, done: Done) -> None:
    rows = 0
    for piece in pieces:
        file.write(piece)
        # Rows hold no line end of their own in JSON lines; in CSV the figure is the progress shown, and no more.
        rows += piece.count(b"\n")
        done(rows)


def _tables(version: DatasetVersion, redact: Collection[str]) -> Iterator[pa.Table]:
    """The version as tables of the size of a row group."""
    if needs_python(version, redact):
        yield from _batched(column_batches(version, redact=redact))
        return
    for block in copied_blocks(version, rows=_ROWS_IN_GROUP, size=_BYTES_IN_GROUP):
        # One block of the reader's for each of ours: a row that lies in two of them would be an error. Threads would
        # only fight for the cores with the database, which is what is waited for.
        reading = pa_csv.ReadOptions(column_names=list(COLUMNS), block_size=len(block) + 1, use_threads=False)
        yield pa_csv.read_csv(pa.BufferReader(block), reading, _CSV, _FROM_CSV)


def _batched(found: Iterable[Mapping[str, list[Any]]]) -> Iterator[pa.Table]:
    waiting: list[pa.RecordBatch] = []
    for columns in found:
        arrays = [pa.array(columns[field.name], field.type) for field in SCHEMA]
        waiting.append(pa.RecordBatch.from_arrays(arrays, schema=SCHEMA))
        if sum(batch.num_rows for batch in waiting) >= _ROWS_IN_GROUP:
            yield pa.Table.from_batches(waiting, SCHEMA).combine_chunks()
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting, SCHEMA).combine_chunks()


WRITERS: Final[Mapping[str, tuple[Writer, str]]] = MappingProxyType(
    {
        ExportFormat.JSONL: (write_jsonl, "jsonl"),
        ExportFormat.CSV: (write_csv, "csv"),
        ExportFormat.PARQUET: (write_parquet, "parquet"),
        ExportFormat.FOLDER: (write_folder, "zip"),
        ExportFormat.PROV: (write_prov, "prov.json"),
    }
)
"""Each format's writer and the ending of its file."""
