from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import uuid4

import pytest
from django.db import connection

from reviews.errors import IdempotencyMismatchError, InvalidSubmissionError
from reviews.intake import actions
from reviews.models import Action, Check, Status, Text, ToolSet
from reviews.provenance.core.canonical import call_digest
from reviews.provenance.core.context import Message, NamedText, SourceKind, Step
from reviews.records import load
from tests.cast import CONTEXT, RIGHT, Cast, make_cast, proposal, propose


def test_a_new_action_is_being_checked(cast: Cast) -> None:
    assert propose(cast).status == Status.CHECKING


def test_an_action_carries_the_digest_of_its_call(cast: Cast) -> None:
    assert propose(cast).digest == call_digest(RIGHT.tool, RIGHT.arguments)


def test_each_detector_of_the_profile_gets_a_check(cast: Cast) -> None:
    action = propose(cast)
    assert [check.detector for check in action.checks.all()] == ["provenance-guard"]


def test_the_stored_case_is_the_submitted_one(cast: Cast) -> None:
    extra = (NamedText(SourceKind.SYSTEM_PROMPT, "policy", "Never pay twice."),)
    history = (*CONTEXT.history, Message("assistant", "Found him."), Message("user", "Good."))
    context = replace(CONTEXT, extra=extra, history=history)
    stored = load.case_for(Action.objects.get(pk=propose(cast, context=context).pk))
    assert (stored.context.sources, stored.action) == (context.sources, RIGHT)


def test_texts_and_tools_are_stored_once(cast: Cast) -> None:
    propose(cast)
    before = (Text.objects.count(), ToolSet.objects.count())
    propose(cast, trace_id="another")
    assert (Text.objects.count(), ToolSet.objects.count()) == before


def test_history_that_continues_stays_in_the_same_trace(cast: Cast) -> None:
    first = propose(cast)
    longer = replace(CONTEXT, history=(*CONTEXT.history, Step("search_contacts", {"name": "Ana"}, "[]")))
    second = propose(cast, context=longer)
    assert (second.trace_id, first.position, second.position) == (first.trace_id, 1, 2)


def test_another_past_opens_a_new_revision(cast: Cast) -> None:
    propose(cast)
    changed = replace(CONTEXT, history=(Step("search_contacts", {"name": "Daniel"}, "[]"),))
    assert propose(cast, context=changed).trace.revision == 2


def test_another_request_opens_a_new_revision(cast: Cast) -> None:
    propose(cast)
    assert propose(cast, context=replace(CONTEXT, query="Pay Ana")).trace.revision == 2


def test_a_history_left_out_is_the_stored_one(cast: Cast) -> None:
    propose(cast)
    again = propose(cast, context=replace(CONTEXT, history=()), history_given=False)
    assert len(load.context_for(again).history) == 1


def test_an_earlier_position_sees_no_later_step(cast: Cast) -> None:
    first = propose(cast, context=replace(CONTEXT, history=()))
    propose(cast)
    assert load.context_for(Action.objects.get(pk=first.pk)).history == ()


def test_a_retry_counts_attempts(cast: Cast) -> None:
    assert propose(cast, retry_of=propose(cast).pk).attempt == 2


def test_a_retry_of_a_foreign_action_is_invalid(cast: Cast) -> None:
    with pytest.raises(InvalidSubmissionError, match="/retry_of"):
        propose(cast, retry_of=uuid4())


def submit_with_key(cast: Cast, digest: str = "d" * 64) -> actions.Submitted:
    return actions.submit(agent_key=cast.agent, proposal=proposal(), idempotency_key="once", request_digest=digest)


def test_the_same_key_and_request_give_the_same_action(cast: Cast) -> None:
    first, second = submit_with_key(cast), submit_with_key(cast)
    assert (first.action.pk, first.created, second.created) == (second.action.pk, True, False)


def test_the_same_key_with_another_request_is_refused(cast: Cast) -> None:
    submit_with_key(cast)
    with pytest.raises(IdempotencyMismatchError):
        submit_with_key(cast, digest="e" * 64)


@pytest.mark.django_db(transaction=True)
def test_ten_parallel_retries_make_one_action() -> None:
    cast = make_cast()

    def attempt(_: int) -> str:
        try:
            return str(submit_with_key(cast).action.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        answers = set(pool.map(attempt, range(10)))
    assert (len(answers), Action.objects.count(), Check.objects.count()) == (1, 1, 1)


@pytest.mark.django_db(transaction=True)
def test_parallel_submissions_of_one_conversation_share_its_history() -> None:
    cast = make_cast()

    def attempt(_: int) -> int:
        try:
            return propose(cast).position
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        positions = set(pool.map(attempt, range(6)))
    assert positions == {1}


@pytest.mark.django_db(transaction=True)
def test_pasts_that_are_told_differently_at_once_are_not_mixed_up() -> None:
    cast = make_cast()

    def attempt(number: int) -> bool:
        told = Step("search_contacts", {"name": str(number)}, f"{number} found")
        try:
            return load.context_for(propose(cast, context=replace(CONTEXT, history=(told,)))).history == (told,)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(attempt, range(12))) == {True}
