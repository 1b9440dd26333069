"""An edit while it is typed: what changes, and where the new values come from."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviews.decisions.edits import Change, EditPreview
from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.arguments import text_of
from reviews.errors import FieldProblem
from reviews.provenance.core.context import JsonValue, Span
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding import Grounded

LONGEST_VALUE = 400


@dataclass(frozen=True)
class ShownChange:
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
class ShownPreview:
    """What the panel under the editor shows."""

    problems: list[FieldProblem]
    changes: list[ShownChange]


def show_preview(preview: EditPreview, *, proposed: str, tool: str) -> ShownPreview:
    """The preview as the page writes it; `proposed` and `tool` name the tool before and after."""
    grounded = {each.pointer: each for each in preview.grounded}
    problems = [FieldProblem(vocabulary.path_of(each.pointer), each.message) for each in preview.errors]
    changes = [_shown(change, grounded.get(change.pointer)) for change in preview.changed]
    return ShownPreview(problems, [*_of_tool(proposed, tool), *changes])


def _of_tool(proposed: str, tool: str) -> list[ShownChange]:
    return [] if proposed == tool else [ShownChange("tool", proposed, tool, added=False, removed=False)]


def _shown(change: Change, grounded: Grounded | None) -> ShownChange:
    return ShownChange(
        path=vocabulary.path_of(change.pointer),
        before="" if change.added else _short(change.before),
        after="" if change.removed else _short(change.after),
        added=change.added,
        removed=change.removed,
        grounding=str(grounded.how) if grounded else "",
        places=_places(grounded.spans if grounded else ()),
    )


def _places(spans: Sequence[Span]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(vocabulary.place(span.source) for span in spans))


def _short(value: JsonValue) -> str:
    return shortened(text_of(value), LONGEST_VALUE)
