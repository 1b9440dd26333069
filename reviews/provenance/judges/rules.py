"""Answers that need no LLM. Whatever is not clear is Unknown: what that means is the profile's choice."""

from typing import TypeVar, cast

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.core.findings import DecidedBy
from reviews.provenance.judges.base import Answered, Question, Unknown
from reviews.provenance.judges.questions.provenance_guard import (
    Answer,
    Contribution,
    Derivability,
    Held,
    ParameterClass,
    ParameterClasses,
    Relevance,
)
from reviews.provenance.request.actions import (
    ActionClass,
    Classes,
    classes_in,
    classes_of_tool,
    clearly_asked,
    is_vague,
    unquoted,
)
from reviews.provenance.request.asked_for import match, only_reads, outdone, speaks_of
from reviews.provenance.request.objects import about_the_same, mentions_object
from reviews.provenance.request.parameter_classes import derivable, parameter_paths

A = TypeVar("A")

_OPPOSED = (
    (ActionClass.PAY, ActionClass.REQUEST),
    (ActionClass.REQUEST, ActionClass.PAY),
    (ActionClass.DELETE, ActionClass.READ),
    (ActionClass.PAY, ActionClass.READ),
)
"""A step of the first kind cannot serve a request that speaks of nothing but the second."""


class RulesJudge:
    """Decides relevance, contribution and derivability where names and verbs are clear."""

    name = "rules"

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """Answer, or Unknown. Never raises, costs nothing."""
        answer = _answer(question)
        if answer is None:
            return Unknown("The rules cannot tell.")
        return Answered(cast("A", answer), DecidedBy.RULE)


def _answer(question: object) -> Answer | None:
    match question:
        case Relevance():
            return relevance(question)
        case Contribution():
            return contribution(question)
        case Derivability():
            return derivability(question)
    return None


def relevance(question: Relevance) -> Held | None:
    """True where the tool's kind of action is asked for on its kind of thing; False where another tool's is instead."""
    kind, tool = classes_of_tool(question.tool), question.tool
    texts = (question.subtask, *question.request) if question.subtask else question.request
    asking = (question.subtask,) if question.subtask else _latest_first(question)
    matched = match(tool, asking, question.toolset)
    if matched and not outdone(tool, matched, question.toolset, asking):
        return Held(holds=True, rationale=f"“{matched.verb}” asks for what “{tool.name}” does.")
    if only_reads(tool):
        thing = speaks_of(tool, asking)
        return Held(holds=True, rationale=f"“{tool.name}” only looks up what “{thing}” is about.") if thing else None
    if not kind or any(is_vague(text) for text in texts):
        return None
    named = _all_classes(texts)
    if not named or kind & named:
        return None
    fitting = [tool for tool in question.toolset if _fits_instead(tool, question.tool, named)]
    if not fitting:
        return None
    # What changes things makes the plainer alternative: reading is a part of most requests.
    closest = max(fitting, key=lambda tool: tool.environment_changing)
    return Held(
        holds=False,
        rationale=f"“{question.tool.name}” would {_words(kind)}, which nobody asked for; “{closest.name}” is closer.",
    )


def _latest_first(question: Relevance) -> tuple[str, ...]:
    """What the user said and agreed to; the last message with the proposal that it may answer comes first."""
    return (*question.request[-1:], *question.accepted[:1], *question.request[-2::-1], *question.accepted[1:])


def contribution(question: Contribution) -> Held | None:
    """False where the step is of a kind that works against the request; everything else needs understanding."""
    if is_vague(question.subtask) or any(is_vague(text) for text in question.request):
        return None
    step, asked = clearly_asked(question.subtask), _all_classes(question.request)
    if not step or not asked or ActionClass.READ in step:
        return None
    if not step & asked and any(mine in step and other in asked for mine, other in _OPPOSED):
        return Held(
            holds=False,
            rationale=f"The step is to {_words(step - asked)}; the request speaks only of: {_words(asked - step)}.",
        )
    return None


def derivability(question: Derivability) -> ParameterClasses:
    """The class of each parameter; None for those that names and types leave open."""
    schemas = parameter_paths(question.tool)
    return ParameterClasses(
        parameters=[
            ParameterClass(path=path, derivable=derivable(path, schemas.get(path, {}), question.tool))
            for path in question.paths
        ]
    )


def _asked(kind: Classes, tool: ToolDoc, text: str) -> bool:
    return bool(kind & clearly_asked(text)) and mentions_object(tool, unquoted(text))


def _fits_instead(other: ToolDoc, tool: ToolDoc, named: Classes) -> bool:
    return other.name != tool.name and bool(classes_of_tool(other) & named) and about_the_same(other, tool)


def _all_classes(texts: tuple[str, ...]) -> Classes:
    return frozenset().union(*(classes_in(text) for text in texts))


def _words(kinds: Classes) -> str:
    return " or ".join(sorted(str(kind) for kind in kinds))
