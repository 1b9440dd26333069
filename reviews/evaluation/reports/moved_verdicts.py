"""The verdicts that moved under change, and where they must not."""

from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType

from reviews.evaluation.measures.moved_verdicts import MoveKind, Moves, Tally
from reviews.evaluation.reports.tables import terminal_table

COLUMNS: Final = ("change", "cases", *MoveKind, "must not", "right calls")


def render_report(moves: Moves) -> RenderableType:
    """The counts by change and by kind of move."""
    rows = [(change, *_tally_cells(tally)) for change, tally in moves.by_change.items()]
    return Group(
        "",
        terminal_table("Verdicts that moved under change", COLUMNS, rows),
        f"Moved where they must not: {moves.forbidden.with_interval}",
        *_kind_lines(moves),
        "What does not concern a call neither establishes nor refutes it; a later message may leave a question, and one"
        " that withdraws must; other names and another order of look-ups move nothing. True: every relation holds."
        " Stayed true: by rules, though the user took it back.",
    )


def missed_lines(moves: Moves) -> Iterator[str]:
    """Some verdicts that moved where they must not, of each change and kind of move."""
    return (moved.text for moved in moves.examples)


def _tally_cells(tally: Tally) -> Iterator[int]:
    yield tally.cases
    yield from (tally.moves[kind] for kind in MoveKind)
    yield tally.forbidden.total()
    yield tally.of_right_calls


def _kind_lines(moves: Moves) -> Iterator[str]:
    counts = {kind: sum(tally.forbidden[kind] for tally in moves.by_change.values()) for kind in MoveKind}
    if any(counts.values()):
        yield "By kind: " + ", ".join(f"{kind} {count}" for kind, count in counts.items() if count) + "."
