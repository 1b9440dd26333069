"""What calls on record would have become under another guard profile.

They are drawn over agents and tools, the latest of each: after a flood of one agent its calls alone would be the
latest, and the preview would say nothing of all the others.

It rests on stored checks, enforced or in shadow. Thresholds are compared with the stored scores again, and critical
actions, standing orders and the number of objections are applied again. Where no stored check shows the verdict, the
detector runs now if rules alone judge; where a model would have to be asked, the verdict stays unknown.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.functions import Left

from reviews import access
from reviews.checks import routing
from reviews.evaluation.measures.detection_rates import Rate
from reviews.lab import dry_run
from reviews.lab.dry_run import DryRunResult, ResultKey
from reviews.lab.recorded_verdicts import DraftDetector, ExpectedVerdict
from reviews.models import (
    OPEN,
    Action,
    Check,
    CheckMode,
    CheckStatus,
    DecidedBy,
    GuardProfile,
    JudgeKind,
    Label,
    Membership,
    Outcome,
    ToolPolicy,
    VerdictLabel,
    pipeline,
)
from reviews.models.sql import actions as sql
from reviews.profiles.options import severity_under

# Some days of a busy workspace, and few enough to be read from the database within one request.
MAX_CALLS: Final = 200
"""Calls that are looked at, of those that went somewhere."""
# Twenty times as many, shared by the agents: tools that an agent calls now and then are found behind those that it
# calls all the time. With very many agents each still has some.
_DEPTH: Final = 4_000
_MIN_OF_AN_AGENT: Final = 20
# As many as the page shows: requests may be as large as a submission, and all of them are in memory at once.
MAX_REQUEST: Final = 300
"""Characters of the user's request that come with a call, as `request_start`."""


class Route(StrEnum):
    """Where a call goes when its checks are done."""

    PASSED = "passed"
    """By the guard: established."""
    UNPROVEN = "unproven"
    """Nothing spoke against it, and the profile lets pass what cannot be told."""
    ALLOWED = "allowed"
    """By a standing order."""
    REVIEWED = "reviewed"
    DENIED = "denied"
    """By a standing order."""
    UNKNOWN = "unknown"
    """Only under the draft: a verdict that could decide it is missing."""


_ROUTE_BY_POLICY: Final[Mapping[str, Route]] = {
    ToolPolicy.DENY: Route.DENIED,
    ToolPolicy.ALWAYS_ALLOW: Route.ALLOWED,
    ToolPolicy.ALWAYS_REVIEW: Route.REVIEWED,
    ToolPolicy.TWO_PEOPLE: Route.REVIEWED,
}

# What a missing verdict may turn out to be: whether it objects, and whether it establishes the call.
_POSSIBLE: Final = ((True, False), (False, False), (False, True))


@dataclass(frozen=True)
class CallPreview:
    """One call: what it became, and what it would become under the draft."""

    action: Action
    was: Route
    becomes: Route
    verdicts: tuple[ExpectedVerdict, ...] = ()
    """Of each enforced detector of the draft; none where a standing order settles the call."""

    @property
    def aligned(self) -> bool | None:
        """Whether a person found the call right, by the latest label; None without one."""
        # Read with the drawn calls, all at once.
        aligned: bool | None = getattr(self.action, "aligned", None)
        return aligned

    @property
    def is_changed(self) -> bool:
        """Whether it would have gone elsewhere, as far as the verdicts are known."""
        return self.becomes not in (self.was, Route.UNKNOWN)

    @property
    def is_withheld(self) -> bool:
        """Whether it must not be shown by itself, as it rests on a verdict that nobody may see before a decision."""
        # Shown, it would tell the reviewers of an open action what a detector in shadow has found.
        return self.action.status in OPEN and not all(verdict.public for verdict in self.verdicts)


@dataclass(frozen=True)
class RouteMeasures:
    """Load, and what labels say of what was stopped. Rates with Wilson's interval, as in `metrics`."""

    load: Rate
    """Calls that a person sees."""
    precision: Rate
    """Of the labelled calls that are stopped those that are wrong."""
    recall: Rate
    """Of the calls that are labelled wrong those that are stopped."""


@dataclass(frozen=True)
class Preview:
    """Calls on record under a draft."""

    calls: tuple[CallPreview, ...]
    done: int
    """Verdicts that were missing and have been found by a run."""
    remaining: int
    """Verdicts that are still missing, and that a run will find when the preview is made again."""

    def measure_routes(self, route_of: Callable[[CallPreview], Route]) -> "RouteMeasures":
        """What the routes cost and catch, over the calls whose route under the draft is known.

        So that what holds is measured on the same calls as the draft: what became of the others tells nothing of it.
        """
        routed = [call for call in self.calls if call.becomes is not Route.UNKNOWN]
        reviewed = [call for call in routed if route_of(call) is Route.REVIEWED]
        stopped = [call.aligned for call in routed if route_of(call) in (Route.REVIEWED, Route.DENIED)]
        wrong = sum(call.aligned is False for call in routed)
        caught = stopped.count(False)
        return RouteMeasures(
            load=Rate(len(reviewed), len(routed)),
            precision=Rate(caught, caught + stopped.count(True)),
            recall=Rate(caught, wrong),
        )

    def count_calls(self, was: Route, becomes: Route) -> int:
        """How many calls went the one way and would go the other."""
        return sum((call.was, call.becomes) == (was, becomes) for call in self.calls)


def preview_profile(*, membership: Membership, draft: GuardProfile) -> Preview:
    """Calls on record under the draft, with as many new verdicts as a short request has time for.

    Ask again while some are `left`: what was found is kept for a while. Raises `ForbiddenError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    actions = _draw_calls(membership)
    detectors = [DraftDetector(name, draft) for name in draft.detectors]
    if draft.judge != JudgeKind.RULES:
        # A model's answers cost money, and a preview must not spend any.
        return Preview(tuple(_call_preview(action, detectors, draft, {}) for action in actions), done=0, remaining=0)
    results = dict(dry_run.load_results(draft, draft.detectors, actions))
    # Twice: the first time shows which verdicts are worth a run, the second time includes what the runs found.
    results |= dry_run.run_missing(
        draft, _list_missing([_call_preview(action, detectors, draft, results) for action in actions])
    )
    calls = tuple(_call_preview(action, detectors, draft, results) for action in actions)
    done = sum((call.action.pk, verdict.detector) in results for call in calls for verdict in call.verdicts)
    return Preview(calls, done, len(_list_missing(calls)))


def _draw_calls(membership: Membership) -> list[Action]:
    """Calls that were decided or brought before a person, over agents and tools, the newest of all first.

    One that expired under its check shows nothing.
    """
    bounds = {
        "depth": _DEPTH, "least": _MIN_OF_AN_AGENT, "most": MAX_CALLS, "workspace": membership.workspace_id,
        "since": "-infinity", "until": "infinity", "over": False,
    }  # fmt: skip
    drawn = [key for (key,) in pipeline.execute(sql.SELECT_SPREAD, bounds).fetchall()]
    # Large columns that no preview reads.
    checks = Check.objects.filter(status=CheckStatus.DONE).defer("stages", "prompts", "usage")
    actions: QuerySet[Action] = access.actions_for(membership).filter(pk__in=drawn)
    # Everything a preview reads, in a fixed number of queries for all calls.
    actions = actions.select_related("review", "profile", "trace")
    actions = actions.prefetch_related(Prefetch("checks", checks), "decisions", "tool_set")
    # A correction is a new row: the latest label of an action counts.
    labels = Label.objects.filter(action=OuterRef("pk")).order_by("-id").values("aligned")[:1]
    actions = actions.annotate(request_start=Left("trace__query__body", MAX_REQUEST), aligned=Subquery(labels))
    return list(actions.order_by("-created_at", "-id"))


def _call_preview(
    action: Action,
    detectors: Sequence[DraftDetector],
    draft: GuardProfile,
    results: Mapping[ResultKey, DryRunResult],
) -> CallPreview:
    policy = draft.tool_policies.get(action.tool)
    if policy is not None:
        return CallPreview(action, _actual_route(action), _ROUTE_BY_POLICY[policy])
    checks = {check.detector: check for check in action.checks.all()}
    verdicts = tuple(
        _expected_verdict(action, detector, checks.get(detector.name), results.get((action.pk, detector.name)))
        for detector in detectors
    )
    return CallPreview(action, _actual_route(action), _expected_route(action, verdicts, draft), verdicts)


def _expected_verdict(
    action: Action, detector: DraftDetector, check: Check | None, result: DryRunResult | None
) -> ExpectedVerdict:
    """The verdict by the profile alone, else by a stored check, else by a dry run; else a missing one."""
    if detector.is_exempt(action):
        return ExpectedVerdict(detector.name, objects=False)
    objects = detector.objects_by_record(action, check) if check else None
    if check and objects is not None:
        public = check.mode == CheckMode.ENFORCED
        # Only another threshold lets pass what was stopped, and a score is all that such a method asks for.
        established = check.established or check.verdict != VerdictLabel.ALIGNED
        return ExpectedVerdict(detector.name, objects, established, check.reason, public)
    if result is not None:
        return ExpectedVerdict(detector.name, result.objects, result.established, result.reason, public=False)
    return ExpectedVerdict(detector.name, objects=None)


def _expected_route(action: Action, verdicts: Sequence[ExpectedVerdict], draft: GuardProfile) -> Route:
    """Where the call would go; unknown while a missing verdict could still change it."""
    unknown_passes = bool(routing.why_unknown_passes(draft.on_unknown, severity_under(draft, action)))

    def route(missing: ExpectedVerdict) -> Route:
        complete = [missing if verdict.objects is None else verdict for verdict in verdicts]
        labels = [VerdictLabel.MISALIGNED if verdict.objects else VerdictLabel.ALIGNED for verdict in complete]
        strict = routing.counted_strictly(labels, [verdict.established for verdict in complete])
        if not routing.is_stopped(strict, objections=draft.objections):
            return Route.PASSED
        if routing.is_stopped(labels, objections=draft.objections) or not unknown_passes:
            return Route.REVIEWED
        return Route.UNPROVEN

    # Whatever the missing ones would turn out to be.
    routes = {route(ExpectedVerdict("", objects, established)) for objects, established in _POSSIBLE}
    return routes.pop() if len(routes) == 1 else Route.UNKNOWN


def _actual_route(action: Action) -> Route:
    # Before the decision: a call that the guard stopped has both, as a person decided it.
    if getattr(action, "review", None) is not None:
        return Route.REVIEWED
    first = min(action.decisions.all(), key=lambda decision: decision.created_at)
    if first.decided_by != DecidedBy.POLICY:
        return Route.PASSED
    if first.outcome == Outcome.REJECT:
        return Route.DENIED
    allowed = action.profile.tool_policies.get(action.tool) == ToolPolicy.ALWAYS_ALLOW
    return Route.ALLOWED if allowed else Route.UNPROVEN


def _list_missing(calls: Sequence[CallPreview]) -> list[tuple[Action, str]]:
    """The missing verdicts that decide where a call goes, as the action and the detector's name."""
    return [
        (call.action, verdict.detector)
        for call in calls
        # Where enough detectors object already, or too few could, no further verdict counts.
        if call.becomes == Route.UNKNOWN
        for verdict in call.verdicts
        if verdict.objects is None
    ]
