"""Every value of the proposed call, with where it comes from."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Final, Self

from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.authors import NOBODY, Writers, list_writers
from reviews.desk.review.case.evidence import Evidence
from reviews.desk.review.case.origins import ValueOrigin, trace_origins
from reviews.desk.text.highlighting import Piece, Tone, show_value
from reviews.desk.text.near_misses import NearMiss, near_miss
from reviews.models import Finding
from reviews.provenance.core.context import Case, JsonValue, Span, leaves
from reviews.provenance.core.findings import Grounding
from reviews.provenance.doubts import false_claim
from reviews.provenance.terms.claims import OUTWEIGHED, VERIFIED

# Leaves on a page, and suspect ones besides: far more than real calls have, and a bound for what an agent may send.
MAX_LISTED: Final = 60
# Rows of values that are only not proven yet which stand open, beside those that something speaks against: as many as
# leave room for the reason below them on a laptop's screen.
MAX_OPEN: Final = 6
# Established values that are not folded: a fold would take as much room.
MAX_TRACED_OPEN: Final = 3
# Characters of a value that fit beside its name and its tag; a longer one gets a line of its own once it is selected.
MAX_SHORT: Final = 44
# What a finding's rule tells of the agent's own word.
_STANDS: Final = MappingProxyType({VERIFIED: True, OUTWEIGHED: False, false_claim.RULE: False})


@dataclass(frozen=True)
class Quoted:
    """Words of a source, and where they stand on the page."""

    quote: str
    place: str

    @classmethod
    def of(cls, span: Span) -> Self:
        """The words of the span."""
        return cls(span.quote, vocabulary.name_place(span.source))


@dataclass(frozen=True)
class StatedSource:
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
    json: JsonValue
    value: tuple[Piece, ...]
    is_text: bool
    """A string, as against a number, a truth value, null or an empty container."""
    is_long: bool
    origin: ValueOrigin
    tone: Tone
    writers: Writers = NOBODY
    nearest: Quoted | None = None
    against: tuple[Quoted, ...] = ()
    """What it contradicts."""
    miss: NearMiss | None = None
    """How it differs from what is nearest to it, where that is nearly the same."""
    note: str = ""
    """What is known of it, where its tag and its marks do not say it all."""
    spans: tuple[Span, ...] = ()
    """What it rests on."""
    stated: StatedSource | None = None
    """What the agent says of its source."""

    @property
    def label(self) -> str:
        """The path, or the end of a long one."""
        return vocabulary.shorten_path(self.path)

    @property
    def grounding(self) -> str:
        """An engine `Grounding`, or a `PageOrigin`."""
        return self.origin.grounding

    @property
    def failing(self) -> bool:
        """Whether it is known to be wrong, or another value fits as well."""
        return self.origin.failing


@dataclass(frozen=True)
class Arguments:
    """The leaves that a page can show, and how many there are besides.

    Each list is made once: templates ask for them again for every row.
    """

    listed: Sequence[Argument]
    """In the agent's own order, by which they are numbered."""
    unlisted: int = 0
    selected: Argument | None = None
    """The row of the page's headline."""

    @cached_property
    def open(self) -> list[Argument]:
        """The headline's row, what fails, what else is suspect, then the first of what is not proven.

        Each in the agent's order. However many they are, the row that the page speaks of is seen without a search.
        """
        headline = [self.selected] if self.selected else []
        failing = [argument for argument in self._others if argument.failing]
        telling = [argument for argument in self._unproven if argument in self._telling]
        return headline + failing + sorted(telling, key=lambda argument: not argument.origin.is_suspect)

    @cached_property
    def unproven(self) -> list[Argument]:
        """What else is not proven; it is folded away."""
        return [argument for argument in self._unproven if argument not in self._telling]

    @cached_property
    def traced(self) -> list[Argument]:
        """What else is established."""
        return [argument for argument in self._others if argument.origin.holds]

    @property
    def is_traced_folded(self) -> bool:
        """Whether the established values are too many to stand open."""
        return len(self.traced) > MAX_TRACED_OPEN

    @cached_property
    def entry(self) -> Argument | None:
        """The one row that the Tab key reaches; the arrow keys lead from there to the others."""
        return next(iter([*self.open, *self.unproven, *self.traced]), None)

    def selecting(self, pointer: str) -> "Arguments":
        """With the row selected that a finding about this place of the call speaks of."""
        below = (row for row in self.listed if row.pointer == pointer or row.pointer.startswith(f"{pointer}/"))
        return replace(self, selected=next(below, None) if pointer else None)

    @cached_property
    def _others(self) -> list[Argument]:
        return [argument for argument in self.listed if argument is not self.selected]

    @cached_property
    def _unproven(self) -> list[Argument]:
        return [argument for argument in self._others if not argument.failing and not argument.origin.holds]

    @cached_property
    def _telling(self) -> list[Argument]:
        doubtful_first = sorted(self._unproven, key=lambda argument: (argument.origin.rank, argument.number))
        # However many they are, none that something speaks against is folded away: it may be the one that is wrong.
        suspects = sum(argument.origin.is_suspect for argument in doubtful_first)
        return doubtful_first[: max(suspects, MAX_OPEN)]


def list_arguments(case: Case, findings: Iterable[Finding], evidence: Evidence) -> Arguments:
    """The call's leaves in the agent's own order, bounded in number; of the last the most suspect ones are kept.

    Where two findings speak of one value, the later one counts.
    """
    values = dict(leaves(dict(case.action.arguments)))
    # The only leaf of a call without arguments is the empty object itself.
    values.pop("", None)
    findings = list(findings)
    stated = _read_claims(case, findings)
    origins = trace_origins(case.context, findings, values)
    pointers = list(values)
    suspect = [pointer for pointer in pointers[MAX_LISTED:] if origins[pointer].is_suspect]
    worst = set(sorted(suspect, key=lambda pointer: origins[pointer].rank)[:MAX_LISTED])
    listed_pointers = [*pointers[:MAX_LISTED], *(pointer for pointer in suspect if pointer in worst)]
    listed = [
        _build_row(number, pointer, values[pointer], origins[pointer], evidence, stated=stated.get(pointer))
        for number, pointer in enumerate(listed_pointers, start=1)
    ]
    return Arguments(listed, len(values) - len(listed))


def write_value(value: JsonValue) -> str:
    """A leaf as the page writes it: a string itself, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _read_claims(case: Case, findings: Iterable[Finding]) -> Mapping[str, StatedSource]:
    """What the agent says of each value's source, with what a check has found about it."""
    stands = {finding.subject: _STANDS[finding.rule] for finding in findings if finding.rule in _STANDS}
    stated: dict[str, StatedSource] = {}
    for claim in case.action.claims:
        source = claim.source if claim.step is None else case.context.result_of(claim.step) or ""
        place = vocabulary.name_place(source) if source else ""
        stated[claim.pointer] = StatedSource(claim.quote, place, claim.path, stands.get(claim.pointer))
    return stated


def _build_row(
    number: int, pointer: str, value: JsonValue, origin: ValueOrigin, evidence: Evidence, *, stated: StatedSource | None
) -> Argument:
    """The row of one leaf; its spans are marked in `evidence`."""
    ref, text = f"a{number}", write_value(value)
    tone = vocabulary.choose_tone(origin.grounding, origin.holds)
    contradicted = origin.grounding == vocabulary.PageOrigin.CONTRADICTED
    # What speaks against a value bears another mark than what speaks for it.
    label = f"\u2260{number}" if contradicted else str(number)
    spans = evidence.point(origin.spans, ref=ref, label=label, tone=tone)
    # What a value goes against is already the nearest thing to it: marking both would number one place twice.
    nearest = [origin.nearest] if origin.nearest and not contradicted else []
    near = evidence.point(nearest, ref=ref, label=f"\u2248{number}", tone=tone)
    compared = origin.nearest or (spans[0] if contradicted and spans else None)
    return Argument(
        number=number,
        ref=ref,
        pointer=pointer,
        path=evidence.name_path(pointer),
        json=value,
        value=show_value(text, is_worded=origin.grounding == Grounding.GENERATED),
        is_text=isinstance(value, str),
        is_long=len(text) > MAX_SHORT or "\n" in text,
        origin=origin,
        tone=tone,
        writers=NOBODY if contradicted else list_writers(evidence.context, spans, origin.grounding),
        nearest=Quoted.of(near[0]) if near else None,
        against=tuple(map(Quoted.of, spans)) if contradicted else (),
        miss=near_miss(text, compared.quote) if compared and isinstance(value, str) else None,
        # A copied value explains itself; how a derived one was arrived at does not show in its spans.
        note="" if origin.holds and tone is not Tone.DERIVED else origin.note,
        spans=() if contradicted else spans,
        stated=stated,
    )
