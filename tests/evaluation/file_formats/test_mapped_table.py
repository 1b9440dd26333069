import json
from pathlib import Path
from typing import Any

import pytest

from reviews.evaluation.benchmarks.base import TraceDataError
from reviews.evaluation.file_formats.mapped_table import ColumnMapping, MappedTable
from reviews.evaluation.file_formats.table_rows import RowFormat, columns_of, iterate_rows
from reviews.provenance.core.context import Message, Step

MAPPING = ColumnMapping(
    query="question", tool="call.name", arguments="call.args", history="before", label="ok", aligned_values=("Yes",)
)
ROW = {
    "question": "Pay Ann 30",
    "call": {"name": "pay", "args": {"to": "Ann", "amount": 30}},
    "before": [{"role": "human", "content": "Hi"}, {"tool": "find", "arguments": {"n": 1}, "output": {"id": 7}}],
    "ok": "no",
}


def rows_of(path: Path, content: str, row_format: RowFormat) -> list[Any]:
    path.write_text(content)
    return [dict(row.cells) or row.problem for row in iterate_rows(path, row_format)]


def test_rows_are_read_from_tables_lines_and_json(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    table = '\ufeffa;b\n1;"two\n\nlines"\n2;3;4\n\n5;6\n'
    assert rows_of(path, table, RowFormat.CSV) == [
        {"a": "1", "b": "two\n\nlines"},
        "the row has 3 cells and the table 2 columns",
        {"a": "5", "b": "6"},
    ]
    assert rows_of(path, '{"a": 1}\n[2]\n', RowFormat.JSON_LINES) == [{"a": 1}, "the line holds no object"]
    several = json.dumps([{"a": number, "b": "x" * 200} for number in range(900)], indent=1)
    assert [row["a"] for row in rows_of(path, several, RowFormat.JSON)] == list(range(900))
    assert rows_of(path, '{"a": 1}\n\n{"a":\n 2}', RowFormat.JSON) == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("content", ["[]", "[1]", '[{"a": 1}', '[{"a": 1}, oops]', "[" * 100_000])
def test_json_that_ends_early_or_holds_no_objects_is_refused(tmp_path: Path, content: str) -> None:
    if content == '[{"a": 1}':
        # Nothing is lost: what stands there is whole.
        assert rows_of(tmp_path / "rows", content, RowFormat.JSON) == [{"a": 1}]
        return
    with pytest.raises(TraceDataError):
        rows_of(tmp_path / "rows", content, RowFormat.JSON)


def test_columns_of_objects_are_named_by_their_path() -> None:
    assert columns_of(ROW) == ["question", "call", "call.name", "call.args", "call.args.to", "call.args.amount",
                               "before", "ok"]  # fmt: skip


def test_a_row_becomes_a_labelled_call_with_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(ROW))
    (record,) = MappedTable(path, RowFormat.JSON_LINES, MAPPING).iter_records()
    (case,) = record.read().cases
    assert (record.place, case.wrong, case.case.context.query) == ("rows.jsonl, line 1", True, "Pay Ann 30")
    assert (case.case.action.tool, case.case.action.arguments) == ("pay", {"to": "Ann", "amount": 30})
    assert case.case.context.history == (Message("user", "Hi"), Step("find", {"n": 1}, '{"id": 7}'))


def test_arguments_come_from_a_cell_of_json_and_from_columns_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('q,t,args,note\nPay,pay,"{""to"": ""Ann""}",soon\n')
    mapping = ColumnMapping(query="q", tool="t", arguments="args", argument_columns=("note",))
    (trace,) = MappedTable(path, RowFormat.CSV, mapping).read_traces()
    assert trace.cases[0].case.action.arguments == {"to": "Ann", "note": "soon"}
    assert trace.cases[0].wrong is None


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"question": " "}, "“question”"),
        ({"call": {"args": {}}}, "“call.name”"),
        ({"call": {"name": "pay", "args": [1]}}, "“call.args” holds no object"),
        ({"before": [7]}, "neither a step"),
    ],
)
def test_a_row_that_misses_something_says_in_which_column(tmp_path: Path, changed: dict[str, Any], says: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({**ROW, **changed}))
    with pytest.raises(TraceDataError, match=says):
        list(MappedTable(path, RowFormat.JSON_LINES, MAPPING).read_traces())


def test_a_conversation_of_messages_gives_each_of_its_calls(tmp_path: Path) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "pay", "arguments": '{"to": "Ann"}'}}
    log = {"talk": [{"role": "user", "content": "Pay Ann"}, {"role": "assistant", "tool_calls": [call]}], "n": 4}
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([log], indent=2))
    mapping = ColumnMapping(messages="talk", conversation="n")
    (trace,) = MappedTable(path, RowFormat.JSON, mapping).read_traces()
    assert (trace.id, [case.case.action.tool for case in trace.cases]) == ("4", ["pay"])
