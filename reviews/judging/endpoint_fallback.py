"""What stands right around the judge's endpoint: it is counted, and a second key stands in for one that is refused."""

import time
from typing import TypeVar

from reviews.messaging import metrics
from reviews.provenance.judges import Judge, JudgeMisconfiguredError, JudgeUnavailableError
from reviews.provenance.judges.base import Answered, Question, Unknown

A = TypeVar("A")


class Counted:
    """A judge whose questions are counted, with what they cost."""

    def __init__(self, judge: Judge) -> None:
        self.name = judge.name
        self._judge = judge

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """What the judge answers. Raises what it raises."""
        began = time.perf_counter()
        outcome = "failed"
        try:
            answer = await self._judge.ask(question)
            outcome = "answered" if isinstance(answer, Answered) else "unparsable"
        except JudgeUnavailableError:
            outcome = "unavailable"
            raise
        except JudgeMisconfiguredError:
            outcome = "misconfigured"
            raise
        finally:
            metrics.JUDGE_SECONDS.observe(time.perf_counter() - began)
            metrics.JUDGE_CALLS.labels(outcome).inc()
        metrics.JUDGE_TOKENS.labels("prompt").inc(answer.usage.prompt_tokens)
        metrics.JUDGE_TOKENS.labels("completion").inc(answer.usage.completion_tokens)
        metrics.JUDGE_USD.inc(answer.usage.cost_usd)
        return answer


class EitherKey:
    """One model under two keys: while keys are exchanged, one of them is refused, and the other answers."""

    def __init__(self, first: Judge, second: Judge) -> None:
        self.name = first.name
        self._in_use, self._other = first, second

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """What the key in use brings, and the other one where that is refused; it then stays in use.

        Raises what the judges raise: with both keys refused, `JudgeMisconfiguredError`.
        """
        endpoint = self._in_use
        try:
            return await endpoint.ask(question)
        except JudgeMisconfiguredError as error:
            # Not at the top: see `build_endpoint`.
            import openai  # noqa: PLC0415

            # Only the key: the other one would find the same wrong model at the same wrong address.
            if not isinstance(error.__cause__, openai.AuthenticationError):
                raise
        # Of many questions in flight only the first changes them over; the others find it done.
        if self._in_use is endpoint:
            self._in_use, self._other = self._other, endpoint
        return await self._in_use.ask(question)
