"""Hand an item over from its page: escalate it, assign it, or take it over."""

from collections.abc import Callable
from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.review import canaries, responses
from reviews.desk.review.forms import HandoverForm
from reviews.errors import ConflictError
from reviews.queue import handovers, review_claims


@require_POST
@member_page
@canaries.reveals_canary
def escalate_review(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Put the item on top for somebody else and open the next one."""
    return _hand_over(request, review_id, handovers.escalate_review, "Escalated {tool} · it is on top of the queue")


@require_POST
@member_page
@canaries.reveals_canary
def assign_review(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Say whom the item is meant for and open the next one."""
    return _hand_over(request, review_id, handovers.assign_review, "{tool} is meant for {whom}")


@require_POST
@member_page
@canaries.reveals_canary
def take_over_review(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """An administrator claims what somebody else holds."""
    review = responses.find_review(request, review_id)
    try:
        review_claims.take_over_claim(review=review, membership=request.membership)
    except ConflictError as error:
        return responses.render_overtaken(request, review, error)
    return responses.go_to(request, responses.address_of(request, review), "Taken over · the item is yours")


def _hand_over(request: MemberRequest, review_id: UUID, hand_over: Callable[..., None], notice: str) -> HttpResponse:
    review = responses.find_review(request, review_id)
    form = HandoverForm(request.POST, membership=request.membership)
    if not form.is_valid():
        return responses.render_refused_handover(request, review, form)
    recipient = form.recipient
    try:
        hand_over(review=review, membership=request.membership, to=recipient, note=form.cleaned_data["note"])
    except ConflictError as error:
        return responses.render_overtaken(request, review, error)
    words = notice.format(tool=review.action.tool, whom=recipient.name or "anybody")
    return responses.open_next(request, review, words)
