"""A call that its agent makes once more: its first run belongs to its history, whether the agent says so or not."""

from dataclasses import replace

from reviews.models import Action, Execution, OutcomeStatus
from reviews.provenance.core.context import Context, Step
from reviews.records import store


def with_earlier_run(context: Context, retried: Action | None) -> Context:
    """The context, whose history ends with the run of the call that is made again, where it does not tell it.

    A framework that runs a call again under its name tells the same past as before, in which it is not.
    """
    run = _run_of(retried) if retried is not None else None
    if run is None or store.step_digest(run) in map(store.step_digest, context.history):
        return context
    return replace(context, history=(*context.history, run))


def _run_of(action: Action) -> Step | None:
    """The call as it ran; without an outcome where nobody has said what came of it. None where it did not run.

    One that has failed counts as not run: so frameworks report what they interrupt, to run it anew.
    """
    executions = Execution.objects.select_related("decision", "step__text").exclude(outcome_status=OutcomeStatus.FAILED)
    execution = executions.filter(action=action).first()
    if execution is None:
        return None
    step, decision = execution.step, execution.decision
    if step is None:
        return Step(decision.tool, decision.arguments)
    return Step(step.tool, step.arguments, step.text.body if step.text else None)
