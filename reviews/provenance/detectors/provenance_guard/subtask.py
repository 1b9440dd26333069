"""The step that a call serves, where the agent names none (paper, 5.1.3: plan reconstruction).

Without it the whole request poses as the step, and every question about the step is another one than the paper's.
"""

from dataclasses import replace
from typing import Final

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult, Usage
from reviews.provenance.detectors.base import Options
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.tool_stage import check_specification
from reviews.provenance.judges.base import Judge, Unknown
from reviews.provenance.judges.questions.provenance_guard import Subtask

# Characters of a step: one sentence. The model's words become part of later questions, so they are bounded.
MAX_SUBTASK: Final = 400


async def reconstruct_subtask(
    name: str, case: Case, judge: Judge, options: Options
) -> tuple[Case, Usage] | StageResult:
    """The case with a step, and what that cost; as it is where nothing is to be asked about the step.

    The stage of this name, undetermined, where the judge's words cannot be read. Raises what the judge raises.
    """
    stage = Stage(name, judge, options, case.context)
    # A call that is settled without a judge needs no step.
    if not options.reconstruct_subtasks or case.action.subtask or check_specification(case, stage) is not None:
        return case, Usage()
    reply = await stage.ask(Subtask(case))
    if not isinstance(reply, Unknown):
        subtask = " ".join(reply.answer.subtask.split())[:MAX_SUBTASK]
        return replace(case, action=replace(case.action, subtask=subtask)), reply.usage
    if reply.unparsable:
        return stage.undetermined(f"Which step the call serves could not be told: {reply.reason}")
    return case, Usage()
