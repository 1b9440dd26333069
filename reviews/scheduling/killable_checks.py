"""What runs in a process of its own: functions whose arguments and results can be sent between processes."""

import asyncio
from dataclasses import dataclass

from reviews.provenance.argument_grounding import Grounded, ground_arguments
from reviews.provenance.core.context import Case
from reviews.provenance.core.schema_keywords import SchemaBudgetError
from reviews.provenance.core.tool_schema import schema_problems
from reviews.provenance.core.verdicts import Verdict
from reviews.provenance.detectors import build
from reviews.provenance.detectors.base import Options, verdict_of
from reviews.provenance.judges import RulesJudge


@dataclass(frozen=True)
class CheckedCall:
    """What rules alone say about a call."""

    violations: tuple[tuple[str, str], ...]
    """Against the tool's schema, as JSON Pointer and message; at the root also that it could not be validated."""
    grounded: tuple[Grounded, ...]
    """Where each value comes from, in the order of the arguments; empty while there are violations."""


def checked_call(case: Case) -> CheckedCall:
    """Whether the call fits its tool's schema, and where its values come from. Raises KeyError for an unknown tool."""
    document = case.context.tool(case.action.tool)
    if document is None:
        raise KeyError(case.action.tool)
    try:
        violations = schema_problems(document, case.action.arguments)
    except SchemaBudgetError as error:
        violations = (("", str(error)),)
    # Grounding costs the most, and a call that cannot be released needs none.
    return CheckedCall(violations, () if violations else ground_arguments(case))


def verdict_by_rules(name: str, options: Options, case: Case) -> Verdict:
    """The verdict of the detector of this name without a model. Raises what the detector raises."""
    return asyncio.run(verdict_of(build(name, options), case, RulesJudge()))
