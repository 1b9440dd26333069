"""The arguments of a call that must have a source, by a judge's answer."""

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.base import Answered
from reviews.provenance.judges.questions.provenance_guard import Derivability
from reviews.provenance.terms.derivability import DerivableParameters, parameter_paths


async def classes_of(document: ToolDoc, stage: Stage) -> DerivableParameters:
    """The class of each documented parameter; without an answer all of them are open. Raises what the judge raises."""
    paths = tuple(parameter_paths(document))
    reply = await stage.ask(Derivability(document, paths)) if paths else None
    answered = {row.path: row.derivable for row in reply.answer.parameters} if isinstance(reply, Answered) else {}
    return DerivableParameters(document, {path: answered.get(path) for path in paths})
