"""Answers that need no LLM. Whatever is not clear is Unknown: what that means is the profile's choice.

Reading is not for rules: what a request means is proven elsewhere (`proofs/`), or asked of a model.
"""

from typing import cast

from reviews.provenance.core.findings import DecidedBy
from reviews.provenance.judges.base import A, Answered, Question, Unknown
from reviews.provenance.judges.questions.provenance_guard import Derivability, ParameterClass, ParameterClasses
from reviews.provenance.terms.derivability import is_derivable, parameter_paths


class RulesJudge:
    """Decides derivability where names and types are clear."""

    name = "rules"

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """Answer, or Unknown. Never raises, costs nothing."""
        untyped: object = question
        if isinstance(untyped, Derivability):
            return Answered(cast("A", classify_parameters(untyped)), DecidedBy.RULE)
        return Unknown("Rules cannot tell.")


def classify_parameters(question: Derivability) -> ParameterClasses:
    """The class of each parameter; None for those that names and types leave open."""
    schemas = parameter_paths(question.tool)
    return ParameterClasses(
        parameters=[
            ParameterClass(path=path, derivable=is_derivable(path, schemas.get(path, {}), question.tool))
            for path in question.paths
        ]
    )
