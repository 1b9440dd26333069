"""Whether a check waits for its judge alone: then its process may take up others meanwhile."""

from concurrent.futures import Future
from typing import TypeVar

from reviews.provenance.judges.base import Answered, Judge, Question, Unknown

A = TypeVar("A")


class Asking:
    """The questions that a check has under way. Changed on the judges' event loop, read by the worker's thread."""

    def __init__(self) -> None:
        self.begun: Future[None] = Future()
        """Done as soon as the first question leaves."""
        self.under_way = 0

    def question_leaves(self) -> None:
        """A question goes out."""
        self.under_way += 1
        if not self.begun.done():
            self.begun.set_result(None)

    def question_ends(self) -> None:
        """It is answered, refused or given up."""
        self.under_way -= 1


class Noted:
    """A judge of one check whose questions are noted while they are under way."""

    def __init__(self, judge: Judge, asking: Asking) -> None:
        self.name = judge.name
        self._judge, self._asking = judge, asking

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """What the judge answers. Raises what it raises."""
        self._asking.question_leaves()
        try:
            return await self._judge.ask(question)
        finally:
            self._asking.question_ends()
