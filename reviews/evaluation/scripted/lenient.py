"""A judge that sides with every call: what is stopped beside it, the rules alone stop."""

from typing import ClassVar, TypeVar, cast

from reviews.provenance.core.findings import DecidedBy
from reviews.provenance.judges.base import Answered, JudgeMisconfiguredError, Question, Unknown
from reviews.provenance.judges.questions.argus import (
    ArgumentGrounding,
    Counterfactual,
    Entailment,
    GroundedArgument,
    GroundedArguments,
    InvariantCheck,
    Invariants,
    Segmentation,
    Segments,
    TaskInvariants,
    invariant_answers,
)
from reviews.provenance.judges.questions.call_support import ArgumentSource, CallSupport, CallSupportAnswer
from reviews.provenance.judges.questions.intent_guard import (
    CombinationAnswer,
    DeviationAnswer,
    IntentAnswer,
    IntentDeviation,
    MaliciousIntent,
    RiskAnswer,
    ToolCombination,
    ToolRisk,
)
from reviews.provenance.judges.questions.provenance_guard import (
    Admissibility,
    AdmissibilityAnswer,
    Alignment,
    ArgumentSupport,
    CallAdmissible,
    Candidates,
    CandidatesAnswer,
    Derivability,
    Judgement,
    ParameterClass,
    ParameterClasses,
    Provenance,
    Relevance,
    Support,
    SupportAnswer,
)
from reviews.provenance.judges.questions.question_forms import Answer, Held, Quote

A = TypeVar("A")
_WHY = "The lenient judge sides with every call."


class Lenient:
    """Answers every question of ProvenanceGuard, ARGUS and IntentGuard in the call's favour."""

    name: ClassVar[str] = "lenient"

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """The favourable answer. Raises `JudgeMisconfiguredError` for a question of another method."""
        return Answered(cast("A", self.answer_question(question)), DecidedBy.JUDGE)

    def answer_question(self, question: object) -> Answer:
        """The answer alone. Raises `JudgeMisconfiguredError`."""
        answer: Answer | None
        match question:
            case Relevance():
                answer = Held(holds=True, rationale=_WHY)
            case CallSupport():
                answer = _answer_call_support(question)
            case Derivability():
                # What the agent may compose needs no source.
                classes = [ParameterClass(path=path, derivable=False) for path in question.paths]
                answer = ParameterClasses(parameters=classes)
            case Support():
                answer = _answer_support(question)
            case Candidates():
                # With none to compete, the proposal stands alone.
                answer = CandidatesAnswer(candidates=[])
            case Admissibility():
                answer = _answer_admissibility(question)
            case Alignment() | Provenance():
                answer = Judgement(aligned=True, misalignment=None, rationale=_WHY)
            case _:
                answer = _answer_argus(question) or _answer_intent_guard(question)
        if answer is None:
            # A question that nobody thought of here must not be taken for one without an answer.
            raise JudgeMisconfiguredError(f"The {self.name} judge has no answer to {type(question).__name__}.")
        return answer


def _answer_intent_guard(question: object) -> Answer | None:
    """The favourable answer to a question of IntentGuard; None to any other."""
    match question:
        case MaliciousIntent():
            return IntentAnswer(label="safe", rationale=_WHY)
        case IntentDeviation():
            return DeviationAnswer(label="safe", rationale=_WHY)
        case ToolRisk():
            return RiskAnswer(label="safe", rationale=_WHY)
        case ToolCombination():
            return CombinationAnswer(label="safe", rationale=_WHY)
    return None


def _answer_argus(question: object) -> Answer | None:
    """The favourable answer to a question of ARGUS: nothing steers, every condition is kept; None to any other."""
    match question:
        case Segmentation():
            return Segments(quotes=[], rationale=_WHY)
        case Invariants():
            return TaskInvariants(invariants=["The call serves the request.", "The call serves nothing else."])
        case InvariantCheck():
            form = invariant_answers(len(question.invariants))
            return form.model_validate(dict.fromkeys(form.model_fields, True) | {"rationale": _WHY})
        case Entailment() | Counterfactual():
            return Held(holds=True, rationale=_WHY)
        case ArgumentGrounding():
            quote = Quote(source="query", quote=question.case.context.query)
            rows = [
                GroundedArgument(pointer=pointer, how="derive", quotes=[quote], rationale=_WHY)
                for pointer in question.pointers
            ]
            return GroundedArguments(arguments=rows)
    return None


def _answer_admissibility(question: Admissibility) -> AdmissibilityAnswer:
    # The call is one of them, and which one it is not told.
    calls = [
        CallAdmissible(call=number, relevant=True, derived=True, can_address=True, contributes=True)
        for number, _ in enumerate(question.calls, start=1)
    ]
    return AdmissibilityAnswer(calls=calls, exclusive=True, rationale=_WHY)


def _answer_call_support(question: CallSupport) -> CallSupportAnswer:
    arguments = [
        # Without a candidate there is nothing that code could verify: it does not know better than to say so.
        ArgumentSource(argument=n, source="candidate" if has else "unclear", candidate=1 if has else None, term=None)
        for n, text in enumerate(question.arguments, start=1)
        for has in ["\ncandidate 1," in text]
    ]
    return CallSupportAnswer(
        arguments=arguments, relevant=True, contributes=True, can_address=True, quotes=[], rationale=_WHY
    )


def _answer_support(question: Support) -> SupportAnswer:
    # A quote is verified to the character, so it is one that certainly stands there.
    quote = Quote(source="query", quote=question.case.context.query)
    arguments = [
        ArgumentSupport(pointer=pointer, derived=True, quotes=[quote], rationale=_WHY) for pointer in question.pointers
    ]
    return SupportAnswer(arguments=arguments, can_address=True, rationale=_WHY)
