"""The preview of a draft as tables: which way calls went and would go, and the calls that would go another way."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from reviews.desk.settings.guard_profile.detector_texts import about
from reviews.lab.profile_preview import CallPreview, Preview, Route
from reviews.models import OPEN, GuardProfile, ToolPolicy
from reviews.profiles.options import severity_under

# What a call became.
WAS: Final = {
    Route.PASSED: "Passed, established",
    Route.UNPROVEN: "Passed, unproven",
    Route.ALLOWED: "Allowed by policy",
    Route.REVIEWED: "Looked at",
    Route.DENIED: "Denied by policy",
}
# What it would become.
WOULD: Final = {
    Route.PASSED: "Would pass, established",
    Route.UNPROVEN: "Would pass, unproven",
    Route.ALLOWED: "Allowed by policy",
    Route.REVIEWED: "A person looks",
    Route.DENIED: "Denied by policy",
    Route.UNKNOWN: "Unknown",
}
# Units of the longest bar: a share in per cent.
_BAR: Final = 100


@dataclass(frozen=True)
class RouteCell:
    """Calls that went one way and would go another."""

    becomes: str
    count: int
    stays: bool
    unknown: bool
    bar: int
    """0 to 100, for the share of all calls that went this way."""


@dataclass(frozen=True)
class RouteRow:
    """Calls that went one way."""

    was: str
    count: int
    cells: list[RouteCell]


@dataclass(frozen=True)
class ChangingCall:
    """One call that would go another way."""

    call: CallPreview
    was: str
    becomes: str
    reason: str


class PreviewTables:
    """The preview of a draft."""

    def __init__(self, preview: Preview, draft: GuardProfile) -> None:
        self.preview = preview
        self._draft = draft
        calls = preview.calls
        self.total = len(calls)
        self.changing = sum(call.is_changed for call in calls)
        self.unknown = sum(call.becomes == Route.UNKNOWN for call in calls)
        self.known = self.total - self.unknown
        self.looked_at = sum(call.was == Route.REVIEWED for call in calls)
        self.to_look_at = sum(call.becomes == Route.REVIEWED for call in calls)
        self.waiting = sum(call.action.status in OPEN for call in calls)
        self.labelled = sum(call.aligned is not None for call in calls)
        self.measures = [
            ("In force", preview.measure_routes(lambda call: call.was)),
            ("Draft", preview.measure_routes(lambda call: call.becomes)),
        ]
        # Verdicts that rules alone can find are found over several requests; until then the page asks again.
        self.running = preview.remaining > 0
        self.steps = preview.done + preview.remaining
        # Ways that no call went or would go are left out.
        present = {call.becomes for call in calls} | {call.was for call in calls}
        self._columns = [route for route in WOULD if route in present]
        self.heads = [WOULD[route] for route in self._columns]

    @cached_property
    def lines(self) -> list[RouteRow]:
        """Ways that calls went, each with the ways they would go."""
        rows = []
        for was, words in WAS.items():
            count = sum(call.was == was for call in self.preview.calls)
            if not count:
                continue
            cells = []
            for becomes in self._columns:
                moved = self.preview.count_calls(was, becomes)
                unknown = becomes == Route.UNKNOWN
                cells.append(RouteCell(WOULD[becomes], moved, was == becomes, unknown, _BAR * moved // count))
            rows.append(RouteRow(words, count, cells))
        return rows

    @cached_property
    def rows(self) -> list[ChangingCall]:
        """Calls that would go another way, without those whose change must not show."""
        return [
            ChangingCall(call, WAS[call.was], WOULD[call.becomes], self._reason(call))
            for call in self.preview.calls
            if call.is_changed and not call.is_withheld
        ]

    @cached_property
    def undecided(self) -> list[CallPreview]:
        """Waiting calls of which only the count is told: whether they change would give verdicts in shadow away."""
        return [call for call in self.preview.calls if call.is_withheld]

    @cached_property
    def unanswered(self) -> list[str]:
        """Detectors whose missing verdicts leave calls unknown."""
        unknown = (call for call in self.preview.calls if call.becomes == Route.UNKNOWN)
        names = {verdict.detector for call in unknown for verdict in call.verdicts if verdict.objects is None}
        return [about(name).label for name in self._draft.detectors if name in names]

    def _reason(self, call: CallPreview) -> str:
        """Why the call would go where it goes: a tool policy comes before every detector."""
        policy = self._draft.tool_policies.get(call.action.tool)
        if policy is not None:
            return f"Tool policy: {ToolPolicy(policy).label}."
        objecting = [verdict for verdict in call.verdicts if verdict.objects]
        if call.becomes == Route.REVIEWED and objecting:
            return f"{about(objecting[0].detector).label}: {objecting[0].reason}"
        if objecting:
            names = ", ".join(about(verdict.detector).label for verdict in objecting)
            return f"{names} would object; {self._draft.objections} are asked for."
        unproven = [verdict for verdict in call.verdicts if not verdict.established]
        if unproven:
            detector, severity = about(unproven[0].detector).label, severity_under(self._draft, call.action)
            reason = f"{detector}: {unproven[0].reason}"
            return f"{severity.sentence} {reason}" if severity else reason
        return "No enforced detector would object."
