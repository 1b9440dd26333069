"""What a profile sets for the engine: the options of a detector, and which calls count as grave."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from reviews.models import Action, GuardProfile, OnUnknown, Risk, StepAggregate
from reviews.provenance.core.context import Case, ProposedAction, ToolDoc
from reviews.provenance.core.trust import TrustClass
from reviews.provenance.detectors import MultiStep, ProvenanceGuard
from reviews.provenance.detectors.base import Aggregate, Options
from reviews.provenance.detectors.critical_actions import CriticalAction
from reviews.provenance.detectors.severity import Severity, says_it_is_final, severity_of

_AGGREGATES: Final[Mapping[StepAggregate, Aggregate]] = MappingProxyType(
    {
        StepAggregate.PRODUCT: "product",
        StepAggregate.MIN: "min",
        StepAggregate.MAX: "max",
        StepAggregate.MEAN: "mean",
    }
)
"""The engine's words for the profile's choices: those do not change with a form."""


def detector_options(profile: GuardProfile, name: str) -> Options:
    """What the profile chooses for the detector of this name."""
    # Matched by value: the engine has its own words, which do not change with the names of choices in a form.
    return Options(
        # Where only grave calls go to a person, the routing decides which are: the detector finds all it can.
        unknown="review" if profile.on_unknown == OnUnknown.REVIEW else "pass",
        threshold=profile.thresholds.get(name, Options.threshold),
        critical=critical_actions(profile),
        # Only for who uses them, so that a change of either leaves the recorded verdicts of all others comparable.
        aggregate=_AGGREGATES[StepAggregate(profile.aggregate)] if name == MultiStep.name else Options.aggregate,
        reconstruct_subtasks=profile.reconstruct_subtasks and name == ProvenanceGuard.name,
        window=profile.window,
    )


def rate_sources(profile: GuardProfile, case: Case) -> Case:
    """The case with each source rated as the profile does, whatever one rated it when the call was recorded."""
    ratings = {name: TrustClass(rating) for name, rating in profile.source_trust.items()}
    return replace(case, context=replace(case.context, ratings=ratings))


def severity_under(profile: GuardProfile, action: Action) -> Severity | None:
    """Why the proposed call is grave under this profile; None for a mild one."""
    documents = (ToolDoc(**stored) for stored in action.tool_set.tools if stored["name"] == action.tool)
    return severity_of(
        ProposedAction(action.tool, action.arguments, action.subtask or None),
        next(documents, None),
        critical=critical_actions(profile),
        high_risk=action.risk == Risk.HIGH,
    )


def is_grave(action: Action) -> bool:
    """Whether the call is grave under its profile, or its document says that it cannot be undone."""
    documents = (ToolDoc(**stored) for stored in action.tool_set.tools if stored["name"] == action.tool)
    return says_it_is_final(next(documents, None)) or severity_under(action.profile, action) is not None


def critical_actions(profile: GuardProfile) -> tuple[CriticalAction, ...]:
    """The kinds of call that the profile names as critical."""
    return tuple(CriticalAction(**kind) for kind in profile.critical_actions)
