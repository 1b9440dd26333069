import psycopg
import pytest
from django.db import DatabaseError, InterfaceError, OperationalError, transaction
from psycopg import errors

from reviews.api import problems
from reviews.records import transactions
from reviews.records.transactions import retry_on_conflict

# Without a surrounding transaction, as use cases run.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pause before the next attempt."""
    monkeypatch.setattr(transactions, "FIRST_PAUSE_SECONDS", 0)


def raised(cause: psycopg.Error) -> OperationalError:
    """The error as Django passes it on."""
    error = OperationalError(str(cause))
    error.__cause__ = cause
    return error


class Failing:
    """A use case that fails with these errors in turn and then succeeds."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.attempts = 0

    def run(self) -> str:
        self.attempts += 1
        if self.failures:
            raise self.failures.pop(0)
        return "done"


@pytest.mark.parametrize("cause", [errors.DeadlockDetected(), errors.SerializationFailure()])
def test_a_collision_is_tried_again(cause: psycopg.Error) -> None:
    assert retry_on_conflict(Failing(raised(cause), raised(cause)).run)() == "done"


def test_attempts_are_bounded() -> None:
    failing = Failing(*[raised(errors.DeadlockDetected()) for _ in range(100)])
    with pytest.raises(OperationalError):
        retry_on_conflict(failing.run)()
    assert failing.attempts == transactions.ATTEMPTS


@pytest.mark.parametrize(
    "error", [raised(errors.QueryCanceled()), raised(errors.AdminShutdown()), OperationalError("gone"), ValueError()]
)
def test_nothing_else_is_tried_again(error: Exception) -> None:
    failing = Failing(error)
    with pytest.raises(type(error)):
        retry_on_conflict(failing.run)()
    assert failing.attempts == 1


def test_inside_another_transaction_nothing_is_tried_again() -> None:
    failing = Failing(raised(errors.DeadlockDetected()))
    with pytest.raises(OperationalError), transaction.atomic():
        retry_on_conflict(failing.run)()
    assert failing.attempts == 1


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OperationalError("connection refused"), 503),
        (InterfaceError("connection already closed"), 503),
        (raised(errors.AdminShutdown()), 503),
        (raised(errors.TooManyConnections()), 503),
        (raised(errors.DeadlockDetected()), 409),
        # A bug, to be logged as one.
        (raised(errors.QueryCanceled()), None),
    ],
)
def test_only_a_database_that_is_away_answers_503(error: DatabaseError, status: int | None) -> None:
    response = problems.problem_response(error, {})
    assert (response.status_code if response else None) == status
