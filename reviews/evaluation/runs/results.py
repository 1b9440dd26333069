"""What a detector made of one case, and its storage as lines of JSON."""

import fcntl
import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from reviews.evaluation.measures.judged_case import Judged


class ResultsError(Exception):
    """The file holds something else than results; the message names the line."""


# Made once: building the validator takes longer than reading a file of results.
_JUDGED = TypeAdapter(Judged)


def append_result(path: Path, judged: Judged) -> None:
    """Append one result. Lines of different processes do not mix: one writes at a time."""
    with path.open("ab+", buffering=0) as file:
        # Given back when the file is closed, by a process that dies too.
        fcntl.flock(file, fcntl.LOCK_EX)
        size = file.seek(0, os.SEEK_END)
        # What a process that was killed while writing has left: the next result must not stand in the same line.
        if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
            file.truncate(os.pread(file.fileno(), size, 0).rfind(b"\n") + 1)
        file.write(_JUDGED.dump_json(judged) + b"\n")


def read_results(path: Path) -> Mapping[str, Judged]:
    """The results of a file by key, the last of equals; none where there is no file. Raises `ResultsError`."""
    if not path.exists():
        return {}
    # Only "\n" ends a line: a quote may hold U+2028, which JSON leaves as it is.
    # A run that was stopped while writing leaves half a line, which is judged again.
    try:
        *lines, _half = path.read_bytes().split(b"\n")
    except OSError as error:
        raise ResultsError(f"{path} cannot be read: {error.strerror}.") from error
    results: dict[str, Judged] = {}
    for number, line in enumerate(lines, start=1):
        try:
            judged = _JUDGED.validate_json(line)
        except ValidationError as error:
            raise ResultsError(f"{path}, line {number}: {error.errors()[0]['msg']}") from error
        results[judged.key] = judged
    return results
