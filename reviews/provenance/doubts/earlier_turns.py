"""Something that was said around the message that asks may make something else of it: nobody has read it.

The agent has said something since ("Ann's account is closed"), or has just asked something, which the message may
answer; the user has said what no call since was asked for by, with more words than the message has; an earlier message
of the user's denies, makes a condition or speaks of more than one thing ("translate each of my next messages"); or the
operator has a sentence with a word of the tool or of the message, with a number, or one that speaks of more than one
thing or of what somebody gives before a deed.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from reviews.provenance.core.context import Message, Span, Step, leaves
from reviews.provenance.core.places import history_position
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import CHARACTERS_A_STEP, ProposedCall
from reviews.provenance.proofs.requested_tool import asks_for, names_deed
from reviews.provenance.proofs.words import FRAME
from reviews.provenance.text.boundaries import overlaps
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import root_of, roots_of, stem_of
from reviews.provenance.text.replies import WORD, Sentence, offers_help, opens_offer, says_nothing, words_in

# To find a stem, which is often remembered.
_STEPS_A_STEM: Final = 4
# Letters of a word of the message that tells what it is about.
_MIN_LETTERS: Final = 3
# Words by which an agent opens a sentence that tells what it does: "I'll", "I will".
_OPENINGS: Final = (1, 2)
# What parts the clauses of a sentence: behind it something else may be said.
_CLAUSE: Final = re.compile(r"[,:](?=\s)|[()]|\s[-–—]\s|(?<!\w)and(?!\w)")
# Values of a call that are looked for in what was said.
_MAX_VALUES: Final = 64


def find_unsettled(call: ProposedCall) -> Span | None:
    """What may change what the message means; None where nothing does."""
    message = call.latest_request.message
    if since := next(_said_since(call), None):
        return since
    if call.latest_request.offers or message.source.kind is SourceKind.REVIEWER:
        # Whoever agrees to a deed means that deed, and whoever sends a call back has read what was said before.
        return None
    return next(_unsettled_turns(call, history_position(message.source.id)), None) or next(_forbidding(call), None)


def _said_since(call: ProposedCall) -> Iterator[Span]:
    """What anybody said behind the user's last word; who greets, thanks, or tells of this very call, says nothing."""
    latest = call.latest_request
    last = latest.offers[0][1] if latest.offers else latest.message
    if last.source.kind is SourceKind.REVIEWER:
        return
    history, at = call.evidence.context.history, history_position(last.source.id)
    for position, item in enumerate(islice(history, at, None), start=at + 1):
        call.evidence.budget.spend()
        if isinstance(item, Message):
            text = call.evidence.texts[f"history/{position}/message"]
            for sentence in _sentences(text):
                if not says_nothing(sentence.text) and not _announces(sentence, call):
                    yield _quote(sentence, text)


def _announces(sentence: Sentence, call: ProposedCall) -> bool:
    """Whether the agent says that it makes this call, and nothing else: "I'll send $30 to Ann now".

    Many say so in the message that proposes it.
    """
    words = words_in(sentence.text)
    call.evidence.budget.spend(1 + _STEPS_A_STEM * len(words))
    opening = next((length for length in _OPENINGS if opens_offer(" ".join(words[:length]))), None)
    if opening is None or sentence.is_question or not sentence.is_plain:
        return False
    value_words = FRAME.union(*(leaf.words for leaf in call.leaves[:_MAX_VALUES]))
    rest = (word for word in words[opening:] if word not in value_words and root_of(word) not in call.known_words)
    return all(map(says_nothing, rest))


def _unsettled_turns(call: ProposedCall, end: int) -> Iterator[Span]:
    """What was said before this position of the history and is not done with."""
    undone: list[tuple[Sentence, SourceText]] = []
    agent_turn, has_acted = None, False
    for role, turn in _earlier_turns(call, end):
        agent_turn = turn if role == "assistant" else None
        has_acted = isinstance(turn, Step) or (has_acted and role == "assistant")
        if isinstance(turn, Step):
            # A call does what asks for its tool, and may answer a question: nothing else that was said.
            asking = [sentence for sentence, _ in undone if asks_for(turn.tool, sentence, call)]
            done = [sentence for sentence in asking if _says_value(sentence, turn)] or asking
            more = [sentence for sentence, text in undone if sentence in asking and _says_more(sentence, text, turn)]
            undone = [
                (sentence, text)
                for sentence, text in undone
                if sentence in more or not (sentence.is_question or sentence in done)
            ]
        elif role == "user":
            yield from (_quote(sentence, turn) for sentence in _sentences(turn) if sentence.reaches_further)
            undone += [(sentence, turn) for sentence in _sentences(turn) if not says_nothing(sentence.text)]
    # Who says the same again means the same, and whoever asks for the deed a second time says more of it.
    repeated = {words_in(sentence.text) for sentence in _sentences(call.text)}
    for sentence, text in undone:
        if words_in(sentence.text) not in repeated and not _says_less(sentence, call):
            yield _quote(sentence, text)
    if isinstance(agent_turn, SourceText):
        yield from _open_questions(agent_turn, call, has_acted=has_acted)


def _open_questions(text: SourceText, call: ProposedCall, *, has_acted: bool) -> Iterator[Span]:
    """What the agent has just asked, without its offers of help or of this very deed."""
    for sentence in _sentences(text):
        # Who has called nothing since the user spoke reports nothing, and may ask in any words: "Give me its text."
        is_asking = sentence.is_question or sentence.asks_something or not (has_acted or says_nothing(sentence.text))
        is_offer = offers_help(sentence.text) or (sentence.is_question and names_deed(call, sentence.text))
        if is_asking and not is_offer:
            yield _quote(sentence, text)


def _says_less(sentence: Sentence, call: ProposedCall) -> bool:
    """Whether a sentence asks for this tool, and says nothing that the message does not say as well, or in its place.

    Its words are the tool's own or those of the message, or it differs from the message in values alone.
    """
    words = FRAME | set(words_in(call.text.folded))
    rest = (word for word in words_in(sentence.text) if word not in words and root_of(word) not in call.known_words)
    return (not any(rest) or _differs_in_values(sentence, call)) and asks_for(call.tool, sentence, call)


def _differs_in_values(sentence: Sentence, call: ProposedCall) -> bool:
    """Whether the message has the same words, but for those that say values of the call."""
    words, hits = words_in(sentence.text), list(WORD.finditer(call.text.folded))
    call.evidence.budget.spend(1 + len(hits))
    return len(words) == len(hits) and all(
        word == hit[0] or overlaps(call.used, *hit.span()) for word, hit in zip(words, hits, strict=True)
    )


def _says_value(sentence: Sentence, step: Step) -> bool:
    """Whether a sentence says a value of a call that was made: of two that ask for its tool it did that one."""
    values = (fold(str(value)) for _, value in islice(leaves(dict(step.arguments)), _MAX_VALUES))
    return any(value and value in sentence.text for value in values)


def _says_more(sentence: Sentence, text: SourceText, step: Step) -> bool:
    """Whether a sentence that asks for a call has a code that it was not given, or a clause that is about more.

    "List my contacts, Ann's account is DE55 now."
    """
    values = " ".join(fold(str(value)) for _, value in islice(leaves(dict(step.arguments)), _MAX_VALUES))
    text.budget.spend(1 + len(values) // CHARACTERS_A_STEP)
    codes = (
        text.folded[start:end]
        for start, end in (*text.opaque, *text.identifiers)
        if sentence.start <= start < sentence.end
    )
    if not all(code in values for code in codes):
        return True
    _, *clauses = _CLAUSE.split(sentence.text)
    value_words = FRAME.union(words_in(values))
    names = roots_of(f"{step.tool} {' '.join(map(str, step.arguments))}")
    words = (word for clause in clauses if not says_nothing(clause) for word in words_in(clause))
    return any(word not in value_words and root_of(word) not in names for word in words)


def _earlier_turns(call: ProposedCall, end: int) -> Iterator[tuple[str, SourceText | Step]]:
    """Who said what before this position of the history, in order, and which calls were made."""
    if end:
        yield "user", call.evidence.texts["query"]
    for position, item in enumerate(islice(call.evidence.context.history, max(0, end - 1)), start=1):
        call.evidence.budget.spend()
        if isinstance(item, Message):
            yield item.role, call.evidence.texts[f"history/{position}/message"]
        else:
            yield "tool", item


def _forbidding(call: ProposedCall) -> Iterator[Span]:
    """The operator's sentences that may be about the call: with its words, those of the message, or a number."""
    telling = (sentence.text for sentence in _sentences(call.text) if not says_nothing(sentence.text))
    words = (word for text in telling for word in words_in(text) if len(word) >= _MIN_LETTERS)
    call_stems = _stems_of(words, call) | set(map(stem_of, call.known_words - FRAME))
    for text in call.evidence.of_kind(SourceKind.SYSTEM_PROMPT):
        numbers = sorted(place[0] for places in text.numbers.values() for place in places)
        for sentence in _sentences(text):
            has_number = bisect_left(numbers, sentence.start) < bisect_left(numbers, sentence.end)
            is_for_any = sentence.is_general or sentence.speaks_of_leave
            is_about_call = has_number or is_for_any or names_deed(call, sentence.text)
            if is_about_call or not call_stems.isdisjoint(_stems_of(words_in(sentence.text), call)):
                yield _quote(sentence, text)


def _stems_of(words: Iterable[str], call: ProposedCall) -> set[str]:
    distinct = set(words) - FRAME
    call.evidence.budget.spend(_STEPS_A_STEM * len(distinct))
    return set(map(stem_of, distinct))


def _sentences(text: SourceText) -> Iterator[Sentence]:
    for sentence in text.sentences:
        text.budget.spend(1 + len(sentence.text) // CHARACTERS_A_STEP)
        yield sentence


def _quote(sentence: Sentence, text: SourceText) -> Span:
    return text.span(sentence.start, sentence.end)
