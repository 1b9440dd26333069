"""Reading a benchmark's JSON files, with errors that name the file and the case."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reviews.evaluation.benchmarks.base import TraceDataError


def json_files(folder: Path) -> list[Path]:
    """The folder's JSON files by name. Raises `TraceDataError` where there is none."""
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise TraceDataError(f"There is no JSON file in {folder}")
    return paths


def load(path: Path) -> Any:
    """What the file holds. Raises `TraceDataError`."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TraceDataError(f"{path.name} cannot be read: {error}") from error


@contextmanager
def reading(place: str) -> Iterator[None]:
    """Turn whatever unexpected data raises into a `TraceDataError` that begins with the place."""
    try:
        yield
    except KeyError as error:
        raise TraceDataError(f"{place}: the field {error} is missing") from error
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise TraceDataError(f"{place}: {error}") from error
