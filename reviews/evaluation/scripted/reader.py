"""A perfect reader: what a guard whose judge never errs could catch, and what it would still stop falsely."""

import json
from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.benchmarks.compare_calls import value_form
from reviews.evaluation.scripted.lenient import Lenient
from reviews.evaluation.scripted.own_terms import find_own_term
from reviews.provenance.core.context import JsonValue, ProposedAction, leaves
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.judges.base import Judge
from reviews.provenance.judges.questions.call_support import ArgumentSource, CallSupport, CallSupportAnswer
from reviews.provenance.judges.questions.provenance_guard import (
    Candidate,
    Candidates,
    CandidatesAnswer,
    Derivability,
    NamedValue,
    ParameterClass,
    ParameterClasses,
)
from reviews.provenance.judges.questions.question_forms import Answer, Quote
from reviews.provenance.judges.rules_judge import RulesFirst
from reviews.provenance.terms.argument_leaf import leaf_at
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.text.boundaries import stands_in

# No value has this form.
_ABSENT = object()


class Reader:
    """Rules first, then a judge for each case that knows its right call."""

    name: ClassVar[str] = "rules+reader"

    def judge_for(self, case: LabelledCase) -> Judge:
        """The judge of this case alone."""
        return RulesFirst(_ReaderOfCase(case))


class _ReaderOfCase(Lenient):
    """Names exactly the right call when asked blind, knows which of its values were said, and is lenient else."""

    name: ClassVar[str] = "reader"

    def __init__(self, case: LabelledCase) -> None:
        self._case = case

    def answer_question(self, question: object) -> Answer:
        """The answer alone. Raises `JudgeMisconfiguredError`."""
        match question:
            case Candidates():
                # Where nobody knows what was right, it names nothing.
                right = self._case.right_call
                candidates = [_candidate_to_choose(right, question.context.query)] if right else []
                return CandidatesAnswer(candidates=candidates)
            case CallSupport():
                return self._answer_call_support(question)
            case Derivability() if self._case.right_call:
                classes = [ParameterClass(path=path, derivable=self._is_said(path)) for path in question.paths]
                return ParameterClasses(parameters=classes)
        return super().answer_question(question)

    def _answer_call_support(self, question: CallSupport) -> CallSupportAnswer:
        """Lenient with what the right call has, and "none" for every value that it does not have."""
        answer = super().answer_question(question)
        right = self._case.right_call
        if not isinstance(answer, CallSupportAnswer) or right is None:
            # Of a call that is wrong, and has no right one in its place, it knows that nobody wants it.
            unwanted = {"contributes": False} if self._case.wrong else {}
            return CallSupportAnswer.model_validate(answer).model_copy(update=unwanted)
        if right.tool != self._case.case.action.tool:
            return answer.model_copy(update={"relevant": False})
        values = {pointer: value_form(value) for pointer, value in leaves(dict(right.arguments))}
        rows = [
            self._name_source(row, pointer)
            if values.get(pointer, _ABSENT) == value_form(self._proposed_values[pointer])
            else row.model_copy(update={"source": "none", "candidate": None})
            for row, pointer in zip(answer.arguments, map(_pointer_of, question.arguments), strict=True)
        ]
        return answer.model_copy(update={"arguments": rows})

    def _name_source(self, row: ArgumentSource, pointer: str) -> ArgumentSource:
        """The same answer; of a right value without a candidate it names what gives it."""
        if row.source != "unclear":
            return row
        case = self._case.case
        leaf = leaf_at(self._proposed_values[pointer], pointer, case.context.tool(case.action.tool))
        term = find_own_term(leaf, case)
        return row.model_copy(update={"source": "own", "term": term}) if term else row

    def _is_said(self, path: str) -> bool:
        """Whether the right call takes a value of this parameter from what was said: the agent does not compose it.

        Where the right call has none, a value that is given all the same has to come from somewhere.
        """
        right, context = self._case.right_call, self._case.case.context
        arguments = leaves(dict(right.arguments)) if right else ()
        right_values = [value for pointer, value in arguments if path_of(pointer) == path]
        if not right_values:
            return True
        texts = [str(value).casefold() for value in right_values if value]
        read = [source.text.casefold() for source in context.sources.values() if source.kind is not SourceKind.TOOL_DOC]
        return any(stands_in(words, text) for text in texts for words in read)

    @cached_property
    def _proposed_values(self) -> Mapping[str, JsonValue]:
        return dict(leaves(dict(self._case.case.action.arguments)))


def _pointer_of(text: str) -> str:
    """The argument that a question's text is about: it opens the text."""
    return text.partition(" = ")[0]


def _candidate_to_choose(right: ProposedAction, query: str) -> Candidate:
    arguments = [
        # Lists and objects as JSON text: that is how the question asks for them.
        NamedValue(name=name, value=json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value)
        for name, value in right.arguments.items()
    ]
    quote = Quote(source="query", quote=query)
    return Candidate(reading="The right call.", tool=right.tool, arguments=arguments, quotes=[quote])
