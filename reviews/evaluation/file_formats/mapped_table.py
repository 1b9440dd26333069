"""A table or JSON of any shape, read as a person has said which column holds what."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from reviews.evaluation.benchmarks.base import Benchmark, LabelledCase, LabelledTrace, Outcome, Recorded, digest_of
from reviews.evaluation.benchmarks.reading import defer_reading, limit_parts
from reviews.evaluation.file_formats.openai_chats import read_log
from reviews.evaluation.file_formats.table_rows import Row, RowFormat, cell_of, iterate_rows
from reviews.provenance.core.context import Case, Context, JsonValue, Message, NamedText, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind

_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "agent": "assistant", "ai": "assistant"}


@dataclass(frozen=True)
class ColumnMapping:
    """The column of each part of a call; an empty text stands for none."""

    query: str = ""
    tool: str = ""
    arguments: str = ""
    """A column with an object, as JSON or as its text."""
    argument_columns: tuple[str, ...] = ()
    """Columns that each hold one argument, which bears the column's name."""
    history: str = ""
    """A list of steps and messages, or a text."""
    messages: str = ""
    """A conversation in OpenAI's messages: every call in it becomes an item, and nothing else is needed."""
    tools: str = ""
    conversation: str = ""
    id: str = ""
    label: str = ""
    aligned_values: tuple[str, ...] = field(default=())
    """What the label's column says of an aligned call; nothing says nothing."""
    misaligned_values: tuple[str, ...] = field(default=())
    """What it says of a misaligned one, so that anything else says nothing; empty: anything else says misaligned."""

    def read_label(self, cell: str) -> bool | None:
        """Whether the call is aligned by what stands in the label's column; None where that says neither."""
        word = cell.casefold()
        both = (self.aligned_values, self.misaligned_values)
        right, wrong = ({value.casefold() for value in values} for values in both)
        if not word or (wrong and word not in right | wrong):
            return None
        return word in right

    def to_json(self) -> dict[str, Any]:
        """The mapping as a job keeps it."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "ColumnMapping":
        """The mapping that a job keeps."""
        field_names = {part.name for part in fields(cls)}
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()
        }
        return cls(**{name: value for name, value in values.items() if name in field_names})


@dataclass(frozen=True)
class MappedTable(Benchmark):
    """The rows of a file, with what each column holds."""

    path: Path
    row_format: RowFormat
    mapping: ColumnMapping
    name: str = "table"

    def iter_records(self) -> Iterator[Recorded]:
        """Every row, not yet read. Raises `TraceDataError`."""
        for row in iterate_rows(self.path, self.row_format):
            place = f"{self.path.name}, {'object' if self.row_format is RowFormat.JSON else 'line'} {row.number}"
            yield Recorded(place, defer_reading(place, read_row, row, self.mapping), row.number)


def read_row(row: Row, mapping: ColumnMapping) -> LabelledTrace:
    """The call of a row, or every call of its conversation. Raises `ValueError` that names the column."""
    if row.problem:
        raise ValueError(row.problem)
    conversation = text_in(row, mapping.conversation)
    if mapping.messages:
        tools = _list_in(row, mapping.tools)
        return read_log({"messages": _list_in(row, mapping.messages), "tools": tools, "id": conversation})
    case = Case(_read_context(row, mapping), _read_call(row, mapping))
    digest = digest_of(dict(row.cells))
    aligned = _read_label(row, mapping)
    labelled = LabelledCase(
        id=text_in(row, mapping.id) or f"table/{digest}",
        label={True: "aligned", False: "misaligned", None: "unlabelled"}[aligned],
        case=case,
        wrong=None if aligned is None else not aligned,
    )
    return LabelledTrace(conversation or f"table/{digest}", "table", Outcome.OTHER, (labelled,))


def _read_context(row: Row, mapping: ColumnMapping) -> Context:
    query = text_in(row, mapping.query)
    if not query:
        raise ValueError(f"nothing stands in “{mapping.query}”, where the request should be")
    before = _structured(cell_of(row.cells, mapping.history)) if mapping.history else None
    text = before if isinstance(before, str) else ""
    items = before if isinstance(before, list) else []
    # Where nobody lists tools, the called one is all that is known, by its name.
    tools = _list_in(row, mapping.tools) if mapping.tools else [text_in(row, mapping.tool)]
    return Context(
        query=query,
        tools=tuple(_read_tool(tool) for tool in limit_parts(tools, "tools")),
        history=tuple(_read_item(item, mapping.history) for item in limit_parts(items, "turns")),
        # A text is no step: it is shown beside the request, and trusted as what a tool returned.
        extra=(NamedText(SourceKind.RETRIEVED, mapping.history, text),) if text else (),
    )


def _read_call(row: Row, mapping: ColumnMapping) -> ProposedAction:
    tool = text_in(row, mapping.tool)
    if not tool:
        raise ValueError(f"nothing stands in “{mapping.tool}”, where the tool's name should be")
    arguments: Any = _structured(cell_of(row.cells, mapping.arguments)) if mapping.arguments else {}
    if arguments in (None, ""):
        arguments = {}
    if not isinstance(arguments, dict):
        raise ValueError(  # noqa: TRY004  # of the data, not of the argument
            f"“{mapping.arguments}” holds no object of arguments: {str(arguments)[:80]!r}"
        )
    single = {name: cell_of(row.cells, name) for name in mapping.argument_columns}
    return ProposedAction(tool, {**arguments, **{name: value for name, value in single.items() if value is not None}})


def _read_label(row: Row, mapping: ColumnMapping) -> bool | None:
    return mapping.read_label(text_in(row, mapping.label))


def _read_tool(tool: JsonValue) -> ToolDoc:
    match tool:
        case str(name):
            return ToolDoc(name)
        case {"function": {"name": str()} as inner} | ({"name": str()} as inner):
            parameters = inner.get("parameters")
            description = str(inner.get("description") or "")
            return ToolDoc(str(inner["name"]), description, parameters if isinstance(parameters, dict) else {})
    raise ValueError(f"{str(tool)[:80]!r} is no tool: it has no name")


def _read_item(item: JsonValue, column: str) -> Step | Message:
    match item:
        case {"tool": str(tool)}:
            arguments, outcome = item.get("arguments"), item.get("outcome", item.get("output", item.get("result")))
            return Step(
                tool, arguments if isinstance(arguments, dict) else {}, None if outcome is None else _text(outcome)
            )
        case {"role": str(role), "content": text} | {"role": str(role), "text": text} if role.lower() in _ROLES:
            return Message("user" if _ROLES[role.lower()] == "user" else "assistant", _text(text))
    raise ValueError(f"“{column}” holds {str(item)[:80]!r}, which is neither a step with a tool nor a message")


def _list_in(row: Row, column: str) -> list[Any]:
    value = _structured(cell_of(row.cells, column)) if column else None
    if value in (None, ""):
        return []
    if not isinstance(value, list):
        raise ValueError(f"“{column}” holds no list: {str(value)[:80]!r}")  # noqa: TRY004  # of the data
    return value


def text_in(row: Row, column: str) -> str:
    """What stands in a column, as text; empty where nothing does."""
    value = cell_of(row.cells, column) if column else None
    return "" if value is None else _text(value).strip()


def _text(value: JsonValue) -> str:
    """A text as it is, anything else as JSON writes it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _structured(value: JsonValue) -> JsonValue:
    """What a cell's text spells as JSON, where it spells an object or a list."""
    if isinstance(value, str) and value.strip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value
