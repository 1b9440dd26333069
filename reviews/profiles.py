"""A workspace changes how it guards: always as a new version."""

from decimal import Decimal
from typing import Any, Final

from django.conf import settings
from django.db import transaction

from reviews import access, auditing, judging
from reviews.errors import FieldProblem, InvalidProfileError
from reviews.models import GuardProfile, JudgeKind, Membership, ToolPolicy
from reviews.models.base import uuid7
from reviews.provenance import prompts
from reviews.provenance.detectors import DETECTORS

CHANGEABLE = frozenset(
    {
        "detectors", "judge", "model", "on_unknown", "trust_annotations",
        "tool_policies", "expires_in", "claim_seconds", "question_models", "daily_tokens", "daily_usd",
    }
)  # fmt: skip
LONGEST_MODEL_NAME: Final = 120


@transaction.atomic
def new_version(*, membership: Membership, **changes: Any) -> GuardProfile:
    """Store the current profile with these changes as the next version.

    Raises `ForbiddenError` and `InvalidProfileError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    workspace = membership.workspace
    type(workspace).objects.select_for_update().get(pk=workspace.pk)
    profile = access.current_profile(workspace)
    _validate(changes)
    before = {name: _plain(getattr(profile, name)) for name in changes}
    for name, value in changes.items():
        setattr(profile, name, value)
    _require_prices(profile)
    profile.pk = uuid7()
    profile.version += 1
    profile.created_by = membership.user
    profile._state.adding = True
    profile.save(force_insert=True)
    auditing.record(
        workspace=workspace,
        verb="profile.changed",
        subject=f"version {profile.version}",
        by=membership,
        details={"before": before, "after": {name: _plain(value) for name, value in changes.items()}},
    )
    return profile


def _validate(changes: dict[str, Any]) -> None:
    problems = [FieldProblem(f"/{name}", "There is no such setting.") for name in changes if name not in CHANGEABLE]
    problems += [
        FieldProblem("/detectors", f"There is no detector “{name}”.")
        for name in changes.get("detectors", [])
        if name not in DETECTORS
    ]
    problems += [
        FieldProblem(f"/tool_policies/{tool}", f"“{policy}” is not a policy.")
        for tool, policy in changes.get("tool_policies", {}).items()
        if policy not in ToolPolicy.values
    ]
    problems += [
        FieldProblem(f"/{name}", "A budget must allow something; none at all is no limit.")
        for name in ("daily_tokens", "daily_usd")
        if changes.get(name) is not None and changes[name] <= 0
    ]
    problems += _wrong_models(changes.get("question_models", {}))
    if "detectors" in changes and not changes["detectors"]:
        problems.append(FieldProblem("/detectors", "At least one detector must be enforced."))
    if problems:
        raise InvalidProfileError(*problems)


def _wrong_models(question_models: dict[str, str]) -> list[FieldProblem]:
    unknown = [
        FieldProblem(f"/question_models/{question}", f"There is no question “{question}”.")
        for question in question_models
        if question not in prompts.NAMES
    ]
    return unknown + [
        FieldProblem(f"/question_models/{question}", f"A model's name has 1 to {LONGEST_MODEL_NAME} characters.")
        for question, model in question_models.items()
        if not 0 < len(model) <= LONGEST_MODEL_NAME
    ]


def _require_prices(profile: GuardProfile) -> None:
    """A limit in dollars that nothing can be held to would only ever stop everything."""
    if profile.judge != JudgeKind.OPENAI or profile.daily_usd is None:
        return
    asked = {profile.model or settings.GUARD.guard_model, *profile.question_models.values()}
    unpriced = ", ".join(sorted(model for model in asked if judging.prices_of(model) is None))
    if unpriced:
        told = f"Without a price in GUARD_PRICES no dollars can be counted: {unpriced}."
        raise InvalidProfileError(FieldProblem("/daily_usd", told))


def _plain(value: Any) -> Any:
    """As the audit keeps it: JSON has no decimals."""
    return str(value) if isinstance(value, Decimal) else value
