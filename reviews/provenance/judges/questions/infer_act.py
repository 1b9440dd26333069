"""Questions about what an agent does as a whole: its calls so far and the proposed one (InferAct paper, 3.1, 4.3)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from pydantic import AfterValidator

from reviews.provenance.core.context import Step
from reviews.provenance.judges.base import A_co, Sampling
from reviews.provenance.judges.questions.blocks import later_messages, proposal_blocks, request_of, trajectory_blocks
from reviews.provenance.judges.questions.question_forms import AboutCase, Answer, ItemAnswers, NotBlank, form_for
from reviews.provenance.prompts.fences import Block
from reviews.provenance.prompts.prompt import Material

# Calls that are rated one by one, the proposed one included: of more, the latest. The answer's form grows with each,
# and endpoints bound the size of a form.
MAX_STEPS: Final = 50


def _in_range(probability: float) -> float:
    if not 0 <= probability <= 1:
        raise ValueError("a probability lies between 0 and 1")
    return probability


Probability = Annotated[float, AfterValidator(_in_range)]


class InferredTask(Answer):
    """The task that explains the agent's calls."""

    task: NotBlank


class Truth(Answer):
    """True or false, without a reason: what counts is the probability of the one token."""

    decisive: ClassVar[str | None] = "holds"

    holds: bool


class FinalTrajectoryJudgement(Answer):
    """Whether a trajectory is correct, in one word and with a brief reason."""

    decisive: ClassVar[str | None] = "correct"

    correct: bool
    rationale: str


class TrajectoryJudgement(FinalTrajectoryJudgement):
    """The same of a trajectory that may be in the middle of its task."""

    completed: bool
    """Whether the task is done; if not, `correct` says whether the trajectory leads there."""


def step_probabilities(calls: int) -> type[ItemAnswers]:
    """The form for how likely each of so many calls is right."""
    return form_for("StepProbabilities", "step", Probability, calls)


class _AboutTrajectory(AboutCase[A_co]):
    """A question that shows what the agent did, and nothing of what was said."""

    @property
    def material(self) -> Material:
        """What the judge may see: tools, calls and what they returned."""
        return {"context": trajectory_blocks(self.case.context), "call": proposal_blocks(self.case.action)}


class Inference(_AboutTrajectory[InferredTask], answer=InferredTask):
    """Task inference: which task explains the calls? Neither the instruction nor any message is in it."""


@dataclass(frozen=True)
class _Verification(_AboutTrajectory[Truth], answer=Truth):
    """A question that holds the inferred task against the user's."""

    task: str

    @property
    def material(self) -> Material:
        """What the judge may see; it begins as the question for the task did."""
        request = request_of(self.case.context)
        return {
            **super().material,
            "task": (Block("inferred task", self.task),),
            "request": (Block("query", request[0]), *later_messages(request)),
        }


class Completion(_Verification):
    """Completion alignment: does the inferred task, once done, entail the user's? One way only."""


class Progress(_Verification):
    """Progress evaluation: is the agent on the right way to the user's task?"""


class Correctness(AboutCase[Truth], answer=Truth):
    """Is what the agent does, this call included, correct? True or false."""


class FinalCorrectness(AboutCase[Truth], answer=Truth):
    """Has the agent done the whole task correctly, with this call that ends it? True or false (figures 13 and 15)."""


@dataclass(frozen=True)
class TrajectoryVerdict(AboutCase[TrajectoryJudgement], answer=TrajectoryJudgement):
    """Is the trajectory completed, and is it correct? Paper, 4.3 and figure 8: the question of its Direct Prompt."""

    sampling: Sampling | None = None


@dataclass(frozen=True)
class FinalTrajectoryVerdict(AboutCase[FinalTrajectoryJudgement], answer=FinalTrajectoryJudgement):
    """Is the trajectory, which this call ends, correct? Figures 7 and 9."""

    sampling: Sampling | None = None


class Steps(AboutCase[ItemAnswers]):
    """How likely is each call of the trajectory, the proposed one last, to be correct?"""

    @property
    def answer_type(self) -> type[ItemAnswers]:
        """A field for each call."""
        return step_probabilities(len(self._calls))

    @property
    def material(self) -> Material:
        """What the judge may see."""
        listed = "\n".join(f"step_{number}: {call}" for number, call in enumerate(self._calls, start=1))
        return {**super().material, "steps": (Block("calls in question", listed),)}

    @property
    def _calls(self) -> tuple[str, ...]:
        history = enumerate(self.case.context.history, start=1)
        earlier = [f"history/{position}/call" for position, item in history if isinstance(item, Step)]
        return (*earlier[-MAX_STEPS + 1 :], "the proposed call")
