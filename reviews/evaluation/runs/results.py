"""What a detector made of one case, and its storage as lines of JSON."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from reviews.evaluation.measures.judged_case import Judged


class ResultsError(Exception):
    """The file holds something else than results; the message names the line."""


# Made once: building the validator takes longer than reading a file of results.
_JUDGED = TypeAdapter(Judged)


def result_line(judged: Judged) -> str:
    """The result as one line of JSON, with its line end."""
    return f"{_JUDGED.dump_json(judged).decode()}\n"


def read_results(path: Path) -> Mapping[str, Judged]:
    """The results of a file by key, the last of equals; none where there is no file. Raises `ResultsError`."""
    if not path.exists():
        return {}
    # Only "\n" ends a line: a quote may hold U+2028, which JSON leaves as it is.
    # A run that was stopped while writing leaves half a line, which is judged again.
    *lines, _half = path.read_text(encoding="utf-8").split("\n")
    results: dict[str, Judged] = {}
    for number, line in enumerate(lines, start=1):
        try:
            judged = _JUDGED.validate_json(line)
        except ValidationError as error:
            raise ResultsError(f"{path}, line {number}: {error.errors()[0]['msg']}") from error
        results[judged.key] = judged
    return results
