"""A frozen version as Parquet: one file, or the folder that Hugging Face's library loads.

Nothing else imports pyarrow: it takes 24 MB of a process, so this module is imported where a file is written.
"""

import tempfile
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from django.conf import settings

from reviews.datasets import cards
from reviews.datasets.export_rows import COLUMNS, Done, copy_csv_blocks, iterate_column_batches, needs_python
from reviews.models import DatasetVersion

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


def write_file(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """All splits in one file, in row groups."""
    rows = 0
    with _open_writer(file) as parquet:
        for table in _read_tables(version, redact):
            parquet.write_table(table)
            rows += table.num_rows
            done(rows)


def _open_writer(file: BinaryIO | Path) -> pq.ParquetWriter:
    return pq.ParquetWriter(file, SCHEMA, compression="zstd", compression_level=1, use_dictionary=_REPEATED)


def write_folder(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """A zip archive with README.md and `data/<split>-00000.parquet`, which `datasets.load_dataset` loads unpacked."""
    with (
        tempfile.TemporaryDirectory(prefix="export-", dir=settings.FILE_UPLOAD_TEMP_DIR) as place,
        zipfile.ZipFile(file, "w") as archive,
    ):
        archive.writestr("README.md", cards.render_readme(version, COLUMNS))
        shards, rows = _Shards(Path(place), archive), 0
        try:
            for table in _read_tables(version, redact):
                for split in table["split"].unique().to_pylist():
                    shards.write_rows(split or "train", table.filter(pa.compute.equal(table["split"], split)))
                rows += table.num_rows
                done(rows)
        finally:
            shards.close_all()


class _Shards:
    """The Parquet files of a folder: one open for each split, put into the archive when it is full."""

    def __init__(self, place: Path, archive: zipfile.ZipFile) -> None:
        self._place, self._archive = place, archive
        self._open: dict[str, pq.ParquetWriter] = {}
        self._rows: dict[str, int] = {}
        self._files: dict[str, int] = {}

    def write_rows(self, split: str, table: pa.Table) -> None:
        """Append rows of one split."""
        if split not in self._open:
            self._open[split] = _open_writer(self._shard_path(split))
            self._rows[split] = 0
        self._open[split].write_table(table)
        self._rows[split] += table.num_rows
        if self._rows[split] >= _ROWS_IN_FILE:
            self._finish_shard(split)

    def close_all(self) -> None:
        """Put what is open into the archive."""
        for split in list(self._open):
            self._finish_shard(split)

    def _finish_shard(self, split: str) -> None:
        self._open.pop(split).close()
        path = self._shard_path(split)
        # Stored as it is: Parquet is compressed already.
        self._archive.write(path, f"data/{path.name}")
        path.unlink()
        self._files[split] = self._files.get(split, 0) + 1

    def _shard_path(self, split: str) -> Path:
        return self._place / f"{split}-{self._files.get(split, 0):05}.parquet"


def _read_tables(version: DatasetVersion, redact: Collection[str]) -> Iterator[pa.Table]:
    """The version as tables of the size of a row group."""
    if needs_python(version, redact):
        yield from _combine_batches(iterate_column_batches(version, redact=redact))
        return
    for block in copy_csv_blocks(version, rows=_ROWS_IN_GROUP, size=_BYTES_IN_GROUP):
        # One block of the reader's for each of ours: a row that lies in two of them would be an error. Threads would
        # only fight for the cores with the database, which is what is waited for.
        reading = pa_csv.ReadOptions(column_names=list(COLUMNS), block_size=len(block) + 1, use_threads=False)
        yield pa_csv.read_csv(pa.BufferReader(block), reading, _CSV, _FROM_CSV)


def _combine_batches(column_batches: Iterable[Mapping[str, list[Any]]]) -> Iterator[pa.Table]:
    waiting: list[pa.RecordBatch] = []
    for columns in column_batches:
        arrays = [pa.array(columns[field.name], field.type) for field in SCHEMA]
        waiting.append(pa.RecordBatch.from_arrays(arrays, schema=SCHEMA))
        if sum(batch.num_rows for batch in waiting) >= _ROWS_IN_GROUP:
            yield pa.Table.from_batches(waiting, SCHEMA).combine_chunks()
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting, SCHEMA).combine_chunks()
