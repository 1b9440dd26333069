"""Answers that need no LLM. Whatever is not clear is Unknown: what that means is the profile's choice."""

from typing import Final, TypeVar, cast

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
)
from reviews.provenance.request.asked_for import match, only_reads, outdone, speaks_of
from reviews.provenance.request.objects import about_the_same
from reviews.provenance.request.parameter_classes import derivable, parameter_paths

A = TypeVar("A")

# A step of the first kind cannot serve a request that speaks of nothing but the second. Only pairs that hardly anyone
# words alike are listed: a wrong pair stops right calls.
_OPPOSED: Final = (
    (ActionClass.PAY, ActionClass.REQUEST),
    (ActionClass.REQUEST, ActionClass.PAY),
    (ActionClass.DELETE, ActionClass.READ),
    (ActionClass.PAY, ActionClass.READ),
)


class RulesJudge:
    """Decides relevance, contribution and derivability where names and verbs are clear."""

    name = "rules"

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """Answer, or Unknown. Never raises, costs nothing."""
        untyped: object = question
        answer: Answer | None = None
        match untyped:
            case Relevance():
                answer = relevance(untyped)
            case Contribution():
                answer = contribution(untyped)
            case Derivability():
                answer = derivability(untyped)
        return Unknown("The rules cannot tell.") if answer is None else Answered(cast("A", answer), DecidedBy.RULE)


def relevance(question: Relevance) -> Held | None:
    """True where the tool's kind of action is asked for on its kind of thing; False where another tool's is instead."""
    kinds, tool = classes_of_tool(question.tool), question.tool
    texts = (question.subtask, *question.request) if question.subtask else question.request
    # The step is what the tool has to serve; where none is named, the request stands in for it.
    asking = (question.subtask,) if question.subtask else _latest_first(question)
    matched = match(tool, asking, question.toolset)
    if matched and not outdone(tool, matched, question.toolset, asking):
        return Held(holds=True, rationale=f"“{matched.verb}” asks for what “{tool.name}” does.")
    if only_reads(tool):
        thing = speaks_of(tool, asking)
        return Held(holds=True, rationale=f"“{tool.name}” only looks up what “{thing}” is about.") if thing else None
    # Words such as "handle it" leave open what is to be done, and then nothing is ruled out.
    if not kinds or any(is_vague(text) for text in texts):
        return None
    mentioned = _kinds_in(texts)
    if not mentioned or kinds & mentioned:
        return None
    # That nobody speaks of the tool's kind of action proves little by itself: people word things in many ways. It
    # counts only where another tool of the set does what they do speak of, to the same kind of thing.
    fitting = [
        other
        for other in question.toolset
        if other.name != tool.name and classes_of_tool(other) & mentioned and about_the_same(other, tool)
    ]
    if not fitting:
        return None
    # What changes things makes the plainer alternative: reading is a part of most requests.
    closest = max(fitting, key=lambda other: other.environment_changing)
    return Held(
        holds=False,
        rationale=f"“{tool.name}” would {_in_words(kinds)}, which nobody asked for; “{closest.name}” is closer.",
    )


def _latest_first(question: Relevance) -> tuple[str, ...]:
    """What the user said and agreed to; the last message with the proposal that it may answer comes first."""
    return (*question.request[-1:], *question.accepted[:1], *question.request[-2::-1], *question.accepted[1:])


def contribution(question: Contribution) -> Held | None:
    """True where request and step ask for the same tool; False where the step works against the request."""
    if (tool := _asked_for_by_both(question)) is not None:
        return Held(holds=True, rationale=f"The request and the step both ask for what “{tool.name}” does.")
    # Words such as "handle it" leave open what is to be done: they rule nothing out.
    if is_vague(question.subtask) or any(is_vague(text) for text in question.request):
        return None
    step, requested = clearly_asked(question.subtask), _kinds_in(question.request)
    # A step that also looks something up prepares for nearly any request.
    if not step or not requested or ActionClass.READ in step or step & requested:
        return None
    if any(own in step and other in requested for own, other in _OPPOSED):
        return Held(
            holds=False,
            rationale=f"The step is to {_in_words(step)}; the request speaks only of: {_in_words(requested)}.",
        )
    return None


def _asked_for_by_both(question: Contribution) -> ToolDoc | None:
    """The tool that the user's latest words and the agent's step both ask for more exactly than for any other."""
    # The latest message first: what was asked before it may have been done.
    request, step = tuple(reversed(question.request)), (question.subtask,)
    for tool in question.toolset:
        by_step, by_user = match(tool, step, question.toolset), match(tool, request, question.toolset)
        if (
            by_step
            and by_user
            and not any(
                outdone(tool, matched, question.toolset, texts)
                for matched, texts in ((by_step, step), (by_user, request))
            )
        ):
            return tool
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


def _kinds_in(texts: tuple[str, ...]) -> Classes:
    """Every kind of action that any of the texts may speak of."""
    return frozenset().union(*(classes_in(text) for text in texts))


def _in_words(kinds: Classes) -> str:
    return " or ".join(sorted(str(kind) for kind in kinds))
