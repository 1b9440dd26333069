"""What led to the call, drawn and told: the influence graph of a check that looks for anomalous text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.arguments import Argument, Arguments
from reviews.desk.review.case.evidence import Evidence
from reviews.desk.review.influence import Box, Column, Drawing, Line, draw
from reviews.desk.review.influence.outline import Outline, Unit, outline_of
from reviews.provenance.core.context import Case, SourceKind, Span, Step
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.invisible import spelled_out
from reviews.provenance.core.shortening import shortened
from reviews.provenance.influence import ACTION, Part, influence_graph

MOST_ARGUMENTS: Final = 10
_OTHERS: Final = "others"
_LONGEST_TITLE: Final = MappingProxyType({Column.SOURCES: 17, Column.CALLS: 18, Column.ARGUMENTS: 14, Column.CALL: 11})
"""Characters that fit into a line of a box of the column."""
_BREAKS: Final = re.compile(r"[\s_./:@-](?!$)")
_LONGEST_NAME: Final = 60
_TRACED: Final[Mapping[str, str]] = MappingProxyType(
    {
        Grounding.COPY: "copied",
        Grounding.NORMALIZE: "same value",
        Grounding.DERIVE: "derived",
        Grounding.RESOLVE: "resolved",
        Grounding.GENERATED: "generated",
        Grounding.COMPETING: "competing",
        Grounding.UNGROUNDED: "no source",
        vocabulary.Origin.UNKNOWN: "unknown",
        vocabulary.Origin.CONTRADICTED: "contradicted",
        vocabulary.Origin.INJECTED: "injected",
    }
)
"""How a value was traced, in the room a box has."""


@dataclass(frozen=True)
class Branch:
    """A node of the list that says the same as the drawing: the call first, below each what had a part in it."""

    box: Box
    branches: tuple["Branch", ...] = ()
    told_above: bool = False
    """What had a part in it stands where it is named first."""


@dataclass(frozen=True)
class Influence:
    """The influence graph on the page."""

    drawing: Drawing
    roots: tuple[Branch, ...]
    """The arguments."""
    others: Box | None


def influence_of(case: Case, anomalous: Iterable[Span], arguments: Arguments, evidence: Evidence) -> Influence:
    """What led to the call. The texts it names are marked for it in `evidence`."""
    by_node = {f"{Part.ARGUMENT}{argument.pointer}": argument for argument in arguments.listed}
    failing_first = sorted(by_node, key=lambda node: not by_node[node].failing)[:MOST_ARGUMENTS]
    grounded = {argument.pointer: argument.spans for argument in arguments.listed}
    outline = outline_of(
        influence_graph(case, anomalous, grounded), [node for node in by_node if node in failing_first]
    )
    boxes = {unit.id: _box(case, unit, outline, by_node, evidence) for unit in outline.units}
    for link in outline.links:
        evidence.point(link.evidence, ref=boxes[link.source].ref)
    others = _others(outline.others)
    lines = [
        Line(link.source, link.target, link.tainted, _refs(link.source, link.target, outline, boxes))
        for link in outline.links
    ]
    return Influence(
        drawing=draw([*boxes.values(), *([others] if others else [])], lines),
        roots=_branches(outline, boxes),
        others=others,
    )


def _box(case: Case, unit: Unit, outline: Outline, arguments: Mapping[str, Argument], evidence: Evidence) -> Box:
    argument = arguments.get(unit.id)
    source = unit.node.id if unit.node.id in case.context.sources else ""
    title, detail = _title(case, unit, argument), _detail(unit, argument)
    leads_to = [_title(case, each, arguments.get(each.id)) for each in _targets(outline, unit)]
    return Box(
        id=unit.id,
        column=unit.column,
        title=_lines(title, _LONGEST_TITLE[unit.column]),
        # The column says what it is.
        detail="" if unit.id == ACTION else detail,
        name=_name(unit, title, detail, leads_to),
        href=f"#{_anchor(argument, source, evidence)}",
        ref=argument.ref if argument else (evidence.ref_of(source) if source else ""),
        icon=vocabulary.WRITER_ICONS.get(SourceKind(unit.node.kind), vocabulary.OTHERS_ICON) if source else "",
        tone=argument.tone if argument else "",
        trust=unit.node.trust,
        anomalous=unit.anomalous,
    )


def _anchor(argument: Argument | None, source: str, evidence: Evidence) -> str:
    if argument:
        return f"arg-{argument.number}"
    return evidence.anchor_of(source) if source else "wants-title"


def _title(case: Case, unit: Unit, argument: Argument | None) -> str:
    if argument:
        return argument.path
    return case.action.tool if unit.id == ACTION else _title_of_source(case, unit.id)


def _title_of_source(case: Case, unit: str) -> str:
    match unit.split("/", 2):
        case ["query"]:
            return "Request"
        case ["history", position]:
            step = case.context.history[int(position) - 1]
            return f"{position} {step.tool}" if isinstance(step, Step) else position
        case ["history", position, _]:
            return f"Message {position}"
        case [_, *name]:
            return "/".join(name)
        case _:
            return unit


def _detail(unit: Unit, argument: Argument | None) -> str:
    if argument:
        return _TRACED[argument.grounding]
    return "the call" if unit.id == ACTION else vocabulary.WRITERS[SourceKind(unit.node.kind)]


def _targets(outline: Outline, unit: Unit) -> list[Unit]:
    targets = set(outline.supported(unit.id))
    return [each for each in outline.units if each.id in targets]


def _name(unit: Unit, title: str, detail: str, leads_to: Sequence[str]) -> str:
    told = [f"{_short(title, _LONGEST_NAME)}, {detail}"]
    if unit.node.trust is not None:
        told.append(f"trust {unit.node.trust:.2f}")
    if unit.anomalous:
        told.append(f"{unit.anomalous} anomalous span{'' if unit.anomalous == 1 else 's'}")
    if leads_to:
        told.append(f"supports {' and '.join(_short(each, _LONGEST_NAME) for each in leads_to)}")
    return ", ".join(told)


def _others(units: Sequence[Unit]) -> Box | None:
    if not units:
        return None
    anomalous = sum(unit.anomalous for unit in units)
    title = f"{len(units)} other{'' if len(units) == 1 else 's'}"
    name = f"{title}, not drawn" + (f", {anomalous} anomalous spans" if anomalous else "")
    return Box(_OTHERS, Column.SOURCES, (title,), "not drawn", name=name, href="#evidence", anomalous=anomalous)


def _refs(source: str, target: str, outline: Outline, boxes: Mapping[str, Box]) -> tuple[str, ...]:
    """The node a link comes from, and every argument it leads to in the end."""
    reached, pending = {target}, [target]
    while pending:
        new = set(outline.supported(pending.pop())) - reached
        reached |= new
        pending += sorted(new)
    arguments = [each for each in boxes.values() if each.id in reached and each.column is Column.ARGUMENTS]
    own = boxes[source].ref
    return tuple(dict.fromkeys(ref for ref in (own, *(each.ref for each in arguments)) if ref))


def _branches(outline: Outline, boxes: Mapping[str, Box]) -> tuple[Branch, ...]:
    told: set[str] = set()

    def branch(of: str) -> Branch:
        supporters = outline.supporters(of)
        if of in told:
            return Branch(boxes[of], told_above=bool(supporters))
        told.add(of)
        return Branch(boxes[of], tuple(branch(each) for each in supporters))

    return branch(ACTION).branches


def _lines(title: str, longest: int) -> tuple[str, ...]:
    """The title on one line or two, broken where a word ends if one does."""
    # Tokens take the room that what they stand for does not.
    shown = _short(spelled_out(title[: 2 * longest]), 2 * longest)
    if len(shown) <= longest:
        return (shown,)
    breaks = [found.end() for found in _BREAKS.finditer(shown, max(1, len(shown) - longest - 1), longest)]
    at = breaks[-1] if breaks else longest
    return shown[:at], _short(shown[at:], longest)


def _short(text: str, longest: int) -> str:
    return shortened(" ".join(text[: 2 * longest].split()), longest)
