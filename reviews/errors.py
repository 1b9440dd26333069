"""Everything a use case may refuse, each with its HTTP status and problem type.

ReviewError
├── NotFoundError               404
├── ForbiddenError              403
├── InvalidError                422   with a pointer to each field
│   ├── InvalidSubmissionError
│   ├── InvalidEditError
│   ├── InvalidCursorError
│   ├── InvalidProfileError
│   ├── InvalidCampaignError
│   └── InvalidAnnotationError
├── TooLargeError               413
├── IdempotencyMismatchError    422
├── BudgetExceededError         429   with the seconds after which to try again
└── ConflictError               409
    ├── DuplicateCallError            the earlier action of this name is attached
    ├── AlreadyDecidedError           the decision that stands is attached
    ├── NotOpenError                  expired, cancelled or superseded
    ├── ClaimedError                  the review that another person holds is attached
    ├── NotRunnableError              no approval to execute
    ├── PermissionExpiredError        the approval was not used in time
    ├── AlreadyExecutedError          the one permission is used up
    ├── NotExecutingError             an outcome for a call that was never started
    ├── ContendedError                others kept changing the same rows
    ├── TooFewLabelsError             not enough labelled actions to learn from
    ├── LastAdminError                somebody must be left who can administer
    ├── AlreadyMemberError            the invited person belongs to the workspace
    ├── InvitationEndedError          used, withdrawn or past its time
    ├── CampaignStateError            it is paused, closed, or not what the act needs
    └── NotAssignedError              the item is not, or no longer, this annotator's
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from reviews.models import OPEN, Action, Campaign, Decision, Review, Status


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """What is wrong with one field."""

    pointer: str
    """JSON Pointer into the request body."""
    message: str


class ReviewError(Exception):
    """A refusal. `str()` is a sentence for the person or agent that made the request."""

    status_code: ClassVar[int] = 400
    problem: ClassVar[str] = "refused"
    """Last part of the problem type's URI."""
    title: ClassVar[str] = "Refused"
    headers: Mapping[str, str] = MappingProxyType({})
    """Of the answer, besides its own."""
    members: Mapping[str, str] = MappingProxyType({})
    """Of the problem, for programs; named in the API's document."""


class NotFoundError(ReviewError):
    """There is no such thing, or it is not for the one who made the request."""

    # 404 for both: another workspace must not learn from a 403 that the thing exists.

    status_code = 404
    problem = "not-found"
    title = "Not found"


class ForbiddenError(ReviewError):
    """The person's role does not include this."""

    status_code = 403
    problem = "forbidden"
    title = "Not allowed"


class InvalidError(ReviewError):
    """Some field cannot be accepted."""

    status_code = 422
    problem = "invalid"
    title = "Invalid input"

    def __init__(self, *errors: FieldProblem) -> None:
        sentences = (f"{error.pointer or 'body'}: {error.message.removesuffix('.')}" for error in errors)
        super().__init__("; ".join(sentences) + ".")
        self.errors = list(errors)


class InvalidSubmissionError(InvalidError):
    """The proposed action cannot be accepted as it stands."""

    problem = "invalid-submission"
    title = "Invalid submission"


class InvalidEditError(InvalidError):
    """The edited call cannot be released as it stands."""

    problem = "invalid-edit"
    title = "Invalid edit"


class InvalidCursorError(InvalidError):
    """The cursor was not made by this listing. `pointer` names the parameter it came in."""

    problem = "invalid-cursor"
    title = "Invalid cursor"

    def __init__(self, pointer: str = "/cursor") -> None:
        super().__init__(FieldProblem(pointer, "This cursor was not issued for this listing."))


class InvalidProfileError(InvalidError):
    """The guard profile cannot be stored as it stands."""

    problem = "invalid-profile"
    title = "Invalid guard profile"


class InvalidCampaignError(InvalidError):
    """The dataset or campaign cannot be opened as it stands."""

    problem = "invalid-campaign"
    title = "Invalid campaign"


class InvalidAnnotationError(InvalidError):
    """The label cannot be stored as it stands."""

    problem = "invalid-annotation"
    title = "Invalid label"


class TooLargeError(ReviewError):
    """The request is larger than the bound."""

    status_code = 413
    problem = "too-large"
    title = "Too large"


class IdempotencyMismatchError(ReviewError):
    """The key was used before with another body."""

    # 422 as the IETF draft on the Idempotency-Key header asks; a 409 would invite the client to retry.

    status_code = 422
    problem = "idempotency-mismatch"
    title = "Idempotency key reused"


class BudgetExceededError(ReviewError):
    """An agent key, or all of a workspace's together, submits more than their budget of a minute."""

    status_code = 429
    problem = "budget-exceeded"
    title = "Too many submissions"

    def __init__(self, budget: str, seconds: int) -> None:
        super().__init__(f"The budget of {budget} is used up; try again in {seconds} seconds.")
        self.headers = {"Retry-After": str(seconds)}
        self.members = {"budget": budget}


class ConflictError(ReviewError):
    """The state does not allow it, or no longer allows it."""

    status_code = 409
    problem = "conflict"
    title = "Conflict"


class DuplicateCallError(ConflictError):
    """The agent gave the same name to another call before; that call's action is attached."""

    problem = "duplicate-call"
    title = "Another call of this name"

    def __init__(self, action: Action) -> None:
        super().__init__(
            "This trace_id and tool_call_id name another call already, whose action is "
            f"{action.pk}; name each call once, or say with retry_of that it replaces that one."
        )
        self.action = action
        self.members = {"action": str(action.pk)}


class AlreadyDecidedError(ConflictError):
    """Someone decided first; the decision that stands is attached."""

    problem = "already-decided"
    title = "Already decided"

    def __init__(self, decision: Decision | None) -> None:
        who = decision.reviewer.get_username() if decision and decision.reviewer else "the guard"
        super().__init__(f"Already decided by {who}: {decision.outcome}." if decision else "Already decided.")
        self.decision = decision


class NotOpenError(ConflictError):
    """The action left the queue without a decision."""

    problem = "not-open"
    title = "No longer open"

    def __init__(self, action: Action) -> None:
        super().__init__(f"The action is {action.status} and can no longer be decided.")
        self.status = action.status


class UndecidedError(ConflictError):
    """Something would be removed about which somebody still waits."""

    problem = "undecided"
    title = "Still undecided"


class ClaimedError(ConflictError):
    """Another person holds this item."""

    problem = "claimed"
    title = "Claimed by another reviewer"

    def __init__(self, review: Review) -> None:
        who = review.claimed_by.get_username() if review.claimed_by else "Another reviewer"
        super().__init__(f"{who} is looking at this item.")
        self.review = review


class NotRunnableError(ConflictError):
    """Nothing has approved this call."""

    problem = "not-runnable"
    title = "Not approved"


class PermissionExpiredError(ConflictError):
    """The call was approved, and not started in time."""

    problem = "expired"
    title = "Permission expired"


class AlreadyExecutedError(ConflictError):
    """The one permission to run was handed out before."""

    problem = "already-executed"
    title = "Already executed"


class NotExecutingError(ConflictError):
    """An outcome needs an execution that was started and not yet reported."""

    problem = "not-executing"
    title = "Not executing"


class ContendedError(ConflictError):
    """Others changed the same rows at the same moment, again and again. Nothing was changed."""

    problem = "contended"
    title = "Changed by others at once"


class TooFewLabelsError(ConflictError):
    """What people have decided so far is too little to fit a threshold to."""

    problem = "too-few-labels"
    title = "Too few labels"

    def __init__(self, count: int, needed: int) -> None:
        super().__init__(f"Labelled actions with a score: {count}. At least {needed} are needed.")
        self.count = count
        self.needed = needed


class LastAdminError(ConflictError):
    """Without this administrator nobody could administer the workspace."""

    problem = "last-admin"
    title = "Last administrator"


class AlreadyMemberError(ConflictError):
    """The invited person belongs to the workspace already."""

    problem = "already-member"
    title = "Already a member"


class InvitationEndedError(ConflictError):
    """The invitation was used or withdrawn, or its time is over."""

    problem = "invitation-ended"
    title = "Invitation ended"


class CampaignStateError(ConflictError):
    """The campaign is paused or closed, or not in the state that the act needs."""

    problem = "campaign-state"
    title = "Not in this state of the campaign"

    def __init__(self, campaign: Campaign) -> None:
        super().__init__(f"The campaign {campaign.name} is {campaign.state}.")


class NotAssignedError(ConflictError):
    """The item is not, or no longer, this annotator's; what was typed is kept as a draft."""

    problem = "not-assigned"
    title = "Not assigned"


def not_open(action: Action) -> AlreadyDecidedError | NotOpenError:
    """Why an action can no longer be decided, to be raised: the decision that stands, or how the wait ended.

    Writes nothing: an action past its time is told as expired on the object only.
    """
    # The caller's copy is what it was when its compare-and-set failed, so it cannot say what came first.
    action.refresh_from_db(fields=["status"])
    if action.status == Status.DECIDED:
        return AlreadyDecidedError(action.decisions.select_related("reviewer").filter(in_force=True).first())
    if action.status in OPEN:
        # Its time is over, though the sweep has not expired it yet.
        action.status = Status.EXPIRED
    return NotOpenError(action)
