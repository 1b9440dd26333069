"""Every value of the proposed call, with where it comes from."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.authors import NOBODY, Writers, writers_of
from reviews.desk.review.case.evidence import Evidence, span_from
from reviews.desk.text.highlighting import Piece, Tone, excerpt
from reviews.models import Finding
from reviews.provenance.core.context import Case, JsonValue, Span, ToolDoc, leaves
from reviews.provenance.core.findings import Grounding, Relation
from reviews.provenance.grounding import Grounded, ground_arguments
from reviews.provenance.request.parameter_classes import derivable, parameter_paths, path_of

LISTED = 60
"""Leaves a page shows."""
LONG = 44
"""Characters beyond which a value gets a line of its own."""


@dataclass(frozen=True)
class _Origin:
    grounding: str
    """An engine `Grounding`, or one of the page's own `Origin`s."""
    holds: bool | None
    spans: tuple[Span, ...] = ()
    """What it rests on, or what it goes against."""
    nearest: Span | None = None
    note: str = ""

    @property
    def tone(self) -> Tone:
        """How it is coloured."""
        return vocabulary.TONES[self.grounding]

    @property
    def failing(self) -> bool:
        """Whether it is a reason to stop."""
        return self.holds is False or self.tone in (Tone.NONE, Tone.COMPETING)


_NOTHING = _Origin(vocabulary.Origin.UNKNOWN, None)


@dataclass(frozen=True)
class Quoted:
    """Words of a source, and where they stand on the page."""

    quote: str
    place: str

    @classmethod
    def of(cls, span: Span) -> Self:
        """As the page names it."""
        return cls(span.quote, vocabulary.place(span.source))


@dataclass(frozen=True)
class Argument:
    """One leaf of the arguments."""

    number: int
    pointer: str
    path: str
    value: tuple[Piece, ...]
    is_text: bool
    """A string, as against a number, a truth value, null or an empty container."""
    is_long: bool
    grounding: str
    """An engine `Grounding`, or one of the page's own `Origin`s."""
    tone: Tone
    failing: bool
    writers: Writers = NOBODY
    nearest: Quoted | None = None
    against: tuple[Quoted, ...] = ()
    """What it contradicts."""
    note: str = ""
    """How a value that nobody wrote as such was arrived at."""
    spans: tuple[Span, ...] = ()
    """What it rests on."""

    @property
    def ref(self) -> str:
        """Ties the argument to its marks."""
        return f"a{self.number}"


@dataclass(frozen=True)
class Arguments:
    """The leaves a page can show, and how many there are besides."""

    listed: list[Argument]
    unlisted: int

    @property
    def selected(self) -> Argument | None:
        """What the eye is led to at load: the first that fails."""
        return next((argument for argument in self.listed if argument.failing), None)

    @property
    def entry(self) -> Argument | None:
        """Where the keyboard enters the rows."""
        return self.selected or next(iter(self.listed), None)


def arguments_of(case: Case, findings: Iterable[Finding], evidence: Evidence) -> Arguments:
    """The call's leaves in the order of the tool's document, those that fail however many come before them.

    A leaf no finding speaks of is traced here, so that no row is ever without a word.
    """
    by_pointer = {finding.subject: finding for finding in findings if finding.relation == Relation.DERIVED_FROM}
    found = dict(leaves(in_document_order(case.context.tool(case.action.tool), case.action.arguments)))
    found.pop("", None)
    origins = _origins(case, by_pointer, found)
    chosen = _chosen(list(found), origins)
    listed = [
        _argument(number, pointer, found[pointer], origins[pointer], evidence)
        for number, pointer in enumerate(chosen, start=1)
    ]
    return Arguments(listed, len(found) - len(listed))


def in_document_order(tool: ToolDoc | None, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Required arguments first, in the order of that list: the only one the database keeps."""
    required = tool.parameters.get("required") if tool else None
    names = [name for name in required if name in arguments] if isinstance(required, list) else []
    return {name: arguments[name] for name in [*names, *(name for name in arguments if name not in names)]}


def _origins(case: Case, by_pointer: Mapping[str, Finding], found: Iterable[str]) -> dict[str, _Origin]:
    told = {pointer: _from_finding(by_pointer, pointer) for pointer in found}
    traced: dict[str, Grounded] = {}
    if None in told.values():
        traced = {grounded.pointer: grounded for grounded in ground_arguments(case)}
    return {at: origin or _from_grounded(case, traced.get(at)) for at, origin in told.items()}


def _chosen(pointers: Sequence[str], origins: Mapping[str, _Origin]) -> list[str]:
    failing = [pointer for pointer in pointers[LISTED:] if origins[pointer].failing]
    return [*pointers[:LISTED], *failing[:LISTED]]


def _from_finding(by_pointer: Mapping[str, Finding], pointer: str) -> _Origin | None:
    finding = next((by_pointer[at] for at in _prefixes(pointer) if at in by_pointer), None)
    if finding is None:
        return None
    return _Origin(
        grounding=vocabulary.origin_of(finding),
        holds=finding.holds,
        spans=tuple(map(span_from, finding.evidence)),
        nearest=span_from(finding.nearest) if finding.nearest else None,
        note=finding.rationale,
    )


def _prefixes(pointer: str) -> list[str]:
    """The pointer and every pointer above it, the nearest first: a finding on a list speaks for its items."""
    parts = pointer.split("/")
    return ["/".join(parts[:length]) for length in range(len(parts), 1, -1)]


def _from_grounded(case: Case, grounded: Grounded | None) -> _Origin:
    if grounded is None:
        return _NOTHING
    if grounded.against:
        return _Origin(vocabulary.Origin.CONTRADICTED, None, grounded.against, None, grounded.note)
    if grounded.how == Grounding.UNGROUNDED and _composed(case, grounded.pointer):
        return _Origin(Grounding.GENERATED, None, (), None, "The agent wrote this; no source is asked for.")
    return _Origin(str(grounded.how), None, grounded.spans, grounded.nearest, grounded.note)


def _composed(case: Case, pointer: str) -> bool:
    tool = case.context.tool(case.action.tool)
    path = path_of(pointer)
    return tool is not None and derivable(path, parameter_paths(tool).get(path, {}), tool) is False


def _argument(number: int, pointer: str, value: JsonValue, origin: _Origin, evidence: Evidence) -> Argument:
    ref, text = f"a{number}", text_of(value)
    contradicted = origin.grounding == vocabulary.Origin.CONTRADICTED
    nearest = [origin.nearest] if origin.nearest and not contradicted else []
    spans = evidence.point(origin.spans, ref=ref, label=str(number), tone=origin.tone)
    near = evidence.point(nearest, ref=ref, label=f"\u2248{number}", tone=origin.tone)
    return Argument(
        number=number,
        pointer=pointer,
        path=vocabulary.path_of(pointer),
        value=excerpt(text),
        is_text=isinstance(value, str),
        is_long=len(text) > LONG or "\n" in text,
        grounding=origin.grounding,
        tone=origin.tone,
        failing=origin.failing,
        writers=NOBODY if contradicted else writers_of(evidence.context, spans, origin.grounding),
        nearest=Quoted.of(near[0]) if near else None,
        against=tuple(map(Quoted.of, spans)) if contradicted else (),
        note=origin.note if origin.tone is Tone.DERIVED else "",
        spans=() if contradicted else spans,
    )


def text_of(value: JsonValue) -> str:
    """A leaf as the page writes it: a string itself, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
