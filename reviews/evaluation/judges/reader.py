"""A perfect reader: what a guard whose judge never errs could catch, and what it would still stop falsely."""

import json
from typing import ClassVar

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.judges.lenient import Lenient
from reviews.provenance.core.context import JsonValue, ProposedAction
from reviews.provenance.judges.base import Judge
from reviews.provenance.judges.layered import RulesFirst
from reviews.provenance.judges.questions.provenance_guard import (
    Answer,
    Candidate,
    Candidates,
    CandidatesAnswer,
    NamedValue,
    Quote,
)


class Reader:
    """Rules first, then a judge for each case that knows its right call."""

    name: ClassVar[str] = "rules+reader"

    def of(self, case: LabelledCase) -> Judge:
        """The judge of this case alone."""
        return RulesFirst(_ReaderOfCase(case))


class _ReaderOfCase(Lenient):
    """Names exactly the right call when asked blind, and is lenient in everything else."""

    name: ClassVar[str] = "reader"

    def __init__(self, case: LabelledCase) -> None:
        self._case = case

    def answer(self, question: object) -> Answer:
        """The answer alone. Raises `JudgeMisconfiguredError`."""
        match question:
            case Candidates():
                right = self._case.right_call
                candidates = [_candidate(right, question.context.query)] if right else []
                return CandidatesAnswer(candidates=candidates)
        return super().answer(question)


def _candidate(right: ProposedAction, query: str) -> Candidate:
    arguments = [NamedValue(name=name, value=_plain(value)) for name, value in right.arguments.items()]
    quote = Quote(source="query", quote=query)
    return Candidate(reading="The right call.", tool=right.tool, arguments=arguments, quotes=[quote])


def _plain(value: JsonValue) -> str | int | float | bool | None:
    """Lists and objects as JSON text: that is how the question asks for them."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
