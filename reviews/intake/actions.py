"""An agent proposes a call: store it with its context, then ask a worker to check it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from reviews import access
from reviews.decisions import expiry_and_cancellation, forced_outcomes
from reviews.decisions.tries import lock_tries
from reviews.errors import DuplicateCallError, FieldProblem, IdempotencyMismatchError, InvalidSubmissionError
from reviews.intake import model_responses, statements
from reviews.intake.continuation import ToldResponse
from reviews.intake.earlier_runs import with_earlier_runs
from reviews.intake.feedback import feedback_on
from reviews.messaging import metrics
from reviews.models import (
    OPEN,
    Action,
    AgentKey,
    Check,
    CheckMode,
    GuardProfile,
    IdempotencyKey,
    Risk,
    Step,
    StepKind,
    ToolPolicy,
    ToolSet,
    Trace,
)
from reviews.models.base import uuid7
from reviews.models.key_order import key_order
from reviews.provenance.core.canonical import call_digest, content_digest
from reviews.provenance.core.context import Case, Claim, Context, JsonValue, ProposedAction
from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.formats import stored_case
from reviews.provenance.formats.continuation import Resumption
from reviews.records import store
from reviews.records.stored_past import StoredPast, lost_past
from reviews.records.transactions import retry_on_conflict
from reviews.scheduling import broker

# Another submission may open the conversation, and a third its next revision, between a look and the write; it is there
# at the next look.
MAX_TWINS: Final = 3
NO_SUCH_CALL: Final = "The history has no such call, or it returned nothing."
"""Calls of the history are counted from 0."""
# Standing orders that decide without looking: a check would cost money and change nothing.
UNCHECKED_POLICIES = (ToolPolicy.ALWAYS_ALLOW, ToolPolicy.DENY)


@dataclass(frozen=True)
class Proposal:
    """A validated submission."""

    context: Context
    action: ProposedAction
    trace_id: str | None = None
    history_given: bool = True
    """False: the agent left its history out, and the trace's stored one counts."""
    tool_call_id: str = ""
    risk: Risk = Risk.MEDIUM
    expires_in: int | None = None
    """Seconds; None for the profile's."""
    retry_of: UUID | None = None
    is_stuck: bool = False
    """The agent gets no further: a person looks at once, whatever the call."""
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    earlier: StoredPast | None = None
    """What the history of the context comes behind."""
    resumption: Resumption | None = None
    """From where the next submission may go on."""
    response: ToldResponse | None = None
    """The response by whose id a later submission may go on."""
    server_word: str = ""
    """What was made of a server's word about the tools (`wire.references`)."""


@dataclass(frozen=True)
class Submitted:
    """The stored action, and whether this request created it."""

    action: Action
    created: bool
    tools_digest: str = ""
    """Of the tools it was submitted with; empty where another request created it, with other tools."""
    is_same_past: bool = True
    """False: another request created it, of which no more is known than that it proposed this call."""


class _TwinError(Exception):
    """An action was made of this submission before."""


@retry_on_conflict
def submit_action(
    *, agent_key: AgentKey, proposal: Proposal, idempotency_key: str | None = None, request_digest: str = ""
) -> Submitted:
    """Store the proposal and enqueue its check on commit.

    The same idempotency key with the same request gives the same action, and so does the same call by the same
    `trace_id` and `tool_call_id`, also when both arrive at once.
    Raises `IdempotencyMismatchError`, `DuplicateCallError` and `InvalidSubmissionError`.
    """
    if agent_key.is_test:
        forced_outcomes.require_fitting_edit(Case(proposal.context, proposal.action), proposal.metadata)
    for _ in range(MAX_TWINS):
        try:
            with transaction.atomic():
                submitted = _store_submission(agent_key, proposal, idempotency_key, request_digest)
                metrics.count_on_commit(metrics.SUBMISSIONS.labels("created"), is_test=agent_key.is_test)
                return submitted
        except (_TwinError, IntegrityError) as error:
            # A twin was first. Any other broken constraint has left no such action behind: another submission has
            # opened the conversation meanwhile, or it is a bug.
            earlier, refused = _find_earlier(agent_key, proposal, idempotency_key, request_digest), error
        if earlier is not None:
            metrics.count_on_commit(metrics.SUBMISSIONS.labels("repeated"), is_test=agent_key.is_test)
            return earlier
    raise refused


def _find_earlier(agent_key: AgentKey, proposal: Proposal, key: str | None, request_digest: str) -> Submitted | None:
    """The action that was made of this submission before; None when it is new.

    Raises `IdempotencyMismatchError` and `DuplicateCallError` when it was another one.
    """
    submitted = _submitted_with(agent_key, key, request_digest) if key is not None else None
    same, call_key = submitted, _call_key(proposal)
    if same is None and call_key:
        same = Action.objects.filter(agent=agent_key.agent_id, call_key=call_key).select_related("trace").first()
        if same is not None and same.digest != call_digest(proposal.action.tool, proposal.action.arguments):
            raise DuplicateCallError(same)
    if same is None:
        return None
    if submitted is None and key is not None:
        # Else the key would still be free, and stand for another request the next time.
        defaults = {"request_digest": request_digest, "action": same}
        IdempotencyKey.objects.get_or_create(agent_key=agent_key, key=key, defaults=defaults)
    tools_digest = _shared_tools_digest(same, proposal)
    return Submitted(same, created=False, tools_digest=tools_digest, is_same_past=submitted is not None)


def _shared_tools_digest(earlier: Action, proposal: Proposal) -> str:
    """The digest of the proposal's tools, where the earlier action has the same; empty where it has others."""
    digest = content_digest([store.tool_to_json(tool) for tool in proposal.context.tools])
    return digest if ToolSet.objects.filter(pk=earlier.tool_set_id, digest=digest).exists() else ""


def _call_key(proposal: Proposal) -> str:
    """What the agent calls this call by, hashed; empty where it gives its conversation or its call no name."""
    if not (proposal.trace_id and proposal.tool_call_id):
        return ""
    # A retry may keep the id of the call it replaces, and is another call all the same.
    return content_digest([proposal.trace_id, proposal.tool_call_id, str(proposal.retry_of or "")])


def _submitted_with(agent_key: AgentKey, key: str, request_digest: str) -> Action | None:
    """The action that was submitted with this idempotency key; None when it is new.

    Raises `IdempotencyMismatchError` when it came with another request.
    """
    used = IdempotencyKey.objects.filter(agent_key=agent_key, key=key).select_related("action__trace").first()
    if used is None:
        return None
    if used.request_digest != request_digest:
        raise IdempotencyMismatchError("This Idempotency-Key was used before with another request body.")
    return used.action


def _store_submission(
    agent_key: AgentKey, proposal: Proposal, idempotency_key: str | None, request_digest: str
) -> Submitted:
    """The new action, stored. Raises `_TwinError` when there is one already."""
    retried = _find_retried(agent_key, proposal.retry_of)
    tries = lock_tries(retried) if retried else []
    feedback = feedback_on(tries)
    if tries:
        begins_at = proposal.earlier.position if proposal.earlier else 0
        context = with_earlier_runs(feedback.added_to(proposal.context), tries, begins_at=begins_at)
        proposal = replace(proposal, context=context)
    reserved = None
    if idempotency_key:
        reserved = IdempotencyKey(agent_key=agent_key, key=idempotency_key, request_digest=request_digest)
    call_key = _call_key(proposal)
    existing = statements.lock_and_read(agent_key, proposal.context, proposal.trace_id, call_key, reserved)
    if existing.earlier:
        raise _TwinError
    feedback.require_round(existing.profile)
    trace, position, steps = _continue_trace(agent_key, proposal, existing)
    if not proposal.history_given:
        _require_steps(proposal.action.claims, trace, position)
    action = _build_action(
        agent_key, proposal, existing, call_key=call_key, trace=trace, position=position, retried=retried
    )
    response = model_responses.build_response(action, proposal.context, proposal.earlier, proposal.response)
    checks = _plan_checks(action, existing.profile)
    statements.insert_submission(
        action,
        checks,
        opened=trace if trace._state.adding else None,
        steps=steps,
        response=response,
        reserved=reserved.pk if reserved else None,
    )
    # Each would otherwise wait for a person, who might let it run beside this one. In the order of their ids, as of two
    # retries at once both may lock them.
    open_tries = Action.objects.filter(pk__in=tries, status__in=OPEN).order_by("pk") if tries else ()
    for earlier in open_tries:
        expiry_and_cancellation.supersede_action(action=earlier, by=action)
    # Not before: a worker that is faster than the commit would find no action.
    broker.enqueue_on_commit(action.pk, checks, delay=forced_outcomes.delay_of(action))
    return Submitted(action, created=True, tools_digest=existing.tools_digest)


def _build_action(
    agent_key: AgentKey,
    proposal: Proposal,
    existing: statements.ExistingConversation,
    *,
    call_key: str,
    trace: Trace,
    position: int,
    retried: Action | None,
) -> Action:
    """The proposal as a row, still to be stored; `position` is how many steps of the trace it sees."""
    # Most fields repeat what the profile or the trace say today: both may change while the action waits for a person,
    # and what was decided has to stay explainable.
    return Action(
        workspace_id=agent_key.workspace_id,
        trace=trace,
        agent_key=agent_key,
        agent_id=agent_key.agent_id,
        profile=existing.profile,
        tool_set_id=existing.tool_set,
        position=position,
        sources=[
            {"kind": str(source.kind), "name": source.name, "digest": content_digest(source.text)}
            for source in proposal.context.extra
        ],
        # Empty where the agent names none: the first check reads it from the texts, where a deadline can stop it.
        clock=proposal.context.now,
        tool=proposal.action.tool,
        arguments=dict(proposal.action.arguments),
        key_order=key_order(dict(proposal.action.arguments)),
        subtask=proposal.action.subtask or "",
        provenance=stored_case.write_claims(proposal.action),
        tool_call_id=proposal.tool_call_id,
        call_key=call_key,
        digest=call_digest(proposal.action.tool, proposal.action.arguments),
        risk=proposal.risk,
        expires_at=timezone.now() + timedelta(seconds=proposal.expires_in or existing.profile.expires_in),
        retry_of=retried,
        is_stuck=proposal.is_stuck,
        is_test=agent_key.is_test,
        attempt=retried.attempt + 1 if retried else 1,
        metadata=dict(proposal.metadata),
    )


def _continue_trace(
    agent_key: AgentKey, proposal: Proposal, existing: statements.ExistingConversation
) -> tuple[Trace, int, list[Step]]:
    """The trace, how many of its steps the action sees, and those that are still to be stored."""
    context, external_id = proposal.context, proposal.trace_id or str(uuid7())
    query, earlier = existing.texts[context.query], proposal.earlier
    digests = [store.step_digest(item) for item in context.history]
    before = earlier.position if earlier else 0
    stored = existing.steps[before:]
    shared = min(len(stored), len(digests))
    # History only grows: what an earlier submission of this revision saw stands in it unchanged.
    same_past = earlier is None or earlier.trace.pk == existing.trace
    continues = existing.query == query and (
        not proposal.history_given or (same_past and stored[:shared] == digests[:shared])
    )
    if earlier is not None and existing.trace is None:
        raise lost_past(earlier.named_in)
    if existing.trace is not None and not continues:
        # Another past: the next revision.
        texts = store.store_texts(agent_key.workspace, store.bodies_of(context))
        trace, position = store.store_trace(
            agent_key.agent, external_id, context, texts, history_given=proposal.history_given, earlier=earlier
        )
        return trace, position, []
    trace_key = {"workspace_id": agent_key.workspace_id, "agent_id": agent_key.agent_id, "external_id": external_id}
    if existing.trace is None:
        trace = Trace(query_id=query, **trace_key)
    else:
        # Only what an answer needs: its row is locked, and nothing writes it here.
        trace = Trace.from_db(None, ["id", *trace_key, "query_id"], [existing.trace, *trace_key.values(), query])
    if proposal.history_given:
        store.open_intent(trace, context, earlier)
        new = list(context.history[len(stored) :])
        # Not how many are stored: an action sees no step that its agent did not submit, even if another one has.
        position = before + len(digests)
    else:
        # All that is stored, and of earlier tries what came of them in other conversations.
        new = [item for item, digest in zip(context.history, digests, strict=True) if digest not in existing.steps]
        position = len(existing.steps) + len(new)
    places = enumerate(new, start=len(existing.steps) + 1)
    return trace, position, [store.step_row(trace, place, item, existing.texts) for place, item in places]


def _require_steps(claims: Iterable[Claim], trace: Trace, position: int) -> None:
    """Raises `InvalidSubmissionError` for claims on calls that the stored history does not have."""
    on_steps = [claim for claim in claims if claim.step is not None]
    if not on_steps:
        return
    calls = Step.objects.filter(trace=trace, position__lte=position, kind=StepKind.CALL).order_by("position")
    texts = calls.values_list("text", flat=True)
    returned = {step for step, text in enumerate(texts) if text is not None}
    problems = [
        FieldProblem(pointer_to("provenance", claim.pointer, "step"), NO_SUCH_CALL)
        for claim in on_steps
        if claim.step not in returned
    ]
    if problems:
        raise InvalidSubmissionError(*problems)


def _plan_checks(action: Action, profile: GuardProfile) -> list[Check]:
    """What will run, in the profile's order, a detector named twice once, enforced.

    Empty for a standing order, for an agent that is stuck, and for a test.
    """
    if action.is_stuck or action.is_test or profile.tool_policies.get(action.tool) in UNCHECKED_POLICIES:
        return []
    # A dictionary keeps the order in which its keys came first: the enforced ones, which are waited for, run first.
    modes = dict.fromkeys([*profile.detectors, *profile.shadow], CheckMode.SHADOW)
    modes |= dict.fromkeys(profile.detectors, CheckMode.ENFORCED)
    return [
        Check(action=action, agent_key_id=action.agent_key_id, detector=detector, mode=mode)
        for detector, mode in modes.items()
    ]


def _find_retried(agent_key: AgentKey, retry_of: UUID | None) -> Action | None:
    """The action that this one replaces. Raises `InvalidSubmissionError` when the agent has none of this id."""
    if retry_of is None:
        return None
    action = access.actions_for(agent_key).filter(pk=retry_of).first()
    if action is None:
        raise InvalidSubmissionError(FieldProblem("/retry_of", "There is no such action of this agent."))
    return action
