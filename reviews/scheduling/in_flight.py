"""Whether a check waits for its judge alone: then its process may take up others meanwhile."""

from concurrent.futures import Future
from typing import TypeVar

from reviews.provenance.judges.base import Answered, Judge, Question, Unknown

A = TypeVar("A")


class InFlightQuestions:
    """The questions that a check has under way. Changed on the judges' event loop, read by the worker's thread."""

    def __init__(self) -> None:
        self.first_sent: Future[None] = Future()
        """Done as soon as the first question leaves."""
        self.count = 0

    def question_leaves(self) -> None:
        """Count a question that goes out."""
        self.count += 1
        if not self.first_sent.done():
            self.first_sent.set_result(None)

    def question_ends(self) -> None:
        """Count it no more: it is answered, refused or given up."""
        self.count -= 1


class TrackingJudge:
    """A judge of one check whose questions are counted while they are in flight."""

    def __init__(self, judge: Judge, in_flight: InFlightQuestions) -> None:
        self.name = judge.name
        self._judge, self._in_flight = judge, in_flight

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """What the judge answers. Raises what it raises."""
        self._in_flight.question_leaves()
        try:
            return await self._judge.ask(question)
        finally:
            self._in_flight.question_ends()
