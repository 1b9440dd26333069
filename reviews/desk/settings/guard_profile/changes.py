"""The settings of a guard profile's version in words, and how two versions differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reviews.desk.settings.guard_profile.detector_texts import OPERATORS, QUESTIONS, about
from reviews.models import GuardProfile, ToolPolicy
from reviews.provenance.core.trust import LABELS, TrustClass

_DETECTORS: Final = "Detectors"
# The largest first: the first unit of which there is at least one is used.
_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"))


@dataclass(frozen=True)
class Setting:
    """One setting of a version."""

    label: str
    rows: Mapping[str, str]
    """What is set for each thing of a list; a single value stands under the empty name."""

    @property
    def value(self) -> str:
        """The single value; empty for a list."""
        return self.rows.get("", "")


@dataclass(frozen=True)
class SettingChange:
    """One thing that differs between two versions."""

    label: str
    row: str
    """Within the setting; empty for a single value."""
    before: str
    """Empty for what was added."""
    after: str
    """Empty for what was removed."""

    @property
    def absent(self) -> str:
        """How the side without it reads; empty where nothing special is said."""
        return "off" if self.label == _DETECTORS else ""

    @property
    def words(self) -> str:
        """In one line."""
        subject = f"{self.label}: {self.row}" if self.row else self.label
        if not self.before:
            return f"{subject} added: {self.after}"
        return f"{subject}: {self.before} → {self.after}" if self.after else f"{subject} removed"


def settings_of(profile: GuardProfile) -> list[Setting]:
    """Everything the version sets, in the order of the form, and then what other pages set or the guard itself.

    Every version has the same settings.
    """
    modes = dict.fromkeys(profile.detectors, "enforced") | dict.fromkeys(profile.shadow, "in shadow")
    thresholds = sorted(profile.thresholds.items())
    policies, ratings = sorted(profile.tool_policies.items()), sorted(profile.source_trust.items())
    precision = profile.min_rule_precision
    several = f"at least {profile.objections} of {len(profile.detectors)} object"
    return [
        Setting(_DETECTORS, {about(name).label: mode for name, mode in modes.items()}),
        Setting("A person looks when", {"": several if profile.objections > 1 else "any of them objects"}),
        Setting("Thresholds", {about(name).label: f"{threshold:g}" for name, threshold in thresholds}),
        Setting("Scores shown as probabilities", _calibrations(profile)),
        Setting("Model of findings", {"": _suspicion(profile)}),
        Setting("The model orders the queue", {"": "within a quarter of an hour" if profile.orders_queue else "no"}),
        Setting("Critical actions", _critical_actions(profile)),
        Setting("Tool policies", {tool: str(ToolPolicy(policy).label).lower() for tool, policy in policies}),
        Setting("Trust in sources", {name: LABELS[TrustClass(rating)].lower() for name, rating in ratings}),
        Setting("Who judges", {"": str(profile.get_judge_display())}),
        Setting("Model of the judge", {"": profile.model or "the installation's default"}),
        Setting(
            "Other models",
            {QUESTIONS.get(name, name): model for name, model in sorted(profile.question_models.items())},
        ),
        Setting("Budget a day", {"": _budget(profile)}),
        Setting("When nobody can tell", {"": str(profile.get_on_unknown_display())}),
        Setting("The user may confirm", {"": str(profile.get_user_confirms_display()).lower()}),
        Setting("Links for the user", {"": "agents too" if profile.agents_ask_user else "reviewers only"}),
        Setting("Drawn for audit", {"": f"{profile.audit_rate:.2%}" if profile.audit_rate else "nothing"}),
        Setting("Read-only hints of agents", {"": "believed" if profile.trust_annotations else "not believed"}),
        Setting("Rewrites of a plan", {"": f"{profile.rewrites}"}),
        Setting("Tries after a correction", {"": f"{profile.retry_rounds}"}),
        Setting("Multi-step makes of the probabilities", {"": str(profile.get_aggregate_display()).lower()}),
        Setting("Steps that agents do not name", {"": "inferred" if profile.reconstruct_subtasks else "not inferred"}),
        Setting("Calls judged together", {"": f"{profile.window}"}),
        Setting(
            "An agent without a plan for its call", {"": "is sent back" if profile.sends_back else "waits for a person"}
        ),
        Setting("A call waits at most", {"": _duration(profile.expires_in)}),
        Setting("An approval is good for", {"": _duration(profile.execute_within)}),
        Setting("An approval can be taken back for", {"": _duration(profile.hold_seconds)}),
        Setting("A claim holds for", {"": _duration(profile.claim_seconds)}),
        Setting("A check by rules takes at most", {"": _duration(profile.check_seconds)}),
        Setting("A check by an LLM takes at most", {"": _duration(profile.check_seconds_judge)}),
        Setting("Least precision of a rule", {"": f"{precision:.0%}" if precision else "none"}),
        Setting("Suspended rules", dict.fromkeys(profile.suspended_rules, "decides nothing")),
    ]


def changes_between(before: GuardProfile, after: GuardProfile) -> list[SettingChange]:
    """What the second version sets otherwise than the first."""
    changes = []
    for old, new in zip(settings_of(before), settings_of(after), strict=True):
        # What both have keeps its place; what was added comes after it.
        for row in dict.fromkeys([*old.rows, *new.rows]):
            old_value, new_value = old.rows.get(row, ""), new.rows.get(row, "")
            if old_value != new_value:
                changes.append(SettingChange(old.label, row, old_value, new_value))
    return changes


def _calibrations(profile: GuardProfile) -> dict[str, str]:
    """For each detector how its scores are read."""
    return {
        about(name).label: f"{stored['method']}, from {stored.get('labels', 0)} labels"
        for name, stored in sorted(profile.calibrations.items())
    }


def _suspicion(profile: GuardProfile) -> str:
    learned = profile.suspicion
    return f"of {len(learned['weights'])} findings, from {learned.get('calls', 0)} labels" if learned else "none"


def _critical_actions(profile: GuardProfile) -> dict[str, str]:
    """For each tool the conditions under which its call is critical."""
    conditions: dict[str, list[str]] = {}
    for kind in profile.critical_actions:
        condition = "always"
        if kind.get("pointer"):
            operator = OPERATORS[kind.get("operator", "present")]
            # “is there” has no value behind it.
            condition = f"when {kind['pointer']} {operator} {kind.get('value', '')}".rstrip()
        ending = ", and ends the task" if kind.get("terminal") else ""
        conditions.setdefault(kind["tool"], []).append(f"{condition}{ending}")
    return {tool: ", or ".join(alternatives) for tool, alternatives in conditions.items()}


def _budget(profile: GuardProfile) -> str:
    """What the judge may use a day."""
    tokens = f"{profile.daily_tokens:,} tokens" if profile.daily_tokens else ""
    dollars = f"${profile.daily_usd:,.2f}" if profile.daily_usd else ""
    return " and ".join(filter(None, (tokens, dollars))) or "no limit"


def _duration(seconds: int) -> str:
    """The seconds exactly, because two versions may differ by one, and in the largest unit that fits."""
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size), (1, ""))
    return f"{seconds:,} s (about {seconds // size} {unit})" if unit else f"{seconds} s"
