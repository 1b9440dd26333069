"""A call that its agent makes once more: earlier runs belong to its history, whether the agent says so or not."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from reviews.models import Execution, OutcomeStatus
from reviews.provenance.core.context import Context, Step
from reviews.provenance.formats.content import mark_failure
from reviews.records import store


def with_earlier_runs(context: Context, tries: Sequence[UUID], *, begins_at: int = 0) -> Context:
    """The context, whose history ends with the runs of these tries of the call, where it does not tell them.

    `begins_at`: how many entries came before this history. A framework that runs a call again under its name tells the
    same past as before, in which it is not, though one may be that came to the same and was for an earlier request.
    """
    digests = [store.step_digest(item) for item in context.history]
    missing = []
    for position, run in _runs_of(tries):
        # What the try saw came before it ran, and each entry tells one run.
        digest, first = store.step_digest(run), max(0, position - begins_at)
        if digest in digests[first:]:
            digests[digests.index(digest, first)] = ""
        else:
            missing.append(run)
    return replace(context, history=(*context.history, *missing)) if missing else context


def _runs_of(tries: Sequence[UUID]) -> Iterable[tuple[int, Step]]:
    """Each try that ran, as it ran, and how many entries it saw; without an outcome where nobody said what came of it.

    One that was reported as failed may have done something all the same, before it broke off or was interrupted.
    """
    executions = Execution.objects.filter(action__in=tries).select_related("action", "decision", "step__text")
    for execution in executions.order_by("created_at"):
        step, decision, position = execution.step, execution.decision, execution.action.position
        if step is None:
            yield position, Step(decision.tool, decision.arguments)
            continue
        outcome = step.text.body if step.text else None
        if outcome is not None and execution.outcome_status == OutcomeStatus.FAILED:
            outcome = mark_failure(outcome)
        yield position, Step(step.tool, step.arguments, outcome)
