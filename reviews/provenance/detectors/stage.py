"""What one stage gathers while it runs, and how it ends."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from reviews.provenance.core.canonical import NotCanonicalError, call_digest
from reviews.provenance.core.context import Context, Span, leaves
from reviews.provenance.core.findings import (
    DecidedBy,
    Finding,
    Grounding,
    Interpretation,
    Misalignment,
    Relation,
    StageResult,
    Usage,
)
from reviews.provenance.detectors.base import Options
from reviews.provenance.judges.base import Answered, Judge, Question, Unknown
from reviews.provenance.judges.questions.provenance_guard import Answer

A = TypeVar("A")
NO_SUBTASK = " The agent named no step, so the call was held against the request itself."
"""Added to what was found about a step that nobody named: none is inferred."""
MOST_RATIONALE = 400
"""Characters of a model's rationale that are kept."""
_UNKEPT = re.compile("[\x00\ud800-\udfff]")
"""What no database keeps. No submission holds it, but a record that is read from a tool's JSON may."""


class Stage:
    """The findings of one stage of one check. Lives as long as the stage runs."""

    def __init__(self, name: str, judge: Judge, options: Options, context: Context) -> None:
        self.name = name
        self.judge = judge
        self.options = options
        self.findings: list[Finding] = []
        self._context = context
        self._usage = Usage()
        self._broken: str | None = None

    async def ask(self, question: Question[A]) -> Answered[A] | Unknown:
        """Ask the judge and keep account. Raises what the judge raises."""
        return self.heard(await self.judge.ask(question))

    def heard(self, reply: Answered[A] | Unknown) -> Answered[A] | Unknown:
        """Keep account of an answer, whoever asked for it."""
        self._usage += reply.usage
        if isinstance(reply, Unknown) and reply.unparsable:
            self.give_up(reply.reason)
        return reply

    def holds(self, reply: Answered[Answer]) -> bool:
        """The answer's decisive field: by its probability where one is told."""
        if reply.probability is not None:
            return reply.probability >= self.options.threshold
        return bool(getattr(reply.answer, reply.answer.decisive or ""))

    def give_up(self, reason: str) -> None:
        """A model was asked and gave no usable answer: whatever the profile says about unknowns, a person looks."""
        self._broken = self._broken or reason

    def find(
        self,
        relation: Relation,
        subject: str,
        holds: bool | None,
        rationale: str,
        *,
        decided_by: DecidedBy = DecidedBy.RULE,
        evidence: tuple[Span, ...] = (),
        grounding: Grounding | None = None,
        nearest: Span | None = None,
        score: float | None = None,
        untrusted_only: bool = False,
    ) -> None:
        """Record one finding, with what wrote its evidence."""
        named = (self._context.sources.get(span.source) for span in evidence)
        written = [source for source in named if source]
        self.findings.append(
            Finding(
                relation=relation,
                subject=subject,
                holds=holds,
                rationale=_line(rationale),
                decided_by=decided_by,
                evidence=evidence,
                grounding=grounding,
                nearest=nearest,
                score=score,
                sources=tuple(dict.fromkeys(source.kind for source in written)),
                trust=min((source.trust for source in written), default=None),
                untrusted_only=untrusted_only,
            )
        )

    def retract(self, relation: Relation, subject: str) -> None:
        """Take back what was found, for something stronger."""
        self.findings = [each for each in self.findings if (each.relation, each.subject) != (relation, subject)]

    @property
    def failing(self) -> Iterator[Finding]:
        """The findings that do not hold."""
        return (finding for finding in self.findings if finding.holds is False)

    def concluded(self, kind: Misalignment) -> StageResult:
        """Rejected when something does not hold; undetermined when an answer is missing that was needed."""
        return self.rejected(kind) if any(self.failing) else self.labelled()

    def labelled(self) -> StageResult:
        """Undetermined when an answer is missing that was needed; what does not hold is a label and rejects nothing."""
        unknown = next((finding for finding in self.findings if finding.holds is None), None)
        if self._broken is not None:
            return self.undetermined(self._broken)
        if unknown is not None and self.options.unknown == "review":
            return self.undetermined(
                f"{unknown.relation} of {unknown.subject} could not be established: {unknown.rationale}"
            )
        return self._result()

    def rejected(self, kind: Misalignment, interpretations: tuple[Interpretation, ...] = ()) -> StageResult:
        """This stage stops the action. A reading that could not be kept as it is, nobody could choose."""
        offered = (replace(each, reading=_line(each.reading)) for each in interpretations if _can_be_kept(each))
        return self._result(misalignment=kind, interpretations=tuple(offered))

    def undetermined(self, reason: str) -> StageResult:
        """No answer could be had."""
        return self._result(undetermined=_line(reason))

    def cleared(self) -> StageResult:
        """Nothing stands against the action, by the rule of a method that allows for missing answers."""
        return self._result()

    def passed(self) -> StageResult:
        """The action needs no further question."""
        return self._result(passed=True)

    def _result(
        self,
        *,
        interpretations: tuple[Interpretation, ...] = (),
        misalignment: Misalignment | None = None,
        undetermined: str | None = None,
        passed: bool = False,
    ) -> StageResult:
        return StageResult(
            self.name, tuple(self.findings), interpretations, misalignment, undetermined, passed, self._usage
        )


def _line(text: str) -> str:
    return " ".join(_UNKEPT.sub("\N{REPLACEMENT CHARACTER}", text).split())[:MOST_RATIONALE]


def _can_be_kept(reading: Interpretation) -> bool:
    try:
        call_digest(reading.tool, reading.arguments)
    except NotCanonicalError:
        return False
    return not any(_UNKEPT.search(text) for pair in leaves(reading.arguments) for text in pair if isinstance(text, str))
