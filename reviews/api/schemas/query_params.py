"""Query parameters, validated like bodies: an unknown one is a mistake the caller should hear of."""

import json
from collections.abc import Collection
from functools import partial
from typing import Annotated, Any, Final

from django.http import QueryDict
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from reviews.api.schemas import answers
from reviews.datasets.reader_registry import COLLECTIONS, TABLE
from reviews.errors import FieldProblem, InvalidError, ReviewError
from reviews.intake.wire.bounded_json_body import decode_json, refuse_unacceptable
from reviews.intake.wire.pydantic_errors import Model, validate_model
from reviews.intake.wire.schemas.parts import Moment
from reviews.messaging.events import EVENTS
from reviews.models import OPEN, Status
from reviews.pagination import MOMENT_AND_KEY
from reviews.provenance.core.pointers import pointer_to
from reviews.records import commit_order

# A page is built in memory, and each of its actions comes with all findings and their evidence.
MAX_PAGE = 200

_KEY = "-".join(f"[0-9a-f]{{{digits}}}" for digits in (8, 4, 4, 4, 12))
# As long as the names that submissions may use: no longer one could be found.
Named = Annotated[str, Field(min_length=1, max_length=200)]


_STATUS: Final = f"({'|'.join(Status.values)})"
_TOLD: Final = f"({'|'.join(EVENTS)})"
# One member, of a simple name and value.
_PLAIN_OBJECT: Final = r'^\{"[A-Za-z0-9_-]{1,50}": ?("[A-Za-z0-9 _.:@/-]{0,200}"|-?[1-9][0-9]{0,8}|true|false)\}$'
LATEST: Final = "latest"
"""Stands for the place in the feed of events that is behind all of them."""


def _check_listed(text: str, *, allowed: Collection[str]) -> str:
    if not set(text.split(",")) <= set(allowed):
        raise ValueError(f"Must be one of {', '.join(allowed)}, or several between commas.")
    return text


def _check_metadata(text: str) -> str:
    try:
        is_object = isinstance(decode_json(text.encode()), dict)
    except ReviewError:
        is_object = False
    if not is_object:
        raise ValueError('Must be a JSON object, such as {"team": "billing"}.')
    return text


class Query(BaseModel):
    """The parameters of one endpoint."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# As text: a query has no objects, and each tool that writes one differs from the next.
# The pattern is told and not checked here: no pattern can tell all of JSON, and any object is taken.
MetadataFilter = Annotated[
    Annotated[str, Field(min_length=2, max_length=2000), AfterValidator(_check_metadata)] | None,
    Field(
        description='A JSON object that the action\'s `metadata` contains: `{"team": "billing"}`.',
        json_schema_extra={"pattern": _PLAIN_OBJECT},
    ),
]
_ACTION_MEMBERS: Final = tuple(answers.Action.model_fields)
_EVENT_MEMBERS: Final = tuple(answers.Event.model_fields)


def _members_field(members: Collection[str], example: str) -> Any:
    """The field of a query that chooses members of what is answered."""
    name = f"({'|'.join(members)})"
    return Field(
        None,
        description=f"Members to answer with, between commas: `{example}`; without it all of them. The others are left "
        "out, also those that the answer otherwise always has.",
        json_schema_extra={"pattern": f"^{name}(,{name})*$"},
    )


def _as_names(listed: str | None) -> frozenset[str] | None:
    return None if listed is None else frozenset(listed.split(","))


class ActionsQuery(Query):
    """Filters and position of the list of actions."""

    # Told as text: a list in a query would be the same parameter twice.
    status: Annotated[str, AfterValidator(partial(_check_listed, allowed=Status.values))] | None = Field(
        None,
        description="One, or several between commas: `checking,pending`.",
        json_schema_extra={"pattern": f"^{_STATUS}(,{_STATUS})*$"},
    )
    tool_call_id: Named | None = Field(None, description="The id the call was given by the agent's model.")
    metadata: MetadataFilter = None
    settled_after: Moment | None = Field(None, description="RFC 3339; exclusive.")
    tool: Named | None = Field(None, description="The tool's exact name.")
    trace_id: Named | None = None
    created_after: Moment | None = Field(None, description="RFC 3339; exclusive.")
    created_before: Moment | None = Field(None, description="RFC 3339; exclusive.")
    limit: int = Field(50, ge=1, le=MAX_PAGE)
    # The pattern is told and not checked here: a cursor of an earlier form still leads on.
    cursor: str | None = Field(
        None,
        min_length=1,
        max_length=1000,
        description="`next_cursor` of the page before.",
        json_schema_extra={"pattern": MOMENT_AND_KEY},
    )

    fields: Annotated[str, AfterValidator(partial(_check_listed, allowed=_ACTION_MEMBERS))] | None = _members_field(
        _ACTION_MEMBERS, "id,status,decision"
    )

    @property
    def members(self) -> frozenset[str] | None:
        """The members to answer with; None for all."""
        return _as_names(self.fields)

    def field_lookups(self) -> dict[str, Any]:
        """The look-ups this query asks for."""
        lookups = {
            "status__in": self.status.split(",") if self.status else None,
            "tool_call_id": self.tool_call_id,
            "metadata__contains": json.loads(self.metadata) if self.metadata else None,
            "settled_at__gt": self.settled_after,
            "tool": self.tool,
            "trace__external_id": self.trace_id,
            "created_at__gt": self.created_after,
            "created_at__lt": self.created_before,
        }
        return {name: value for name, value in lookups.items() if value is not None}


class WaitQuery(Query):
    """How long to wait for what is undecided."""

    wait: int = Field(
        0,
        ge=0,
        # As in the header `Prefer`: what has more figures is no wait, and would be answered without one.
        le=999_999_999,
        description="Seconds to wait for a decision; more than the server's bound counts as the bound.",
    )


class ActionQuery(WaitQuery):
    """How long to wait for an action, and what of it to answer with."""

    fields: Annotated[str, AfterValidator(partial(_check_listed, allowed=_ACTION_MEMBERS))] | None = _members_field(
        _ACTION_MEMBERS, "id,status,decision"
    )

    @property
    def members(self) -> frozenset[str] | None:
        """The members to answer with; None for all."""
        return _as_names(self.fields)


class LabelsQuery(Query):
    """Where the export begins."""

    # As above.
    after: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="The `cursor` of the last label read; its `id` works too.",
        json_schema_extra={"pattern": f"^(?:{commit_order.CURSOR}|{_KEY})$"},
    )


class EventsQuery(Query):
    """Where in the feed of events to read on, and what of it."""

    after: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description=f"`cursor` of the page before, or `id` of an event; `{LATEST}` is behind all that there is. "
        "Without it the feed begins with the oldest event that is kept.",
        json_schema_extra={"pattern": f"^(?:{LATEST}|{commit_order.CURSOR})$"},
    )
    agent: Named | None = Field(None, description="The agent's exact name, for a key that follows several.")
    status: Annotated[str, AfterValidator(partial(_check_listed, allowed=EVENTS))] | None = Field(
        None,
        description="What became of the call: one, or several between commas, such as `pending,decided`.",
        json_schema_extra={"pattern": f"^{_TOLD}(,{_TOLD})*$"},
    )
    tool_call_id: Named | None = Field(None, description="The id the call was given by the agent's model.")
    metadata: MetadataFilter = None
    trace_id: Named | None = None
    settled_after: Moment | None = Field(
        None, description="Only ends of calls that were settled after this; RFC 3339, exclusive."
    )
    limit: int = Field(100, ge=1, le=MAX_PAGE)
    fields: Annotated[str, AfterValidator(partial(_check_listed, allowed=_EVENT_MEMBERS))] | None = _members_field(
        _EVENT_MEMBERS, "id,data"
    )

    @property
    def members(self) -> frozenset[str] | None:
        """The members of each event to answer with; None for all."""
        return _as_names(self.fields)

    def field_lookups(self) -> dict[str, Any]:
        """The look-ups this query asks for."""
        # Of a call that was settled meanwhile, its wait is no end.
        ends = [status for status in EVENTS if status not in OPEN] if self.settled_after else None
        statuses = self.status.split(",") if self.status else ends
        lookups = {
            "type__in": [EVENTS[Status(status)] for status in statuses] if statuses else None,
            "action__agent__name": self.agent,
            "action__tool_call_id": self.tool_call_id,
            "action__metadata__contains": json.loads(self.metadata) if self.metadata else None,
            "action__trace__external_id": self.trace_id,
            "action__settled_at__gt": self.settled_after,
        }
        return {name: value for name, value in lookups.items() if value is not None}


class DifferenceQuery(Query):
    """Which version another is compared with."""

    against: int = Field(ge=1, le=2**31 - 1, description="Number of the earlier version.")


class ImportQuery(Query):
    """What kind of file the body is."""

    reader: Named = Field(
        description="The collection, by the name that `manage.py import_benchmark` has for it.",
        json_schema_extra={"enum": list[JsonValue](sorted([*COLLECTIONS, TABLE]))},
    )
    licence: str = Field("", max_length=200, description="Where the collection does not state its own.")


def read_query(model: type[Model], parameters: QueryDict) -> Model:
    """The validated parameters. Raises `InvalidError` pointing at each that is wrong, unknown or given twice."""
    lists = dict(parameters.lists())
    # Django would take the last one and the agent may have meant the first.
    repeated = [FieldProblem(pointer_to(name), "Give this parameter once.") for name in lists if len(lists[name]) > 1]
    if repeated:
        raise InvalidError(*repeated)
    values = {name: value[0] for name, value in lists.items()}
    # PostgreSQL refuses a NUL in a filter's value as much as in a stored one.
    refuse_unacceptable(values)
    return validate_model(model, values)
