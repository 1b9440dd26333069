"""What the agent proposed in words and the user agreed to: a source that binds the call."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from reviews.provenance.core.context import Context, Message, SourceId
from reviews.provenance.language.base import either, languages, languages_of, phrases
from reviews.provenance.request.negation import is_denied
from reviews.provenance.text.fold import fold, shape_of, words_of

# Characters of an answer in which its agreement stands: what comes later is about something else.
_OPENING = 60
# Characters of a message that are read for lists and questions.
_READ = 8_000
# A question with its sentence.
QUESTION = re.compile(r"[^.!?\n]*(?:\.\S[^.!?\n]*)*\?")
# A code has a figure; ISO times and amounts of money have signs that end it.
_CODE = re.compile(r"(?<![\w$€£.,:-])(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[\w-]{3,40}(?![\w:@-])")
# Letters of a word that tells one offer from another, and what parts offers.
_TELLING = 4
_PARTS = re.compile(r"[.,;\n]|\b(?:and|or|und|oder|et|ou|y|o|e|en|of)\b")
# "8h30", "10h", "9:15", "16 Uhr"; the end of a span of time is none that could be chosen.
_TIME = re.compile(
    r"(?<![\w:.,/-])(?:[01]?\d|2[0-3])(?:[:h.][0-5]\d(?!\d)| ?(?:h|uhr|am|pm|a\.m\.|p\.m\.)(?!\w))", re.I
)
_RANGE = re.compile(r"(?:\b(?:to|until|till|bis|a|as|à|até|hasta|tot|fino alle)|[-–])\s*$", re.I)
# Characters before a time in which the word stands that makes it an end, and things that one question offers.
_JOINING, _MOST_ASKED = 12, 16
# "Stall 22", and the numbers of "stalls 22 and 30".
NOUN_AND_NUMBER = re.compile(r"\b(?P<noun>[^\W\d_]{3,20}?) (?P<number>\d{1,4})(?![\w:/-]|[.,]\d)")
_NUMBERS = r"\d{1,4}(?:(?:, ?| (?:and|or|und|oder|et|ou|y|o|e|en|of) )\d{1,4})*(?![\w:/-])"
# An item of a list, numbered or not, to the end of its line.
_ITEM = re.compile(r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+\S.*$", re.M)
# "Option 2", "number 2", "#2".
_NUMBERED = re.compile(r"(?:\b(?:option|number|nummer|numero|choice)|#|№) ?(?P<n>[1-9])\b")
# Words up to which an answer that agrees has no room for a request of its own.
_SHORT = 12


@dataclass(frozen=True)
class Proposal:
    """A message of the agent's that the user answered with agreement."""

    message: SourceId
    """What the agent proposed."""
    answer: SourceId
    """What the user answered."""
    whole: bool
    """Whether the answer agrees without any reservation."""
    latest: bool
    """Whether the user has said nothing since."""
    passed_over: tuple[tuple[int, int], ...] = ()
    """Stretches of the proposal that it mentions and does not propose, or that the answer does not choose."""


def proposals_of(context: Context) -> tuple[Proposal, ...]:
    """Every accepted proposal, the latest first."""
    found: list[Proposal] = []
    messages = [(n, item) for n, item in enumerate(context.history) if isinstance(item, Message)]
    last_user = max((n for n, item in messages if item.role == "user"), default=-1)
    before: int | None = None
    for n, item in messages:
        if item.role != "user":
            before = n
            continue
        proposed = context.history[before] if before is not None else None
        if isinstance(proposed, Message):
            message, answer = f"history/{(before or 0) + 1}/message", f"history/{n + 1}/message"
            if (agreed := agreement(item.text)) is not None:
                found.append(Proposal(message, answer, agreed, n == last_user, _codes_beside(proposed.text)))
            elif others := _items_not_chosen(proposed.text, item.text):
                found.append(Proposal(message, answer, whole=True, latest=n == last_user, passed_over=others))
        before = None
    return tuple(reversed(found))


def _codes_beside(text: str) -> tuple[tuple[int, int], ...]:
    """The codes that a message mentions beside those of its last question: "A1 and A2 are free. Shall I take A1?"."""
    questions = list(QUESTION.finditer(text[:_READ]))
    proposed = _codes(questions[-1].group()) if questions else {}
    if questions and not proposed:
        proposed = _described(text[: questions[-1].start()], questions[-1].group())
    shapes = {shape_of(code) for code in proposed}
    beside = _codes(text[: questions[-1].start()]) if proposed else {}
    codes = (
        span for code, spans in beside.items() if code not in proposed and shape_of(code) in shapes for span in spans
    )
    figures = _figures_beside(text[: questions[-1].start()], questions[-1].group()) if questions else ()
    return (*codes, *figures)


def _figures_beside(before: str, question: str) -> Iterator[tuple[int, int]]:
    """Times of day, and numbers of the same things, that a question leaves: "8h30, 10h are free. Shall I take 10h?"."""
    times = {fold(hit.group()) for hit in _TIME.finditer(question)}
    for hit in _TIME.finditer(before) if times else ():
        if fold(hit.group()) not in times and not _RANGE.search(before[max(0, hit.start() - _JOINING) : hit.start()]):
            yield hit.span()
    for asked in islice(NOUN_AND_NUMBER.finditer(question), _MOST_ASKED):
        for listed in re.finditer(rf"\b{re.escape(asked['noun'])}e?s? (?P<all>{_NUMBERS})", before, re.I):
            for number in re.finditer(r"\d+", listed["all"]):
                if number.group() != asked["number"]:
                    yield listed.start("all") + number.start(), listed.start("all") + number.end()


def _described(before: str, question: str) -> dict[str, list[tuple[int, int]]]:
    """The one code that stands beside a word of the question: "Thursday (BC-12), Saturday (BC-15). Take Thursday?"."""
    asked_for = {word for word in words_of(question) if len(word) >= _TELLING}
    found: dict[str, list[tuple[int, int]]] = {}
    for part in _PARTS.split(before):
        if not asked_for.isdisjoint(words_of(part)):
            found |= _codes(part)
    return found if len(found) == 1 else {}


def _codes(text: str) -> dict[str, list[tuple[int, int]]]:
    """Where each code stands that has figures and letters, or joins figures."""
    found: dict[str, list[tuple[int, int]]] = {}
    for hit in _CODE.finditer(text):
        found.setdefault(fold(hit.group()), []).append(hit.span())
    return found


def _items_not_chosen(text: str, answer: str) -> tuple[tuple[int, int], ...]:
    """The items of a list that an answer such as "the second one" leaves; none where it chooses none."""
    items = [hit.span() for hit in _ITEM.finditer(text[:_READ])]
    folded = fold(answer)
    if len(items) < 2 or len(folded.split()) > _SHORT:  # noqa: PLR2004
        return ()
    spoken = languages() if len(folded) <= _FEW else languages_of(answer)
    named = {
        int(place)
        for language in spoken
        for place, words in language.ordinals.items()
        for hit in (phrases(words) if language.spaced else re.compile(either(words))).finditer(folded)
        if not is_denied(folded, hit.start())
    } | {int(hit["n"]) for hit in _NUMBERED.finditer(folded)}
    place = named.pop() if len(named) == 1 else 0
    chosen = len(items) - 1 if place < 0 else place - 1
    return tuple(span for n, span in enumerate(items) if n != chosen) if place and 0 <= chosen < len(items) else ()


# Characters of an answer that may be in any language.
_FEW = 24


@lru_cache(maxsize=512)
def agreement(text: str) -> bool | None:
    """Whether an answer agrees: True without reservation, False with one; None where it does not agree."""
    folded = fold(text)
    # A word or two tell no language.
    spoken = languages() if len(folded) <= _FEW else languages_of(text)
    accepts = phrases(frozenset(word for language in spoken for word in language.agreements))
    withholds = phrases(frozenset(word for language in spoken for word in language.reservations))
    hit = accepts.search(folded[:_OPENING]) or (accepts.search(folded) if len(folded.split()) <= _SHORT else None)
    if hit is None or withholds.match(folded.lstrip()):
        return None
    # "Yeah, one of my orders should have it" answers a question; "yes, please go ahead" and a bare "yes" agree.
    firm = len(folded.split()) <= _SHORT or any(" " in each.group() for each in accepts.finditer(folded))
    return firm and withholds.search(folded) is None
