"""Run what was approved, once, and say what happened."""

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from pydantic import BaseModel, ConfigDict, Field, JsonValue
from rest_framework.request import Request

from reviews.api.authentication import caller
from reviews.api.parsers import BoundedJSONParser
from reviews.api.responses import answer, answer_header, documented, header, refused, replayed_header
from reviews.api.schemas import answers
from reviews.api.serializers import actions
from reviews.api.views.actions import IDEMPOTENCY_KEY, find_action, idempotency_key
from reviews.api.views.endpoint import Endpoint, refuse_body
from reviews.decisions import executions
from reviews.errors import FieldProblem, InvalidSubmissionError
from reviews.intake.wire.bounded_json_body import decode_submission
from reviews.intake.wire.pydantic_errors import validate_model
from reviews.intake.wire.storable import replace_unstorable
from reviews.models import Action, OutcomeStatus
from reviews.provenance.core.canonical import NotCanonicalError
from reviews.records import store


class Report(BaseModel):
    """What came of the call."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    status: OutcomeStatus
    outcome: JsonValue = Field(
        description="What the tool returned: text, or any JSON. NUL and half a surrogate pair become U+FFFD."
    )
    tool: str | None = Field(
        default=None, max_length=200, description="The tool that ran; by default the approved one."
    )
    arguments: dict[str, JsonValue] | None = Field(
        default=None,
        description="The arguments it ran with. They are held against the approved ones; a difference is marked in the "
        "answer, shown to reviewers and audited. Left out, nothing is said about them.",
    )

    @property
    def says_what_ran(self) -> bool:
        """Whether the call itself is reported, too."""
        return self.tool is not None or self.arguments is not None


@dataclass(frozen=True)
class StorableBody:
    """A body of which everything can be stored."""

    value: JsonValue
    replaced: int
    """Characters that could not be."""


class StorableJSONParser(BoundedJSONParser):
    """Replaces what cannot be stored instead of refusing it: the call has run, and cannot return anything else."""

    def decode(self, body: bytes) -> StorableBody:
        """The body's value and how much of it was replaced."""
        storable, replaced = replace_unstorable(body)
        return StorableBody(decode_submission(storable), replaced)


class ExecutionView(Endpoint):
    """The one-time permission to run."""

    @extend_schema(
        operation_id="execution_start",
        summary="Take the permission to run",
        request=None,
        parameters=[
            header(
                "Idempotency-Key",
                pattern=IDEMPOTENCY_KEY,
                description="Up to 200 printable characters. Until the outcome is reported, the same key is given "
                "the same permission again.",
            ),
            answer_header("Idempotency-Replayed", "`true`: an earlier request has taken this permission.", 201),
        ],
        responses={
            **documented(started_201=(answers.Execution, "Run exactly this call. It is told once.")),
            **refused(400, 404, 409, 413, 415, 422),
        },
    )
    def post(self, request: Request, action_id: UUID) -> HttpResponse:
        """Answers once with the exact tool and arguments.

        Send an `Idempotency-Key`: should the answer be lost, the same request is given it again, until the outcome is
        reported, with `Idempotency-Replayed: true`. 409 for every other request afterwards, when nothing approved the
        call, when a later try of it (`retry_of`) has taken its place, and with the type `expired` once the decision's
        `executable_until` is over.
        """
        action = find_action(request, action_id)
        refuse_body(request)
        # From the decision, not from the proposal: a reviewer may have edited the call.
        started = executions.start_execution(
            action=action,
            agent_key=caller(request),
            idempotency_key=idempotency_key(request) or "",
        )
        execution = actions.serialize_execution(action, started.execution)
        return answer(execution, 201, replayed_header(created=started.created))


def _executed_call(report: Report, action: Action) -> executions.ExecutedCall | None:
    """What ran; of the part that the agent leaves out it says that it was approved. Raises `InvalidError`."""
    if not report.says_what_ran:
        return None
    decision = action.decisions.filter(in_force=True).first()
    approved = decision or action
    executed = executions.ExecutedCall(
        approved.tool if report.tool is None else report.tool,
        approved.arguments if report.arguments is None else report.arguments,
    )
    try:
        _ = executed.digest
    except NotCanonicalError as error:
        raise InvalidSubmissionError(FieldProblem("/arguments", str(error))) from error
    return executed


class OutcomeView(Endpoint):
    """What came of an execution."""

    parser_classes = [StorableJSONParser]

    @extend_schema(
        operation_id="execution_report",
        summary="Report the outcome",
        request=Report,
        responses={
            **documented(kept_200=(answers.Execution, "The outcome is kept as the next step of the history.")),
            **refused(400, 404, 409, 413, 415, 422),
        },
    )
    def put(self, request: Request, action_id: UUID) -> HttpResponse:
        """Repeating the same report changes nothing; another one is refused with 409.

        An outcome is kept even where single characters of it cannot be: `replaced_characters` says how many.
        """
        # Django REST framework shows an empty body to no parser, and takes it for an object without fields.
        body = request.data if isinstance(request.data, StorableBody) else StorableBody({}, 0)
        report = validate_model(Report, body.value)
        action = find_action(request, action_id)
        reported = executions.report_outcome(
            action=action,
            status=report.status,
            # Kept as the text that the next submission's history would hold.
            outcome=store.text_of_outcome(report.outcome),
            replaced=body.replaced,
            executed=_executed_call(report, action),
            by=caller(request),
        )
        return answer(actions.serialize_execution(action, reported))
