"""What an identifier, or a name with figures, that stands nowhere is most like: it may be that one mistyped."""

import re
from collections.abc import Iterator
from itertools import pairwise

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from reviews.provenance.core.context import Span
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.near_copy import span_as_written
from reviews.provenance.proofs.other_meanings import unused_places
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.text.boundaries import Place, find_all, stands_alone
from reviews.provenance.text.fold import fold
from reviews.provenance.values.identifiers import is_opaque

# Similarity, 0 to 100, from which something else in the context is worth a look: below it codes share a few characters.
_SIMILAR = 80
# Characters of an identifier that one sign tells of another by mistake alone; shorter ones are near their neighbours.
_MIN_LENGTH = 7
# Figures of a number: of a single one every other is a slip.
_MIN_FIGURES = 2
# Characters of a name, and of data that are searched through in one step of the budget.
_MAX_LENGTH, _CHARACTERS_A_STEP = 60, 256
# What is changed at one place, or between two neighbours, is in two of them at most.
_PARTS = 3
_FIGURE = re.compile(r"\d")


def most_similar(leaf: Leaf, call: ProposedCall) -> Span | None:
    """The identifier anywhere that is most like a value that stands nowhere; None where none is like it, or several."""
    if kind_of(leaf) is Kind.NUMBER and (slip := _only_slip(leaf, call)):
        return slip
    if " " in leaf.folded:
        return _only_field(leaf, call)
    return _most_similar_opaque(leaf, call) if is_opaque(leaf.folded) else _only_neighbour(leaf, call)


def _only_slip(leaf: Leaf, call: ProposedCall) -> Span | None:
    """The one figure that the request says for nothing in the call, and of which one sign is another in this one."""
    places = unused_places(leaf, call) if len(leaf.text) >= _MIN_FIGURES else ()
    matches: dict[str, Span] = {}
    for start, end in places:
        figure = call.text.folded[start:end]
        if len(figure) == len(leaf.text) and OSA.distance(figure, leaf.folded, score_cutoff=1) == 1:
            matches.setdefault(figure, call.text.span(start, end))
    return next(iter(matches.values())) if len(matches) == 1 else None


def _most_similar_opaque(leaf: Leaf, call: ProposedCall) -> Span | None:
    value = leaf.folded
    best: tuple[float, Span | None] = (_SIMILAR, None)
    for text in call.evidence.texts.values():
        for start, end in text.opaque:
            call.evidence.budget.spend()
            score = fuzz.ratio(value, text.folded[start:end], score_cutoff=best[0])
            if score > best[0] and text.folded[start:end] != value:
                best = score, span_as_written(start, end, text, leaf)
    return best[1]


def _only_field(leaf: Leaf, call: ProposedCall) -> Span | None:
    """The one field of data from which a name with figures differs in one of them: "Suite 594" from "Suite 394"."""
    if not _MIN_LENGTH <= len(leaf.folded) <= _MAX_LENGTH or _FIGURE.search(leaf.folded) is None:
        return None
    pattern = re.compile("".join(r"\d" if sign.isdigit() else re.escape(sign) for sign in leaf.folded))
    matches: dict[str, Span] = {}
    for text in call.evidence.data:
        call.evidence.budget.spend(1 + len(text.folded) // _CHARACTERS_A_STEP)
        for hit in pattern.finditer(text.folded):
            call.evidence.budget.spend()
            cell = text.cell_at(text.span(*hit.span()))
            is_field = cell is not None and fold(cell.value) == hit[0]
            if is_field and OSA.distance(leaf.folded, hit[0], score_cutoff=1) == 1:
                matches.setdefault(hit[0], text.span(*hit.span()))
    return next(iter(matches.values())) if len(matches) == 1 else None


def _only_neighbour(leaf: Leaf, call: ProposedCall) -> Span | None:
    """The one token from which a long identifier with a separator, or of figures alone, differs in one sign."""
    value = leaf.folded
    if len(value) < _MIN_LENGTH or not any(map(str.isdigit, value)):
        return None
    matches: dict[str, Span] = {}
    for text in call.evidence.texts.values():
        # The agent's own words hold the same mistake, and documents hold examples.
        if text.source.kind in (SourceKind.TOOL_CALL, SourceKind.AGENT_MESSAGE, SourceKind.TOOL_DOC):
            continue
        for start, end in _near_places(value, text):
            if _is_token((start, end), text, is_number=value.isdigit()):
                matches.setdefault(text.folded[start:end], text.span(start, end))
    return next(iter(matches.values())) if len(matches) == 1 else None


def _near_places(value: str, text: SourceText) -> Iterator[Place]:
    """Where what is as long as the value differs from it in one sign, or in two neighbours exchanged."""
    length = len(value)
    # Either leaves one of three parts as it is, which is found much faster than all tokens are read.
    bounds = [length * part // _PARTS for part in range(_PARTS + 1)]
    for start, end in pairwise(bounds):
        for at in find_all(text.folded, value[start:end]):
            text.budget.spend()
            place = max(at - start, 0), at - start + length
            if OSA.distance(value, text.folded[slice(*place)], score_cutoff=1) == 1:
                yield place


def _is_token(place: Place, text: SourceText, *, is_number: bool) -> bool:
    if is_number:
        return any(place in places for places in text.numbers.values())
    return place in text.identifiers or stands_alone(text.folded, *place)
