"""A judge that replies as it is told, and two questions for it."""

import asyncio
from typing import Any

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.core.findings import DecidedBy, Usage
from reviews.provenance.judges import Answered, Question, Unknown
from reviews.provenance.judges.questions.provenance_guard import Relevance
from reviews.provenance.judges.questions.question_forms import Held

QUESTION = Relevance(ToolDoc("pay"), "Pay Daniel", ("Request $30 from Daniel",))
OTHER = Relevance(ToolDoc("pay"), "Find Daniel", QUESTION.request)
COST = Usage(calls=1, prompt_tokens=100, completion_tokens=10, cost_usd=0.25)
YES = Answered(Held(holds=True, rationale="It does."), DecidedBy.JUDGE, COST, probability=0.75)
GIBBERISH = Unknown("Gibberish.", COST, unparsable=True)


class Scripted:
    """Gives its replies in order, the last one again and again; raises those that are exceptions."""

    def __init__(self, *replies: Answered[Any] | Unknown | BaseException, name: str = "model") -> None:
        self.replies = list(replies)
        self.name = name
        self.asked: list[Question[Any]] = []
        self.answering = asyncio.Event()
        """Cleared: questions hang until it is set."""
        self.answering.set()
        self.reached = asyncio.Event()
        """Set by every question."""

    def hang(self) -> None:
        """Answer no question until `answering` is set."""
        self.answering.clear()
        self.reached.clear()

    async def ask(self, question: Question[Any]) -> Any:
        self.asked.append(question)
        self.reached.set()
        await self.answering.wait()
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, BaseException):
            raise reply
        return reply
