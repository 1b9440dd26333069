"""What one stage gathers while it runs, and how it ends."""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Required, TypeAlias, TypedDict, TypeVar, Unpack

from reviews.provenance.core.bounds import UNSTORABLE
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
from reviews.provenance.core.reasons import why_unproven
from reviews.provenance.core.verdicts import open_in
from reviews.provenance.detectors.base import Options
from reviews.provenance.detectors.concurrency import in_turn_or_at_once
from reviews.provenance.judges.base import A, Answered, Judge, Question, Reply, Unknown
from reviews.provenance.judges.questions.provenance_guard import Judgement
from reviews.provenance.judges.questions.question_forms import Answer, Held, LabelAnswer

Key = TypeVar("Key")
Reasoned: TypeAlias = Held | Judgement | LabelAnswer
# Characters of a model's rationale that are kept: two lines on a reviewer's screen.
MAX_RATIONALE: Final = 400


class Details(TypedDict, total=False):
    """What may be said of a finding besides what it is about."""

    decided_by: DecidedBy
    evidence: tuple[Span, ...]
    grounding: Grounding | None
    nearest: Span | None
    score: float | None
    untrusted_only: bool
    rule: Required[str]


def rule_of(question: Question[Any] | type[Question[Any]]) -> str:
    """The name under which a question's precision is measured; its wording has a version of its own."""
    return f"judge.{question.name}"


class Stage:
    """The findings of one stage of one check. Lives as long as the stage runs."""

    def __init__(self, name: str, judge: Judge, options: Options, context: Context) -> None:
        self.name = name
        self.judge = judge
        self.options = options
        self.findings: list[Finding] = []
        self._context = context
        # Also of answers that were thrown away: they were paid for.
        self._usage = Usage()
        self._open_questions: list[str] = []
        self._person_required: str | None = None

    async def ask(self, question: Question[A]) -> Reply[A]:
        """Ask the judge and keep account."""
        return self.account_for(await self.judge.ask(question))

    def account_for(self, reply: Reply[A]) -> Reply[A]:
        """Charge an answer to this stage, whoever asked for it; an unparsable one requires a person."""
        self._usage += reply.usage
        if isinstance(reply, Unknown) and reply.unparsable:
            self.require_person(reply.reason)
        return reply

    async def ask_each(
        self, questions: Iterable[tuple[Key, Question[A]]], *, ends: Callable[[Key, Reply[A]], bool] = lambda *_: False
    ) -> AsyncGenerator[tuple[Key, Reply[A]], None]:
        """Each question's key with its reply, until one ends it: asked in turn as published, else all at once."""

        async def answer_one(key: Key, question: Question[A]) -> tuple[Key, Reply[A]]:
            return key, await self.ask(question)

        asking = (answer_one(*question) for question in questions)
        at_once = not self.options.as_published
        async for answered in in_turn_or_at_once(asking, ends=lambda answered: ends(*answered), at_once=at_once):
            yield answered

    def holds(self, reply: Answered[Answer]) -> bool:
        """Whether the answer is in the call's favour; by its probability and the threshold where one was reported."""
        if reply.probability is not None:
            return reply.probability >= self.options.threshold
        return reply.answer.is_favourable

    def denies(self, reply: Reply[Answer]) -> bool:
        """Whether somebody answered, and against the call."""
        return isinstance(reply, Answered) and not self.holds(reply)

    def require_person(self, reason: str) -> None:
        """A model was asked and gave no usable answer: whatever the profile says about unknowns, a person looks."""
        # Of several reasons the first is told: the others often follow from it.
        self._person_required = self._person_required or reason

    def leave_open(self, question: str) -> None:
        """Note what this stage asks for and nobody could establish, where no single relation says it."""
        self._open_questions.append(question)

    def record_finding(
        self, relation: Relation, subject: str, holds: bool | None, rationale: str, **details: Unpack[Details]
    ) -> None:
        """Record one finding, with the kinds and the lowest trust of its evidence's sources."""
        spans = details.get("evidence", ())
        sources = [source for span in spans if (source := self._context.sources.get(span.source))]
        kinds = tuple(dict.fromkeys(source.kind for source in sources))
        # A mix is only as trusted as its worst part.
        trust = min((source.trust for source in sources), default=None)
        line = _storable_line(rationale)
        self.findings.append(Finding(relation, subject, holds, line, sources=kinds, trust=trust, **details))

    def record_answer(
        self,
        relation: Relation,
        subject: str,
        reply: Reply[Reasoned],
        *,
        rule: str,
        before: str = "",
        evidence: tuple[Span, ...] = (),
    ) -> None:
        """Record what a judge says of one relation, or that it says nothing.

        `rule` names the question (`rule_of`), `before` opens the rationale.
        """
        if isinstance(reply, Unknown):
            self.record_finding(
                relation, subject, None, f"{before}{reply.reason}", decided_by=reply.decided_by, rule=rule
            )
            return
        self.record_finding(
            relation, subject, self.holds(reply), f"{before}{reply.answer.rationale}",
            decided_by=reply.decided_by, evidence=evidence, score=reply.probability, rule=rule,
        )  # fmt: skip

    def retract(self, relation: Relation, *subjects: str) -> None:
        """Take back what was found about these, for something stronger."""
        # All at once: a call may have thousands of values, and each look goes through as many findings.
        taken_back = frozenset(subjects)
        self.findings = [
            finding
            for finding in self.findings
            if finding.relation is not relation or finding.subject not in taken_back
        ]

    def recorded_evidence(self) -> Mapping[str, tuple[Span, ...]]:
        """What was recorded so far as evidence for each subject, by rules or by the judge."""
        spans: dict[str, list[Span]] = {}
        for finding in self.findings:
            spans.setdefault(finding.subject, []).extend(finding.evidence)
        return {subject: tuple(evidence) for subject, evidence in spans.items()}

    @property
    def has_failed(self) -> bool:
        """Whether any finding does not hold, so that no further answer could save the call."""
        return any(finding.holds is False for finding in self.findings)

    def concluded(self, kind: Misalignment) -> StageResult:
        """Rejected when something does not hold; undetermined when an answer is missing that was needed."""
        return self.rejected(kind) if self.has_failed else self.labelled()

    def labelled(self) -> StageResult:
        """Undetermined when an answer is missing that was needed; what does not hold is a label and rejects nothing."""
        unknown = next(iter(open_in(self.findings)), None)
        if self._person_required is not None:
            return self.undetermined(self._person_required)
        if unknown is not None and self.options.unknown == "review":
            return self.undetermined(why_unproven(unknown))
        return self._result()

    def rejected(self, kind: Misalignment, readings: tuple[Interpretation, ...] = ()) -> StageResult:
        """This stage stops the action."""
        return self._result(readings, misalignment=kind)

    def undetermined(self, reason: str, readings: tuple[Interpretation, ...] = ()) -> StageResult:
        """No answer could be had; the readings are what a person may choose from."""
        return self._result(readings, undetermined=_storable_line(reason))

    def cleared(self) -> StageResult:
        """Nothing stands against the action, by the rule of a method that allows for missing answers."""
        return self._result()

    def passed(self) -> StageResult:
        """The action needs no further question."""
        return self._result(passed=True)

    def _result(
        self,
        readings: tuple[Interpretation, ...] = (),
        *,
        misalignment: Misalignment | None = None,
        undetermined: str | None = None,
        passed: bool = False,
    ) -> StageResult:
        # A reading that cannot be stored exactly is not offered as a choice.
        offered = (replace(item, reading=_storable_line(item.reading)) for item in readings if _can_be_stored(item))
        return StageResult(
            self.name, tuple(self.findings), tuple(offered), misalignment, undetermined, passed, self._usage,
            tuple(self._open_questions),
        )  # fmt: skip


def _storable_line(text: str) -> str:
    """The text as one line of bounded length, without what no database keeps and a tool's JSON may hold."""
    return " ".join(UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text).split())[:MAX_RATIONALE]


def _can_be_stored(reading: Interpretation) -> bool:
    try:
        call_digest(reading.tool, reading.arguments)
    except NotCanonicalError:
        return False
    strings = (text for leaf in leaves(reading.arguments) for text in leaf if isinstance(text, str))
    return not any(map(UNSTORABLE.search, strings))
