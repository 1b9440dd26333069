"""Reading a benchmark's files, with errors that name the file and the case."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reviews.evaluation.benchmarks.base import TraceDataError


def json_files(folder: Path) -> list[Path]:
    """The folder's JSON files by name. Raises `TraceDataError` where there is none."""
    # Whatever their names: a part that was drawn otherwise is read like the published one.
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise TraceDataError(f"There is no JSON file in {folder}")
    return paths


def text_of(path: Path) -> str:
    """What the file holds, as text. Raises `TraceDataError`."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TraceDataError(f"{path.name} cannot be read: {error}") from error


def json_of(path: Path) -> Any:
    """What the file holds, as JSON. Raises `TraceDataError`."""
    try:
        return json.loads(text_of(path))
    except ValueError as error:
        raise TraceDataError(f"{path.name} cannot be read: {error}") from error


def json_lines_of(path: Path) -> Iterator[Any]:
    """What each line of the file holds. Raises `TraceDataError` with the line's number."""
    # Only "\n" ends a line: a text may hold U+2028, which JSON leaves as it is.
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        try:
            if line.strip():
                yield json.loads(line)
        except ValueError as error:
            raise TraceDataError(f"{path.name}, line {number}: {error}") from error


@contextmanager
def reading(place: str) -> Iterator[None]:
    """Turn whatever unexpected data raises into a `TraceDataError` that begins with the place."""
    try:
        yield
    # A key error is named: its text alone is the key in quotes.
    except KeyError as error:
        raise TraceDataError(f"{place}: the field {error} is missing") from error
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise TraceDataError(f"{place}: {error}") from error
