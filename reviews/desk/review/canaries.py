"""A canary's page: until it is answered the page of any item, then what is known of the call."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import wraps
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from reviews.decisions.decide import OUTCOMES, Choice
from reviews.desk.membership import MemberRequest
from reviews.desk.queue.filters import Filters
from reviews.desk.review import responses
from reviews.errors import ConflictError, NotFoundError
from reviews.models import Canary, Review, Status
from reviews.queue import canaries, ordering


def find_shown(request: MemberRequest, review_id: UUID, *, is_open: bool = True) -> Review:
    """The item, or the person's own canary as an item that is not stored. Raises `NotFoundError`.

    `is_open`: not a canary that was answered already.
    """
    try:
        return responses.find_review(request, review_id)
    except NotFoundError:
        return _find_disguised(request, review_id, is_open=is_open)


def find_to_decide(request: MemberRequest, review_id: UUID) -> Review:
    """As `find_shown`, without the conversation around an item, and of any canary: the answer that stands is told."""
    try:
        return responses.find_to_decide(request, review_id)
    except NotFoundError:
        return _find_disguised(request, review_id, is_open=False)


def is_canary(review: Review) -> bool:
    """Whether this is a canary as an item: nothing of it is stored as one."""
    return review._state.adding


def take_answer(request: MemberRequest, review: Review, choice: Choice) -> HttpResponse:
    """Keep the answer, the first one, and lead to what is known."""
    canary, outcome = _find_canary(request, review.pk, is_open=False), OUTCOMES[type(choice)]
    with suppress(ConflictError):
        canaries.close_canary(canary=canary, membership=request.membership, outcome=outcome)
    return responses.go_to(request, responses.address_of(request, review))


def render_result(request: MemberRequest, review_id: UUID) -> HttpResponse | None:
    """What is known of a closed canary beside the person's own answer; None for anything else."""
    canary = canaries.find_canary(request.membership, review_id)
    if canary is None or canary.closed_at is None:
        return None
    filters = Filters.of(request.GET)
    # Where the queue was left: the item before the canary.
    following = ordering.next_review(membership=request.membership, after=canary.behind, selection=filters.selection)
    context = {"canary": canary, "next": following, "within": filters.within}
    return render(request, "review/canary.html", context)


def reveals_canary(view: Callable[[MemberRequest, UUID], HttpResponse]) -> Callable[..., HttpResponse]:
    """The view of an act that others would see: of a canary nothing is done, and the person learns what it was."""

    @wraps(view)
    def revealed(request: MemberRequest, review_id: UUID) -> HttpResponse:
        try:
            return view(request, review_id)
        except NotFoundError:
            canary = canaries.find_canary(request.membership, review_id)
            if canary is None or canary.closed_at is not None:
                raise
        canaries.close_canary(canary=canary, membership=request.membership)
        return responses.go_to(request, reverse("review", args=[canary.pk]))

    return revealed


def _find_canary(request: MemberRequest, canary_id: UUID, *, is_open: bool) -> Canary:
    canary = canaries.find_canary(request.membership, canary_id)
    if canary is None or (is_open and canary.closed_at is not None):
        raise NotFoundError("There is no such item.")
    return canary


def _find_disguised(request: MemberRequest, canary_id: UUID, *, is_open: bool) -> Review:
    """The call as it stood before it was decided, held by this person, with the canary's own time."""
    canary = _find_canary(request, canary_id, is_open=is_open)
    action, past = canary.action, canary.action.review
    action.status, action.settled_at, action.expires_at = Status.PENDING, None, canary.expires_at
    return Review(
        id=canary.pk,
        created_at=canary.created_at,
        workspace_id=canary.workspace_id,
        action=action,
        priority=past.priority,
        reason=past.reason,
        due_at=canary.expires_at,
        order_at=canary.expires_at,
        claimed_by=request.membership.user,
        claimed_at=canary.created_at,
        claimed_until=canary.expires_at + timedelta(seconds=1),
    )
