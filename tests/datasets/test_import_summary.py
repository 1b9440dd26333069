from pathlib import Path

from reviews.datasets.import_summary import group_reasons, summarize_import
from reviews.models import ImportProblem
from tests.cast import Cast
from tests.datasets.collections import line, load, write_lines


def test_reasons_that_differ_in_numbers_and_names_are_one_group() -> None:
    reasons = ["the field 'case' is missing", "the field 'query' is missing", "line 7 is no JSON", "line 9 is no JSON"]
    groups = group_reasons(ImportProblem(line=at, reason=reason) for at, reason in enumerate(reasons, start=3))
    assert [(group.example, group.line, group.count) for group in groups] == [
        ("the field 'case' is missing", 3, 2),
        ("line 7 is no JSON", 5, 2),
    ]


def test_records_read_and_left_out_make_all_of_them(cast: Cast, tmp_path: Path) -> None:
    job = load(cast, write_lines(tmp_path / "calls.jsonl", [line(0), {"id": "bad"}, line(1), line(1), "{"]))
    summary = summarize_import(job)
    assert (job.done, summary.read, job.rejected) == (5, 3, 2)
    assert (summary.calls, job.loaded, job.repeated) == (3, 2, 1)
    assert (sum(group.count for group in summary.groups), summary.unexplained) == (2, 0)
