"""Every value of the proposed call, with where it comes from."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Self

from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.authors import NOBODY, Writers, writers_of
from reviews.desk.review.case.evidence import Evidence, span_from
from reviews.desk.text.highlighting import Piece, Tone, excerpt
from reviews.models import Finding
from reviews.provenance.core.context import Case, JsonValue, Span, leaves
from reviews.provenance.core.findings import Relation
from reviews.provenance.doubts import false_claim
from reviews.provenance.terms.claims import OUTWEIGHED, VERIFIED

# Leaves on a page, and failing ones besides: far more than real calls have, and a bound for what an agent may send.
LISTED: Final = 60
# Characters of a value that fit beside its name and its tag; a longer one gets a line of its own.
LONG: Final = 44
# What a finding's rule tells of the agent's own word.
_STANDS: Final = MappingProxyType({VERIFIED: True, OUTWEIGHED: False, false_claim.RULE: False})


@dataclass(frozen=True)
class _ValueOrigin:
    """Where a value comes from, before its row is built."""

    grounding: str
    """An engine `Grounding`, or a `PageOrigin`."""
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


@dataclass(frozen=True)
class Quoted:
    """Words of a source, and where they stand on the page."""

    quote: str
    place: str

    @classmethod
    def of(cls, span: Span) -> Self:
        """The words of the span."""
        return cls(span.quote, vocabulary.place(span.source))


@dataclass(frozen=True)
class Said:
    """Where the agent says that it took a value from."""

    quote: str
    """The words that it quotes; empty for a place in a result."""
    place: str
    """Where they stand, in words; empty where it does not say."""
    path: str
    """JSON Pointer into a result."""
    stands: bool | None
    """Whether the value stands there; None where nobody has looked or can tell."""


@dataclass(frozen=True)
class Argument:
    """One leaf of the arguments."""

    number: int
    ref: str
    """Ties the argument to its marks."""
    pointer: str
    path: str
    value: tuple[Piece, ...]
    is_text: bool
    """A string, as against a number, a truth value, null or an empty container."""
    is_long: bool
    grounding: str
    """An engine `Grounding`, or a `PageOrigin`."""
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
    said: Said | None = None
    """What the agent says of its source."""


@dataclass(frozen=True)
class Arguments:
    """The leaves a page can show, and how many there are besides."""

    listed: list[Argument]
    unlisted: int
    selected: Argument | None
    """The row that is selected when the page opens: the first that fails."""
    entry: Argument | None
    """The row that the Tab key reaches."""


def arguments_of(case: Case, findings: Iterable[Finding], evidence: Evidence) -> Arguments:
    """The call's leaves in the agent's own order, bounded in number; failing ones are kept first.

    Where two findings speak of one value, the later one counts.
    """
    values = dict(leaves(dict(case.action.arguments)))
    # The only leaf of a call without arguments is the empty object itself.
    values.pop("", None)
    findings = list(findings)
    by_pointer = {finding.subject: finding for finding in findings if finding.relation == Relation.DERIVED_FROM}
    said = _said(case, findings)
    origins = _origins(by_pointer, values)
    pointers = list(values)
    failing = [pointer for pointer in pointers[LISTED:] if origins[pointer].failing]
    listed = [
        _argument(number, pointer, values[pointer], origins[pointer], evidence, said=said.get(pointer))
        for number, pointer in enumerate([*pointers[:LISTED], *failing[:LISTED]], start=1)
    ]
    selected = next((argument for argument in listed if argument.failing), None)
    # Exactly one row is reached by Tab; the arrow keys lead from there to the others.
    entry = selected or next(iter(listed), None)
    return Arguments(listed, len(values) - len(listed), selected, entry)


def text_of(value: JsonValue) -> str:
    """A leaf as the page writes it: a string itself, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _origins(by_pointer: Mapping[str, Finding], pointers: Iterable[str]) -> dict[str, _ValueOrigin]:
    """Where each value comes from, as it was found; unknown for one that no finding speaks of.

    Nothing is traced for a page: what an agent sent may take minutes to trace, and a page has no process to spare.
    """
    found: dict[str, _ValueOrigin] = {}
    for pointer in pointers:
        # The pointer and every pointer above it, the nearest first: a finding on a list speaks for its items.
        parts = pointer.split("/")
        prefixes = ["/".join(parts[:length]) for length in range(len(parts), 1, -1)]
        finding = next((by_pointer[prefix] for prefix in prefixes if prefix in by_pointer), None)
        if finding is None:
            found[pointer] = _ValueOrigin(vocabulary.PageOrigin.UNKNOWN, None)
            continue
        found[pointer] = _ValueOrigin(
            grounding=vocabulary.origin_of(finding),
            holds=finding.holds,
            spans=tuple(map(span_from, finding.evidence)),
            nearest=span_from(finding.nearest) if finding.nearest else None,
            note=finding.rationale,
        )
    return found


def _said(case: Case, findings: Iterable[Finding]) -> dict[str, Said]:
    """What the agent says of each value's source, with what a check has found about it."""
    stands = {finding.subject: _STANDS[finding.rule] for finding in findings if finding.rule in _STANDS}
    said: dict[str, Said] = {}
    for claim in case.action.claims:
        source = claim.source if claim.step is None else case.context.result_of(claim.step) or ""
        place = vocabulary.place(source) if source else ""
        said[claim.pointer] = Said(claim.quote, place, claim.path, stands.get(claim.pointer))
    return said


def _argument(
    number: int, pointer: str, value: JsonValue, origin: _ValueOrigin, evidence: Evidence, *, said: Said | None
) -> Argument:
    """The row of one leaf; its spans are marked in `evidence`."""
    ref, text = f"a{number}", text_of(value)
    contradicted = origin.grounding == vocabulary.PageOrigin.CONTRADICTED
    spans = evidence.point(origin.spans, ref=ref, label=str(number), tone=origin.tone)
    # What a value goes against is already the nearest thing to it: marking both would number one place twice.
    nearest = [origin.nearest] if origin.nearest and not contradicted else []
    near = evidence.point(nearest, ref=ref, label=f"\u2248{number}", tone=origin.tone)
    return Argument(
        number=number,
        ref=ref,
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
        # A copied value explains itself; how a derived one was arrived at does not show in its spans.
        note=origin.note if origin.tone is Tone.DERIVED else "",
        spans=() if contradicted else spans,
        said=said,
    )
