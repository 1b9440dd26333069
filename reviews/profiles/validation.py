"""What is wrong with a draft of a guard profile, field by field."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, Final, get_args

from django.conf import settings

from reviews.errors import FieldProblem
from reviews.evaluation.measures.calibration_map import CalibrationMap
from reviews.evaluation.measures.suspicion import SuspicionModel
from reviews.judging import prices
from reviews.models import GuardProfile, JudgeKind, StepAggregate, ToolPolicy
from reviews.provenance.core.trust import TrustClass
from reviews.provenance.detectors import DETECTORS
from reviews.provenance.detectors.critical_actions import Operator
from reviews.provenance.prompts.prompt import QUESTION_NAMES

CHANGEABLE = frozenset(
    {
        "detectors", "objections", "shadow", "thresholds", "critical_actions", "rewrites", "window", "sends_back",
        "retry_rounds", "aggregate", "reconstruct_subtasks", "judge", "model", "on_unknown", "trust_annotations",
        "tool_policies", "expires_in", "execute_within", "claim_seconds", "hold_seconds", "min_rule_precision",
        "suspended_rules", "source_trust", "user_confirms", "agents_ask_user", "calibrations",
        "suspicion", "orders_queue",
        "question_models", "daily_tokens", "daily_usd", "audit_rate", "check_seconds", "check_seconds_judge",
    }
)  # fmt: skip
# The width of the column `GuardProfile.model`.
MAX_MODEL_NAME_LENGTH: Final = 120
# Seconds. An agent that waits ten minutes for a check has no use for its answer any more.
MAX_CHECK: Final = 600
# Seconds, and what the database allows. Whoever needs longer to think must not approve yet.
MAX_HOLD: Final = 60
# Every call of a workspace is matched against all of them.
MAX_CRITICAL_ACTIONS: Final = 100
# The IntentGuard paper uses two. Ten leaves room, and still ends an agent that never gets its plan right.
MAX_REWRITES: Final = 10
# The InferAct paper uses three. Ten leaves room, and still ends an agent that never learns from what it is told.
MAX_RETRY_ROUNDS: Final = 10
# The IntentGuard paper uses five. Each is shown whole to the judge, which has to see what they amount to together.
MAX_WINDOW: Final = 20
# Tools and texts: every source of every call is looked up among them, and nobody rates more by hand.
MAX_RATINGS: Final = 500
# 200 is the width of the column `Action.tool`. The others only keep a stored profile small: no argument lies so deep
# and no value worth comparing is so long.
LONGEST: Final[Mapping[str, int]] = {"tool": 200, "pointer": 500, "operator": 20, "value": 500}
"""The keys of a critical action that hold a text, and the most characters of each."""
_TERMINAL: Final = "terminal"
"""Its further key, which says whether such a call ends the task."""

Problems = Iterator[FieldProblem]


def problems_of(draft: GuardProfile, changed: Collection[str]) -> Problems:
    """Everything wrong with the changed settings, alone and together with those that were not changed.

    Settings that were not changed are not judged alone: a detector that has since been retired must not keep an
    administrator from changing something else.
    """
    for name, find in _FINDERS.items():
        if name in changed:
            yield from find(getattr(draft, name))
    if {"detectors", "shadow", "objections"} & set(changed):
        yield from _wrong_together(draft)
    # Not always: a price that was taken out of the installation since must not keep a rule from being suspended.
    if {"judge", "model", "question_models", "daily_usd"} & set(changed):
        yield from _price_problems(draft)


def unknown_settings(changed: Iterable[str]) -> Problems:
    """A problem for each name that is no setting."""
    return (FieldProblem(f"/{name}", "There is no such setting.") for name in changed if name not in CHANGEABLE)


def _detector_problems(names: list[str]) -> Problems:
    if not names:
        yield FieldProblem("/detectors", "At least one detector must be enforced.")
    yield from _unknown_or_repeated("detectors", names)


def _unknown_or_repeated(field: str, names: list[str]) -> Problems:
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


def _threshold_problems(thresholds: dict[str, float]) -> Problems:
    for name, threshold in thresholds.items():
        if name not in DETECTORS:
            yield FieldProblem(_pointer_to("thresholds", name), f"There is no detector “{name}”.")
        elif not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
            yield FieldProblem(_pointer_to("thresholds", name), "A threshold is a number from 0 to 1.")


def _calibration_problems(maps: dict[str, Any]) -> Problems:
    for name, stored in maps.items():
        if name not in DETECTORS:
            yield FieldProblem(_pointer_to("calibrations", name), f"There is no detector “{name}”.")
            continue
        try:
            CalibrationMap.read(stored)
        except ValueError as error:
            yield FieldProblem(_pointer_to("calibrations", name), str(error))


def _suspicion_problems(stored: dict[str, Any]) -> Problems:
    try:
        SuspicionModel.read(stored or {"intercept": 0, "weights": {}})
    except ValueError as error:
        yield FieldProblem("/suspicion", str(error))


def _rewrite_problems(rewrites: int) -> Problems:
    if not 0 <= rewrites <= MAX_REWRITES:
        yield FieldProblem("/rewrites", f"An agent may rewrite its plan 0 to {MAX_REWRITES} times.")


def _retry_rounds(rounds: int) -> Problems:
    if not 0 <= rounds <= MAX_RETRY_ROUNDS:
        yield FieldProblem("/retry_rounds", f"An agent may try a call again 0 to {MAX_RETRY_ROUNDS} times.")


def _aggregate(aggregate: str) -> Problems:
    if aggregate not in StepAggregate.values:
        yield FieldProblem("/aggregate", f"“{aggregate}” is no way to make one score of several.")


def _window_problems(window: int) -> Problems:
    if not 1 <= window <= MAX_WINDOW:
        yield FieldProblem("/window", f"From 1 to {MAX_WINDOW} calls can be judged together.")


def _audit_rate(rate: float) -> Problems:
    if not isinstance(rate, int | float) or not 0 <= rate <= 1:
        yield FieldProblem("/audit_rate", "A share is a number from 0 to 1.")


def _min_rule_precision(share: float | None) -> Problems:
    if share is not None and (not isinstance(share, int | float) or not 0 < share <= 1):
        yield FieldProblem("/min_rule_precision", "A share is a number above 0, up to 1.")


def _critical_actions(kinds: list[dict[str, Any]]) -> Problems:
    if len(kinds) > MAX_CRITICAL_ACTIONS:
        yield FieldProblem("/critical_actions", f"At most {MAX_CRITICAL_ACTIONS} kinds of call can be critical.")
    for position, kind in enumerate(kinds[:MAX_CRITICAL_ACTIONS]):
        for key, message in _critical_action(kind):
            yield FieldProblem(_pointer_to("critical_actions", str(position), key), message)


def _critical_action(kind: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What is wrong with one kind of critical action: the key and a message."""
    yield from ((key, "A critical action has no such part.") for key in kind if key not in {*LONGEST, _TERMINAL})
    if not isinstance(kind.get(_TERMINAL, False), bool):
        yield _TERMINAL, "Whether such a call ends the task is true or false."
    texts = {key: kind.get(key, "present" if key == "operator" else "") for key in LONGEST}
    # One problem is enough: the conditions below expect texts.
    for key, most in LONGEST.items():
        if not isinstance(texts[key], str) or len(texts[key]) > most:
            yield key, f"This is a text of at most {most} characters."
            return
    # No database keeps a NUL, and so no recorded call holds one.
    if "\x00" in "".join(texts.values()):
        yield "tool", "No call holds such a character."
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
            yield FieldProblem(_pointer_to("tool_policies", tool), f"“{policy}” is not a policy.")


def _source_trust(ratings: dict[str, str]) -> Problems:
    if len(ratings) > MAX_RATINGS:
        yield FieldProblem("/source_trust", f"At most {MAX_RATINGS} tools and texts can be rated.")
    for name, rating in ratings.items():
        if rating not in set(TrustClass):
            yield FieldProblem(_pointer_to("source_trust", name), f"“{rating}” is no trust.")


def _question_models(models: dict[str, str]) -> Problems:
    for question, model in models.items():
        if question not in QUESTION_NAMES:
            yield FieldProblem(_pointer_to("question_models", question), f"There is no question “{question}”.")
        if not 0 < len(model) <= MAX_MODEL_NAME_LENGTH:
            message = f"A model's name has 1 to {MAX_MODEL_NAME_LENGTH} characters."
            yield FieldProblem(_pointer_to("question_models", question), message)


def _check_seconds(field: str, seconds: int) -> Problems:
    if not 1 <= seconds <= MAX_CHECK:
        yield FieldProblem(f"/{field}", f"A check may take 1 to {MAX_CHECK} seconds.")


def _hold_seconds(seconds: int) -> Problems:
    if not 0 <= seconds <= MAX_HOLD:
        yield FieldProblem("/hold_seconds", f"An approval can be held for 0 to {MAX_HOLD} seconds.")


def _budget_problems(field: str, limit: int | Decimal | None) -> Problems:
    if limit is not None and limit <= 0:
        yield FieldProblem(f"/{field}", "A budget must allow something; none at all is no limit.")


def _price_problems(draft: GuardProfile) -> Problems:
    """A limit in dollars needs the price of every model: without one, each question would be refused as not payable."""
    if draft.daily_usd is not None and (unpriced := unpriced_models(draft)):
        yield FieldProblem("/daily_usd", describe_unpriced(unpriced))


def unpriced_models(draft: GuardProfile) -> Collection[str]:
    """The models that the profile asks and GUARD_PRICES does not name."""
    if draft.judge != JudgeKind.OPENAI:
        return ()
    models = {draft.model or settings.GUARD.guard_model, *draft.question_models.values()}
    return {model for model in models if prices.prices_of(model) is None}


def describe_unpriced(models: Collection[str]) -> str:
    """Why a limit in dollars is refused with these models."""
    return f"Without a price in GUARD_PRICES no dollars can be counted: {', '.join(sorted(models))}."


def _is_number(value: str) -> bool:
    """Whether the text stands for a finite number: nothing is above infinity, and nothing compares with NaN."""
    try:
        return math.isfinite(float(value))
    except ValueError:
        return False


def _pointer_to(*names: str) -> str:
    """The JSON Pointer to a setting's part. Names of tools and questions may hold what RFC 6901 escapes."""
    return "".join(f"/{name.replace('~', '~0').replace('/', '~1')}" for name in names)


# `objections`, `judge` and the like have no finder of their own: forms and columns bound them.
_FINDERS: Final[Mapping[str, Callable[[Any], Problems]]] = {
    "detectors": _detector_problems,
    "shadow": partial(_unknown_or_repeated, "shadow"),
    "thresholds": _threshold_problems,
    "calibrations": _calibration_problems,
    "suspicion": _suspicion_problems,
    "rewrites": _rewrite_problems,
    "retry_rounds": _retry_rounds,
    "aggregate": _aggregate,
    "window": _window_problems,
    "audit_rate": _audit_rate,
    "min_rule_precision": _min_rule_precision,
    "critical_actions": _critical_actions,
    "tool_policies": _tool_policies,
    "source_trust": _source_trust,
    "question_models": _question_models,
    "check_seconds": partial(_check_seconds, "check_seconds"),
    "check_seconds_judge": partial(_check_seconds, "check_seconds_judge"),
    "hold_seconds": _hold_seconds,
    "daily_tokens": partial(_budget_problems, "daily_tokens"),
    "daily_usd": partial(_budget_problems, "daily_usd"),
}
