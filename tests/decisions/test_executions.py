import pytest

from reviews.decisions import decide, executions
from reviews.errors import AlreadyExecutedError, NotExecutingError, NotRunnableError
from reviews.models import Action, OutcomeStatus
from tests.cast import Cast, approved, flagged, propose


def report(action: Action, outcome: str = "sent") -> None:
    executions.report(action=action, status=OutcomeStatus.SUCCEEDED, outcome=outcome)


def test_an_approved_call_may_run_once(cast: Cast) -> None:
    action = approved(cast)
    assert executions.start(action=action, agent_key=cast.agent).decision.digest == action.digest
    with pytest.raises(AlreadyExecutedError):
        executions.start(action=action, agent_key=cast.agent)


def test_an_undecided_call_must_not_run(cast: Cast) -> None:
    with pytest.raises(NotRunnableError):
        executions.start(action=propose(cast), agent_key=cast.agent)


def test_a_rejected_call_must_not_run(cast: Cast) -> None:
    action = flagged(cast).action
    decide.decide(action=action, choice=decide.Reject("No."), membership=cast.reviewer)
    with pytest.raises(NotRunnableError):
        executions.start(action=action, agent_key=cast.agent)


def test_an_outcome_becomes_history(cast: Cast) -> None:
    action = approved(cast)
    executions.start(action=action, agent_key=cast.agent)
    report(action)
    last = action.trace.steps.latest("position")
    assert (last.position, last.tool, last.text and last.text.body) == (2, "money_transfer", "sent")


def test_the_same_outcome_again_changes_nothing(cast: Cast) -> None:
    action = approved(cast)
    executions.start(action=action, agent_key=cast.agent)
    report(action)
    report(action)
    assert action.trace.steps.count() == 2


def test_another_outcome_is_refused(cast: Cast) -> None:
    action = approved(cast)
    executions.start(action=action, agent_key=cast.agent)
    report(action)
    with pytest.raises(NotExecutingError):
        report(action, "lost")


def test_a_call_that_was_never_started_has_no_outcome(cast: Cast) -> None:
    with pytest.raises(NotExecutingError):
        report(approved(cast))
