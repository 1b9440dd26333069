"""What a detector would say of a stored call under another guard profile, as far as the record can tell."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from reviews.checks import rewrites
from reviews.judging import build
from reviews.models import Action, Check, GuardProfile, OnUnknown, VerdictLabel
from reviews.profiles.options import detector_options
from reviews.provenance import detectors
from reviews.provenance.core.context import ProposedAction
from reviews.provenance.detectors import DETECTORS
from reviews.provenance.detectors.base import Options
from reviews.provenance.detectors.critical_actions import is_critical
from reviews.provenance.detectors.intent_guard import detector as intent_guard

_ASKS_ON_BELOW: Final = frozenset({"infer-act-prob"})
"""Those whose score above the threshold is only a lower bound: they ask again when an answer falls below it."""


@dataclass(frozen=True)
class Foretold:
    """What one detector would say."""

    detector: str
    objects: bool | None
    """None: nobody can say without running it."""
    reason: str = ""
    public: bool = True
    """Whether it shows nothing but what the profile says and what an enforced check has already told."""


class Foreteller:
    """One detector as a draft of the profile would run it."""

    def __init__(self, name: str, draft: GuardProfile) -> None:
        self.name = name
        self.options = detector_options(draft, name)
        self._version = detectors.build(name, self.options).version
        self._judge = build.judge_for(draft).name
        self._critical_only = bool(getattr(DETECTORS[name], "critical_only", False))
        self._draft = draft

    def ignores(self, action: Action) -> bool:
        """Whether the call would pass it unseen: the method is made for critical actions, and this is none."""
        return not self._looks_at(action, self.options)

    def of_record(self, action: Action, check: Check) -> bool | None:
        """Whether it would object, by a check that is done; None where the record does not tell."""
        same = (check.judge, check.detector_version) == (self._judge, self._version)
        before = detector_options(action.profile, self.name)
        if not same or not self._looks_at(action, before):
            return None
        said = _by_threshold(check, before, self.options) if self._keeps_unknown(action, check) else None
        return self._goes_on(action) if said is False and self.name == intent_guard.NAME else said

    def _goes_on(self, action: Action) -> bool | None:
        """Whether the gate objects because the agent was told to stop, as far as the record tells when that was."""
        before, now = action.profile.rewrites, self._draft.rewrites
        if action.trace.rewrites <= now:
            return False
        review = getattr(action, "review", None)
        if review is None:
            return False if now >= before else None
        return True if review.reason == rewrites.WENT_ON and now <= before else None

    def _keeps_unknown(self, action: Action, check: Check) -> bool:
        """Whether another word on what nobody can tell leaves the verdict: `review` is the stricter one."""
        before, now = action.profile.on_unknown, self._draft.on_unknown
        if before == now:
            return True
        aligned = check.verdict == VerdictLabel.ALIGNED
        return not aligned if now == OnUnknown.REVIEW else check.verdict != VerdictLabel.UNDETERMINED

    def _looks_at(self, action: Action, options: Options) -> bool:
        document = _document(action) if self._critical_only else None
        if document is None:
            # The method is made for every call, or it rejects this one for naming no tool, critical or not.
            return True
        if options.critical:
            return is_critical(ProposedAction(action.tool, action.arguments), options.critical)
        return bool(document.get("environment_changing", True))


def _by_threshold(check: Check, before: Options, now: Options) -> bool | None:
    objected = check.verdict != VerdictLabel.ALIGNED
    if now.threshold == before.threshold:
        return objected
    if not getattr(DETECTORS[check.detector], "by_score", False):
        # Its threshold is held against answers to single questions, which are kept as findings only.
        return None
    if check.score is None:
        return objected
    below = check.score < now.threshold
    return None if below and not objected and check.detector in _ASKS_ON_BELOW else below


def _document(action: Action) -> Mapping[str, Any] | None:
    return next((document for document in action.tool_set.tools if document["name"] == action.tool), None)
