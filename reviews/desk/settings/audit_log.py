"""The audit log: who did what and when, whether the chain holds, and the whole of it as a file."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from io import BytesIO
from itertools import chain
from typing import Any, Final

from django import forms
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.http.request import QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from reviews import access, audit
from reviews.datasets import spreadsheets
from reviews.desk.addresses import is_uuid
from reviews.desk.desk_form import DeskForm
from reviews.desk.membership import MemberRequest, member_page
from reviews.errors import InvalidCursorError
from reviews.models import Action, AuditEvent, Membership
from reviews.pagination import keyset
from reviews.records.response_streams import stream_parts

# A page to read; the export has everything.
EVENTS_SHOWN: Final = 50
# Hashing so many takes some seconds; a longer chain is verified in further steps.
VERIFIED_AT_ONCE: Final = 20_000
# Of one event: it stays a row of the table.
DETAILS_SHOWN: Final = 6
# Some hundred kilobytes of lines: memory stays flat, and the export takes short queries.
_BATCH: Final = 500
# Verbs whose subject is the key of an action.
_ABOUT_ACTIONS: Final = ("action.", "review.")
_COLUMNS: Final = ("number", "when", "who", "what", "about", "key", "details", "hash")
# The largest number of the column.
_LAST: Final = 2**63 - 1


@dataclass(frozen=True)
class EventRow:
    """One line of the page."""

    event: AuditEvent
    action: Action | None
    name: str
    details: list[str]
    """The first few."""
    more: int
    """Further details."""


class FilterForm(DeskForm):
    """What of the log is shown. Empty fields leave nothing out."""

    who = forms.CharField(label="Who", required=False, max_length=200)
    what = forms.CharField(label="What", required=False, max_length=64)
    since = forms.DateField(
        label="From", required=False, widget=forms.DateInput(attrs={"type": "date", "class": "input"})
    )
    until = forms.DateField(
        label="To", required=False, widget=forms.DateInput(attrs={"type": "date", "class": "input"})
    )

    def applied_to(self, events: QuerySet[AuditEvent]) -> QuerySet[AuditEvent]:
        """The events that the filter leaves. Days are those of UTC, as times on the page are."""
        chosen = self.cleaned_data
        looked_up = {
            "actor__icontains": chosen["who"],
            "verb__icontains": chosen["what"],
            "at__date__gte": chosen.get("since"),
            "at__date__lte": chosen.get("until"),
        }
        return events.filter(**{name: value for name, value in looked_up.items() if value})


@require_safe
@member_page
def log(request: MemberRequest) -> HttpResponse:
    """The latest events that the filter leaves."""
    return _page(request, request.GET)


@require_POST
@member_page
def verify(request: MemberRequest) -> HttpResponse:
    """Verify the chain, a bounded part at a time."""
    access.require(request.membership, access.Permission.ADMINISTER)
    number = request.POST.get("after", "")
    # A number that this page has not written verifies nothing more than from there on.
    after = int(number) if number.isascii() and number.isdigit() and len(number) < len(str(_LAST)) else 0
    result = audit.verify(request.membership.workspace, after=after, most=VERIFIED_AT_ONCE)
    return _page(request, QueryDict(), verified=result)


@require_safe
@member_page
def export(request: MemberRequest, form: str) -> HttpResponseBase:
    """The events that the filter leaves, oldest first: one JSON object a line, or rows for a spreadsheet."""
    access.require(request.membership, access.Permission.ADMINISTER)
    chosen = FilterForm(request.GET)
    if not chosen.is_valid():
        return _page(request, request.GET)
    batches = _batches(chosen.applied_to(access.audit_events_for(request.membership)))
    parts = _lines(batches) if form == "jsonl" else _rows(request.membership, batches)
    response = stream_parts(request, parts, content_type="application/jsonl" if form == "jsonl" else "text/csv")
    response["Content-Disposition"] = f'attachment; filename="audit.{form}"'
    return response


def _batches(events: QuerySet[AuditEvent]) -> Iterator[list[AuditEvent]]:
    """Each by a query of its own: a slow reader keeps no database cursor open."""
    last = 0
    while batch := list(events.filter(sequence__gt=last).order_by("sequence")[:_BATCH]):
        last = batch[-1].sequence
        yield batch


def _lines(batches: Iterable[list[AuditEvent]]) -> Iterator[bytes]:
    for batch in batches:
        # With all that the hash covers a reader can verify the chain from the file alone.
        rows = ({**audit.content_of(event), "hash": event.hash} for event in batch)
        yield "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


def _rows(membership: Membership, batches: Iterable[list[AuditEvent]]) -> Iterator[bytes]:
    """What the page shows, and the details; no cell is a formula."""
    # The names of the columns first, also where nothing fits the filter.
    for batch in chain(([],), batches):
        rows: list[Sequence[Any]] = [] if batch else [_COLUMNS]
        for event, action, name in _name_subjects(membership, batch):
            about, details = action.tool if action else name, json.dumps(event.details, ensure_ascii=False)
            when = event.at.isoformat()
            rows.append((event.sequence, when, event.actor, event.verb, about, event.subject, details, event.hash))
        part = BytesIO()
        spreadsheets.write_rows(rows, part)
        yield part.getvalue()


def _name_subjects(membership: Membership, events: list[AuditEvent]) -> list[tuple[AuditEvent, Action | None, str]]:
    """Each event with the action that it is about, where that is still there, and with what its subject was called."""
    keys = {_key_of_action(event) for event in events} - {""}
    actions = access.actions_for(membership).select_related(None).only("pk", "tool").filter(pk__in=keys)
    by_key = {str(action.pk): action for action in actions}
    names = _look_up_names(membership, events)
    return [
        (event, by_key.get(_key_of_action(event)), event.details.get("name") or names.get(event.subject, event.subject))
        for event in events
    ]


def _rows_of_page(membership: Membership, events: list[AuditEvent]) -> list[EventRow]:
    rows = []
    for event, action, name in _name_subjects(membership, events):
        details = list(_details_in_words(event.details))
        rows.append(EventRow(event, action, name, details[:DETAILS_SHOWN], max(0, len(details) - DETAILS_SHOWN)))
    return rows


def _details_in_words(details: Mapping[str, Any]) -> Iterator[str]:
    """What a person reads of the details; of two versions of something what differs."""
    # The name is what the event is about.
    rest = {key: value for key, value in details.items() if key != "name"}
    if rest.keys() >= {"before", "after"}:
        before, after = rest.pop("before"), rest.pop("after")
        if isinstance(before, dict) and isinstance(after, dict):
            differing = (key for key in after if before.get(key) != after[key])
            yield from (f"{key}: {_in_words(before.get(key))} → {_in_words(after[key])}" for key in differing)
        else:
            yield f"{_in_words(before)} → {_in_words(after)}"
    yield from (f"{key}: {_in_words(value)}" for key, value in rest.items())


def _in_words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _key_of_action(event: AuditEvent) -> str:
    """The key of the action that it is about; empty for another event."""
    if event.verb.startswith("canary."):
        return str(event.details.get("action", ""))
    return event.subject if event.verb.startswith(_ABOUT_ACTIONS) and is_uuid(event.subject) else ""


def _look_up_names(membership: Membership, events: list[AuditEvent]) -> dict[str, str]:
    """The names of subjects whose events hold none, as far as they are still there, by their keys."""
    nameless = [event for event in events if "name" not in event.details and not _key_of_action(event)]
    keys = {event.subject for event in nameless if is_uuid(event.subject)}
    # A campaign or a dataset cannot be renamed.
    campaigns = access.campaigns_for(membership).filter(pk__in=keys).values_list("pk", "name")
    datasets = access.datasets_for(membership).filter(pk__in=keys).values_list("pk", "name")
    return {str(key): name for key, name in (*campaigns, *datasets)}


def _page(request: MemberRequest, query: QueryDict, *, verified: audit.Verified | None = None) -> HttpResponse:
    membership = request.membership
    access.require(membership, access.Permission.ADMINISTER)
    form = FilterForm(query)
    events = access.audit_events_for(membership)
    valid = form.is_valid()
    try:
        filtered = form.applied_to(events) if valid else events.none()
        page = keyset(filtered, order=("-sequence",), cursor=query.get("cursor"), limit=EVENTS_SHOWN)
    except InvalidCursorError:
        page = keyset(filtered, order=("-sequence",), cursor=None, limit=EVENTS_SHOWN)
    filters = query.copy()
    filters.pop("cursor", None)
    context = {
        "form": form,
        "events": _rows_of_page(membership, page.items),
        "filters": filters.urlencode(),
        "next_cursor": page.next_cursor,
        "verified": verified,
    }
    status = HTTPStatus.OK if valid else HTTPStatus.UNPROCESSABLE_ENTITY
    return render(request, "settings/audit.html", context, status=status)
