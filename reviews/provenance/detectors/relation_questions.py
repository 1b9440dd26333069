"""Relations that a judge is asked about: each question becomes one finding."""

from collections.abc import Iterable
from dataclasses import dataclass

from reviews.provenance.core.findings import Relation
from reviews.provenance.detectors.concurrency import in_turn_or_at_once
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.base import Answered, Question, Unknown
from reviews.provenance.judges.questions.provenance_guard import Held


@dataclass(frozen=True)
class RelationQuestion:
    """One relation on one subject, and the question that tests it."""

    relation: Relation
    subject: str
    question: Question[Held]
    before: str = ""
    """Stands before the judge's rationale."""


async def ask_relations(questions: Iterable[RelationQuestion], stage: Stage, *, at_once: bool = True) -> None:
    """Ask and record each relation; the first that does not hold ends it. Raises what the judge raises."""

    async def ask_relation(asking: RelationQuestion) -> tuple[RelationQuestion, Answered[Held] | Unknown]:
        return asking, await stage.ask(asking.question)

    def has_failed(answered: tuple[RelationQuestion, Answered[Held] | Unknown]) -> bool:
        return isinstance(answered[1], Answered) and not stage.holds(answered[1])

    # One relation that fails rejects the call, so the other answers are not worth their tokens.
    async for asking, reply in in_turn_or_at_once(map(ask_relation, questions), ends=has_failed, at_once=at_once):
        if isinstance(reply, Answered):
            holds, rationale, score = stage.holds(reply), reply.answer.rationale, reply.probability
        else:
            holds, rationale, score = None, reply.reason, None
        stage.record_finding(
            asking.relation, asking.subject, holds, f"{asking.before}{rationale}",
            decided_by=reply.decided_by, score=score,
        )  # fmt: skip
