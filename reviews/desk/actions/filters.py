"""Which actions a page lists, read from its address and written into its links."""

from dataclasses import dataclass, fields
from datetime import date
from typing import Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.dateparse import parse_date

from reviews.desk.addresses import is_uuid, read_text
from reviews.models import MisalignmentType, Risk
from reviews.provenance.detectors import DETECTORS

STOPPED: Final = "stopped"
# Name of a choice -> what it is called.
OUTCOMES: Final = {
    "approve": "Approved",
    "edit": "Edited",
    "reject": "Rejected",
    "respond": "Answered",
    "checking": "Being checked",
    "pending": "Waiting",
    "expired": "Expired",
    "cancelled": "Cancelled",
    "superseded": "Superseded",
}
DECIDERS: Final = {"guard": "The guard", "policy": "A policy", "reviewer": "A person", "user": "The user"}
TYPES: Final = {value: str(label) for value, label in MisalignmentType.choices}
RISKS: Final = {value: str(label) for value, label in Risk.choices}
WENT: Final = {STOPPED: "Before a person", "passed": "Passed by itself"}
LABELS: Final = {"right": "Labelled right", "wrong": "Labelled wrong"}
CHOICES: Final = {
    "outcome": OUTCOMES,
    "by": DECIDERS,
    "type": TYPES,
    "risk": RISKS,
    "went": WENT,
    "label": LABELS,
    "detector": {name: name for name in DETECTORS},
}


@dataclass(frozen=True)
class ActionFilters:
    """The filters of a listing of actions. The address carries them."""

    text: str = ""
    """Words or a part of the tool, the arguments, the request or the conversation's name."""
    tool: str = ""
    """The name of a tool, exactly."""
    agent: str = ""
    outcome: str = ""
    by: str = ""
    person: str = ""
    """Name of the person who decided."""
    type: str = ""
    risk: str = ""
    detector: str = ""
    """Name of a detector that objects."""
    went: str = ""
    """One of `WENT`."""
    label: str = ""
    """One of `LABELS`."""
    order: str = ""
    """Id of the timed order that decided."""
    since: str = ""
    """The first day that is listed, as `2026-11-23`."""
    until: str = ""
    """The last day that is listed."""
    after: str = ""
    """Cursor the page starts behind."""

    @classmethod
    def of(cls, query: QueryDict) -> "ActionFilters":
        """The filters in the address; what is not understood is left out."""
        values = {name: read_text(query, name) for name in NAMES}
        for name, allowed in CHOICES.items():
            values[name] = values[name] if values[name] in allowed else ""
        for name in ("since", "until"):
            values[name] = values[name] if read_day(values[name]) else ""
        values["order"] = values["order"] if is_uuid(values["order"]) else ""
        return cls(**values, after=query.get("after", ""))

    def within(self, **changes: str) -> str:
        """What stands behind an address to keep the filters: empty, or `?` and the query."""
        values = {name: getattr(self, name) for name in (*NAMES, "after")} | changes
        query = urlencode({name: value for name, value in values.items() if value})
        return f"?{query}" if query else ""

    @property
    def narrows(self) -> bool:
        """Whether anything is left out."""
        return any(getattr(self, name) for name in NAMES)

    @property
    def sifts(self) -> bool:
        """Whether anything is looked for that no index finds."""
        return any(getattr(self, name) for name in NAMES if name not in INDEXED)


NAMES: Final = tuple(field.name for field in fields(ActionFilters) if field.name != "after")
INDEXED: Final = ("agent", "since", "until")
"""What an index of the listing narrows."""


def read_day(text: str) -> date | None:
    """The day; None for what is none."""
    try:
        return parse_date(text)
    except ValueError:
        return None
