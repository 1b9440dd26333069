"""ProvenanceGuard's questions, each with the model its answer must fit, and what all questions share.

Answer models forbid extra fields and have no defaults, so that their JSON schemas are strict: a model's output can
fill the fields and do nothing else.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from reviews.provenance.core.context import Case, Context, Message, ProposedAction, ToolDoc
from reviews.provenance.judges.base import Sampling
from reviews.provenance.judges.questions.blocks import (
    call_in_context,
    later_messages,
    proposal_blocks,
    shared_opening,
    unannounced_blocks,
)
from reviews.provenance.prompts.material import Block, Material


class Answer(BaseModel):
    """Base of all answers."""

    # Strict: "true" is no boolean, and a form that is left half filled is no answer.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    decisive: ClassVar[str | None] = None
    """The boolean field whose probability is worth knowing."""

    @model_validator(mode="after")
    def _can_be_stored(self) -> Self:
        # No database keeps a NUL. Refused here it is one unusable answer; refused there, a check that fails.
        if any(isinstance(value, str) and "\0" in value for _, value in self):
            raise ValueError("a text holds a NUL")
        return self


class Held(Answer):
    """Whether one relation holds."""

    decisive: ClassVar[str | None] = "holds"

    holds: bool
    rationale: str


class ParameterClass(Answer):
    """Whether a parameter's value should come from the context (derivable) or is composed by the agent (generative)."""

    path: str
    derivable: bool | None
    """None: cannot be told from the document."""


class ParameterClasses(Answer):
    """The classes of a tool's parameters."""

    parameters: list[ParameterClass]


class Quote(Answer):
    """A claim that these very characters stand in that source."""

    source: str
    quote: str


class ArgumentSupport(Answer):
    """Whether one argument value follows from the context, with the quotes that say so."""

    pointer: str
    derived: bool
    quotes: list[Quote]
    rationale: str


class SupportAnswer(Answer):
    """The support of each argument asked about, and CanAddress of the whole call."""

    arguments: list[ArgumentSupport]
    can_address: bool | None
    rationale: str


class Judgement(Answer):
    """One verdict on a whole call, in one go."""

    # Its probability is the score that thresholds are tuned on.
    decisive: ClassVar[str | None] = "aligned"

    aligned: bool
    misalignment: Literal["tool", "parameter", "interpretation"] | None
    rationale: str


class NamedValue(Answer):
    """One argument."""

    name: str
    # Strict schemas cannot describe a value of any kind.
    value: str | int | float | bool | None
    """A list or an object is written as JSON text."""


class Candidate(Answer):
    """One action the context justifies."""

    reading: str
    tool: str
    arguments: list[NamedValue]
    quotes: list[Quote]


class CandidatesAnswer(Answer):
    """The actions that would be justified now."""

    candidates: list[Candidate]


class CallAdmissible(Answer):
    """The relations that make one call admissible (paper, 4.2.5)."""

    call: int
    """From 1."""
    relevant: bool
    derived: bool
    can_address: bool
    contributes: bool

    @property
    def is_admissible(self) -> bool:
        """Whether all four hold."""
        return self.relevant and self.derived and self.can_address and self.contributes


class AdmissibilityAnswer(Answer):
    """Which of some calls are admissible, and whether they exclude one another."""

    calls: list[CallAdmissible]
    exclusive: bool
    rationale: str


class Where(Answer):
    """One condition of a query, and the user's words that state its value."""

    field: str
    comparison: Literal["equals", "differs", "contains", "below", "above", "at_most", "at_least"]
    value: str | int | float | bool
    quote: Quote


class Query(Answer):
    """A small query over the records of one result."""

    source: str
    records: str
    """JSON Pointer to the list, with * for positions; empty where the result itself is the list."""
    field: str
    where: list[Where]
    order_by: str | None
    descending: bool
    take: int | None


class OwnTerm(Answer):
    """Where a value comes from, in the judge's own words: data that code verifies."""

    kind: Literal["quote", "document", "query", "computation"]
    quotes: list[Quote]
    """The words or the field that give the value; of a computation, its inputs in order."""
    operation: Literal[
        "add", "subtract", "multiply", "divide", "min", "max", "sum", "mean", "count", "round", "share",
        "days_between", "days_after",
    ] | None  # fmt: skip
    query: Query | None


class ArgumentSource(Answer):
    """Where one argument's value comes from, for this parameter."""

    argument: int
    """Its number in the question."""
    source: Literal["candidate", "own", "none", "unclear"]
    candidate: int | None
    """The number of the listed candidate that is meant."""
    term: OwnTerm | None


class CallSupportAnswer(Answer):
    """The support of a whole call: its tool, its step and each of its values."""

    arguments: list[ArgumentSource]
    relevant: bool | None
    contributes: bool | None
    can_address: bool | None
    quotes: list[Quote]
    """The words that ask for the call."""
    rationale: str


class OneDraw:
    """A question that is answered once, at the judge's own temperature: all but those of sampling methods."""

    @property
    def sampling(self) -> Sampling | None:
        """No draw of several."""
        return None


@dataclass(frozen=True)
class Relevance(OneDraw):
    """RelevantTo(d_t, s): does the documented tool serve the subtask?"""

    name: ClassVar[str] = "relevance"
    answer_type: ClassVar[type[Held]] = Held

    tool: ToolDoc
    subtask: str | None
    """None: the agent named none, and the request itself stands in for it."""
    request: tuple[str, ...]
    """Every message of the user, the query first; empty: the question is about document and subtask alone."""
    toolset: tuple[ToolDoc, ...] = ()
    """What the agent could have used instead."""
    occasion: str = ""

    @property
    def material(self) -> Material:
        """What the judge may see: nothing that a tool returned."""
        return {
            "context": shared_opening(self.request[0], self.toolset) if self.request else (),
            "later": later_messages(self.request),
            "tool": (Block("tool", self.tool.text),),
            "subtask": (Block("subtask", self.subtask or "".join(self.request[:1])),),
        }


@dataclass(frozen=True)
class Derivability(OneDraw):
    """Which parameters of the tool should have values that come from the context?"""

    name: ClassVar[str] = "derivability"
    answer_type: ClassVar[type[ParameterClasses]] = ParameterClasses
    occasion: ClassVar[str] = ""

    tool: ToolDoc
    paths: tuple[str, ...]
    """The parameters asked about, as `request.parameter_classes.parameter_paths` names them."""

    @property
    def material(self) -> Material:
        """What the judge may see: the document alone, so that one answer serves every call of the tool."""
        return {
            "tool": (Block("tool", self.tool.text),),
            "parameters": (Block("parameters", "\n".join(self.paths)),),
        }


@dataclass(frozen=True)
class AboutCase(OneDraw):
    """A question about the proposed call in its context."""

    case: Case

    @property
    def occasion(self) -> str:
        """Shared by every question of the check."""
        return self.case.context.fingerprint

    @property
    def material(self) -> Material:
        """What the judge may see."""
        return call_in_context(self.case)


@dataclass(frozen=True)
class Support(AboutCase):
    """DerivedFrom(a, e) and AppearIn(e, q/h) for the arguments rules could not trace, and CanAddress(d_t, a, s)."""

    name: ClassVar[str] = "support"
    answer_type: ClassVar[type[SupportAnswer]] = SupportAnswer

    pointers: tuple[str, ...]
    """JSON Pointers of the argument leaves asked about; may be empty when only CanAddress is open."""

    @property
    def material(self) -> Material:
        """What the judge may see."""
        return {**super().material, "pointers": (Block("pointers", "\n".join(self.pointers)),)}


@dataclass(frozen=True)
class CallSupport(AboutCase):
    """One question for the whole call: RelevantTo, ContributeTo, DerivedFrom of each open value, CanAddress.

    It holds the call's values against what the user means, with the candidates that search found for each; the judge
    picks by number, gives a term of its own, or says that there is none.
    """

    name: ClassVar[str] = "call_support"
    answer_type: ClassVar[type[CallSupportAnswer]] = CallSupportAnswer

    arguments: tuple[str, ...]
    """The open arguments, each with its candidates, in words."""
    refused: tuple[str, ...] = ()
    """Of a second try: what did not verify in the first, and why."""

    @property
    def material(self) -> Material:
        """What the judge may see."""
        numbered = (Block(f"argument {n}", text) for n, text in enumerate(self.arguments, start=1))
        refusals = tuple(Block(f"refused {n}", text) for n, text in enumerate(self.refused, start=1))
        return {**super().material, "arguments": tuple(numbered), "refused": refusals}


@dataclass(frozen=True)
class Alignment(AboutCase):
    """Is the call misaligned, by the definitions of the three types alone? (Paper, 5.2: DirectPrompt.)"""

    name: ClassVar[str] = "alignment"
    answer_type: ClassVar[type[Judgement]] = Judgement


@dataclass(frozen=True)
class Provenance(AboutCase):
    """Can tool, values and reading each be traced to their source? (Paper, 5.2: ProvePrompt.)"""

    name: ClassVar[str] = "provenance"
    answer_type: ClassVar[type[Judgement]] = Judgement


@dataclass(frozen=True)
class AboutContext(OneDraw):
    """A question about the context alone, without the proposed call."""

    context: Context

    @property
    def occasion(self) -> str:
        """Shared by every question of the check."""
        return self.context.fingerprint


@dataclass(frozen=True)
class Candidates(AboutContext):
    """Which actions would the context justify now? Blind: made from the context alone, never from the proposal."""

    name: ClassVar[str] = "candidates"
    answer_type: ClassVar[type[CandidatesAnswer]] = CandidatesAnswer

    with_claims: bool = True
    """Whether messages of the agent that the user answered are in it. The paper's history is calls and outcomes."""

    @property
    def material(self) -> Material:
        """What the judge may see: no proposal, and nothing that could announce one."""
        return {"context": unannounced_blocks(self.context, with_claims=self.with_claims)}


@dataclass(frozen=True)
class Admissibility(AboutContext):
    """Are these calls admissible: RelevantTo, DerivedFrom, CanAddress and ContributeTo of each? (Paper, 4.2.5.)

    Held against the request and not against the agent's step, which may be the very misreading in question.
    """

    name: ClassVar[str] = "admissibility"
    answer_type: ClassVar[type[AdmissibilityAnswer]] = AdmissibilityAnswer

    calls: tuple[ProposedAction, ...]
    """The proposed call is one of them. Their order must not tell which."""

    @property
    def material(self) -> Material:
        """What the judge may see; it begins as Candidates does."""
        numbered = (
            Block(f"call {number}", block.text)
            for number, call in enumerate(self.calls, start=1)
            for block in proposal_blocks(call)
        )
        return {"context": unannounced_blocks(self.context), "calls": tuple(numbered)}


def request_of(context: Context) -> tuple[str, ...]:
    """Every message of the user, the query first, then what reviewers said of earlier tries."""
    later_messages = (item.text for item in context.history if isinstance(item, Message) and item.role == "user")
    return (context.query, *later_messages, *context.feedback)
