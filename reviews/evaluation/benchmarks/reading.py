"""Reading a benchmark's files, with errors that name the file and the case."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

from reviews.evaluation.benchmarks.base import LabelledTrace, Recorded, TraceDataError

# A long conversation with everything its tools returned takes some megabytes; more is no record but a mistake.
MAX_LINE_LENGTH: Final = 16 * 1024 * 1024
"""Characters of a line that are read at most."""

# What a submission may hold as a rule. Each call of a record becomes a case with everything before it, so that their
# size grows with the square of their number; no record of a public collection comes near.
MAX_OF_A_RECORD: Final = 512
"""Turns of one record that are read at most, and as many calls, tools and labels."""

P = ParamSpec("P")
T = TypeVar("T")


def list_json_files(folder: Path, pattern: str = "*.json") -> list[Path]:
    """The folder's JSON files of the pattern by name. Raises `TraceDataError` where there is none."""
    # As a rule whatever their names: a part that was drawn otherwise is read like the published one.
    paths = sorted(folder.glob(pattern))
    if not paths:
        raise TraceDataError(
            f"There is no JSON file in {folder}" + (f" called {pattern}" if pattern != "*.json" else "")
        )
    return paths


def read_text(path: Path) -> str:
    """What the file holds, as text. Raises `TraceDataError`."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TraceDataError(f"{path.name} cannot be read: {error}") from error


def read_json(path: Path) -> Any:
    """What the file holds, as JSON. Raises `TraceDataError`."""
    try:
        return json.loads(read_text(path))
    except ValueError as error:
        raise TraceDataError(f"{path.name} cannot be read: {error}") from error


def read_json_lines(path: Path) -> Iterator[Any]:
    """What each line of the file holds. Raises `TraceDataError` with the line's number."""
    # Only "\n" ends a line: a text may hold U+2028, which JSON leaves as it is.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        try:
            if line.strip():
                yield json.loads(line)
        except ValueError as error:
            raise TraceDataError(f"{path.name}, line {number}: {error}") from error


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Each line of the file that is not blank, with its number from 1, without holding the whole file.

    Raises `TraceDataError`.
    """
    number = 0
    try:
        # Only "\n" ends a line: a text may hold U+2028, which JSON leaves as it is. Bytes that are no UTF-8 become
        # half surrogates, so that the line that holds them is refused and not the file.
        with path.open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            # A line of its own is read no further than the bound; what is left of it is read as lines that are refused.
            while line := file.readline(MAX_LINE_LENGTH):
                number += 1
                if line.strip():
                    yield number, line
    except OSError as error:
        raise TraceDataError(f"{path.name} cannot be read: {error}") from error


def parse_json_object(line: str) -> Mapping[str, Any]:
    """The object that a line holds. Raises `ValueError`."""
    if len(line) >= MAX_LINE_LENGTH:
        raise ValueError(f"the line is longer than {MAX_LINE_LENGTH} characters")
    try:
        value = json.loads(line)
    # The decoder recurses: what is nested deeper than that is no record.
    except RecursionError as error:
        raise ValueError("the line is nested too deep") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"the line is no JSON, of which each line holds one object: {error}") from error
    if not isinstance(value, dict):
        raise ValueError("the line holds no object")  # noqa: TRY004  # of the data, not of the argument
    return value


@contextmanager
def locate_errors(place: str) -> Iterator[None]:
    """Turn whatever unexpected data raises into a `TraceDataError` that begins with the place."""
    try:
        yield
    # A key error is named: its text alone is the key in quotes.
    except KeyError as error:
        raise TraceDataError(f"{place}: the field {error} is missing") from error
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise TraceDataError(f"{place}: {error}") from error


def limit_parts(parts: Iterable[T], plural: str) -> Iterator[T]:
    """The parts of a record, `plural` they are called. Raises `ValueError` behind as many as are read."""
    for number, part in enumerate(parts, start=1):
        if number > MAX_OF_A_RECORD:
            raise ValueError(f"the record holds more than {MAX_OF_A_RECORD} {plural}")
        yield part


def defer_reading(place: str, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Callable[[], T]:
    """The reading of one record, put off until it is called. Whatever it raises becomes a `TraceDataError` there."""

    def read_now() -> T:
        with locate_errors(place):
            return read(*args, **kwargs)

    return read_now


def number_records(
    path: Path, singular: str, records: Iterable[Any], read: Callable[[Any], LabelledTrace]
) -> Iterator[Recorded]:
    """Each record of a file, not yet read, under its number from 1; `singular` is what one is called."""
    for number, record in enumerate(records, start=1):
        place = f"{path.name}, {singular} {number}"
        yield Recorded(place, defer_reading(place, read, record))


def iter_listed_records(folder: Path, singular: str, read: Callable[[Any], LabelledTrace]) -> Iterator[Recorded]:
    """Each record of the folder's JSON files, which are lists, not yet read. Raises `TraceDataError`."""
    for path in list_json_files(folder):
        with locate_errors(path.name):
            records = list(read_json(path))
        yield from number_records(path, singular, records, read)


def bounded_messages(messages: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The messages. Raises `ValueError` for more of them, or of calls in them, than are read of a record."""
    read = list(limit_parts(messages, "messages"))
    # Before any is read: what stands before each call is gone through for each.
    list(limit_parts((call for message in read for call in message.get("tool_calls") or ()), "calls"))
    return read
