"""The message that asks says the value, and it could mean no other value and no other parameter.

Sound because: the value stands in the user's latest message (or in an offer that nothing but agreement followed); every
other value of its kind there is taken up by another argument; where another parameter takes that kind, this one's own
name or preposition stands before the value; and a free text is quoted, labelled, or what the tool's verb governs.
Assumes: who asks for a call names its values in the message that asks. A sentence that denies, makes a condition or
asks a question proves nothing, nor does what the user says of somebody ("Ann's").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.matching import Kind, Mention, kind_of, mentions_of
from reviews.provenance.text.names import stem_of, stems_of, tokens_of
from reviews.provenance.text.quotations import QUOTATION
from reviews.provenance.text.replies import sentences_in, words_in
from reviews.provenance.values.identifiers import is_identifier

RULE = "proofs.sole_reading"
# Words before a value in which its parameter's name is looked for: "the new subject should be".
_LABEL_WORDS = 4
# Another parameter's name takes a value away only right before it, one word apart at the most.
_ADJACENT = 1
# Characters that hold so many words.
_LABEL_REACH = 60
# Words that join the tool's verb to what it governs: articles and the like.
_MAX_JOINING = 3
# Prepositions that parameters are called by: they count only right before the value.
_PREPOSITIONS = frozenset("to from in at on by for with of into".split())
_ARTICLES = frozenset("the a an my our this that".split())
_POSSESSIVE = re.compile(r"['’]s?\b|s['’](?=\s)")
# The noun right behind a value, whose quotation may end in between.
_BEHIND = re.compile(r"[\"'»]? (?P<word>[^\W\d_]+)")
_TOKEN = re.compile(r"[^\s\"'`<>()\[\]{},;|*]+")


@dataclass(frozen=True, slots=True)
class Said:
    """A value that the asking words say, as nothing else could be meant."""

    text: SourceText
    mention: Mention

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where it stands."""
        return tuple(self.text.span(*place) for place in self.mention.places)

    @property
    def how(self) -> Grounding:
        """How it is written there."""
        return self.mention.how


def said_alone(leaf: Leaf, call: ProposedCall, request: Request | None) -> Said | None:
    """Where the value is said, if it could mean nothing else; None otherwise. Raises `OutOfBudgetError`."""
    kind = kind_of(leaf)
    if kind is Kind.NOTHING:
        return None
    for text in call.asking.texts:
        for mention in mentions_of(leaf, text):
            call.evidence.budget.spend()
            said = Said(text, mention)
            if _is_meant(leaf, said, call, request) and not _others_unused(leaf, kind, call):
                return said
    return None


def _is_meant(leaf: Leaf, said: Said, call: ProposedCall, request: Request | None) -> bool:
    kind, mention, text = kind_of(leaf), said.mention, said.text
    if not stands_plainly(mention.start, mention.end, text):
        return False
    label = is_labelled(leaf, mention.start, mention.end, text, call)
    if label is not None:
        return label
    if any(_may_be_mistaken(other, leaf, kind, call) for other in call.decisive):
        return False
    return kind is not Kind.TEXT or _is_quoted(mention, text) or _is_governed(leaf, mention, text, call, request)


def _may_be_mistaken(other: Leaf, leaf: Leaf, kind: Kind, call: ProposedCall) -> bool:
    """Whether another parameter takes this kind of value, and nothing says which value that one has."""
    if kind_of(other) is not kind or path_of(other.pointer) == path_of(leaf.pointer) or other.text == leaf.text:
        return False
    return not any(
        is_labelled(other, mention.start, mention.end, text, call)
        for text in call.asking.texts
        for mention in mentions_of(other, text)
    )


def stands_plainly(start: int, end: int, text: SourceText) -> bool:
    """Whether the stretch stands in a sentence that proves something, and is nobody's possession."""
    if _POSSESSIVE.match(text.folded, end):
        return False
    return any(sentence.is_plain for sentence in sentences_in(text.folded) if sentence.start <= start < sentence.end)


def is_labelled(leaf: Leaf, start: int, end: int, text: SourceText, call: ProposedCall) -> bool | None:
    """Whether the words beside a place name this parameter (True) or another one (False); None: neither.

    Its own name or preposition stands before the value, or its name right behind it: "the 'Archives' folder".
    """
    own, others = _labels(leaf.name), _labels_of_others(leaf, call)
    before = _words_before(start, text, call)
    words = [word for word in words_in(before) if word not in _ARTICLES]
    # A word of both names tells nothing: "to account 77" is told by "to".
    telling = [word for word in words if not {word, stem_of(word)} & own & others][-_LABEL_WORDS:]
    for distance, word in enumerate(reversed(telling)):
        if word in _PREPOSITIONS:
            if distance == 0 and (word in own or word in others):
                return word in own
        elif stem_of(word) in own:
            return True
        elif stem_of(word) in others and distance <= _ADJACENT:
            return False
    behind = _BEHIND.match(text.folded, end)
    is_named_behind = behind is not None and behind["word"] not in _PREPOSITIONS
    return True if behind and is_named_behind and stem_of(behind["word"]) in own - others else None


def _words_before(start: int, text: SourceText, call: ProposedCall) -> str:
    """What stands before a place in its sentence, back to the last value or quotation, which has labels of its own."""
    begin = max(0, start - _LABEL_REACH)
    taken = [end for _, end in call.used.get(text.source.id, ()) if begin < end < start]
    taken += [hit.end() for hit in QUOTATION.finditer(text.folded) if begin < hit.end() < start]
    return re.split(r"[.!?;\n](?=\s|$)", text.folded[max([begin, *taken]) : start])[-1]


def _labels(name: str) -> frozenset[str]:
    return frozenset(token if token in _PREPOSITIONS else stem_of(token) for token in tokens_of(name))


def _labels_of_others(leaf: Leaf, call: ProposedCall) -> frozenset[str]:
    names = call.document.properties if call.document else {}
    own = path_of(leaf.pointer).split("/")[1:2]
    return frozenset(label for name in names if [name] != own for label in _labels(name))


def _is_quoted(mention: Mention, text: SourceText) -> bool:
    """Whether the value is all that stands between quotation marks."""
    before, after = text.folded[mention.start - 1 : mention.start], text.folded[mention.end : mention.end + 1]
    return before in ("'", '"', "«") and after in ("'", '"', "»", ".", ",")


def _is_governed(leaf: Leaf, mention: Mention, text: SourceText, call: ProposedCall, request: Request | None) -> bool:
    """Whether nothing but the tool's own words and articles stands between the tool's verb and the value."""
    if request is None or request.text is not text or not request.end <= mention.start <= request.sentence.end:
        return False
    if _PREPOSITIONS & {*words_in(text.folded[request.end : mention.start])}:
        return False
    between = [word for word in words_in(text.folded[request.end : mention.start]) if word not in _ARTICLES]
    known = stems_of(call.tool) | stems_of(leaf.name)
    return len(between) <= _MAX_JOINING and all(stem_of(word) in known for word in between)


def _others_unused(leaf: Leaf, kind: Kind, call: ProposedCall) -> bool:
    """Whether the asking words hold another value of this kind that no argument takes up."""
    for text in call.asking.texts:
        call.evidence.budget.spend(1 + len(text.folded) // 64)
        if any(not call.is_used(text, start, end) for start, end in places_of_kind(leaf, kind, text)):
            return True
    return False


def _identifiers(text: SourceText) -> Iterator[tuple[int, int]]:
    """The tokens that name something, apart from those that are numbers or days."""
    read = [place for places in text.numbers.values() for place in places]
    read += [(moment.start, moment.end) for moment in text.moments]
    for hit in _TOKEN.finditer(text.folded):
        token = hit.group().rstrip(".:!?")
        start, end = hit.start(), hit.start() + len(token)
        if is_identifier(token) and not any(first < end and start < last for first, last in read):
            yield start, end


def places_of_kind(leaf: Leaf, kind: Kind, text: SourceText) -> Iterator[tuple[int, int]]:
    """Where a text says values of this kind, or other options of the leaf's list."""
    match kind:
        case Kind.NUMBER:
            # "One" is a word for a thing more often than a number.
            for value, places in text.numbers.items():
                yield from (place for place in places if value != 1 or text.folded[slice(*place)].strip().isdigit())
        case Kind.MOMENT:
            yield from ((moment.start, moment.end) for moment in text.moments)
        case Kind.CODE:
            yield from text.opaque
            yield from _identifiers(text)
        case Kind.OPTION:
            for choice in leaf.choices:
                other = Leaf(choice)
                if other.folded != leaf.folded:
                    yield from (place for mention in mentions_of(other, text) for place in mention.places)
        case Kind.TEXT:
            yield from (hit.span() for hit in QUOTATION.finditer(text.folded))
