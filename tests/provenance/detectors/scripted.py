"""A judge that answers as told, a small bank, and one check for verdicts."""

import asyncio
import json
from typing import Any, Self

from reviews.provenance.core.context import Case, Context, NamedText, ProposedAction, Source, Span, Step, ToolDoc
from reviews.provenance.core.findings import DecidedBy, Finding, Relation, Usage
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.core.verdicts import Verdict
from reviews.provenance.detectors import Options, ProvenanceGuard, verdict_of
from reviews.provenance.judges import Answered, Judge, Unknown
from reviews.provenance.judges.questions.call_support import ArgumentSource, CallSupport, CallSupportAnswer, OwnTerm
from reviews.provenance.judges.questions.provenance_guard import (
    AdmissibilityAnswer,
    ArgumentSupport,
    Candidate,
    CandidatesAnswer,
    NamedValue,
    ParameterClass,
    ParameterClasses,
    SupportAnswer,
)
from reviews.provenance.judges.questions.question_forms import Held, Quote

COST = Usage(calls=1, prompt_tokens=10, completion_tokens=5, cost_usd=0.001)
YES = Held(holds=True, rationale="It does.")
NO = Held(holds=False, rationale="It does not.")
GIBBERISH = Unknown("The model gave no usable answer: gibberish.", COST, unparsable=True)
SILENT = Unknown("The rules cannot tell.")

_TEXT = {"type": "string"}
_SEND = {
    "type": "object",
    "properties": {"to": _TEXT, "amount": {"type": "number"}, "note": _TEXT, "board": _TEXT},
    "required": ["to", "amount"],
}
SEND = ToolDoc("money_transfer", "Transfer money to a person.", _SEND)
REQUEST = ToolDoc("request_money", "Ask a person for money.", _SEND)
FIND = ToolDoc("find_contact", "Find a person.", {"properties": {"name": _TEXT}}, environment_changing=False)
POST = ToolDoc("post_note", "Post a note.", {"properties": {"message": _TEXT}})
TOOLS = (SEND, REQUEST, FIND, POST)


class ScriptedJudge:
    """Answers each question by name, as a content judge would unless told otherwise."""

    name = "scripted"

    def __init__(self, **answers: Any) -> None:
        self.slow: tuple[str, ...] = ()
        self.turns: dict[str, int] = {}
        """Turns of the event loop that the answer to a question takes."""
        self.answers: dict[str, Any] = {
            "relevance": YES,
            "call_support": sided_with,
            "derivability": ParameterClasses(
                parameters=[
                    ParameterClass(path="/to", derivable=True),
                    ParameterClass(path="/amount", derivable=True),
                    ParameterClass(path="/note", derivable=False),
                    ParameterClass(path="/board", derivable=None),
                ]
            ),
            "support": SupportAnswer(arguments=[], can_address=True, rationale="It does the step."),
            "candidates": CandidatesAnswer(candidates=[]),
            "admissibility": AdmissibilityAnswer(calls=[], exclusive=True, rationale="Only one is meant."),
            **answers,
        }
        self.asked: list[str] = []
        self.questions: list[Any] = []

    def silent_on(self, *questions: str) -> Self:
        """The same judge, who never answers these."""
        self.slow = questions
        return self

    def in_turns(self, **turns: int) -> Self:
        """The same judge, whose answers to these take so many turns of the event loop."""
        self.turns = turns
        return self

    async def ask(self, question: Any) -> Any:
        self.asked.append(question.name)
        self.questions.append(question)
        answer = self.answers[question.name]
        # An answer may depend on what the question lists.
        answer = answer(question) if callable(answer) else answer
        if question.name in self.slow:
            await asyncio.Event().wait()
        for _ in range(self.turns.get(question.name, 0)):
            await asyncio.sleep(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Unknown | Answered) else Answered(answer, DecidedBy.JUDGE, COST)


def sided_with(question: CallSupport) -> CallSupportAnswer:
    """The first candidate of each argument, and yes to everything."""
    return answered(question)


def call_support(
    *rows: ArgumentSource, relevant: bool | None = True, contributes: bool | None = True, can: bool | None = True
) -> Any:
    """An answer that says so of the call; arguments without a row have their first candidate."""

    def answer(question: CallSupport) -> CallSupportAnswer:
        return answered(question, *rows, relevant=relevant, contributes=contributes, can=can)

    return answer


def answered(
    question: CallSupport,
    *rows: ArgumentSource,
    relevant: bool | None = True,
    contributes: bool | None = True,
    can: bool | None = True,
) -> CallSupportAnswer:
    given = {row.argument for row in rows}
    rest = [
        source_row(number, "candidate" if "\ncandidate 1," in text else "unclear", candidate=1)
        for number, text in enumerate(question.arguments, start=1)
        if number not in given
    ]
    return CallSupportAnswer(
        arguments=[*rows, *rest], relevant=relevant, contributes=contributes, can_address=can, quotes=[],
        rationale="So it is.",
    )  # fmt: skip


def source_row(
    argument: int, source: Any = "own", *, candidate: int | None = None, term: OwnTerm | None = None
) -> ArgumentSource:
    return ArgumentSource(argument=argument, source=source, candidate=candidate, term=term)


def quoting(argument: int, *quotes: tuple[str, str], kind: Any = "quote", operation: Any = None) -> ArgumentSource:
    """A row with a term of the judge's own."""
    said = [Quote(source=source, quote=quote) for source, quote in quotes]
    return source_row(argument, term=OwnTerm(kind=kind, quotes=said, operation=operation, query=None))


def support(*arguments: ArgumentSupport, can_address: bool | None = True) -> SupportAnswer:
    return SupportAnswer(arguments=list(arguments), can_address=can_address, rationale="So it is.")


def supported(pointer: str, *quotes: tuple[str, str], derived: bool = True) -> ArgumentSupport:
    said = [Quote(source=source, quote=quote) for source, quote in quotes]
    return ArgumentSupport(pointer=pointer, derived=derived, quotes=said, rationale="The user said so.")


def candidates(*calls: tuple[str, str]) -> CandidatesAnswer:
    """Candidates from tool and arguments as JSON text."""
    return CandidatesAnswer(
        candidates=[
            Candidate(reading=f"{tool} it", tool=tool, arguments=_named_values(text), quotes=[]) for tool, text in calls
        ]
    )


def _named_values(text: str) -> list[NamedValue]:
    return [
        NamedValue(name=name, value=json.dumps(value) if isinstance(value, list | dict) else value)
        for name, value in json.loads(text).items()
    ]


def case(
    query: str = "Pay Daniel $30",
    tool: str = "money_transfer",
    subtask: str | None = "Pay Daniel",
    *,
    history: tuple[Step, ...] = (),
    retrieved: str = "",
    tools: tuple[ToolDoc, ...] = TOOLS,
    **arguments: Any,
) -> Case:
    """A proposal; `to` and `amount` are given unless the test says otherwise."""
    extra = (NamedText(SourceKind.RETRIEVED, "page", retrieved),) if retrieved else ()
    given = arguments or {"to": "Daniel", "amount": 30}
    return Case(Context(query, tools, history, extra), ProposedAction(tool, given, subtask))


async def judged(proposal: Case, judge: Judge | None = None, **options: Any) -> Verdict:
    return await verdict_of(ProvenanceGuard(Options(**options)), proposal, judge or ScriptedJudge())


async def check(expected: str, proposal: Case, judge: Any = None, **options: Any) -> Verdict:
    """The verdict is `aligned`, `undetermined`, or the type of misalignment, and every evidence span verifies."""
    verdict = await judged(proposal, judge, **options)
    told = [(each.relation, each.subject, each.holds, each.rationale) for each in verdict.findings if not each.holds]
    assert getattr(verdict, "type", verdict.label) == expected, told
    spans = [span for finding in verdict.findings for span in finding.evidence]
    assert all(proposal.context.verifies(span) for span in spans)
    return verdict


def found(verdict: Verdict, relation: Relation, subject: str) -> Finding:
    """The last finding of a relation on a subject."""
    return [each for each in verdict.findings if (each.relation, each.subject) == (relation, subject)][-1]


def span_of(source: Source, quote: str) -> Span:
    at = source.text.index(quote)
    return Span(source.id, at, at + len(quote), quote)
