"""Something that was said before the message that asks may make something else of it: nobody has read it.

The agent has just asked another question, which the message may answer; the user has said more than politeness and
nothing was done since; an earlier message of the user's denies, makes a condition or speaks of more than one thing
("translate each of my next messages"); or the operator does so in a sentence that has a verb of the tool.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from reviews.provenance.core.context import Message, SourceKind, Span
from reviews.provenance.core.places import history_position
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.requested_tool import names_deed
from reviews.provenance.text.replies import Sentence, offers_help, says_nothing

# Characters of a sentence whose words are looked through in one step of the budget.
_CHARACTERS_A_STEP: Final = 16


def find_unsettled(call: ProposedCall) -> Span | None:
    """What may change what the message means; None where nothing does. Raises `OutOfBudgetError`."""
    message = call.latest_request.message
    if call.latest_request.offers or message.source.kind is SourceKind.REVIEWER:
        # Whoever agrees to a deed means that deed, and whoever sends a call back has read what was said before.
        return None
    return next(_unsettled_turns(call, history_position(message.source.id)), None) or next(_forbidding(call), None)


def _unsettled_turns(call: ProposedCall, end: int) -> Iterator[Span]:
    """What was said before this position of the history and is not done with."""
    open_turn, last_said = None, None
    for role, text in _earlier_turns(call, end):
        last_said = text if role == "assistant" else None
        if text is None:
            # Something was done.
            open_turn = None
        elif role == "user":
            yield from (_quote(sentence, text) for sentence in _sentences(text) if sentence.reaches_further)
            if open_turn is None and not _is_polite(text):
                open_turn = text.span(0, len(text.folded))
    if open_turn:
        yield open_turn
    if last_said:
        questions = (part for part in _sentences(last_said) if "?" in part.text and not offers_help(part.text))
        yield from (_quote(part, last_said) for part in questions if not names_deed(call, part.text))


def _earlier_turns(call: ProposedCall, end: int) -> Iterator[tuple[str, SourceText | None]]:
    """Who said what before this position of the history, in order; no text stands for a call that was made."""
    if end:
        yield "user", call.evidence.texts["query"]
    for position, item in enumerate(islice(call.evidence.context.history, max(0, end - 1)), start=1):
        call.evidence.budget.spend()
        if isinstance(item, Message):
            yield item.role, call.evidence.texts[f"history/{position}/message"]
        else:
            yield "tool", None


def _forbidding(call: ProposedCall) -> Iterator[Span]:
    """The operator's sentences that deny or make a condition, and have a verb of the tool."""
    for text in call.evidence.of_kind(SourceKind.SYSTEM_PROMPT):
        for sentence in _sentences(text):
            if sentence.is_limited and names_deed(call, sentence.text):
                yield _quote(sentence, text)


def _sentences(text: SourceText) -> Iterator[Sentence]:
    for sentence in text.sentences:
        text.budget.spend(1 + len(sentence.text) // _CHARACTERS_A_STEP)
        yield sentence


def _is_polite(text: SourceText) -> bool:
    return all(says_nothing(sentence.text) for sentence in text.sentences)


def _quote(sentence: Sentence, text: SourceText) -> Span:
    return text.span(sentence.start, sentence.end)
