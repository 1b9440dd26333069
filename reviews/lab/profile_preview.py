"""What the latest calls would have become under another guard profile.

Told from what is on record: verdicts enforced or in shadow, thresholds held against the scores that were kept, critical
actions, standing orders and the number of objections applied anew. A verdict that is not on record is found now where
rules alone judge; where a model would have to be asked it stays unknown. Nothing is guessed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.db.models import Prefetch, Q, QuerySet
from django.db.models.functions import Left

from reviews import access
from reviews.checks import routing
from reviews.lab import dry_run
from reviews.lab.dry_run import Key, Word
from reviews.lab.recorded_verdicts import Foreteller, Foretold
from reviews.models import (
    OPEN,
    Action,
    Check,
    CheckMode,
    CheckStatus,
    DecidedBy,
    GuardProfile,
    JudgeKind,
    Membership,
    Outcome,
    ToolPolicy,
    VerdictLabel,
)

MOST: Final = 200
"""Calls that are looked at, the latest that went somewhere."""
MOST_ASKED: Final = 300
"""Characters of the user's request that come with a call, as `asked`."""


class Route(StrEnum):
    """Where a call goes when its checks are done."""

    PASSED = "passed"
    ALLOWED = "allowed"
    """By a standing order."""
    REVIEWED = "reviewed"
    DENIED = "denied"
    """By a standing order."""
    UNKNOWN = "unknown"
    """Only of what would be: a verdict that counts is not known."""


_BY_ORDER: Final[Mapping[str, Route]] = {
    ToolPolicy.DENY: Route.DENIED,
    ToolPolicy.ALWAYS_ALLOW: Route.ALLOWED,
    ToolPolicy.ALWAYS_REVIEW: Route.REVIEWED,
}


@dataclass(frozen=True)
class Outlook:
    """One call: what it became, and what it would."""

    action: Action
    was: Route
    becomes: Route
    told: tuple[Foretold, ...] = ()
    """By each enforced detector of the draft; none where a standing order settles it."""

    @property
    def changes(self) -> bool:
        """Whether it would have gone elsewhere, as far as is known."""
        return self.becomes not in (self.was, Route.UNKNOWN)

    @property
    def veiled(self) -> bool:
        """Whether it must not be shown by itself: what it rests on is for after the decision, and none is made yet."""
        return self.action.status in OPEN and not all(each.public for each in self.told)


@dataclass(frozen=True)
class Preview:
    """The outlook of the latest calls under a draft."""

    outlooks: tuple[Outlook, ...]
    done: int
    """Verdicts that had to be found and are."""
    left: int
    """Verdicts that rules will find when this is asked for again."""

    def count(self, was: Route, becomes: Route) -> int:
        """How many calls went the one way and would go the other."""
        return sum((each.was, each.becomes) == (was, becomes) for each in self.outlooks)


def preview(*, membership: Membership, draft: GuardProfile) -> Preview:
    """The outlook of the latest calls, with as many fresh verdicts as a short request has time for.

    Ask again while some are `left`: what was found is kept for a while. Raises `ForbiddenError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    actions = _latest(membership)
    tellers = [Foreteller(name, draft) for name in draft.detectors]
    by_rules = draft.judge == JudgeKind.RULES
    fresh = dict(dry_run.said(draft, draft.detectors, actions)) if by_rules else {}
    if by_rules:
        fresh |= dry_run.run(draft, _wanted(_outlooks(actions, tellers, draft, fresh)))
    outlooks = _outlooks(actions, tellers, draft, fresh)
    left = len(_wanted(outlooks)) if by_rules else 0
    done = sum((each.action.pk, told.detector) in fresh for each in outlooks for told in each.told)
    return Preview(outlooks, done, left)


def _latest(membership: Membership) -> list[Action]:
    """Those that were sent somewhere: a call that expired under its check tells nothing."""
    went = Q(review__isnull=False) | Q(decisions__in_force=True)
    checks = Check.objects.filter(status=CheckStatus.DONE).defer("stages", "prompts", "usage")
    actions: QuerySet[Action] = access.actions_for(membership).filter(went).select_related("review", "profile", "trace")
    found = actions.prefetch_related(Prefetch("checks", checks), "decisions", "tool_set")
    found = found.annotate(asked=Left("trace__query__body", MOST_ASKED))
    return list(found.order_by("-created_at", "-id")[:MOST])


def _outlooks(
    actions: Sequence[Action], tellers: Sequence[Foreteller], draft: GuardProfile, fresh: Mapping[Key, Word]
) -> tuple[Outlook, ...]:
    return tuple(_outlook(action, tellers, draft, fresh) for action in actions)


def _outlook(action: Action, tellers: Sequence[Foreteller], draft: GuardProfile, fresh: Mapping[Key, Word]) -> Outlook:
    order = draft.tool_policies.get(action.tool)
    if order is not None:
        return Outlook(action, _was(action), _BY_ORDER[order])
    checks = {check.detector: check for check in action.checks.all()}
    told = tuple(_told(action, each, checks.get(each.name), fresh) for each in tellers)
    return Outlook(action, _was(action), _route(told, draft.objections), told)


def _told(action: Action, teller: Foreteller, check: Check | None, fresh: Mapping[Key, Word]) -> Foretold:
    if teller.ignores(action):
        return Foretold(teller.name, objects=False)
    objects = teller.of_record(action, check) if check else None
    if check and objects is not None:
        return Foretold(teller.name, objects, check.reason, public=check.mode == CheckMode.ENFORCED)
    if (word := fresh.get((action.pk, teller.name))) is not None:
        return Foretold(teller.name, *word, public=False)
    return Foretold(teller.name, objects=None)


def _route(told: Sequence[Foretold], objections: int) -> Route:
    """Settled as soon as what is unknown can no longer matter."""

    def stopped(if_unknown: str) -> bool:
        return routing.stopped([_verdict(each, if_unknown) for each in told], objections=objections)

    if stopped(VerdictLabel.ALIGNED):
        return Route.REVIEWED
    return Route.UNKNOWN if stopped(VerdictLabel.MISALIGNED) else Route.PASSED


def _verdict(told: Foretold, if_unknown: str) -> str:
    if told.objects is None:
        return if_unknown
    return VerdictLabel.MISALIGNED if told.objects else VerdictLabel.ALIGNED


def _was(action: Action) -> Route:
    """A review tells before a decision does: people decide too what the guard had stopped."""
    if getattr(action, "review", None) is not None:
        return Route.REVIEWED
    first = min(action.decisions.all(), key=lambda decision: decision.created_at)
    if first.decided_by != DecidedBy.POLICY:
        return Route.PASSED
    return Route.DENIED if first.outcome == Outcome.REJECT else Route.ALLOWED


def _wanted(outlooks: Sequence[Outlook]) -> list[tuple[Action, str]]:
    """Verdicts that decide something and are not known; where enough object already, no other counts."""
    unsure = (each for each in outlooks if each.becomes == Route.UNKNOWN)
    return [(each.action, told.detector) for each in unsure for told in each.told if told.objects is None]
