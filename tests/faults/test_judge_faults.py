"""What workers learn about a judge in trouble is known to the others. Real processes."""

import pytest
from django.utils import timezone

from reviews.models import Action, Check, Decision, Review, VerdictLabel
from reviews.profiles import versions
from tests import stack
from tests.cast import WRONG, make_cast, propose
from tests.endpoint import ScriptedEndpoint

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


def postponed(action: Action) -> str:
    """Why the check of the action was postponed; empty while it was not."""
    check = Check.objects.get(action=action)
    later = check.not_before is not None and check.not_before > timezone.now()
    return check.reason if later else ""


def test_a_worker_does_not_ask_a_judge_that_another_has_found_down() -> None:
    cast = make_cast()
    # More than the breaker stays open: a check without time behind it goes to a person instead of being postponed.
    versions.new_version(membership=cast.admin, judge="openai", model="scripted", check_seconds_judge=600)
    patience = {"JUDGE_BREAKER_FAILURES": "1", "JUDGE_BREAKER_SECONDS": "300", "CHECK_RETRY_SECONDS": "60"}
    with ScriptedEndpoint() as endpoint:
        endpoint.down = True
        environment = {"OPENAI_BASE_URL": endpoint.base_url, "OPENAI_API_KEY": "test", **patience}
        with stack.worker(**environment):
            first = propose(cast, trace_id="first")
            stack.until(lambda: postponed(first), what="the first worker's failure")
        before = endpoint.questions.total()
        with stack.worker(**environment):
            second = propose(cast, trace_id="second")
            reason = stack.until(lambda: postponed(second), what="the second worker's refusal to ask")
    assert reason.startswith("The judge was not asked")
    assert endpoint.questions.total() == before > 0
    assert not Decision.objects.exists()


def test_what_rules_refute_is_refuted_at_once_while_the_judge_is_away() -> None:
    cast = make_cast()
    versions.new_version(membership=cast.admin, judge="openai", model="scripted")
    patience = {"JUDGE_BREAKER_FAILURES": "1", "JUDGE_BREAKER_SECONDS": "600", "CHECK_RETRY_SECONDS": "60"}
    with ScriptedEndpoint() as endpoint:
        endpoint.down = True
        with stack.worker(OPENAI_BASE_URL=endpoint.base_url, OPENAI_API_KEY="test", **patience):
            # Rules leave a question open here, and the breaker opens.
            unclear = propose(cast, trace_id="unclear")
            stack.until(lambda: postponed(unclear), what="the worker's failure")
            before = endpoint.questions.total()
            wrong = propose(cast, WRONG, trace_id="wrong")
            review = stack.until(lambda: Review.objects.filter(action=wrong).first(), seconds=10, what="the refutation")
    check = Check.objects.get(action=review.action)
    assert (check.verdict, check.attempts) == (VerdictLabel.MISALIGNED, 1)
    assert endpoint.questions.total() == before
