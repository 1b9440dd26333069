"""A frozen version as a file: JSON lines, CSV, Parquet, a folder for Hugging Face's library, PROV-JSON.

Each writer writes batch by batch and calls `done` with the rows written so far; memory does not grow with their number.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import BinaryIO, Final

from reviews.datasets import spreadsheets
from reviews.datasets.export_prov import write_prov
from reviews.datasets.export_rows import (
    COLUMNS,
    Done,
    columns_of,
    copy_csv_rows,
    copy_jsonl_lines,
    iterate_batches,
    needs_python,
)
from reviews.models import DatasetVersion, ExportFormat

Writer = Callable[[DatasetVersion, Collection[str], BinaryIO, Done], None]


def write_jsonl(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """One object a line, as `evaluation.file_formats.items` reads it."""
    _write_pieces(iterate_jsonl(version, redact), file, done)


def iterate_jsonl(version: DatasetVersion, redact: Collection[str] = ()) -> Iterator[bytes]:
    """The same as pieces of any length, for an answer that is streamed."""
    if not needs_python(version, redact):
        yield from copy_jsonl_lines(version)
        return
    for lines in iterate_batches(version, redact=redact):
        yield "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def write_csv(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """A header and one row an entry."""
    spreadsheets.write_rows([tuple(COLUMNS)], file)
    if not needs_python(version, redact):
        _write_pieces(copy_csv_rows(version), file, done)
        return
    lines = (line for lines in iterate_batches(version, redact=redact) for line in lines)
    spreadsheets.write_rows((tuple(columns_of(line).values()) for line in lines), file, done)


def write_parquet(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """All splits in one file, in row groups."""
    # Imported here, and below: it needs pyarrow, 24 MB of a process, and only a worker ever writes such a file.
    from reviews.datasets import export_parquet  # noqa: PLC0415

    export_parquet.write_file(version, redact, file, done)


def write_folder(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """A zip archive with README.md and a Parquet file or more for each split."""
    from reviews.datasets import export_parquet  # noqa: PLC0415

    export_parquet.write_folder(version, redact, file, done)


def _write_pieces(pieces: Iterable[bytes], file: BinaryIO, done: Done) -> None:
    rows = 0
    for piece in pieces:
        file.write(piece)
        # Rows hold no line end of their own in JSON lines; in CSV the figure is the progress shown, and no more.
        rows += piece.count(b"\n")
        done(rows)


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
