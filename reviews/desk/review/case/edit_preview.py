"""What an edit changes while it is typed, and where the new values come from."""

from dataclasses import dataclass
from typing import Final

from reviews.decisions.edits import UNCHANGED, EditPreview
from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.arguments import write_value
from reviews.errors import FieldProblem
from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.shortening import shorten_text

# Characters of one side of a change, some five lines of the panel: enough to see what kind of text it is.
MAX_VALUE_LENGTH: Final = 400


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
        lines.append(
            ChangeLine(
                path=vocabulary.name_path(change.pointer, arguments),
                before="" if change.added else shorten_text(write_value(change.before), MAX_VALUE_LENGTH),
                after="" if change.removed else shorten_text(write_value(change.after), MAX_VALUE_LENGTH),
                added=change.added,
                removed=change.removed,
                grounding=str(value.how) if value else "",
                places=tuple(dict.fromkeys(vocabulary.name_place(span.source) for span in spans)),
            )
        )
    return EditSummary(problems, lines, UNCHANGED in preview.errors)
