"""Answers that were given before: the same question about the same content is asked once."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache
from typing import Any, Protocol, cast

from pydantic import BaseModel, TypeAdapter, ValidationError

from reviews.provenance.core.findings import Usage
from reviews.provenance.judges.base import A, Answered, Judge, Question, Reply
from reviews.provenance.prompts.prompt import load_prompt


class AnswerStore(Protocol):
    """Keeps answers for a while. Neither method raises: what cannot be kept or found is asked again."""

    async def get(self, key: str) -> bytes | None:
        """What was kept under the key; None also when the store cannot be reached."""

    async def put(self, key: str, value: bytes) -> None:
        """Keep the value, if that is possible."""


class MemoryAnswers:
    """A store of this process, without end of life: for evaluation and tests."""

    def __init__(self) -> None:
        self._answers: dict[str, bytes] = {}

    async def get(self, key: str) -> bytes | None:
        """What was kept."""
        return self._answers.get(key)

    async def put(self, key: str, value: bytes) -> None:
        """Keep it."""
        self._answers[key] = value


class Caching:
    """Keeps parsed answers of one judge; never an Unknown, never an error.

    `scope` is part of every key: what one tenant has asked cannot be found out by another. An answer that was not
    paid for by this question carries no usage. Identical questions in flight at once are asked once.
    """

    def __init__(self, judge: Judge, store: AnswerStore, *, scope: str) -> None:
        # A cached answer is this judge's answer all the same, so the verdict names the judge.
        self.name = judge.name
        self._judge = judge
        self._store = store
        self._scope = scope
        # The questions under way, by key.
        self._flights: dict[str, _Flight] = {}

    async def ask(self, question: Question[A]) -> Reply[A]:
        """The kept answer, or the judge's. Raises what the judge raises."""
        key = key_of(question, model=self.name, scope=self._scope)
        flight = self._flights.get(key)
        if flight is None:
            flight = _Flight(self._answer_question(key, question), on_end=lambda ended: self._forget_call(key, ended))
            self._flights[key] = flight
        return await flight.wait()

    def _forget_call(self, key: str, ended: "_Flight") -> None:
        # A flight that nobody waits for any more makes way before it has ended, so the key may hold the next one.
        if self._flights.get(key) is ended:
            del self._flights[key]

    async def _answer_question(self, key: str, question: Question[Any]) -> Reply[Any]:
        answers = _answer_adapter(cast("type[BaseModel]", question.answer_type))
        stored = await self._store.get(key)
        if stored is not None:
            # An answer stored by another release may not fit today's answer type: it is then asked again.
            with suppress(ValidationError):
                return answers.validate_json(stored)
        reply = await self._judge.ask(question)
        if isinstance(reply, Answered):
            # Whoever reads it from the store has paid nothing.
            await self._store.put(key, answers.dump_json(replace(reply, usage=Usage())))
        return reply


class _Flight:
    """A question under way. Whoever is cancelled leaves the others waiting; the last one to leave cancels it."""

    def __init__(self, answering: Coroutine[Any, Any, Reply[Any]], on_end: Callable[["_Flight"], object]) -> None:
        self._task = asyncio.create_task(answering)
        self._on_end = on_end
        self._waiting = 0
        self._is_paid = False
        self._task.add_done_callback(lambda _: on_end(self))

    async def wait(self) -> Reply[Any]:
        """The reply, or what the judge raised. The first who receives the reply carries its usage, the others none."""
        self._waiting += 1
        try:
            # Shielded, because one caller that is cancelled must not take the answer from the others.
            reply = await asyncio.shield(self._task)
        finally:
            self._waiting -= 1
            if not self._waiting and not self._task.done():
                # Whoever asks from now on must not join what is about to end.
                self._on_end(self)
                self._task.cancel()
        if self._is_paid:
            return replace(reply, usage=Usage())
        self._is_paid = True
        return reply


def key_of(question: Question[Any], *, model: str, scope: str) -> str:
    """SHA-256, in hexadecimal, over everything an answer depends on: tenant, model, wording, answer type, material."""
    parts = {
        "scope": scope,
        "model": model,
        "question": question.name,
        "prompt": load_prompt(question.name).version,
        "form": _answer_schema(cast("type[BaseModel]", question.answer_type)),
        "sampling": asdict(question.sampling) if question.sampling else None,
        "material": {
            name: [[block.label, block.text] for block in blocks] for name, blocks in question.material.items()
        },
    }
    # Escaped to ASCII: hostile text may hold half a surrogate pair, which has no encoding.
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


# Building either takes pydantic milliseconds, and there are a few dozen answer types in all.
@cache
def _answer_adapter(answer_type: type[BaseModel]) -> TypeAdapter[Answered[Any]]:
    answered: Any = Answered
    return TypeAdapter(answered[answer_type])


@cache
def _answer_schema(answer_type: type[BaseModel]) -> str:
    return json.dumps(answer_type.model_json_schema(), sort_keys=True)
