"""What is wrong with a draft of a guard profile, field by field."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, get_args

from django.conf import settings

from reviews.errors import FieldProblem
from reviews.judging import prices
from reviews.models import GuardProfile, JudgeKind, ToolPolicy
from reviews.provenance import prompts
from reviews.provenance.detectors import DETECTORS
from reviews.provenance.detectors.critical_actions import Operator

CHANGEABLE = frozenset(
    {
        "detectors", "objections", "shadow", "thresholds", "critical_actions", "rewrites", "judge", "model",
        "on_unknown", "trust_annotations", "tool_policies", "expires_in", "claim_seconds", "question_models",
        "daily_tokens", "daily_usd",
    }
)  # fmt: skip
LONGEST_MODEL_NAME: Final = 120
MOST_CRITICAL_ACTIONS: Final = 100
MOST_REWRITES: Final = 10
LONGEST: Final[Mapping[str, int]] = {"tool": 200, "pointer": 500, "operator": 20, "value": 500}
"""The keys of a critical action, and the most characters of each."""

Problems = Iterator[FieldProblem]


def problems_of(draft: GuardProfile, changed: Collection[str]) -> Problems:
    """Everything wrong with what was changed, and with what it leads to beside what was not."""
    for name, find in _FINDERS.items():
        if name in changed:
            yield from find(getattr(draft, name))
    if {"detectors", "shadow", "objections"} & set(changed):
        yield from _wrong_together(draft)
    yield from _unpriced(draft)


def unknown_settings(changed: Iterable[str]) -> Problems:
    """Names of which there is no setting."""
    return (FieldProblem(f"/{name}", "There is no such setting.") for name in changed if name not in CHANGEABLE)


def _detectors(names: list[str]) -> Problems:
    if not names:
        yield FieldProblem("/detectors", "At least one detector must be enforced.")
    yield from _named("detectors", names)


def _shadow(names: list[str]) -> Problems:
    yield from _named("shadow", names)


def _named(field: str, names: list[str]) -> Problems:
    for position, name in enumerate(names):
        if name not in DETECTORS:
            yield FieldProblem(f"/{field}/{position}", f"There is no detector “{name}”.")
        elif name in names[:position]:
            yield FieldProblem(f"/{field}/{position}", f"“{name}” is named twice.")


def _wrong_together(draft: GuardProfile) -> Problems:
    for position, name in enumerate(draft.shadow):
        if name in draft.detectors:
            yield FieldProblem(f"/shadow/{position}", f"“{name}” is enforced and cannot run in shadow as well.")
    enforced = len(draft.detectors)
    if not 1 <= draft.objections <= max(1, enforced):
        yield FieldProblem("/objections", f"With {enforced} enforced, from 1 to {enforced} of them can be asked for.")


def _thresholds(thresholds: dict[str, float]) -> Problems:
    for name, threshold in thresholds.items():
        if name not in DETECTORS:
            yield FieldProblem(_under("thresholds", name), f"There is no detector “{name}”.")
        elif not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
            yield FieldProblem(_under("thresholds", name), "A threshold is a number from 0 to 1.")


def _rewrites(rewrites: int) -> Problems:
    if not 0 <= rewrites <= MOST_REWRITES:
        yield FieldProblem("/rewrites", f"An agent may rewrite its plan 0 to {MOST_REWRITES} times.")


def _critical_actions(kinds: list[dict[str, str]]) -> Problems:
    if len(kinds) > MOST_CRITICAL_ACTIONS:
        yield FieldProblem("/critical_actions", f"At most {MOST_CRITICAL_ACTIONS} kinds of call can be critical.")
    for position, kind in enumerate(kinds[:MOST_CRITICAL_ACTIONS]):
        for key, told in _critical_action(kind):
            yield FieldProblem(_under(f"critical_actions/{position}", key), told)


def _critical_action(kind: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Key and problem."""
    yield from ((key, "A critical action has no such part.") for key in kind if key not in LONGEST)
    texts = {key: kind.get(key, "present" if key == "operator" else "") for key in LONGEST}
    for key, most in LONGEST.items():
        if not isinstance(texts[key], str) or len(texts[key]) > most:
            yield key, f"This is a text of at most {most} characters."
            return
    if not texts["tool"].strip():
        yield "tool", "Name the tool; * stands for any characters."
    yield from _wrong_condition(texts["pointer"], texts["operator"], texts["value"])


def _wrong_condition(pointer: str, operator: str, value: str) -> Iterator[tuple[str, str]]:
    if pointer and not pointer.startswith("/"):
        yield "pointer", "A JSON Pointer starts with a slash."
    if operator not in get_args(Operator):
        yield "operator", f"“{operator}” is not a comparison."
    elif operator != "present" and not pointer:
        yield "pointer", "Name the argument that is compared."
    elif operator in {"above", "below"} and not _is_number(value):
        yield "value", "This comparison needs a number."


def _tool_policies(policies: dict[str, str]) -> Problems:
    for tool, policy in policies.items():
        if policy not in ToolPolicy.values:
            yield FieldProblem(_under("tool_policies", tool), f"“{policy}” is not a policy.")


def _question_models(models: dict[str, str]) -> Problems:
    for question, model in models.items():
        if question not in prompts.NAMES:
            yield FieldProblem(_under("question_models", question), f"There is no question “{question}”.")
        if not 0 < len(model) <= LONGEST_MODEL_NAME:
            told = f"A model's name has 1 to {LONGEST_MODEL_NAME} characters."
            yield FieldProblem(_under("question_models", question), told)


def _budget(name: str) -> Any:
    def find(limit: Any) -> Problems:
        if limit is not None and limit <= 0:
            yield FieldProblem(f"/{name}", "A budget must allow something; none at all is no limit.")

    return find


def _unpriced(draft: GuardProfile) -> Problems:
    """A limit in dollars that nothing can be held to would only ever stop everything."""
    if draft.judge != JudgeKind.OPENAI or draft.daily_usd is None:
        return
    asked = {draft.model or settings.GUARD.guard_model, *draft.question_models.values()}
    unpriced = ", ".join(sorted(model for model in asked if prices.prices_of(model) is None))
    if unpriced:
        yield FieldProblem("/daily_usd", f"Without a price in GUARD_PRICES no dollars can be counted: {unpriced}.")


def _is_number(told: object) -> bool:
    """Whether it is a finite number, or text that says one."""
    try:
        return not isinstance(told, bool) and abs(float(told)) < float("inf")  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False


def _under(field: str, name: str) -> str:
    return f"/{field}/{name.replace('~', '~0').replace('/', '~1')}"


_FINDERS: Final = {
    "detectors": _detectors,
    "shadow": _shadow,
    "thresholds": _thresholds,
    "rewrites": _rewrites,
    "critical_actions": _critical_actions,
    "tool_policies": _tool_policies,
    "question_models": _question_models,
    "daily_tokens": _budget("daily_tokens"),
    "daily_usd": _budget("daily_usd"),
}
