"""Submit plans to the plan gate and read its answers."""

from functools import partial
from typing import Final
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from reviews import access
from reviews.api import rate_limits
from reviews.api.authentication import caller, trusts_annotations
from reviews.api.docs.openapi import query_parameters
from reviews.api.preferences import WAIT
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
from reviews.api.schemas import plan_answers
from reviews.api.schemas.query_params import WaitQuery, read_query
from reviews.api.serializers import plans as plan_representation
from reviews.api.views.endpoint import Endpoint
from reviews.errors import found
from reviews.intake import plans
from reviews.intake.continuation import SentBefore
from reviews.intake.wire.read_plan import read_draft
from reviews.intake.wire.schemas.plans import PlanSubmission

# When it is worth asking again: a plan waits for no person, only for a few questions to the judge.
RETRY_SECONDS: Final = 1
_UNDECIDED: Final = "The plan is still being checked; seconds after which to ask again."


class PlansView(Endpoint):
    """Plans that agents make before they begin."""

    @extend_schema(
        operation_id="plans_submit",
        summary="Submit a plan",
        request=PlanSubmission,
        parameters=[
            header("Prefer", "`wait=N`: wait up to N seconds for the answer.", pattern=WAIT),
            answer_header("Location", "Where the plan is read.", 200, 202),
            answer_header("Retry-After", _UNDECIDED, 202),
            answer_header("Preference-Applied", "The wait that was granted, at most the server's longest.", 200, 202),
            answer_header("Idempotency-Replayed", "`true`: an earlier request has submitted this plan.", 200, 202),
            *RATE_LIMITS,
        ],
        responses={
            **documented(
                decided_200=(plan_answers.Plan, "Answered in time."),
                undecided_202=(plan_answers.Plan, "Accepted, unanswered: it must not be carried out yet."),
            ),
            **refused(400, 413, 415, 422, 429),
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """The plan is held against the user's request: nothing harmful, and nothing else than what was asked for.

        The same plan submitted again, as long as no other and no word of the user followed, is the same one and is not
        checked again. Name the `trace_id` in the actions that follow: where the workspace's guard asks for plans, each
        call is held against the last one.

        Rules alone cannot tell whether a plan is safe. Where the profile names no model as judge, every plan ends in
        `reject`, and `model_message` says that nobody could judge it; unless the profile lets pass what nobody can
        tell. With a model the answer is `safe`, with “The plan may be carried out. …”, `rewrite` or `reject`.
        """
        # Before the body is read, and once more for what it says.
        rate_limits.spend_submission(caller(request))
        rate_limits.spend_content(caller(request), request.data)
        self.headers |= rate_limits.rate_limit_headers(caller(request))
        sent_before = SentBefore(caller(request))
        draft = read_draft(request.data, trusted=partial(trusts_annotations, request), sent_before=sent_before)
        submitted = plans.submit_plan(agent_key=caller(request), draft=draft)
        plan = plan_representation.serialize_plan(submitted.plan)
        replayed = replayed_header(created=submitted.created)
        headers = {"Location": plan.links.self, **_retry_after(plan), **replayed}
        # 200 at once is possible: the same plan may have been submitted, and answered, before.
        return answer(plan, 202 if plan.status == "checking" else 200, headers)


class PlanView(Endpoint):
    """One plan."""

    reads_query = frozenset({"GET"})

    @extend_schema(
        operation_id="plans_read",
        summary="Read a plan",
        parameters=[*query_parameters(WaitQuery), *read_headers(_UNDECIDED)],
        responses={
            **documented(
                ok_200=(plan_answers.Plan, "The plan. After the wait it may still be unanswered."),
                unchanged_304=(None, "Nothing changed since the ETag."),
            ),
            **refused(404, 422),
        },
    )
    def get(self, request: Request, plan_id: UUID) -> HttpResponse:
        """What the plan gate answers. With `wait` the reply is held back until it has answered or the time is over."""
        # Waiting itself happens in front of Django; here the parameter is only validated.
        read_query(WaitQuery, request.query_params)
        stored = found(access.plans_for(caller(request)).filter(pk=plan_id).first(), "plan of this agent")
        plan = plan_representation.serialize_plan(stored)
        return conditional(request, answer(plan), _retry_after(plan))


def _retry_after(plan: plan_answers.Plan) -> dict[str, str]:
    """The header for a plan that is still being checked; none for one that is decided."""
    return {"Retry-After": str(RETRY_SECONDS)} if plan.status == "checking" else {}
