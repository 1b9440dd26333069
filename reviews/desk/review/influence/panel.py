"""What led to the call, as a drawing and as a list: the influence graph of a check that looks for anomalous text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.arguments import Argument, Arguments
from reviews.desk.review.case.evidence import Evidence
from reviews.desk.review.influence import Box, Column, Drawing, Line, draw
from reviews.desk.review.influence.graph import ACTION, Part, influence_graph
from reviews.desk.review.influence.outline import Outline, Unit, outline_of
from reviews.provenance.core.context import Case, Span, Step
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.invisible import spelled_out
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.trust import SourceKind

# Arguments drawn, failing ones first: some more than the other columns have, because every one is a question.
MAX_ARGUMENTS: Final = 10
_OTHERS: Final = "others"
# Characters that fit into a line of a box of the column.
_MAX_TITLE_LENGTH: Final = MappingProxyType(
    {Column.SOURCES: 17, Column.CALLS: 18, Column.ARGUMENTS: 14, Column.CALL: 11}
)
# Where a title may be broken: behind what separates the words of file names, addresses and identifiers.
_BREAKS: Final = re.compile(r"[\s_./:@-](?!$)")
# Characters of a title in a name that is read out.
_MAX_NAME_LENGTH: Final = 60
# How a value was traced, in the room a box has.
_TRACED: Final[Mapping[str, str]] = MappingProxyType(
    {
        Grounding.COPY: "copied",
        Grounding.NORMALIZE: "same value",
        Grounding.DERIVE: "derived",
        Grounding.RESOLVE: "resolved",
        Grounding.GENERATED: "generated",
        Grounding.COMPETING: "competing",
        Grounding.UNGROUNDED: "no source",
        vocabulary.PageOrigin.UNCHECKED: "not checked",
        vocabulary.PageOrigin.UNKNOWN: "unknown",
        vocabulary.PageOrigin.UNPROVEN: "not proven",
        vocabulary.PageOrigin.EXCHANGED: "exchanged",
        vocabulary.PageOrigin.CONTRADICTED: "contradicted",
        vocabulary.PageOrigin.INJECTED: "injected",
    }
)


@dataclass(frozen=True)
class Branch:
    """A node of the list that says the same as the drawing: the call first, below each what had a part in it."""

    box: Box
    branches: tuple["Branch", ...] = ()
    listed_above: bool = False
    """What had a part in it stands where it is named first."""


@dataclass(frozen=True)
class Influence:
    """The influence graph on the page."""

    drawing: Drawing
    roots: tuple[Branch, ...]
    """The arguments."""
    undrawn: Box | None


def influence_of(case: Case, anomalous: Iterable[Span], arguments: Arguments, evidence: Evidence) -> Influence:
    """What led to the call. The texts it names are marked for it in `evidence`."""
    by_node = {f"{Part.ARGUMENT}{argument.pointer}": argument for argument in arguments.listed}
    failing_first = sorted(by_node, key=lambda node: not by_node[node].failing)[:MAX_ARGUMENTS]
    grounded = {argument.pointer: argument.spans for argument in arguments.listed}
    # Chosen by failing, but listed in the order of the call, as the rows of the page are.
    drawn = [node for node in by_node if node in failing_first]
    outline = outline_of(influence_graph(case, anomalous, grounded), drawn)
    boxes = {unit.id: _box(case, unit, outline, by_node, evidence) for unit in outline.units}
    for link in outline.links:
        evidence.point(link.evidence, ref=boxes[link.source].ref)
    undrawn = _box_undrawn(outline.undrawn)
    lines = [
        Line(link.source, link.target, link.tainted, _refs(link.source, link.target, outline, boxes))
        for link in outline.links
    ]
    return Influence(
        drawing=draw([*boxes.values(), *([undrawn] if undrawn else [])], lines),
        roots=_branch(ACTION, outline, boxes, set()).branches,
        undrawn=undrawn,
    )


def _box(case: Case, unit: Unit, outline: Outline, arguments: Mapping[str, Argument], evidence: Evidence) -> Box:
    """The box of a unit: an argument, the call itself, or a source."""
    argument = arguments.get(unit.id)
    title, source = _title(case, unit, argument), unit.node.id
    # The head of the call is where the page shows it, and what has no text of its own.
    anchor, ref, icon = "wants-title", "", ""
    if argument:
        detail, ref, anchor = _TRACED[argument.grounding], argument.ref, f"arg-{argument.number}"
    else:
        detail = "the call" if unit.id == ACTION else vocabulary.WRITERS[SourceKind(unit.node.kind)]
    if source in case.context.sources:
        anchor, ref = evidence.anchor_of(source), evidence.ref_of(source)
        icon = vocabulary.WRITER_ICONS.get(SourceKind(unit.node.kind), vocabulary.OTHERS_ICON)
    leads_to = [_title(case, target, arguments.get(target.id)) for target in outline.supported(unit.id)]
    return Box(
        id=unit.id,
        column=unit.column,
        title=_title_lines(title, _MAX_TITLE_LENGTH[unit.column]),
        # The heading of its column says what the call is.
        detail="" if unit.id == ACTION else detail,
        name=_name(unit, title, detail, leads_to),
        href=f"#{anchor}",
        ref=ref,
        icon=icon,
        tone=argument.tone if argument else "",
        trust=unit.node.trust,
        anomalous=unit.anomalous,
    )


def _title(case: Case, unit: Unit, argument: Argument | None) -> str:
    """What a person calls the unit: the argument's path, the tool, or the source."""
    if argument or unit.id == ACTION:
        return argument.path if argument else case.action.tool
    match unit.id.split("/", 2):
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
            return unit.id


def _name(unit: Unit, title: str, detail: str, leads_to: Sequence[str]) -> str:
    """Everything the box shows in one sentence."""
    parts = [f"{_on_one_line(title, _MAX_NAME_LENGTH)}, {detail}"]
    if unit.node.trust is not None:
        parts.append(f"trust {unit.node.trust:.2f}")
    if unit.anomalous:
        parts.append(f"{unit.anomalous} anomalous span{'' if unit.anomalous == 1 else 's'}")
    if leads_to:
        parts.append(f"supports {' and '.join(_on_one_line(target, _MAX_NAME_LENGTH) for target in leads_to)}")
    return ", ".join(parts)


def _box_undrawn(units: Sequence[Unit]) -> Box | None:
    """One box for all units that are not drawn, which links to the sources below; None without any."""
    if not units:
        return None
    anomalous = sum(unit.anomalous for unit in units)
    title = f"{len(units)} other{'' if len(units) == 1 else 's'}"
    name = f"{title}, not drawn" + (f", {anomalous} anomalous spans" if anomalous else "")
    return Box(_OTHERS, Column.SOURCES, (title,), "not drawn", name=name, href="#evidence", anomalous=anomalous)


def _refs(source: str, target: str, outline: Outline, boxes: Mapping[str, Box]) -> tuple[str, ...]:
    """The refs of the node a link comes from and of every argument it leads to in the end."""
    reached, pending = {target}, [target]
    while pending:
        new = {unit.id for unit in outline.supported(pending.pop())} - reached
        reached |= new
        pending += sorted(new)
    arguments = [box for box in boxes.values() if box.id in reached and box.column is Column.ARGUMENTS]
    refs = dict.fromkeys((boxes[source].ref, *(box.ref for box in arguments)))
    return tuple(ref for ref in refs if ref)


def _branch(node: str, outline: Outline, boxes: Mapping[str, Box], listed: set[str]) -> Branch:
    """The node with what had a part in it, or alone where `listed` says that it was listed in full before."""
    supporters = outline.supporters(node)
    # A graph in which many paths join would otherwise grow exponentially as a list.
    if node in listed:
        return Branch(boxes[node], listed_above=bool(supporters))
    listed.add(node)
    return Branch(boxes[node], tuple(_branch(supporter, outline, boxes, listed) for supporter in supporters))


def _title_lines(title: str, longest: int) -> tuple[str, ...]:
    """The title on one line or two, broken where a word ends if one does."""
    # A token for a hidden character is longer than the character, so tokens are written before the text is measured.
    text = _on_one_line(spelled_out(title[: 2 * longest]), 2 * longest)
    if len(text) <= longest:
        return (text,)
    # Not so early that what is left does not fit into the second line.
    breaks = [match.end() for match in _BREAKS.finditer(text, max(1, len(text) - longest - 1), longest)]
    at = breaks[-1] if breaks else longest
    return text[:at], _on_one_line(text[at:], longest)


def _on_one_line(text: str, longest: int) -> str:
    # Twice as many characters leave enough once runs of spaces are joined, without walking through megabytes.
    return shorten_text(" ".join(text[: 2 * longest].split()), longest)
