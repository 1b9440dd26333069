"""The feed of events: what became of calls, in an order behind which nothing appears later."""

from typing import Final

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request

from reviews import access
from reviews.api.authentication import caller
from reviews.api.docs.openapi import query_parameters
from reviews.api.responses import answer, documented, header, refused
from reviews.api.schemas import answers
from reviews.api.schemas.query_params import LATEST, EventsQuery, read_query
from reviews.api.views.endpoint import Endpoint
from reviews.messaging.events import describe_event
from reviews.models import ActionEvent, Decision
from reviews.records import commit_order, event_feed

STREAM: Final = "text/event-stream"
"""The media type by which the feed is followed, in front of Django (`longpoll.event_streams`)."""


class EventsView(Endpoint):
    """What became of the calls that the key may follow."""

    reads_query = frozenset({"GET"})

    @extend_schema(
        operation_id="events_list",
        summary="Follow what becomes of calls",
        parameters=[
            *query_parameters(EventsQuery),
            header("Last-Event-ID", "Of a stream that goes on: the `id` of the last event; stands before `after`."),
        ],
        responses={
            **documented(ok_200=(answers.EventPage, "The next events, the oldest first.")),
            (200, STREAM): OpenApiResponse(str, "A stream of `Event`, which stays open."),
            **refused(422, 429),
        },
    )
    def get(self, request: Request) -> HttpResponse:
        """Each event once, also over pauses: go on with the last `cursor`, and nothing is missed or repeated.

        With `Accept: text/event-stream` the same as server-sent events, as they happen; `limit` means nothing there,
        and each event has its `id` and `type`, whatever `fields` names. A 429 says that too many streams are open.
        """
        query = read_query(EventsQuery, request.query_params)
        rows = access.events_for(caller(request))
        page = event_feed.read_page(
            rows, after=_position_of(query, rows), lookups=query.field_lookups(), limit=query.limit
        )
        items = [_serialize_event(event, page.decisions.get(event.action_id)) for event in page.events]
        cursor = commit_order.cursor_of(page.position)
        listing = answers.EventPage(items=items, cursor=cursor, has_more=page.has_more)
        return answer(listing, members=query.members)


def _position_of(query: EventsQuery, rows: QuerySet[ActionEvent]) -> commit_order.Position:
    if query.after == LATEST:
        return commit_order.last_position(rows)
    return commit_order.position_of(query.after, rows, pointer="/after") if query.after else commit_order.START


def _serialize_event(event: ActionEvent, decision: Decision | None) -> answers.Event:
    data = describe_event(event.action, event.type, decision)
    return answers.Event(
        id=commit_order.cursor_of(event), type=event.type, timestamp=event.created_at, data=answers.EventData(**data)
    )
