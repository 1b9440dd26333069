"""A perfect reader: what a guard whose judge never errs could catch, and what it would still stop falsely."""

import json
from typing import ClassVar

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.scripted.lenient import Lenient
from reviews.provenance.core.context import ProposedAction, leaves
from reviews.provenance.judges.base import Judge
from reviews.provenance.judges.layered import RulesFirst
from reviews.provenance.judges.questions.provenance_guard import (
    Answer,
    Candidate,
    Candidates,
    CandidatesAnswer,
    NamedValue,
    Quote,
    RecordChoice,
    RecordChoiceAnswer,
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
                # Where nobody knows what was right, it names nothing.
                right = self._case.right_call
                candidates = [_candidate(right, question.context.query)] if right else []
                return CandidatesAnswer(candidates=candidates)
            case RecordChoice():
                return self._chosen(question)
        return super().answer(question)

    def _chosen(self, question: RecordChoice) -> RecordChoiceAnswer:
        """The one record whose values the right call has, if it is one."""
        right = self._case.right_call
        values = {str(value) for _, value in leaves(dict(right.arguments))} if right else set()
        # A record is listed as lines of a name and a value, before the place it was found in.
        matching = [
            number
            for number, record in enumerate(question.records, start=1)
            if {line.partition(": ")[2] for line in record.partition("\nfound in ")[0].splitlines()} <= values
        ]
        quotes = [Quote(source="query", quote=question.context.query)]
        record = matching[0] if len(matching) == 1 else None
        return RecordChoiceAnswer(record=record, quotes=quotes, rationale="The record of the right call.")


def _candidate(right: ProposedAction, query: str) -> Candidate:
    arguments = [
        # Lists and objects as JSON text: that is how the question asks for them.
        NamedValue(name=name, value=json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value)
        for name, value in right.arguments.items()
    ]
    quote = Quote(source="query", quote=query)
    return Candidate(reading="The right call.", tool=right.tool, arguments=arguments, quotes=[quote])
