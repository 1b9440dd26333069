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
    ├── ApprovedByYouError            the call takes a second person, and this is the first
    ├── NotSeenError                  the page that decided did not show this call, or not for long enough
    ├── ExpiresSoonError              too little time is left to put the item off
    ├── ToldError                     a decision that can no longer be taken back
    ├── NotOpenError                  expired, cancelled or superseded
    ├── UndecidedError                somebody still waits for what would be removed
    ├── ClaimedError                  the review that another person holds is attached
    ├── NotRunnableError              no approval to execute
    ├── PermissionExpiredError        the approval was not used in time
    ├── AlreadyExecutedError          the one permission is used up
    ├── NotExecutingError             an outcome for a call that was never started
    ├── ContendedError                others kept changing the same rows
    ├── TooFewLabelsError             not enough labelled actions to learn from
    ├── LastAdminError                somebody must be left who can administer
    ├── AlreadyIssuedError            the form that asked for a secret was sent before
    ├── AlreadyMemberError            the invited person belongs to the workspace
    ├── InvitationEndedError          used, withdrawn or past its time
    ├── CampaignStateError            it is paused, closed, or not what the act needs
    ├── VersionNumberError            the next version of the dataset has another number
    └── NotAssignedError              the item is not, or no longer, this annotator's
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final, TypeVar

from reviews.models import OPEN, Action, Campaign, DecidedBy, Decision, Review, Status

R = TypeVar("R")


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
    """What all problems of the type have in common, for people."""
    headers: Mapping[str, str] = MappingProxyType({})
    """Of the answer, besides its own."""
    members: Mapping[str, str] = MappingProxyType({})
    """Of the problem, for programs; named in the API's document."""

    def __init_subclass__(cls, *, problem: str, title: str, status_code: int | None = None) -> None:
        super().__init_subclass__()
        cls.problem, cls.title = problem, title
        if status_code is not None:
            cls.status_code = status_code


class NotFoundError(ReviewError, problem="not-found", title="Not found", status_code=404):
    """There is no such thing, or it is not for the one who made the request."""

    # 404 for both: another workspace must not learn from a 403 that the thing exists.


def found(row: R | None, noun: str) -> R:
    """The row. Raises `NotFoundError` for None: there is none, or none for whoever asks."""
    if row is None:
        raise NotFoundError(f"There is no such {noun}.")
    return row


class ForbiddenError(ReviewError, problem="forbidden", title="Not allowed", status_code=403):
    """The person's role does not include this."""


class InvalidError(ReviewError, problem="invalid", title="Invalid input", status_code=422):
    """Some field cannot be accepted."""

    def __init__(self, *errors: FieldProblem) -> None:
        sentences = (f"{error.pointer or 'body'}: {error.message.removesuffix('.')}" for error in errors)
        super().__init__("; ".join(sentences) + ".")
        self.errors = list(errors)


class InvalidSubmissionError(InvalidError, problem="invalid-submission", title="Invalid submission"):
    """The proposed action cannot be accepted as it stands."""


class InvalidEditError(InvalidError, problem="invalid-edit", title="Invalid edit"):
    """The edited call cannot be released as it stands."""


class InvalidCursorError(InvalidError, problem="invalid-cursor", title="Invalid cursor"):
    """The cursor was not made by this listing. `pointer` names the parameter it came in."""

    def __init__(self, pointer: str = "/cursor") -> None:
        super().__init__(FieldProblem(pointer, "This cursor was not issued for this listing."))


class InvalidProfileError(InvalidError, problem="invalid-profile", title="Invalid guard profile"):
    """The guard profile cannot be stored as it stands."""


class InvalidCampaignError(InvalidError, problem="invalid-campaign", title="Invalid campaign"):
    """The dataset or campaign cannot be opened as it stands."""


class InvalidAnnotationError(InvalidError, problem="invalid-annotation", title="Invalid label"):
    """The label cannot be stored as it stands."""


class TooLargeError(ReviewError, problem="too-large", title="Too large", status_code=413):
    """The request is larger than the bound."""


class IdempotencyMismatchError(
    ReviewError, problem="idempotency-mismatch", title="Idempotency key reused", status_code=422
):
    """The key was used before with another body."""

    # 422 as the IETF draft on the Idempotency-Key header asks; a 409 would invite the client to retry.


class BudgetExceededError(ReviewError, problem="budget-exceeded", title="Too many submissions", status_code=429):
    """An agent key, or all of a workspace's together, submits more than their budget of a minute."""

    def __init__(self, budget: str, seconds: int, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(f"The budget of {budget} is used up; try again in {seconds} seconds.")
        self.headers = {"Retry-After": str(seconds), **headers}
        self.members = {"budget": budget}


class ConflictError(ReviewError, problem="conflict", title="Conflict", status_code=409):
    """The state does not allow it, or no longer allows it."""


class DuplicateCallError(ConflictError, problem="duplicate-call", title="Another call of this name"):
    """The agent gave the same name to another call before; that call's action is attached."""

    def __init__(self, action: Action) -> None:
        super().__init__(
            "This trace_id and tool_call_id name another call already, whose action is "
            f"{action.pk}; name each call once, or say with retry_of that it replaces that one."
        )
        self.action = action
        self.members = {"action": str(action.pk)}


class RetryRoundsUsedUpError(ConflictError, problem="retries-used-up", title="Retries used up"):
    """The call was tried as often as the profile allows: the agent stops and tells its user."""

    def __init__(self, rounds: int, *, tries: int) -> None:
        sent_back = f"sent back {'once' if rounds == 1 else f'{rounds} times'}" if rounds else f"tried {tries} times"
        super().__init__(f"This call was {sent_back}. The workspace allows no further try. Stop, and tell the user.")
        self.members = {"rounds": str(rounds)}


_DECIDERS: Final = MappingProxyType(
    {DecidedBy.GUARD: "the guard", DecidedBy.POLICY: "the workspace's policy", DecidedBy.USER: "the user"}
)


def _name_decider(decision: Decision) -> str:
    """Whoever decided; a reviewer whose account is gone is a reviewer all the same."""
    name = decision.reviewer.get_username() if decision.reviewer else "a reviewer"
    return _DECIDERS.get(DecidedBy(decision.decided_by), name)


class AlreadyDecidedError(ConflictError, problem="already-decided", title="Already decided"):
    """Someone decided first; the decision that stands is attached."""

    def __init__(self, decision: Decision | None) -> None:
        message = (
            f"Already decided by {_name_decider(decision)}: {decision.outcome}." if decision else "Already decided."
        )
        super().__init__(message)
        self.decision = decision


class ApprovedByYouError(ConflictError, problem="approved-by-you", title="Approved by you"):
    """The call takes two people's approval, and whoever approves now was the first."""

    def __init__(self) -> None:
        super().__init__("You approved this first. Another person has to approve it, too.")


class NotSeenError(ConflictError, problem="not-seen", title="Not seen as it is"):
    """The decision does not come from a page that showed this call to this person for a moment."""


class ExpiresSoonError(ConflictError, problem="expires-soon", title="Expires soon"):
    """Too little time is left to hide the item for a while."""


class ToldError(ConflictError, problem="told", title="The agent was told"):
    """The decision is in force, or its call has ended: it cannot be taken back."""


class NotOpenError(ConflictError, problem="not-open", title="No longer open"):
    """The action left the queue without a decision."""

    def __init__(self, action: Action) -> None:
        super().__init__(f"The action is {action.status} and can no longer be decided.")
        self.status = action.status


class UndecidedError(ConflictError, problem="undecided", title="Still undecided"):
    """Something would be removed about which somebody still waits."""


class ClaimedError(ConflictError, problem="claimed", title="Claimed by another reviewer"):
    """Another person holds this item."""

    def __init__(self, review: Review) -> None:
        who = review.claimed_by.get_username() if review.claimed_by else "Another reviewer"
        super().__init__(f"{who} is looking at this item.")
        self.review = review


class NotRunnableError(ConflictError, problem="not-runnable", title="Not approved"):
    """Nothing has approved this call, or another try has taken its place."""


class PermissionExpiredError(ConflictError, problem="expired", title="Permission expired"):
    """The call was approved, and not started in time."""


class AlreadyExecutedError(ConflictError, problem="already-executed", title="Already executed"):
    """The one permission to run was handed out before."""


class NotExecutingError(ConflictError, problem="not-executing", title="Not executing"):
    """An outcome needs an execution that was started and not yet reported."""


class ContendedError(ConflictError, problem="contended", title="Changed by others at once"):
    """Others changed the same rows at the same moment, again and again. Nothing was changed."""


class TooFewLabelsError(ConflictError, problem="too-few-labels", title="Too few labels"):
    """What people have decided so far is too little to fit a threshold to."""

    def __init__(self, count: int, needed: int, *, failed: int = 0) -> None:
        unjudged = f" {failed} cases could not be judged, and are left out." if failed else ""
        super().__init__(f"Labelled actions with a score: {count}. At least {needed} are needed.{unjudged}")
        self.count = count
        self.needed = needed


class LastAdminError(ConflictError, problem="last-admin", title="Last administrator"):
    """Without this administrator nobody could administer the workspace."""


class AlreadyIssuedError(ConflictError, problem="already-issued", title="Already issued"):
    """The form was sent before: what it asked for was issued then, and its secret shown."""


class AlreadyMemberError(ConflictError, problem="already-member", title="Already a member"):
    """The invited person belongs to the workspace already."""


class InvitationEndedError(ConflictError, problem="invitation-ended", title="Invitation ended"):
    """The invitation was used or withdrawn, or its time is over."""


class CampaignStateError(ConflictError, problem="campaign-state", title="Not in this state of the campaign"):
    """The campaign is paused or closed, or not in the state that the act needs."""

    def __init__(self, campaign: Campaign) -> None:
        super().__init__(f"The campaign {campaign.name} is {campaign.state}.")


class VersionNumberError(ConflictError, problem="version-number", title="Not the next version"):
    """The dataset's next version has another number."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(f"Version {number} cannot be frozen with these splits and this seed: {why}.")


class NotAssignedError(ConflictError, problem="not-assigned", title="Not assigned"):
    """The item is not, or no longer, this annotator's; what was typed is kept as a draft."""


def not_open(action: Action) -> AlreadyDecidedError | NotOpenError:
    """Why an action can no longer be decided, to be raised: the decision that stands, or how the wait ended.

    Writes nothing: an action past its time is told as expired on the object only.
    """
    # The caller's copy is what it was when its compare-and-set failed, so it cannot say what came first.
    action.refresh_from_db(fields=["status"])
    if action.status == Status.DECIDED:
        return AlreadyDecidedError(action.decisions.select_related("reviewer").filter(in_force=True).first())
    held_decision = action.decisions.select_related("reviewer").filter(held_until__isnull=False).first()
    if held_decision is not None:
        return AlreadyDecidedError(held_decision)
    if action.status in OPEN:
        # Its time is over, though the sweep has not expired it yet.
        action.status = Status.EXPIRED
    return NotOpenError(action)
