"""A version of the guard profile in words, and how two of them differ."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from reviews.desk.settings.profile.detector_texts import OPERATORS, QUESTIONS, about
from reviews.models import GuardProfile, ToolPolicy

Rows = Mapping[str, str]
"""What is set for each thing; a single value stands under the empty name."""
_WHOLE: Final = ""
_DETECTORS: Final = "Detectors"
_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"))


@dataclass(frozen=True)
class Setting:
    """One setting of a version."""

    label: str
    rows: Rows

    @property
    def value(self) -> str:
        """The single value; empty for a list."""
        return self.rows.get(_WHOLE, "")


@dataclass(frozen=True)
class Change:
    """One thing that differs."""

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
    """Everything the version sets."""
    return [Setting(label, read(profile)) for label, read in _SETTINGS.items()]


def changes_between(before: GuardProfile, after: GuardProfile) -> list[Change]:
    """What the second version sets otherwise than the first."""
    pairs = zip(settings_of(before), settings_of(after), strict=True)
    return [change for old, new in pairs for change in _changes(old, new)]


def _changes(old: Setting, new: Setting) -> Iterator[Change]:
    for row in dict.fromkeys([*old.rows, *new.rows]):
        before, after = old.rows.get(row, ""), new.rows.get(row, "")
        if before != after:
            yield Change(old.label, row, before, after)


def _detectors(profile: GuardProfile) -> Rows:
    modes = dict.fromkeys(profile.detectors, "enforced") | dict.fromkeys(profile.shadow, "in shadow")
    return {about(name).label: mode for name, mode in modes.items()}


def _rule(profile: GuardProfile) -> str:
    count = len(profile.detectors)
    return f"at least {profile.objections} of {count} object" if profile.objections > 1 else "any of them objects"


def _thresholds(profile: GuardProfile) -> Rows:
    return {about(name).label: f"{threshold:g}" for name, threshold in sorted(profile.thresholds.items())}


def _critical(profile: GuardProfile) -> Rows:
    conditions: dict[str, list[str]] = {}
    for kind in profile.critical_actions:
        conditions.setdefault(kind["tool"], []).append(_condition(kind))
    return {tool: ", or ".join(each) for tool, each in conditions.items()}


def _condition(kind: Mapping[str, Any]) -> str:
    if not kind.get("pointer"):
        return "always"
    compared = OPERATORS[kind.get("operator", "present")]
    return f"when {kind['pointer']} {compared} {kind.get('value', '')}".rstrip()


def _policies(profile: GuardProfile) -> Rows:
    return {tool: str(ToolPolicy(policy).label).lower() for tool, policy in sorted(profile.tool_policies.items())}


def _question_models(profile: GuardProfile) -> Rows:
    return {QUESTIONS.get(name, name): model for name, model in sorted(profile.question_models.items())}


def _budget(profile: GuardProfile) -> str:
    tokens = f"{profile.daily_tokens:,} tokens" if profile.daily_tokens else ""
    dollars = f"${profile.daily_usd:,.2f}" if profile.daily_usd else ""
    return " and ".join(filter(None, (tokens, dollars))) or "no limit"


def _seconds(seconds: int) -> str:
    """Exactly, and in the largest unit that fits."""
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size), (1, ""))
    return f"{seconds:,} s (about {seconds // size} {unit})" if unit else f"{seconds} s"


def _single(read: Callable[[GuardProfile], str]) -> Callable[[GuardProfile], Rows]:
    return lambda profile: {_WHOLE: read(profile)}


_SETTINGS: Final[Mapping[str, Callable[[GuardProfile], Rows]]] = {
    _DETECTORS: _detectors,
    "A person looks when": _single(_rule),
    "Thresholds": _thresholds,
    "Critical actions": _critical,
    "Tool policies": _policies,
    "Who judges": _single(lambda profile: str(profile.get_judge_display())),
    "Model of the judge": _single(lambda profile: profile.model or "the installation's default"),
    "Other models": _question_models,
    "Budget a day": _single(_budget),
    "When nobody can tell": _single(lambda profile: str(profile.get_on_unknown_display())),
    "Read-only hints of agents": _single(lambda profile: "believed" if profile.trust_annotations else "not believed"),
    "Rewrites of a plan": _single(lambda profile: f"{profile.rewrites}"),
    "A call waits at most": _single(lambda profile: _seconds(profile.expires_in)),
    "A claim holds for": _single(lambda profile: _seconds(profile.claim_seconds)),
}
