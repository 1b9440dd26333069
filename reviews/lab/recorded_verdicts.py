"""What a detector would find about a stored call under another guard profile, as far as the stored checks show it."""

from dataclasses import dataclass

from reviews.judging import build
from reviews.models import Action, Check, GuardProfile, VerdictLabel
from reviews.models.reviews import WENT_ON
from reviews.profiles.options import detector_options
from reviews.provenance import detectors
from reviews.provenance.core.context import ProposedAction
from reviews.provenance.detectors import DETECTORS
from reviews.provenance.detectors.base import Options
from reviews.provenance.detectors.critical_actions import is_critical, is_terminal
from reviews.provenance.detectors.intent_guard import detector


@dataclass(frozen=True)
class ExpectedVerdict:
    """What one detector would find about one call."""

    detector: str
    objects: bool | None
    """None: it would have to run to tell."""
    established: bool = True
    """Where it does not object: whether it would establish the call, too, or only find nothing against it."""
    reason: str = ""
    public: bool = True
    """Whether it rests on nothing but the profile and an enforced check."""


class DraftDetector:
    """One detector as a draft of the profile would run it."""

    def __init__(self, name: str, draft: GuardProfile) -> None:
        self.name = name
        self.options = detector_options(draft, name)
        self._version = detectors.build(name, self.options).version
        self._judge = build.judge_for(draft).name
        self._critical_only = bool(getattr(DETECTORS[name], "critical_only", False))
        self._draft = draft

    def is_exempt(self, action: Action) -> bool:
        """Whether it would let the call pass without a look: it is made for critical actions, and this is none."""
        return not self._looks_at(action, self.options)

    def objects_by_record(self, action: Action, check: Check) -> bool | None:
        """Whether it would object, by a check that is done; None where the check does not show it."""
        comparable = (check.judge, check.detector_version) == (self._judge, self._version)
        before = detector_options(action.profile, self.name)
        if not comparable or not self._looks_at(action, before) or not self._same_without_answers(action, check):
            return None
        if not self._asks_the_same(action, before) or not self._counts_the_same(action):
            return None
        objects = _objects_by_threshold(check, before, self.options)
        # Without an objection of its own the gate still stops an agent that was told to stop and goes on.
        if objects is False and self.name == detector.NAME:
            return self._stops_who_goes_on(action)
        return objects

    def _stops_who_goes_on(self, action: Action) -> bool | None:
        """Whether the gate objects because the agent was told to stop; None where it is not stored when that was."""
        before, now = action.profile.rewrites, self._draft.rewrites
        if action.trace.rewrites <= now:
            return False
        # From here on the agent has used up its rewrites by today, but perhaps only after this call.
        review = getattr(action, "review", None)
        if review is None:
            return False if now >= before else None
        return True if review.reason == WENT_ON and now <= before else None

    def _same_without_answers(self, action: Action, check: Check) -> bool:
        """Whether the verdict stays although the draft changes what a question without an answer means."""
        now = self.options.unknown
        if detector_options(action.profile, self.name).unknown == now:
            return True
        # `review` is the stricter of the two: it can only add objections, and `pass` can only take them away. What is
        # established had an answer to every question.
        if now == "review":
            return check.established or check.verdict != VerdictLabel.ALIGNED
        return check.verdict != VerdictLabel.UNDETERMINED

    def _asks_the_same(self, action: Action, before: Options) -> bool:
        """Whether the draft leaves alone which questions the detector asks and how it reads the answers."""
        proposed, now = ProposedAction(action.tool, action.arguments), self.options
        if self._critical_only and is_terminal(proposed, before.critical) != is_terminal(proposed, now.critical):
            return False
        # The window is IntentGuard's: to all others it is nothing how many calls are taken together.
        if self.name == detector.NAME and before.window != now.window:
            return False
        return (before.aggregate, before.reconstruct_subtasks) == (now.aggregate, now.reconstruct_subtasks)

    def _counts_the_same(self, action: Action) -> bool:
        """Whether the draft trusts the same sources and suspends the same rules, on which any verdict may rest."""
        before, now = action.profile, self._draft
        same_rules = set(before.suspended_rules) == set(now.suspended_rules)
        return same_rules and before.source_trust == now.source_trust

    def _looks_at(self, action: Action, options: Options) -> bool:
        if not self._critical_only:
            return True
        document = next((document for document in action.tool_set.tools if document["name"] == action.tool), None)
        if document is None:
            # It rejects a call that names no documented tool, critical or not.
            return True
        if options.critical:
            return is_critical(ProposedAction(action.tool, action.arguments), options.critical)
        # As the engine reads documents: a tool of which nothing is said may change its environment.
        return bool(document.get("environment_changing", True))


def _objects_by_threshold(check: Check, before: Options, now: Options) -> bool | None:
    """Whether the detector objects with another threshold; None where the stored score does not show it."""
    objected = check.verdict != VerdictLabel.ALIGNED
    if now.threshold == before.threshold:
        return objected
    if not getattr(DETECTORS[check.detector], "by_score", False):
        # It compares its threshold with answers to single questions, which are stored as findings only.
        return None
    if check.score is None:
        return objected
    return check.score < now.threshold
