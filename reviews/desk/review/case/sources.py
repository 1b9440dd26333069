"""The left side of the table: what was asked, what happened, what the tool says of itself, what else was read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from reviews.desk.review.case.arguments import text_of
from reviews.desk.review.case.evidence import Evidence
from reviews.desk.text.highlighting import Piece, excerpt, passage
from reviews.models import Action
from reviews.provenance.core.context import Context, Message, Source, SourceId, SourceKind, Step, leaves

PREVIEW = 110
"""Characters of an outcome shown on the folded line of a step."""
CHUNK = 16_000
"""Characters unfolded at once."""
OPEN_STEPS = 3
"""A history up to this long is shown unfolded."""


@dataclass(frozen=True)
class Exhibit:
    """One source, folded around its evidence."""

    source: SourceId
    title: str
    kind: SourceKind
    pieces: tuple[Piece, ...]
    has_evidence: bool
    anchor: str
    """Its id on the page."""
    ref: str
    """Ties it as a whole to what points at it."""

    @property
    def kind_in_words(self) -> str:
        """What kind of text it is, such as `system prompt`."""
        return self.kind.replace("_", " ")


@dataclass(frozen=True)
class Entry:
    """One step of the history."""

    position: int
    said_by: str
    """`user` or `assistant` for a message; empty for a tool call."""
    tool: str
    call: Exhibit | None
    outcome: Exhibit | None
    """A call's outcome, or a message's words; None for a call whose outcome is not known."""
    preview: str
    subtask: str
    is_open: bool


def exhibit(context: Context, source: SourceId, evidence: Evidence, title: str = "") -> Exhibit:
    """The source as the page shows it."""
    shown: Source = context.sources[source]
    marks = evidence.marks(source)
    return Exhibit(
        source=source,
        title=title,
        kind=shown.kind,
        pieces=excerpt(shown.text, marks),
        has_evidence=bool(marks),
        anchor=evidence.anchor_of(source),
        ref=evidence.ref_of(source),
    )


def history_of(context: Context, evidence: Evidence) -> list[Entry]:
    """Every step in order; those with evidence are open."""
    return [
        _message(context, position, item, evidence)
        if isinstance(item, Message)
        else _call(context, position, item, evidence, unfolded=len(context.history) <= OPEN_STEPS)
        for position, item in enumerate(context.history, start=1)
    ]


def tool_of(context: Context, tool: str, evidence: Evidence) -> Exhibit | None:
    """The proposed tool's document, or None when the agent has no such tool."""
    source = f"tool/{tool}"
    return exhibit(context, source, evidence, tool) if source in context.sources else None


def others_of(context: Context, tool: str, evidence: Evidence) -> list[Exhibit]:
    """Submitted sources, then the documents of other tools that something points into."""
    named = [exhibit(context, f"source/{text.name}", evidence, text.name) for text in context.extra]
    pointed = [f"tool/{other.name}" for other in context.tools if other.name != tool]
    return named + [
        exhibit(context, source, evidence, source.removeprefix("tool/")) for source in pointed if evidence.marks(source)
    ]


def unfolded(
    context: Context, action: Action, evidence: Evidence, *, source: SourceId, start: int, end: int
) -> tuple[Piece, ...]:
    """The next chunk of a folded stretch. Raises `KeyError` when there is no such source."""
    text = _texts(context, action)[source]
    stop = min(end, start + CHUNK)
    pieces = passage(text, evidence.marks(source), start, stop)
    return pieces if stop >= min(end, len(text)) else (*pieces, Piece.gap(stop, min(end, len(text))))


def _texts(context: Context, action: Action) -> Mapping[SourceId, str]:
    values = {f"argument{pointer}": text_of(value) for pointer, value in leaves(action.arguments)}
    whole = {"arguments": json.dumps(action.arguments, indent=2, ensure_ascii=False)}
    return {**values, **whole, **{name: source.text for name, source in context.sources.items()}}


def _message(context: Context, position: int, message: Message, evidence: Evidence) -> Entry:
    words = exhibit(context, f"history/{position}/message", evidence)
    return Entry(position, message.role, "", None, words, _preview(message.text), "", is_open=True)


def _call(context: Context, position: int, step: Step, evidence: Evidence, *, unfolded: bool) -> Entry:
    call = exhibit(context, f"history/{position}/call", evidence)
    outcome = f"history/{position}/outcome"
    shown = exhibit(context, outcome, evidence) if outcome in context.sources else None
    pointed = call.has_evidence or (shown is not None and shown.has_evidence)
    return Entry(
        position=position,
        said_by="",
        tool=step.tool,
        call=call,
        outcome=shown,
        preview=_preview(step.outcome or ""),
        subtask=step.subtask or "",
        is_open=unfolded or pointed,
    )


def _preview(text: str) -> str:
    return " ".join(text[: 2 * PREVIEW].split())[:PREVIEW]
