"""Submit proposed calls and read where they stand."""

import hashlib
import json
import re
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from reviews import access
from reviews.api import rate_limits
from reviews.api.authentication import caller, trusts_annotations
from reviews.api.docs.openapi import query_parameters
from reviews.api.preferences import WAIT, BadHeaderError
from reviews.api.responses import (
    RATE_LIMITS,
    answer,
    answer_header,
    conditional,
    documented,
    header,
    read_headers,
    refused,
    replayed_header,
)
from reviews.api.schemas import answers
from reviews.api.schemas.query_params import ActionQuery, ActionsQuery, read_query
from reviews.api.serializers import actions as representation
from reviews.api.serializers import stored
from reviews.api.views.endpoint import Endpoint, refuse_body
from reviews.decisions import expiry_and_cancellation, user_confirmation
from reviews.errors import found
from reviews.intake import actions
from reviews.intake.continuation import SentBefore, token_of
from reviews.intake.wire.read_action import read_proposal
from reviews.intake.wire.schemas.actions import Submission
from reviews.models import OPEN, Action, Status
from reviews.pagination import keyset

# By the id as well: two actions may be created in the same microsecond, and a cursor must not skip one.
NEWEST_FIRST: Final = ("-created_at", "-id")
# When it is worth asking again: a check takes a second or so, a person rarely less than five.
RETRY_SECONDS: Final = {Status.CHECKING: 1, Status.PENDING: 5}
# No spaces and nothing beyond ASCII: proxies trim and re-encode such values, and a key has to come back unchanged.
IDEMPOTENCY_KEY: Final = r"^[\x21-\x7e]{1,200}$"
_UNDECIDED = "The action is still undecided; seconds after which to ask again."


class ActionsView(Endpoint):
    """Proposed calls."""

    reads_query = frozenset({"GET"})

    @extend_schema(
        operation_id="actions_submit",
        summary="Propose a call",
        request=Submission,
        parameters=[
            header(
                "Idempotency-Key",
                pattern=IDEMPOTENCY_KEY,
                description="Up to 200 printable characters. The same key and body give the same action.",
            ),
            header("Prefer", "`wait=N`: wait up to N seconds for the decision.", pattern=WAIT),
            answer_header("Location", "Where the action is read.", 200, 202),
            answer_header("Retry-After", _UNDECIDED, 202),
            answer_header("Preference-Applied", "The wait that was granted, at most the server's longest.", 200, 202),
            answer_header("Continue-From", "To send as `continues`, with only what came after.", 200, 202),
            answer_header("Continue-Behind", "How many messages of this request are not to be sent again.", 200, 202),
            answer_header("Tools-Digest", "To send as `tools_digest`, in place of the same tools.", 200, 202),
            answer_header("Idempotency-Replayed", "`true`: an earlier request has made this action.", 200, 202),
            *RATE_LIMITS,
        ],
        responses={
            **documented(
                decided_200=(answers.Action, "Settled in time."),
                undecided_202=(answers.Action, "Accepted, undecided: it must not run yet."),
            ),
            **refused(400, 409, 413, 415, 422, 429),
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """Submit in our own shape, or as agents on OpenAI, Anthropic or MCP hold a call already.

        The call may run when `decision.outcome` of the answer is `approve` or `edit`, and not before: HTTP 200 says
        that the action is settled, and a rejection settles it too. The same `trace_id` and `tool_call_id` again are
        the same action; with another call they are a 409. `retry_of` supersedes every undecided try of
        that call; one that was approved and has not begun can begin no more.
        """
        key = idempotency_key(request)
        # Before the body is read, and once more for what it says.
        rate_limits.spend_submission(caller(request))
        rate_limits.spend_content(caller(request), request.data)
        self.headers |= rate_limits.rate_limit_headers(caller(request))
        proposal = read_proposal(
            request.data, trusted=partial(trusts_annotations, request), sent_before=SentBefore(caller(request))
        )
        submitted = actions.submit_action(
            agent_key=caller(request),
            proposal=proposal,
            idempotency_key=key,
            # Equal for bodies that say the same, whatever their white space and the order of their names.
            request_digest=hashlib.sha256(json.dumps(request.data, sort_keys=True).encode()).hexdigest() if key else "",
        )
        if submitted.created:
            action = representation.serialize_new_action(submitted.action)
        else:
            # A replay: by now there may be a verdict and a decision to answer with.
            action = representation.serialize_action(find_action(request, submitted.action.pk))
        headers = {"Location": action.links.self, **_retry_after(action), **_submission_headers(proposal, submitted)}
        return answer(action, 202 if action.status in OPEN else 200, headers)

    @extend_schema(
        operation_id="actions_list",
        summary="List actions",
        parameters=query_parameters(ActionsQuery),
        responses={**documented(ok_200=(answers.ActionPage, "Newest first.")), **refused(422)},
    )
    def get(self, request: Request) -> HttpResponse:
        """The agent's actions, newest first; `next_cursor` leads on."""
        query = read_query(ActionsQuery, request.query_params)
        matching = access.actions_for(caller(request)).filter(**query.field_lookups())
        matching = representation.prefetch_readable(matching, query.members)
        page = keyset(matching, order=NEWEST_FIRST, cursor=query.cursor, limit=query.limit)
        items = [representation.serialize_action(listed, query.members) for listed in page.items]
        return answer(answers.ActionPage(items=items, next_cursor=page.next_cursor), members=query.members)


class ActionView(Endpoint):
    """One proposed call."""

    reads_query = frozenset({"GET"})

    @extend_schema(
        operation_id="actions_read",
        summary="Read an action",
        parameters=[*query_parameters(ActionQuery), *read_headers(_UNDECIDED)],
        responses={
            **documented(
                ok_200=(answers.Action, "The action. After the wait it may still be undecided."),
                unchanged_304=(None, "Nothing changed since the ETag."),
            ),
            **refused(404, 422),
        },
    )
    def get(self, request: Request, action_id: UUID) -> HttpResponse:
        """Where the action stands. With `wait` the answer is held back until it is settled or the time is over."""
        # Waiting itself happens in front of Django; here the parameter is only validated.
        query = read_query(ActionQuery, request.query_params)
        action = representation.serialize_action(find_action(request, action_id), query.members)
        return conditional(request, answer(action, members=query.members), _retry_after(action))


class CancelView(Endpoint):
    """The agent's retreat."""

    @extend_schema(
        operation_id="actions_cancel",
        summary="Cancel an action",
        request=None,
        responses={**documented(ok_200=(answers.Action, "Cancelled.")), **refused(400, 404, 409, 413, 415, 422)},
    )
    def post(self, request: Request, action_id: UUID) -> HttpResponse:
        """Take an undecided action back. Cancelling again changes nothing; a settled action is a 409."""
        action = find_action(request, action_id)
        refuse_body(request)
        expiry_and_cancellation.cancel_action(action=action, agent_key=caller(request))
        # Read again: cancelling has changed it.
        return answer(representation.serialize_action(find_action(request, action_id)))


class UserConfirmationView(Endpoint):
    """A question to the acting user."""

    @extend_schema(
        operation_id="actions_ask_user",
        summary="Ask the user",
        request=None,
        responses={
            **documented(ok_200=(answers.UserConfirmation, "The page for the user, the same each time.")),
            **refused(400, 403, 404, 409, 413, 415, 422),
        },
    )
    def post(self, request: Request, action_id: UUID) -> HttpResponse:
        """Let the user for whom the agent acts confirm or refuse this waiting call, where the workspace allows that."""
        action = find_action(request, action_id)
        refuse_body(request)
        path = user_confirmation.ask_user(action=action, by=caller(request))
        url = settings.GUARD.public_url + path
        return answer(answers.UserConfirmation(url=url, expires_at=action.expires_at))


def find_action(request: Request, action_id: UUID) -> Action:
    """The action, if the caller's agent owns it. Raises `NotFoundError`."""
    return found(stored.action_for(caller(request), action_id), "action of this agent")


def idempotency_key(request: Request) -> str | None:
    """The request's key; None without one. Raises `BadHeaderError`."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not re.fullmatch(IDEMPOTENCY_KEY, key):
        raise BadHeaderError("Idempotency-Key takes 1 to 200 printable ASCII characters without spaces.")
    return key


def _submission_headers(proposal: actions.Proposal, submitted: actions.Submitted) -> dict[str, str]:
    """The headers that tell a repetition, and spare the next submission what this one has sent."""
    headers = replayed_header(created=submitted.created)
    # Of another past, what would be continued is not what this agent has behind it.
    if proposal.resumption is not None and submitted.is_same_past:
        headers["Continue-From"] = token_of(submitted.action, proposal.resumption.position)
        headers["Continue-Behind"] = str(proposal.resumption.messages)
    if submitted.tools_digest:
        headers["Tools-Digest"] = submitted.tools_digest + proposal.server_word
    return headers


def _retry_after(action: answers.Action) -> dict[str, str]:
    """The header for an action that may still change; none for one that is settled."""
    seconds = RETRY_SECONDS.get(action.status)
    return {} if seconds is None else {"Retry-After": str(seconds)}
