"""Word of a changed queue to open pages, by server-sent events. A page without them goes on polling."""

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.http import HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from reviews import access
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.navigation import COUNTED_UP_TO
from reviews.models import Membership
from reviews.queue.ordering import QUEUE_ORDER

# A change is told within two seconds: this, and the look itself.
LOOK_SECONDS: Final = 1.0
# Then the browser connects again, and it is looked anew whether the person may still see the queue.
MAX_LOOKS: Final = 300
# Items of the top whose state is watched; of what stands behind them only the number.
MAX_WATCHED: Final = 200

_latest: dict[UUID, tuple[float, dict[str, Any]]] = {}
"""Workspace -> when this process looked last, and what it saw: however many pages are open, it looks once a second."""


@require_safe
@member_page
def events(request: MemberRequest) -> HttpResponseBase:
    """A stream that says how many items wait, now and whenever the queue changes."""
    access.require(request.membership, access.Permission.VIEW)
    # No thread is held: the handler iterates an asynchronous stream in its event loop.
    response = StreamingHttpResponse(follow_queue(request.membership), content_type="text/event-stream")
    # nginx would collect the events otherwise.
    response["X-Accel-Buffering"] = "no"
    return response


async def follow_queue(membership: Membership) -> AsyncIterator[str]:
    """Events of one page, for as long as it is connected."""
    last_state: dict[str, Any] | None = None
    for _ in range(MAX_LOOKS):
        state = await asyncio.to_thread(look_once, membership)
        # A comment where nothing is new: only by writing it shows that the page has gone.
        yield f"data: {json.dumps(state)}\n\n" if state != last_state else ":\n\n"
        last_state = state
        await asyncio.sleep(LOOK_SECONDS)


def look_once(membership: Membership) -> dict[str, Any]:
    """The state of the workspace's queue, no older than a second."""
    now = time.monotonic()
    looked_at, state = _latest.get(membership.workspace_id, (-LOOK_SECONDS, None))
    if state is not None and now - looked_at < LOOK_SECONDS:
        return state
    try:
        state = read_state(membership)
    finally:
        # The thread is asyncio's: its connection goes back to the pool.
        connection.close()
    _latest[membership.workspace_id] = (now, state)
    return state


def read_state(membership: Membership) -> dict[str, Any]:
    """How many items wait, and a digest of what stands at the top of the queue."""
    now = timezone.now()
    items = access.open_reviews_for(membership).select_related(None).order_by(*QUEUE_ORDER)
    rows = items.values_list("pk", "priority", "claimed_by", "claimed_until")[:MAX_WATCHED]
    states = [f"{pk} {priority} {holder if until and until > now else ''}" for pk, priority, holder, until in rows]
    # A comment changes no row of the queue; the page of its item shows it all the same.
    comments = access.comments_for(membership).select_related(None).order_by("-id").values_list("pk", flat=True)
    states.append(str(comments.first()))
    return {
        "waiting": access.count_open_reviews(membership, up_to=COUNTED_UP_TO + 1),
        # Sixteen digits are far more than it takes to notice a change.
        "digest": hashlib.sha256("\n".join(states).encode()).hexdigest()[:16],
    }
