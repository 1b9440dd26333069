"""The lists of the profile's form: rows as they were typed, wrong ones too, each with its own problem beside it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Final, TypeVar

from django.http import QueryDict

from reviews.models import ToolPolicy
from reviews.provenance.core.trust import TrustClass

# As long as the column of the database that holds a proposed tool: a longer name could never match.
MAX_TOOL_NAME_LENGTH: Final = 200

R = TypeVar("R", "PolicyRow", "CriticalRow", "TrustRow")


@dataclass(frozen=True)
class PolicyRow:
    """A standing order for one tool."""

    number: int
    tool: str = ""
    policy: str = ""
    error: str = ""


@dataclass(frozen=True)
class TrustRow:
    """What is said of one tool or text."""

    number: int
    name: str = ""
    trust: str = ""
    error: str = ""


@dataclass(frozen=True)
class CriticalRow:
    """One kind of critical call."""

    number: int
    tool: str = ""
    pointer: str = ""
    operator: str = "present"
    value: str = ""
    terminal: bool = False
    error: str = ""

    def stored(self) -> dict[str, str | bool]:
        """As the profile keeps it: the condition, and that it ends the task, only where they are set."""
        condition = {"pointer": self.pointer, "operator": self.operator, "value": self.value}
        has_condition = self.pointer or self.operator != "present" or self.value
        return (
            {"tool": self.tool} | (condition if has_condition else {}) | ({"terminal": True} if self.terminal else {})
        )


def stored_policies(policies: Mapping[str, str], tool: str = "") -> list[PolicyRow]:
    """The rows of a stored profile, and one to be filled in for this tool if it has none."""
    rows = [PolicyRow(number, name, policy) for number, (name, policy) in enumerate(sorted(policies.items()), 1)]
    if tool not in policies and 0 < len(tool) <= MAX_TOOL_NAME_LENGTH:
        rows.append(PolicyRow(len(rows) + 1, tool))
    return rows


def submitted_policies(data: QueryDict) -> list[PolicyRow]:
    """The rows that are not empty, each with what is wrong with it."""
    rows = _submitted_names(data, "policy_tool", "policy", ToolPolicy.values, "policy")
    return [PolicyRow(*row) for row in rows]


def stored_trust(ratings: Mapping[str, str]) -> list[TrustRow]:
    """The rows of a stored profile."""
    return [TrustRow(number, name, rating) for number, (name, rating) in enumerate(sorted(ratings.items()), 1)]


def submitted_trust(data: QueryDict) -> list[TrustRow]:
    """The rows that are not empty, each with what is wrong with it."""
    rows = _submitted_names(data, "trust_name", "trust", list(TrustClass), "trust")
    return [TrustRow(*row) for row in rows]


def _submitted_names(
    data: QueryDict, name_field: str, choice_field: str, choices: Sequence[str], kind: str
) -> Iterator[tuple[int, str, str, str]]:
    """Number, name, choice and problem of each row that is not empty."""
    names: set[str] = set()
    for number, (name, choice) in enumerate(filter(any, _columns(data, name_field, choice_field)), 1):
        error = ""
        if not name:
            error = "Name the tool, or remove the row."
        elif len(name) > MAX_TOOL_NAME_LENGTH:
            error = f"A tool's name has at most {MAX_TOOL_NAME_LENGTH} characters."
        elif "\x00" in name:
            # Nor does a database keep it.
            error = "No name holds such a character."
        elif name in names:
            # What is stored is keyed by name: one of the two would be lost without a word.
            error = f"This tool already has a {kind} above."
        elif choice not in choices:
            error = f"Choose a {kind}."
        names.add(name)
        yield number, name, choice, error


def stored_critical(kinds: Iterable[Mapping[str, Any]]) -> list[CriticalRow]:
    """The rows of a stored profile."""
    return [CriticalRow(number, **kind) for number, kind in enumerate(kinds, 1)]


def submitted_critical(data: QueryDict) -> list[CriticalRow]:
    """The rows in which anything was typed. The profile's validation says what is wrong with them."""
    names = ("critical_tool", "critical_pointer", "critical_operator", "critical_value", "critical_terminal")
    # Operator and end are lists with a first choice, so that they do not count as typed.
    typed = (row for row in _columns(data, *names) if row[0] or row[1] or row[3])
    return [
        CriticalRow(number, tool, pointer, operator, value, terminal=end == "yes")
        for number, (tool, pointer, operator, value, end) in enumerate(typed, 1)
    ]


def with_problem(rows: Sequence[R], position: int, problem: str) -> list[R]:
    """The rows, with this problem at the one in this position, counted from 0. The first problem of a row stays."""
    return [
        replace(row, error=row.error or problem) if at == position else row
        for at, row in enumerate(rows)
    ]  # fmt: skip


def merge_rows(typed: Sequence[R], before: Sequence[R], after: Sequence[R], *, problem: str) -> list[R]:
    """What was typed into the rows before, and what made those after of them.

    Where both changed what is said of one thing, the rows of both stay, each with this problem.
    """
    mine, old, new = ({_content(row) for row in rows} for rows in (typed, before, after))
    disputed = {_subject(row) for row in mine ^ old} & {_subject(row) for row in new ^ old}
    merged = [row for row in typed if _content(row) in new or _content(row) not in old]
    merged += [row for row in after if _content(row) not in mine | old]
    return [
        replace(row, number=number, error=row.error or (problem if _subject(row) in disputed else ""))
        for number, row in enumerate(merged, 1)
    ]


def _content(row: R) -> R:
    """The row as it is compared, wherever it stands."""
    return replace(row, number=0, error="")


def _subject(row: PolicyRow | CriticalRow | TrustRow) -> str:
    """What the row says something of."""
    return row.name if isinstance(row, TrustRow) else row.tool


def _columns(data: QueryDict, *names: str) -> Iterator[tuple[str, ...]]:
    """The cells of each row, from fields that are repeated once a row."""
    columns = [data.getlist(name) for name in names]
    # A page never sends columns of different lengths, and what somebody else sends must not raise.
    return (tuple(cell.strip() for cell in row) for row in zip_longest(*columns, fillvalue=""))
