"""A preview as the page shows it: where calls went and would go, and which ones change."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from reviews.desk.settings.profile.detector_texts import about
from reviews.lab.profile_preview import CallPreview, Preview, Route
from reviews.models import GuardProfile, ToolPolicy

WAS: Final = {
    Route.PASSED: "Passed",
    Route.ALLOWED: "Allowed by policy",
    Route.REVIEWED: "Looked at",
    Route.DENIED: "Denied by policy",
}
"""What a call became."""
WOULD: Final = {
    Route.PASSED: "Would pass",
    Route.ALLOWED: "Allowed by policy",
    Route.REVIEWED: "A person looks",
    Route.DENIED: "Denied by policy",
    Route.UNKNOWN: "Unknown",
}
"""What it would become."""
_BAR: Final = 100
"""Units of the longest bar."""


@dataclass(frozen=True)
class Cell:
    """Calls that went one way and would go another."""

    becomes: str
    count: int
    stays: bool
    unknown: bool
    bar: int
    """0 to 100, for the share of all calls that went this way."""


@dataclass(frozen=True)
class Line:
    """Calls that went one way."""

    was: str
    count: int
    cells: list[Cell]


@dataclass(frozen=True)
class Row:
    """One call that would go elsewhere."""

    call: CallPreview
    was: str
    becomes: str
    reason: str


class Shown:
    """A preview under its draft."""

    def __init__(self, preview: Preview, draft: GuardProfile) -> None:
        self.preview = preview
        self._draft = draft

    @property
    def total(self) -> int:
        """Calls looked at."""
        return len(self.preview.calls)

    @property
    def running(self) -> bool:
        """Whether asking again would tell more."""
        return self.preview.left > 0

    @property
    def steps(self) -> int:
        """Verdicts to be found in all."""
        return self.preview.done + self.preview.left

    @cached_property
    def heads(self) -> list[str]:
        """Ways that calls would go, as columns; those that none went or goes are left out."""
        return [WOULD[route] for route in self._columns]

    @cached_property
    def lines(self) -> list[Line]:
        """Ways that calls went."""
        return [line for line in map(self._line, WAS) if line.count]

    @cached_property
    def rows(self) -> list[Row]:
        """Calls that change and may be shown."""
        return [self._row(call) for call in self.preview.calls if call.changes and not call.withheld]

    @cached_property
    def withheld(self) -> list[CallPreview]:
        """Calls nobody has decided yet that count above: whether they change must not show."""
        return [call for call in self.preview.calls if call.withheld]

    @property
    def changing(self) -> int:
        """Calls that would go elsewhere."""
        return sum(call.changes for call in self.preview.calls)

    @property
    def unknown(self) -> int:
        """Calls of which nobody can say."""
        return sum(call.becomes == Route.UNKNOWN for call in self.preview.calls)

    @cached_property
    def without_verdict(self) -> list[str]:
        """Detectors whose missing verdicts leave calls unknown."""
        unknown = (call for call in self.preview.calls if call.becomes == Route.UNKNOWN)
        names = {verdict.detector for call in unknown for verdict in call.verdicts if verdict.objects is None}
        return [about(name).label for name in self._draft.detectors if name in names]

    @property
    def looked_at(self) -> int:
        """Calls a person looked at."""
        return sum(call.was == Route.REVIEWED for call in self.preview.calls)

    @property
    def to_look_at(self) -> int:
        """Calls a person would look at, for all that is known."""
        return sum(call.becomes == Route.REVIEWED for call in self.preview.calls)

    @cached_property
    def _columns(self) -> list[Route]:
        present = {call.becomes for call in self.preview.calls} | {call.was for call in self.preview.calls}
        return [route for route in WOULD if route in present]

    def _line(self, was: Route) -> Line:
        count = sum(call.was == was for call in self.preview.calls)
        return Line(WAS[was], count, [self._cell(was, becomes, count) for becomes in self._columns])

    def _cell(self, was: Route, becomes: Route, whole: int) -> Cell:
        count = self.preview.count(was, becomes)
        bar = _BAR * count // whole if whole else 0
        return Cell(WOULD[becomes], count, was == becomes, becomes == Route.UNKNOWN, bar)

    def _row(self, call: CallPreview) -> Row:
        return Row(call, WAS[call.was], WOULD[call.becomes], self._reason(call))

    def _reason(self, call: CallPreview) -> str:
        order = self._draft.tool_policies.get(call.action.tool)
        if order is not None:
            return f"Tool policy: {ToolPolicy(order).label}."
        objecting = [verdict for verdict in call.verdicts if verdict.objects]
        if call.becomes == Route.REVIEWED and objecting:
            return f"{about(objecting[0].detector).label}: {objecting[0].reason}"
        if objecting:
            names = ", ".join(about(verdict.detector).label for verdict in objecting)
            return f"{names} would object; {self._draft.objections} are asked for."
        return "No enforced detector would object."
