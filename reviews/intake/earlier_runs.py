"""A call that its agent makes once more: earlier runs belong to its history, whether the agent says so or not."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from reviews.models import Execution, OutcomeStatus
from reviews.provenance.core.context import Context, Step
from reviews.provenance.formats.content import mark_failure
from reviews.records import store


def with_earlier_runs(context: Context, tries: Sequence[UUID]) -> Context:
    """The context, whose history ends with the runs of these tries of the call, where it does not tell them.

    A framework that runs a call again under its name tells the same past as before, in which it is not.
    """
    digests = set(map(store.step_digest, context.history))
    runs = [run for run in _runs_of(tries) if store.step_digest(run) not in digests]
    return replace(context, history=(*context.history, *runs)) if runs else context


def _runs_of(tries: Sequence[UUID]) -> Iterable[Step]:
    """Each try that ran, as it ran; without an outcome where nobody has said what came of it.

    One that was reported as failed may have done something all the same, before it broke off or was interrupted.
    """
    executions = Execution.objects.filter(action__in=tries).select_related("decision", "step__text")
    for execution in executions.order_by("created_at") if tries else ():
        step, decision = execution.step, execution.decision
        if step is None:
            yield Step(decision.tool, decision.arguments)
            continue
        outcome = step.text.body if step.text else None
        if outcome is not None and execution.outcome_status == OutcomeStatus.FAILED:
            outcome = mark_failure(outcome)
        yield Step(step.tool, step.arguments, outcome)
