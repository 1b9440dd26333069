"""Commands that hide in data: sentences in a tool's output that speak to the agent instead of informing it.

Conservative on purpose. Ordinary correspondence is full of requests between people; what counts is an attempt to
override the agent's instructions, a look-alike of a conversation's control marks, or an order to an AI by name.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from reviews.provenance.core.context import Context, Message, Source, SourceId, Step
from reviews.provenance.core.trust import SourceKind, TrustClass
from reviews.provenance.injection.segment import Segment, Stretch, says_something
from reviews.provenance.text.boundaries import blank_places
from reviews.provenance.text.short_text_cache import cache_short_texts

_AI = r"(?:ai(?: assistant| agent| model)?s?|(?:large )?language models?|llms?|chat-?bots?|gpt(?:-?\w+)?|claude|gemini)"
# Verbs of what an agent can do.
_ACT = (
    r"(?:send|transfer|forward|wire|pay|delete|remove|share|invite|grant|add|change|update|upload|download|post|visit|"
    r"open|call|execute|run|book|reserve|cancel|create|reply|email|use|include|copy|set|reset|approve|refund|give|make)"
)
# Those that cannot be taken back. Only they count in patterns that ordinary correspondence meets, too.
_GRAVE = (
    r"(?:send|transfer|forward|wire|pay|delete|remove|share|invite|grant|upload|visit|execute|run|reset|approve|refund)"
)
# Inner repetitions are bounded to about a clause: an order is written in one, and the search stays linear.
_CANCELS = (
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|all|other|any|your|original|"
    r"initial|system)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules|guidelines|orders|directions|commands?|polic(?:y|ies))\b"
)
_IMITATES = (
    r"<\|?/?(?:im_start|im_end|system|assistant|instructions?|important|admin|tool_call)\b[^>\n]{0,40}>"
    r"|\[/?(?:inst|system|sys)\b[^\]\n]{0,20}\]|^[^\S\n]*+#{2,}\s*(?:system|instruction)s?\b|^[^\S\n]*+(?:system|assistant)\s*:"
    r"|\bsystem (?:message|notice|override|prompt|alert)\s*:"
)
_ADDRESSES = (
    rf"\b(?:dear|hey|attention|(?:note|message|instructions?) (?:to|for)),? (?:the |any |all |every )?"
    rf"(?:{_AI}|(?:ai |virtual )?(?:assistant|agent)s?)\b[^.\n]{{0,50}}?\b{_ACT}\b"
    rf"|\b{_AI}\b[^.\n]{{0,30}}\b(?:must|should|needs? to|ha(?:s|ve) to|(?:is|are) required to|please)\b"
    rf"[^.\n]{{0,25}}\b{_ACT}\b"
)
_PRESSES = (
    rf"\b(?:important|urgent|attention|critical|mandatory)\s*(?:!|:|-|instructions?)[^.\n]{{0,60}}?\b{_GRAVE}\b[^.\n]{{1,80}}\bto\b"
    rf"|\byou (?:must|have to|are (?:now )?(?:instructed|required|ordered) to)\b[^.\n]{{0,20}}\b{_GRAVE}\b"
    # Wherever a tool broke the line.
    r"|\bbefore\s{1,40}you\s{1,40}(?:can\s{1,40})?(?:continue|proceed|solve|answer|reply|respond|do\s{1,40}anything)\b"
)
_ADDRESSED = re.compile(_ADDRESSES, re.I | re.M)
# What an order to an AI ends with.
_VERB = re.compile(rf"\b{_ACT}\b", re.I)
# Characters of such an order: more than the bounded repetitions of its pattern can take.
_LONGEST = 400
_PRESSING = "presses the reader to act"
_MARKED = "imitates a control mark of the conversation"
_PATTERNS = (
    ("tries to cancel earlier instructions", re.compile(_CANCELS, re.I | re.M)),
    (_MARKED, re.compile(_IMITATES, re.I | re.M)),
    ("gives an AI agent an order", _ADDRESSED),
    (_PRESSING, re.compile(_PRESSES, re.I | re.M)),
)
# Characters around an order that are taken as part of it, within its record: a sentence that leads up to it, and the
# few that say what is to be done.
_BEFORE, _AFTER = 200, 600
# Characters of an order that are repeated to a person.
_MAX_QUOTE_LENGTH = 200
# A marked block: exactly what stands between the marks is the order. Its bounds keep a text of opening marks linear.
_BLOCK = re.compile(
    r"<(system|important|instructions?|admin)\b[^>\n]{0,40}>[^<]{0,4000}(?:<(?!/?\1\b)[^<]{0,4000}){0,20}</\1>",
    re.I,
)
# Other marks in pairs, whatever they are called: who wrote an order between two of them wrote what else stands there.
_TAG = re.compile(r"<(/?)([^\W\d_][\w-]{0,30})\b[^<>\n]{0,80}>")
# Characters between two such marks: a page between its outermost ones is no order.
_MAX_ELEMENT = 4_000
# What ordinary correspondence, documents and records have as well: a headline, somebody who presses another to act, a
# sentence about an AI or a person of its name, one who takes back what they said themselves.
_ORDINARY = re.compile(
    rf"\s*#{{2,}}|(?:important|urgent|attention|critical|mandatory)\s*(?:!|:|-|instructions?)|{_AI}\b"
    r"|you (?:must|have|are)\b|(?:ignore|disregard|forget|override)\b[^.\n]{0,30}\b(?:my|our)\b",
    re.I,
)
_KEY = re.compile(r"\s*(?:system|assistant)\s*:", re.I)
# Printed as two characters.
_LINE_ESCAPE = re.compile(r"\\[nr]")
# Where one record's text ends in JSON or a YAML list: the neighbours said nothing wrong.
_BOUNDARY = re.compile(r'"\s*[,}\]]|\n- ')
UNTRUSTED = frozenset(
    {SourceKind.TOOL_OUTPUT, SourceKind.RETRIEVED, SourceKind.MEMORY, SourceKind.SKILL, SourceKind.AGENT_MESSAGE}
)
"""Kinds of source that others than the user and the operator write."""


Stretches: TypeAlias = Mapping[SourceId, Sequence[Stretch]]
"""Stretches of each source's text."""


@dataclass(frozen=True, slots=True)
class Instruction(Segment):
    """A stretch of text that gives orders; it takes in what the order is about."""

    quote: str
    """The words that gave it away."""
    may_be_ordinary: bool = False
    """Whether ordinary text has such words as well: a colleague who presses, a heading, a field of a record."""


@cache_short_texts
def find_instructions(text: str) -> tuple[Instruction, ...]:
    """Every order in a text, in order of position."""
    # A line that a printed text breaks by an escape begins a line as well.
    plain = _LINE_ESCAPE.sub(" \n", text)
    blocks = [hit.span() for hit in _BLOCK.finditer(plain)]
    orders = [_read_block(block, text) for block in blocks]
    # What a block says has been found with it: without blanking, its own sentences would be found again.
    rest = blank_places(plain, blocks)
    matches = [(hit, reason) for reason, pattern in _PATTERNS for hit in _hits_of(pattern, rest)]
    matches.sort(key=lambda pair: pair[0].start())
    elements = _elements_in(rest) if matches else []
    for (hit, reason), element in zip(matches, _elements_around([hit for hit, _ in matches], elements), strict=True):
        quote = text[hit.start() : hit.end()][:_MAX_QUOTE_LENGTH].strip()
        is_ordinary = _may_be_ordinary(hit, rest)
        orders.append(Instruction(*(element or _clause_around(hit, rest)), reason, quote, is_ordinary))
    return tuple(sorted(orders, key=lambda order: order.start))


def _read_block(block: tuple[int, int], text: str) -> Instruction:
    """The order of a marked block; between marks that hold a name or a value a record may have a field."""
    begin = text.index(">", block[0]) + 1
    content = text[begin : text.rindex("<", begin, block[1])]
    return Instruction(*block, _MARKED, text[block[0] : begin], not says_something(content))


def _may_be_ordinary(hit: re.Match[str], text: str) -> bool:
    """Whether text that gives an agent no order has such words as well."""
    if _ORDINARY.match(hit[0]):
        return True
    # "System: Ubuntu" is a field like the lines around it; what somebody says is longer.
    field = _KEY.fullmatch(hit[0])
    if not field:
        return False
    end = text.find("\n", hit.end())
    line = text[hit.end() : end if end >= 0 else len(text)]
    return bool(line.strip()) and not says_something(line)


def _hits_of(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    # "ai must ai must ai must …" has many beginnings and no end: look only where an end is.
    places = _before_verbs(text) if pattern is _ADDRESSED else ((0, len(text)),)
    return (hit for place in places for hit in pattern.finditer(text, *place))


def _clause_around(hit: re.Match[str], text: str) -> tuple[int, int]:
    """The order with the sentences around it, within its record."""
    first, last = max(0, hit.start() - _BEFORE), min(len(text), hit.end() + _AFTER)
    begin = max((mark.end() for mark in _BOUNDARY.finditer(text, first, hit.start())), default=first)
    boundary = _BOUNDARY.search(text, hit.end(), last)
    return begin, boundary.start() if boundary else last


def _elements_in(text: str) -> list[tuple[int, int]]:
    """Where each element stands, from its opening mark to its closing one, in order of their beginnings."""
    opened: dict[str, list[int]] = defaultdict(list)
    elements = []
    for tag in _TAG.finditer(text):
        starts = opened[tag[2].casefold()]
        if not tag[1]:
            starts.append(tag.start())
        elif starts and tag.end() - starts[-1] <= _MAX_ELEMENT:
            elements.append((starts.pop(), tag.end()))
    return sorted(elements)


def _elements_around(
    hits: Sequence[re.Match[str]], elements: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int] | None]:
    """The innermost element around each hit; both come in order, so that each is looked at once."""
    waiting, around = deque(elements), list[tuple[int, int]]()
    for hit in hits:
        while waiting and waiting[0][0] <= hit.start():
            around.append(waiting.popleft())
        while around and around[-1][1] < hit.end():
            around.pop()
        yield around[-1] if around else None


def instructions_in(context: Context) -> dict[str, tuple[Instruction, ...]]:
    """The orders in each source that has no business giving any."""
    orders_by_source: dict[str, tuple[Instruction, ...]] = {}
    for source in filter(may_be_tainted, context.sources.values()):
        orders = find_instructions(source.text)
        if source.rating is TrustClass.INTERNAL:
            # Where colleagues write, one who presses another to act is no attacker.
            orders = tuple(order for order in orders if order.reason != _PRESSING)
        if orders:
            orders_by_source[source.id] = orders
    return orders_by_source


def may_be_tainted(source: Source) -> bool:
    """Whether others write the source, and nobody vouches for what it says."""
    return source.kind in UNTRUSTED and source.rating is not TrustClass.ATTESTED


def without_instructions(context: Context, stretches: Stretches) -> Context:
    """The context with every such stretch blanked out; what remains keeps its place to the character."""

    def clear(text: str, source: SourceId) -> str:
        return blank_out(text, stretches.get(source, ()))

    history: list[Step | Message] = []
    for position, item in enumerate(context.history, start=1):
        if isinstance(item, Message):
            history.append(replace(item, text=clear(item.text, f"history/{position}/message")))
        elif item.outcome is None:
            history.append(item)
        else:
            # A call's arguments are the agent's own words.
            history.append(replace(item, outcome=clear(item.outcome, f"history/{position}/outcome")))
    # A reviewer's words are no agent's source, whatever that calls its own.
    extra = (
        text if text.kind is SourceKind.REVIEWER else replace(text, text=clear(text.text, f"source/{text.name}"))
        for text in context.extra
    )
    return replace(context, history=tuple(history), extra=tuple(extra))


def _before_verbs(text: str) -> Iterator[tuple[int, int]]:
    """Disjoint stretches, in order, that hold every verb with what may come before it in an order."""
    start = end = -1
    for verb in _VERB.finditer(text):
        if verb.start() - _LONGEST > end:
            if end >= 0:
                yield start, end
            start = max(0, verb.start() - _LONGEST)
        end = verb.end() + 1
    if end >= 0:
        yield start, end


def blank_out(text: str, stretches: Sequence[Stretch]) -> str:
    """The text with spaces in place of the stretches, so that everything else keeps its offset."""
    return blank_places(text, [(stretch.start, stretch.end) for stretch in stretches])
