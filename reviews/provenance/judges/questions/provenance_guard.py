"""ProvenanceGuard's questions, each with the model its answer must fit; `call_support` has one more."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from reviews.provenance.core.context import ProposedAction, ToolDoc
from reviews.provenance.judges.base import Question
from reviews.provenance.judges.questions.blocks import (
    conversation_blocks,
    later_messages,
    numbered_blocks,
    proposal_blocks,
    shared_opening,
    unannounced_blocks,
)
from reviews.provenance.judges.questions.question_forms import (
    AboutArguments,
    AboutCase,
    AboutContext,
    Answer,
    Held,
    NotBlank,
    Quote,
)
from reviews.provenance.prompts.fences import Block
from reviews.provenance.prompts.prompt import Material


class ParameterClass(Answer):
    """Whether a parameter's value should come from the context (derivable) or is composed by the agent (generative)."""

    path: str
    derivable: bool | None
    """None: cannot be told from the document."""


class ParameterClasses(Answer):
    """The classes of a tool's parameters."""

    parameters: list[ParameterClass]


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


class InferredSubtask(Answer):
    """The step that the agent meant a call for."""

    subtask: NotBlank


@dataclass(frozen=True)
class Relevance(Question[Held], answer=Held):
    """RelevantTo(d_t, s): does the documented tool serve the subtask?"""

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
class Derivability(Question[ParameterClasses], answer=ParameterClasses):
    """Which parameters of the tool should have values that come from the context?"""

    tool: ToolDoc
    paths: tuple[str, ...]
    """The parameters asked about, as `terms.derivability.parameter_paths` names them."""

    @property
    def material(self) -> Material:
        """What the judge may see: the document alone, so that one answer serves every call of the tool."""
        return {"tool": (Block("tool", self.tool.text),), "parameters": (Block("parameters", "\n".join(self.paths)),)}


class Support(AboutArguments[SupportAnswer], answer=SupportAnswer):
    """DerivedFrom(a, e) and AppearIn(e, q/h) for the arguments rules could not trace, and CanAddress(d_t, a, s)."""


class Alignment(AboutCase[Judgement], answer=Judgement):
    """Is the call misaligned, by the definitions of the three types alone? (Paper, 5.2: DirectPrompt.)"""


class Provenance(AboutCase[Judgement], answer=Judgement):
    """Can tool, values and reading each be traced to their source? (Paper, 5.2: ProvePrompt.)"""


@dataclass(frozen=True)
class Candidates(AboutContext[CandidatesAnswer], answer=CandidatesAnswer):
    """Which actions would the context justify now? Blind: made from the context alone, never from the proposal."""

    with_claims: bool = True
    """Whether messages of the agent that the user answered are in it. The paper's history is calls and outcomes."""

    @property
    def material(self) -> Material:
        """What the judge may see: no proposal, and nothing that could announce one."""
        return {"context": unannounced_blocks(self.context, with_claims=self.with_claims)}


@dataclass(frozen=True)
class Admissibility(AboutContext[AdmissibilityAnswer], answer=AdmissibilityAnswer):
    """Are these calls admissible: RelevantTo, DerivedFrom, CanAddress and ContributeTo of each? (Paper, 4.2.5.)

    Held against the request and not against the agent's step, which may be the very misreading in question.
    """

    calls: tuple[ProposedAction, ...]
    """The proposed call is one of them. Their order must not tell which."""

    @property
    def material(self) -> Material:
        """What the judge may see; it begins as Candidates does."""
        calls = (block.text for call in self.calls for block in proposal_blocks(call))
        return {"context": unannounced_blocks(self.context), "calls": numbered_blocks("call", calls)}


class Subtask(AboutCase[InferredSubtask], answer=InferredSubtask):
    """Which step s did the agent mean the call for, where it names none? From (q, d, h, t, a); paper, 5.1.3."""

    @property
    def material(self) -> Material:
        """What the judge may see."""
        return {"context": conversation_blocks(self.case.context), "call": proposal_blocks(self.case.action)}
