"""Something that was said before the message that asks may make something else of it: nobody has read it.

The agent has just asked something, which the message may answer; the user has said what no call since was asked for by;
an earlier message of the user's denies, makes a condition or speaks of more than one thing ("translate each of my next
messages"); or the operator has a sentence with a word of the tool or of the message, or with a number.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from reviews.provenance.core.context import Message, Span
from reviews.provenance.core.places import history_position
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.requested_tool import asks_for, names_deed
from reviews.provenance.proofs.words import FRAME
from reviews.provenance.text.names import stem_of
from reviews.provenance.text.replies import Sentence, offers_help, says_nothing, words_in

# Characters of a sentence whose words are looked through in one step of the budget.
_CHARACTERS_A_STEP: Final = 16
# Letters of a word of the message that tells what it is about.
_MIN_LETTERS: Final = 3


def find_unsettled(call: ProposedCall) -> Span | None:
    """What may change what the message means; None where nothing does. Raises `OutOfBudgetError`."""
    message = call.latest_request.message
    if call.latest_request.offers or message.source.kind is SourceKind.REVIEWER:
        # Whoever agrees to a deed means that deed, and whoever sends a call back has read what was said before.
        return None
    return next(_unsettled_turns(call, history_position(message.source.id)), None) or next(_forbidding(call), None)


def _unsettled_turns(call: ProposedCall, end: int) -> Iterator[Span]:
    """What was said before this position of the history and is not done with."""
    undone: list[tuple[Sentence, SourceText]] = []
    last_said = None
    for role, said in _earlier_turns(call, end):
        last_said = said if role == "assistant" else None
        if isinstance(said, str):
            # A call does what asks for its tool, and may answer a question: nothing else that was said.
            undone = [each for each in undone if not (each[0].is_question or asks_for(said, each[0], call))]
        elif role == "user":
            yield from (_quote(sentence, said) for sentence in _sentences(said) if sentence.reaches_further)
            undone += [(sentence, said) for sentence in _sentences(said) if not says_nothing(sentence.text)]
    # Who says the same again means the same, and whoever asks for the deed a second time says more of it.
    undone = [each for each in undone if each[0].text.strip() not in call.text.folded]
    yield from (_quote(*each) for each in undone if not asks_for(call.tool, each[0], call))
    if isinstance(last_said, SourceText):
        parts = (part for part in _sentences(last_said) if not offers_help(part.text))
        asking = (part for part in parts if part.is_question or part.asks_something)
        yield from (
            _quote(part, last_said) for part in asking if not (part.is_question and names_deed(call, part.text))
        )


def _earlier_turns(call: ProposedCall, end: int) -> Iterator[tuple[str, SourceText | str]]:
    """Who said what before this position of the history, in order; of a call that was made, its tool."""
    if end:
        yield "user", call.evidence.texts["query"]
    for position, item in enumerate(islice(call.evidence.context.history, max(0, end - 1)), start=1):
        call.evidence.budget.spend()
        if isinstance(item, Message):
            yield item.role, call.evidence.texts[f"history/{position}/message"]
        else:
            yield "tool", item.tool


def _forbidding(call: ProposedCall) -> Iterator[Span]:
    """The operator's sentences that may be about the call: with its words, those of the message, or a number."""
    asking = (sentence.text for sentence in _sentences(call.text) if not says_nothing(sentence.text))
    words = (word for text in asking for word in words_in(text) if len(word) >= _MIN_LETTERS)
    own = {stem_of(word) for word in words if word not in FRAME}
    own |= set(map(stem_of, call.known_words - FRAME))
    for text in call.evidence.of_kind(SourceKind.SYSTEM_PROMPT):
        numbers = [place[0] for places in text.numbers.values() for place in places]
        for sentence in _sentences(text):
            stems = {stem_of(word) for word in words_in(sentence.text) if word not in FRAME}
            has_number = any(sentence.start <= at < sentence.end for at in numbers)
            if has_number or not own.isdisjoint(stems) or names_deed(call, sentence.text):
                yield _quote(sentence, text)


def _sentences(text: SourceText) -> Iterator[Sentence]:
    for sentence in text.sentences:
        text.budget.spend(1 + len(sentence.text) // _CHARACTERS_A_STEP)
        yield sentence


def _quote(sentence: Sentence, text: SourceText) -> Span:
    return text.span(sentence.start, sentence.end)
