"""What an edit changes while it is typed, and where the new values come from."""

from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from reviews.decisions.edits import UNCHANGED, EditPreview
from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.arguments import write_value
from reviews.errors import FieldProblem
from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.shortening import shorten_text

# Characters of one side of a change, some five lines of the panel: enough to see what kind of text it is.
MAX_VALUE_LENGTH: Final = 400
# Characters in front of the first that differs.
AROUND: Final = 40


@dataclass(frozen=True)
class ChangeLine:
    """One line of the diff."""

    path: str
    before: str
    after: str
    added: bool
    removed: bool
    grounding: str = ""
    """Of the new value; empty when there is none, or while the call is not valid."""
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class EditSummary:
    """What the panel under the editor shows."""

    problems: list[FieldProblem]
    changes: list[ChangeLine]
    is_unchanged: bool
    """The call is still the proposed one: nobody has typed anything yet, which is no mistake."""


def summary_of(preview: EditPreview, arguments: JsonValue, *, proposed: str, tool: str) -> EditSummary:
    """The preview of these arguments as the page writes it; `proposed` and `tool` name the tool before and after."""
    grounded = {value.pointer: value for value in preview.grounded}
    problems = [
        FieldProblem(vocabulary.name_path(problem.pointer, arguments), problem.message)
        for problem in preview.errors
        if problem != UNCHANGED
    ]
    # Another tool gives every argument another meaning, so it comes before the changes of the arguments.
    lines = [] if proposed == tool else [ChangeLine("tool", proposed, tool, added=False, removed=False)]
    for change in preview.changed:
        value = grounded.get(change.pointer)
        spans = value.spans if value else ()
        sides = zip(write_value(change.before), write_value(change.after), strict=False)
        skipped = max(0, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], sides)) - AROUND)
        lines.append(
            ChangeLine(
                path=vocabulary.name_path(change.pointer, arguments),
                before="" if change.added else _write_side(change.before, skipped),
                after="" if change.removed else _write_side(change.after, skipped),
                added=change.added,
                removed=change.removed,
                grounding=str(value.how) if value else "",
                places=tuple(dict.fromkeys(vocabulary.name_place(span.source) for span in spans)),
            )
        )
    return EditSummary(problems, lines, UNCHANGED in preview.errors)


def _write_side(value: JsonValue, skipped: int) -> str:
    """One side of a change: a text in quotation marks, as “30” is not 30; of a long one what is not alike."""
    text = write_value(value)
    if len(text) > MAX_VALUE_LENGTH:
        text = shorten_text(f"…{text[skipped:]}" if skipped else text, MAX_VALUE_LENGTH)
    return f"“{text}”" if isinstance(value, str) else text
