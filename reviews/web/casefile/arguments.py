"""Every value of the proposed call, with where it comes from."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from reviews.models import Finding
from reviews.provenance.context import Case, JsonValue, Span, leaves
from reviews.provenance.grounding import Grounded, ground_arguments
from reviews.provenance.judges.parameters import derivable, parameter_paths, path_of
from reviews.provenance.relations import Grounding, Relation
from reviews.web.casefile import words
from reviews.web.casefile.evidence import Evidence, span_from
from reviews.web.highlighting import Piece, Tone, excerpt


@dataclass(frozen=True)
class Argument:
    """One leaf of the arguments."""

    number: int
    pointer: str
    path: str
    value: tuple[Piece, ...]
    is_text: bool
    """A string, as against a number, a truth value, null or an empty container."""
    grounding: str
    """An engine `Grounding`, or `unknown`."""
    holds: bool | None
    places: tuple[str, ...] = ()
    nearest: Span | None = None
    nearest_place: str = ""
    note: str = ""

    @property
    def ref(self) -> str:
        """Ties the argument to its marks."""
        return f"a{self.number}"

    @property
    def tone(self) -> Tone:
        """How it is coloured."""
        return words.TONES[Grounding(self.grounding)] if self.grounding != "unknown" else Tone.GENERATED

    @property
    def failing(self) -> bool:
        """Whether it is a reason to stop."""
        return self.holds is False or self.tone in (Tone.NONE, Tone.COMPETING)


@dataclass(frozen=True)
class _Origin:
    grounding: str
    holds: bool | None
    spans: tuple[Span, ...]
    nearest: Span | None
    note: str


def arguments_of(case: Case, findings: Iterable[Finding], evidence: Evidence) -> list[Argument]:
    """The call's leaves in order. A leaf no finding speaks of is traced here, so that no row is ever without a word."""
    by_pointer = {finding.subject: finding for finding in findings if finding.relation == Relation.DERIVED_FROM}
    found = list(leaves(dict(case.action.arguments)))
    origins = {pointer: _from_finding(by_pointer, pointer) for pointer, _ in found}
    if None in origins.values():
        traced = {grounded.pointer: grounded for grounded in ground_arguments(case)}
        origins = {at: origin or _from_grounded(case, traced.get(at)) for at, origin in origins.items()}
    return [
        _argument(number, pointer, value, origins[pointer] or _NOTHING, evidence)
        for number, (pointer, value) in enumerate(found, start=1)
        if pointer
    ]


def first_to_look_at(arguments: Sequence[Argument]) -> str:
    """The ref of the argument selected at load: the first that fails, else the first; empty without arguments."""
    failing = [argument for argument in arguments if argument.failing]
    chosen = (failing or list(arguments))[:1]
    return chosen[0].ref if chosen else ""


_NOTHING = _Origin("unknown", None, (), None, "")


def _from_finding(by_pointer: dict[str, Finding], pointer: str) -> _Origin | None:
    finding = next((by_pointer[at] for at in _prefixes(pointer) if at in by_pointer), None)
    if finding is None:
        return None
    return _Origin(
        grounding=finding.grounding or _unnamed(finding),
        holds=finding.holds,
        spans=tuple(map(span_from, finding.evidence)),
        nearest=span_from(finding.nearest) if finding.nearest else None,
        note=finding.rationale,
    )


def _prefixes(pointer: str) -> list[str]:
    """The pointer and every pointer above it, the nearest first: a finding on a list speaks for its items."""
    parts = pointer.split("/")
    return ["/".join(parts[:length]) for length in range(len(parts), 1, -1)]


def _unnamed(finding: Finding) -> str:
    if finding.holds is None:
        return "unknown"
    return Grounding.DERIVE if finding.holds else Grounding.UNGROUNDED


def _from_grounded(case: Case, grounded: Grounded | None) -> _Origin | None:
    if grounded is None:
        return None
    if grounded.how == Grounding.UNGROUNDED and _composed(case, grounded.pointer):
        return _Origin(Grounding.GENERATED, None, (), None, "The agent wrote this; no source is asked for.")
    return _Origin(str(grounded.how), None, grounded.spans, grounded.nearest, grounded.note)


def _composed(case: Case, pointer: str) -> bool:
    tool = case.context.tool(case.action.tool)
    path = path_of(pointer)
    return tool is not None and derivable(path, parameter_paths(tool).get(path, {}), tool) is False


def _argument(number: int, pointer: str, value: JsonValue, origin: _Origin, evidence: Evidence) -> Argument:
    argument = Argument(
        number=number,
        pointer=pointer,
        path=words.path_of(pointer),
        value=excerpt(text_of(value)),
        is_text=isinstance(value, str),
        grounding=origin.grounding,
        holds=origin.holds,
        note=origin.note,
    )
    nearest = [origin.nearest] if origin.nearest else []
    spans = evidence.point(origin.spans, ref=argument.ref, label=str(number), tone=argument.tone)
    near = evidence.point(nearest, ref=argument.ref, label=f"{number}?", tone=argument.tone)
    return replace(
        argument,
        places=tuple(dict.fromkeys(words.place(span.source) for span in spans)),
        nearest=near[0] if near else None,
        nearest_place=words.place(near[0].source) if near else "",
    )


def text_of(value: JsonValue) -> str:
    """A leaf as the page writes it: a string itself, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
