"""The question for the step that a call serves, where the agent names none (ProvenanceGuard paper, 5.1.3)."""

from dataclasses import dataclass
from typing import ClassVar, Self

from pydantic import model_validator

from reviews.provenance.judges.questions.blocks import conversation_blocks, proposal_blocks
from reviews.provenance.judges.questions.provenance_guard import AboutCase, Answer
from reviews.provenance.prompts.material import Material


class InferredSubtask(Answer):
    """The step that the agent meant a call for."""

    subtask: str

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        # Checked after parsing: not every endpoint accepts limits in the form it has to keep.
        if not self.subtask.strip():
            raise ValueError("the subtask is blank")
        return self


@dataclass(frozen=True)
class Subtask(AboutCase):
    """Which step s did the agent mean the call for? From (q, d, h, t, a)."""

    name: ClassVar[str] = "subtask"
    answer_type: ClassVar[type[InferredSubtask]] = InferredSubtask

    @property
    def material(self) -> Material:
        """What the judge may see."""
        return {"context": conversation_blocks(self.case.context), "call": proposal_blocks(self.case.action)}
