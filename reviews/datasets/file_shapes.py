"""What a file is by its own shape, so that a wrong format is named at once and the right reader is proposed."""

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO, Any, Final

from reviews.datasets.reader_registry import TABLE, is_one_file, title_of
from reviews.errors import FieldProblem, InvalidError
from reviews.evaluation.file_formats.table_rows import DELIMITERS, RowFormat

# The first line of nearly every collection; longer ones are recognised by what they begin with.
_LOOKED_AT: Final = 256 * 1024
_ZIP: Final = b"PK\x03\x04"
# Parts of names that the archives of public collections hold.
_IN_ARCHIVE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "workbench": "workbench",
        "agentdojo": "agentdojo",
        "assebench": "assebench",
        "asb": "asb",
        "tau": "taubench",
        "bfcl": "bfcl",
        "webshop": "webshop",
        "hotpot": "hotpotqa",
        "safetybench": "agent-safetybench",
        "pairs": "pairs",
    }
)


@dataclass(frozen=True)
class FileShape:
    """What a file is."""

    kind: str
    """In words, with an article."""
    reader: str = ""
    """The collection it looks like; empty where it looks like none."""
    is_archive: bool = False
    row_format: RowFormat | None = None
    """How its rows are written, where a person can say what they hold."""


def recognise_file(content: IO[bytes]) -> FileShape:
    """What the file is, from its beginning; it is left where it was."""
    place = content.tell()
    try:
        start = content.read(_LOOKED_AT)
        if start.startswith(_ZIP):
            return _recognise_archive(content)
        return _recognise_text(start)
    finally:
        content.seek(place)


def check_shape(reader: str, shape: FileShape) -> None:
    """Raises `InvalidError` for a file that this reader cannot begin to read."""
    title, one_file = title_of(reader), is_one_file(reader)
    if one_file and shape.is_archive:
        raise _refused(f"This is {shape.kind}, and “{title}” is one file. Unpack it first.")
    if not one_file and not shape.is_archive:
        raise _refused(f"This is {shape.kind}, and “{title}” is a folder: send it packed as a zip archive.")
    if reader == TABLE:
        if shape.row_format is None:
            raise _refused(f"This is {shape.kind}, which has no rows. {_HELP}")
        return
    if one_file and shape.reader not in ("", reader):
        raise _refused(f"This is {shape.kind}, which is read as “{title_of(shape.reader)}”, not as “{title}”.")
    if one_file and not shape.reader:
        raise _refused(f"This is {shape.kind}, which is not “{title}”. {_HELP}")


def propose_reader(shape: FileShape) -> str:
    """The reader for a file of this shape. Raises `InvalidError` that says what it is where there is none."""
    if not shape.reader and shape.row_format is None:
        raise _refused(f"This is {shape.kind}, and no collection is known by that. Choose one above. {_HELP}")
    return shape.reader or TABLE


_HELP: Final = "A table (CSV) and JSON of any shape can be loaded too: a page then asks what its columns hold."


def _refused(message: str) -> InvalidError:
    return InvalidError(FieldProblem("/file", message))


def _recognise_archive(content: IO[bytes]) -> FileShape:
    try:
        content.seek(0)
        with zipfile.ZipFile(content) as archive:
            names = " ".join(archive.namelist()[:200]).lower()
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError):
        return FileShape("a zip archive that cannot be opened", is_archive=True)
    reader = next((reader for part, reader in _IN_ARCHIVE.items() if part in names), "")
    return FileShape("a zip archive", reader, is_archive=True)


def _recognise_text(start: bytes) -> FileShape:
    # A letter may be cut in two where the look ends.
    text = start.decode("utf-8-sig", errors="ignore" if len(start) == _LOOKED_AT else "replace")
    if not text.strip():
        return FileShape("an empty file")
    if "\ufffd" in text or "\x00" in text:
        return FileShape("no text in UTF-8")
    first = next(line for line in text.splitlines() if line.strip())
    try:
        return _recognise_record(json.loads(first))
    except (ValueError, RecursionError):
        pass
    return _recognise_line(first, is_cut=len(start) == _LOOKED_AT)


def _recognise_line(first: str, *, is_cut: bool) -> FileShape:
    """What a file is whose first line is no JSON by itself."""
    if first.lstrip().startswith("{") and is_cut:
        reader = "items" if '"case"' in first else ""
        return FileShape("JSON with a first line of great length", reader, row_format=RowFormat.JSON)
    if first.lstrip()[:1] in "[{":
        return FileShape("JSON over several lines", row_format=RowFormat.JSON)
    if any(mark in first for mark in DELIMITERS):
        return FileShape("a table (CSV)", row_format=RowFormat.CSV)
    return FileShape("plain text")


def _recognise_record(record: Any) -> FileShape:
    match record:
        case {"case": dict()}:
            return FileShape("JSON lines with a case each", "items", row_format=RowFormat.JSON_LINES)
        case {"messages": list()}:
            return FileShape("JSON lines with messages each", "openai-chats", row_format=RowFormat.JSON_LINES)
        case {"right": _, "wrong": _}:
            return FileShape("JSON lines with a right and a wrong call each", "pairs", row_format=RowFormat.JSON_LINES)
        case dict():
            names = ", ".join(map(repr, list(record)[:6]))
            return FileShape(f"JSON lines with the fields {names}", row_format=RowFormat.JSON_LINES)
        case [dict(), *_]:
            return FileShape("one JSON list", row_format=RowFormat.JSON)
    return FileShape("JSON that holds no record")
