"""The sources of the case: the request, the history, the tool's document and whatever else was submitted."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from reviews.desk.review.case.arguments import write_value
from reviews.desk.review.case.evidence import Evidence
from reviews.desk.text.escapes import is_escaped_json, with_letters
from reviews.desk.text.highlighting import Piece, excerpt, passage
from reviews.provenance.core.context import Context, JsonValue, Message, Source, SourceId, leaves
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.latest_request import find_latest_request
from reviews.provenance.data.sources import Evidence as SourceEvidence

# Characters of an outcome on the folded line of a step: about one line of the panel.
PREVIEW: Final = 110
# Characters that one click unfolds: several screens, and still a small answer when a source has megabytes.
CHUNK: Final = 16_000
# A history of so few steps is shown unfolded: folding it would only cost clicks.
OPEN_STEPS: Final = 3
# Entries of a history that is not folded in stretches: about a screen.
MAX_OPEN_HISTORY: Final = 8
# Messages of the user before the one that asks that can be unfolded above it, beside the request.
MAX_EARLIER: Final = 20


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
class HistoryEntry:
    """One message or tool call of the history."""

    position: int
    role: str
    """`user` or `assistant` for a message; empty for a tool call."""
    tool: str
    call: Exhibit | None
    outcome: Exhibit | None
    """A call's outcome, or a message's words; None for a call whose outcome is not known."""
    preview: str
    subtask: str
    is_open: bool
    is_asking: bool = False
    """It is the message that asks for the call, which the page shows by itself."""

    @property
    def has_evidence(self) -> bool:
        """Whether something points into it."""
        return any(part is not None and part.has_evidence for part in (self.call, self.outcome))


@dataclass(frozen=True)
class HistoryRun:
    """Entries of the history that follow each other: all to be read, or all folded away."""

    entries: Sequence[HistoryEntry]
    is_folded: bool


@dataclass(frozen=True)
class UserRequest:
    """The message that asks for this call, and what the user had said before."""

    message: Exhibit
    place: str
    """Where it stands, such as `message 48`; empty for the request itself."""
    earlier: Sequence[Exhibit] = ()
    """The user's messages before it that are shown, in order."""
    unlisted: int = 0
    """Further ones."""
    reviewers: Sequence[Exhibit] = ()
    """What reviewers said when they sent earlier tries of the call back, in order."""


def show_source(context: Context, source: SourceId, evidence: Evidence, title: str = "") -> Exhibit:
    """The source as the page shows it."""
    text, marks = context.sources[source], evidence.marks(source)
    return Exhibit(
        source=source,
        title=title,
        kind=text.kind,
        pieces=excerpt(text.text, marks, as_letters=_is_read_as_letters(text, evidence)),
        has_evidence=bool(marks),
        anchor=evidence.anchor_of(source),
        ref=evidence.ref_of(source),
    )


def _is_read_as_letters(text: Source, evidence: Evidence) -> bool:
    """Whether what a tool returned is shown with the letters that its JSON writes as escapes."""
    return evidence.as_letters and text.kind is SourceKind.TOOL_OUTPUT and is_escaped_json(text.text)


def list_history(context: Context, evidence: Evidence, asking: SourceId = "") -> list[HistoryEntry]:
    """Every step in order; those with evidence are open. `asking` is the message that asks for the call."""
    entries = []
    for position, item in enumerate(context.history, start=1):
        if isinstance(item, Message):
            message = show_source(context, f"history/{position}/message", evidence)
            entry = HistoryEntry(
                position=position,
                role=item.role,
                tool="",
                call=None,
                outcome=message,
                preview=_shorten_preview(item.text),
                subtask="",
                is_open=True,
                is_asking=message.source == asking,
            )
            entries.append(entry)
            continue
        call = show_source(context, f"history/{position}/call", evidence)
        source = f"history/{position}/outcome"
        outcome = show_source(context, source, evidence) if source in context.sources else None
        has_evidence = call.has_evidence or (outcome is not None and outcome.has_evidence)
        entry = HistoryEntry(
            position=position,
            role="",
            tool=item.tool,
            call=call,
            outcome=outcome,
            preview=_shorten_preview(item.outcome or "", as_letters=evidence.as_letters),
            subtask=item.subtask or "",
            is_open=has_evidence or len(context.history) <= OPEN_STEPS,
        )
        entries.append(entry)
    return entries


def fold_history(history: Sequence[HistoryEntry]) -> list[HistoryRun]:
    """The history with long stretches folded in which nothing is evidence; the last entries stay to be read."""
    if len(history) <= MAX_OPEN_HISTORY:
        return [HistoryRun(history, is_folded=False)] if history else []
    last = history[-1].position
    telling = {entry.position for entry in history if entry.has_evidence or entry.position == last}
    runs: list[HistoryRun] = []
    for is_telling, group in groupby(history, key=lambda entry: entry.position in telling):
        entries = tuple(group)
        runs.append(HistoryRun(entries, is_folded=not is_telling and len(entries) > 1))
    return runs


def find_asking_message(context: Context, evidence: Evidence) -> UserRequest:
    """The message that asks for the call, with those of the user before it."""
    # A reviewer's words are later, but only say what was wrong with a try: the request is what the next one serves.
    said_by_user = replace(context, extra=context.submitted_texts)
    source = find_latest_request(SourceEvidence(said_by_user)).message.source.id
    messages = ["query", *(
        f"history/{position}/message"
        for position, item in enumerate(context.history, start=1)
        if isinstance(item, Message) and item.role == "user"
    )]  # fmt: skip
    earlier = messages[: messages.index(source)] if source in messages else []
    return UserRequest(
        message=show_source(context, source, evidence),
        place="" if source == "query" else f"message {source.split('/')[1]}",
        # The request and the last ones: what was said in between is in the history.
        earlier=[show_source(context, name, evidence) for name in (*earlier[:1], *earlier[1:][-MAX_EARLIER:])],
        unlisted=max(0, len(earlier) - 1 - MAX_EARLIER),
        reviewers=list_feedback(context, evidence),
    )


def list_feedback(context: Context, evidence: Evidence) -> list[Exhibit]:
    """What reviewers said of earlier tries of the call, in order."""
    numbers = range(1, len(context.feedback) + 1)
    return [show_source(context, f"feedback/{n}", evidence, f"what a reviewer said, {n}") for n in numbers]


def show_tool_document(context: Context, tool: str, evidence: Evidence) -> Exhibit | None:
    """The proposed tool's document, or None when the agent has no such tool."""
    source = f"tool/{tool}"
    return show_source(context, source, evidence, tool) if source in context.sources else None


def list_other_sources(context: Context, tool: str, evidence: Evidence) -> list[Exhibit]:
    """Submitted sources, then the documents of other tools that something points into."""
    submitted = [show_source(context, f"source/{text.name}", evidence, text.name) for text in context.submitted_texts]
    # An agent may have hundreds of tools: their documents are listed only as evidence.
    documents = [
        show_source(context, f"tool/{document.name}", evidence, document.name)
        for document in context.tools
        if document.name != tool and evidence.marks(f"tool/{document.name}")
    ]
    return submitted + documents


def fold_whole(arguments: Mapping[str, JsonValue]) -> tuple[Piece, ...]:
    """Stands for all the arguments as one text, for when some are not listed."""
    return (Piece.gap(0, len(_write_whole(arguments))),)


def unfold_text(
    context: Context,
    arguments: Mapping[str, JsonValue],
    evidence: Evidence,
    *,
    source: SourceId,
    start: int,
    end: int,
) -> tuple[Piece, ...]:
    """The next chunk of a folded stretch. Raises `KeyError` when there is no such source."""
    texts = {f"argument{pointer}": write_value(value) for pointer, value in leaves(arguments)}
    texts["arguments"] = _write_whole(arguments)
    # The context's own sources come last and win: no argument can pass for one of them.
    texts |= {name: text.text for name, text in context.sources.items()}
    text, context_source = texts[source], context.sources.get(source)
    end = min(end, len(text))
    stop = min(end, start + CHUNK)
    as_letters = context_source is not None and _is_read_as_letters(context_source, evidence)
    pieces = passage(text, evidence.marks(source), start, stop, as_letters=as_letters)
    return pieces if stop >= end else (*pieces, Piece.gap(stop, end))


def _write_whole(arguments: Mapping[str, JsonValue]) -> str:
    return json.dumps(arguments, indent=2, ensure_ascii=False)


def _shorten_preview(text: str, *, as_letters: bool = False) -> str:
    """The beginning of a text on one line."""
    # Twice as many characters leave enough once runs of spaces are joined, without walking through megabytes.
    beginning = " ".join(text[: 2 * PREVIEW].split())
    return (with_letters(beginning) if as_letters and is_escaped_json(beginning) else beginning)[:PREVIEW]
