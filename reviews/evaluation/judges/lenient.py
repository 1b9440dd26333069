"""A judge that sides with every call: what is stopped beside it, the rules alone stop."""

from typing import ClassVar, TypeVar, cast

from reviews.provenance.core.findings import DecidedBy
from reviews.provenance.judges.base import Answered, JudgeMisconfiguredError, Question, Unknown
from reviews.provenance.judges.questions.provenance_guard import (
    Alignment,
    Answer,
    ArgumentSupport,
    Candidates,
    CandidatesAnswer,
    Contribution,
    Derivability,
    Held,
    Judgement,
    ParameterClass,
    ParameterClasses,
    Provenance,
    Quote,
    Relevance,
    Support,
    SupportAnswer,
)

A = TypeVar("A")
_WHY = "The lenient judge sides with every call."


class Lenient:
    """Answers every question of ProvenanceGuard in the call's favour."""

    name: ClassVar[str] = "lenient"

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """The favourable answer. Raises `JudgeMisconfiguredError` for a question of another method."""
        return Answered(cast("A", self.answer(question)), DecidedBy.JUDGE)

    def answer(self, question: object) -> Answer:
        """The answer alone. Raises `JudgeMisconfiguredError`."""
        match question:
            case Relevance() | Contribution():
                return Held(holds=True, rationale=_WHY)
            case Derivability():
                # What the agent may compose needs no source.
                return ParameterClasses(
                    parameters=[ParameterClass(path=path, derivable=False) for path in question.paths]
                )
            case Support():
                return _supported(question)
            case Candidates():
                return CandidatesAnswer(candidates=[])
            case Alignment() | Provenance():
                return Judgement(aligned=True, misalignment=None, rationale=_WHY)
        raise JudgeMisconfiguredError(f"The {self.name} judge has no answer to {type(question).__name__}.")


def _supported(question: Support) -> SupportAnswer:
    # A quote is verified to the character, so it is one that certainly stands there.
    quote = Quote(source="query", quote=question.case.context.query)
    arguments = [
        ArgumentSupport(pointer=pointer, derived=True, quotes=[quote], rationale=_WHY) for pointer in question.pointers
    ]
    return SupportAnswer(arguments=arguments, can_address=True, rationale=_WHY)
