"""Answers that were given before: the same question about the same content is asked once."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Coroutine
from dataclasses import asdict, replace
from functools import cache
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError

from reviews.provenance import prompts
from reviews.provenance.core.findings import Usage
from reviews.provenance.judges.base import Answered, Judge, Question, Unknown

A = TypeVar("A")
Reply: TypeAlias = Answered[Any] | Unknown


class AnswerStore(Protocol):
    """Keeps answers for a while. Neither method raises: what cannot be kept or found is asked again."""

    async def get(self, key: str) -> bytes | None:
        """What was kept under the key; None also when the store cannot be reached."""
        ...

    async def put(self, key: str, value: bytes) -> None:
        """Keep the value, if that is possible."""
        ...


class MemoryAnswers:
    """A store of this process, without end of life: for evaluation and tests."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    async def get(self, key: str) -> bytes | None:
        """What was kept."""
        return self.kept.get(key)

    async def put(self, key: str, value: bytes) -> None:
        """Keep it."""
        self.kept[key] = value


class Caching:
    """Keeps parsed answers of one judge; never an Unknown, never an error.

    `scope` is part of every key: what one tenant has asked cannot be found out by another. An answer that was not
    paid for by this question carries no usage. Identical questions in flight at once are asked once.
    """

    def __init__(self, judge: Judge, store: AnswerStore, *, scope: str) -> None:
        self._judge = judge
        self._store = store
        self._scope = scope
        self._flights: dict[str, _Flight] = {}

    @property
    def name(self) -> str:
        """The judge's name: an answer is the same, kept or fresh."""
        return self._judge.name

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """The kept answer, or the judge's. Raises what the judge raises."""
        key = key_of(question, model=self.name, scope=self._scope)
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = _Flight(self._answer(key, question), lambda ended: self._forget(key, ended))
        return await flight.wait()

    def _forget(self, key: str, ended: "_Flight") -> None:
        # It may be another by now: one that nobody waits for any more makes way before it has ended.
        if self._flights.get(key) is ended:
            del self._flights[key]

    async def _answer(self, key: str, question: Question[Any]) -> Reply:
        answers = _adapter(cast("type[BaseModel]", question.answer_type))
        kept = _read(await self._store.get(key), answers)
        if kept is not None:
            return kept
        reply = await self._judge.ask(question)
        if isinstance(reply, Answered):
            await self._store.put(key, answers.dump_json(replace(reply, usage=Usage())))
        return reply


class _Flight:
    """A question under way. Whoever is cancelled leaves the others waiting; the last one to leave cancels it."""

    def __init__(self, asked: Coroutine[Any, Any, Reply], forget: Callable[["_Flight"], object]) -> None:
        self._task = asyncio.create_task(asked)
        self._forget = forget
        self._waiting = 0
        self._paid = False
        self._task.add_done_callback(lambda _: forget(self))

    async def wait(self) -> Reply:
        """The reply, which the first who has it pays for, or what the judge raised."""
        self._waiting += 1
        try:
            reply = await asyncio.shield(self._task)
        finally:
            self._waiting -= 1
            if not self._waiting and not self._task.done():
                # Whoever asks from now on must not join what is about to end.
                self._forget(self)
                self._task.cancel()
        paid, self._paid = self._paid, True
        return _free(reply) if paid else reply


def key_of(question: Question[Any], *, model: str, scope: str) -> str:
    """SHA-256, in hexadecimal, over everything an answer depends on: who asks whom, how it is said, and about what."""
    told = {
        "scope": scope,
        "model": model,
        "question": question.name,
        "prompt": prompts.prompt(question.name).version,
        "form": _form(cast("type[BaseModel]", question.answer_type)),
        "sampling": asdict(question.sampling) if question.sampling else None,
        "material": {
            name: [[block.label, block.text] for block in blocks] for name, blocks in question.material.items()
        },
    }
    # Escaped to ASCII: hostile text may hold half a surrogate pair, which has no encoding.
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _free(reply: Reply) -> Reply:
    return replace(reply, usage=Usage())


def _read(kept: bytes | None, answers: TypeAdapter[Answered[Any]]) -> Answered[Any] | None:
    """A kept answer, if it still fits the form of today."""
    try:
        return None if kept is None else answers.validate_json(kept)
    except ValidationError:
        return None


@cache
def _adapter(answer_type: type[BaseModel]) -> TypeAdapter[Answered[Any]]:
    answered: Any = Answered
    return TypeAdapter(answered[answer_type])


@cache
def _form(answer_type: type[BaseModel]) -> str:
    return json.dumps(answer_type.model_json_schema(), sort_keys=True)
