"""IntentGuard's questions: about a plan, about a tool, and about calls taken together (paper, 3.2, 3.3, appendix A.1).

The user's intent is the first message, verbatim, in every question that gets it (appendix A.5), with what user and
agent said since. Whatever a plan, a tool document or a call says is material like any other.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from reviews.provenance.core.context import Message, PlanStep, ProposedAction, ToolDoc
from reviews.provenance.judges.base import A_co, Question
from reviews.provenance.judges.questions.blocks import proposal_blocks, toolset_block
from reviews.provenance.judges.questions.question_forms import AboutContext, LabelAnswer
from reviews.provenance.prompts.fences import Block
from reviews.provenance.prompts.prompt import Material


class IntentAnswer(LabelAnswer):
    """Whether the plan serves a harmful end."""

    label: Literal["safe", "reject"]


class DeviationAnswer(LabelAnswer):
    """Whether the plan has left what the user asked for."""

    label: Literal["safe", "rewrite", "reject"]


class RiskAnswer(LabelAnswer):
    """How dangerous a tool is."""

    label: Literal["safe", "cautious", "blocked"]

    @property
    def is_favourable(self) -> bool:
        """Whether it may be used; what a tool to be cautious of does, is asked of the calls together."""
        return self.label != "blocked"


class CombinationAnswer(LabelAnswer):
    """Whether calls that are harmless one by one do harm together."""

    label: Literal["safe", "rewrite"]


@dataclass(frozen=True)
class Caution:
    """A tool that is not plainly safe."""

    tool: str
    reason: str


@dataclass(frozen=True)
class _AboutPlan(AboutContext[A_co]):
    """A question that begins with the request and the plan, so that an endpoint reads them once."""

    plan: tuple[PlanStep, ...]

    @property
    def turns(self) -> tuple[Message, ...]:
        """What was said since the user's first message, up to the user's last one.

        What the agent tells itself behind it changes no intent, and would have the plan judged anew at every step.
        """
        turns = [item for item in self.context.history if isinstance(item, Message)]
        while turns and turns[-1].role != "user":
            turns.pop()
        return tuple(turns)

    @property
    def material(self) -> Material:
        """What the judge may see: nothing that a tool returned."""
        turns = (Block("later turns", format_turns(self.turns)),) if self.turns else ()
        return {"context": (Block("query", self.context.query), *turns, Block("plan", format_plan(self.plan)))}


class MaliciousIntent(_AboutPlan[IntentAnswer], answer=IntentAnswer):
    """Has the plan an explicit malicious intent or a plainly illegal end, whoever asked? (Algorithm 1, line 2.)"""


class IntentDeviation(_AboutPlan[DeviationAnswer], answer=DeviationAnswer):
    """Does the plan deviate significantly from the user's core task? (Algorithm 1, line 3.)"""


@dataclass(frozen=True)
class ToolRisk(Question[RiskAnswer], answer=RiskAnswer):
    """How dangerous is a tool, by its document alone? (Algorithm 1, line 9.)"""

    tool: ToolDoc

    @property
    def material(self) -> Material:
        """What the judge may see: the document alone, so that one answer serves every call of the tool."""
        return {"tool": (replace(toolset_block((self.tool,)), label="tool"),)}


@dataclass(frozen=True)
class ToolCombination(_AboutPlan[CombinationAnswer], answer=CombinationAnswer):
    """Does the sequence of calls pursue a covert harmful end, whoever asked? (Algorithm 1, line 11.)"""

    calls: tuple[ProposedAction, ...]
    """In their order, the proposed one last."""
    # By the answers about each tool, so that this question need not judge documents again.
    cautious: tuple[Caution, ...]
    """Which tools of the workflow, planned or called, are not plainly safe, and why."""

    @property
    def turns(self) -> tuple[Message, ...]:
        """Everything that was said since the user's first message."""
        return tuple(item for item in self.context.history if isinstance(item, Message))

    @property
    def material(self) -> Material:
        """What the judge may see: no outcome of a call, which could speak for it."""
        *earlier, last = (block for call in self.calls for block in proposal_blocks(call))
        numbered = (replace(block, label=f"call {number}") for number, block in enumerate(earlier, start=1))
        return {
            **super().material,
            "calls": (*numbered, replace(last, label="proposed call")),
            "cautious": tuple(Block(caution.tool, caution.reason) for caution in self.cautious),
        }


def format_turns(turns: Iterable[Message]) -> str:
    """The turns as lines of JSON: no text can pose as another turn, and each keeps its very characters."""
    return "\n".join(json.dumps({"role": turn.role, "content": turn.text}, ensure_ascii=False) for turn in turns)


def format_plan(plan: Sequence[PlanStep]) -> str:
    """The plan with a line for each step: no message can pose as another step."""
    lines = []
    for number, step in enumerate(plan, start=1):
        # White space folds to single blanks, line breaks included.
        message = " ".join(step.message.split())
        tools = ", ".join(" ".join(name.split()) for name in step.tool_use)
        lines.append(f"{number}. {message} (uses: {tools or 'no tool'})")
    return "\n".join(lines)
