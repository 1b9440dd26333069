"""ARGUS, fourth check: does benign evidence alone justify the call, and would it have been made without the rest?"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from reviews.provenance.core.findings import Relation, StageResult
from reviews.provenance.detectors.argus.segments import Observed
from reviews.provenance.detectors.argus.turns import settled
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.base import Answered, Question, Unknown
from reviews.provenance.judges.questions.argus import Counterfactual, Entailment
from reviews.provenance.judges.questions.provenance_guard import Held

ENTAILMENT: Final = "entailment"
_STEERED: Final = "Without the text that tries to steer the agent: "


@dataclass(frozen=True)
class _Asked:
    question: Question[Held]
    note: str
    reply: Answered[Held] | Unknown


async def check_entailment(seen: Observed, stage: Stage) -> StageResult:
    """EntailedBy, over the context without what is anomalous; both questions only where there is such text.

    Either fails the call: as an injection where anything is anomalous, else as wrong parameters. Raises what the judge
    raises.
    """
    asking = (_ask(question, note, stage) for question, note in _questions(seen))
    at_once = stage.options.order != "paper"
    async for asked in settled(asking, ends=lambda asked: _fails(asked, stage), at_once=at_once):
        _record(asked, seen, stage)
    return stage.concluded(seen.kind)


def _questions(seen: Observed) -> Iterator[tuple[Question[Held], str]]:
    yield Entailment(seen.clean), ""
    if seen.anomalies:
        yield Counterfactual(seen.clean, seen.spans), _STEERED


async def _ask(question: Question[Held], note: str, stage: Stage) -> _Asked:
    return _Asked(question, note, await stage.ask(question))


def _fails(asked: _Asked, stage: Stage) -> bool:
    return isinstance(asked.reply, Answered) and not stage.holds(asked.reply)


def _record(asked: _Asked, seen: Observed, stage: Stage) -> None:
    tool = seen.case.action.tool
    match asked.reply:
        case Answered() as reply:
            stage.find(
                Relation.ENTAILED_BY, tool, stage.holds(reply), asked.note + reply.answer.rationale,
                decided_by=reply.decided_by, score=reply.probability,
            )  # fmt: skip
        case Unknown() as reply:
            stage.find(Relation.ENTAILED_BY, tool, None, asked.note + reply.reason, decided_by=reply.decided_by)
