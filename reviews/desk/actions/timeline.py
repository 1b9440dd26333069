"""A conversation as a timeline: what was said and done, and each proposed call where it came, with its end."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from django.db.models import Prefetch, Q

from reviews import access
from reviews.models import Action, Check, Decision, Execution, Membership, Plan, Step, Trace
from reviews.records import load

# A screen or three. Further ones are a page each.
PAGE_SIZE: Final = 50
PAGE_DIGITS: Final = 6
# Characters of one entry; the page of a call shows all that it rested on.
LONGEST: Final = 1_500
# Calls on a page: an agent may propose any number behind one step.
MAX_ACTIONS: Final = 200


@dataclass(frozen=True)
class Moment:
    """One entry of the conversation's past, with the calls that were proposed behind it."""

    position: int
    """Of the step, from 1; 0 for the beginning."""
    step: Step | None
    plans: list[Plan]
    actions: list[Action]


def context_of(membership: Membership, trace: Trace, number: int) -> dict[str, Any]:
    """What the page of the conversation shows."""
    last = trace.steps.order_by("-position").values_list("position", flat=True).first() or 0
    pages = max(1, -(-last // PAGE_SIZE))
    page = min(max(number, 1), pages)
    start, end = (page - 1) * PAGE_SIZE, page * PAGE_SIZE
    rows = trace.steps.filter(position__gt=start, position__lte=end).select_related("text")
    steps = {step.position: step for step in rows.order_by("position")}
    # What comes before the first step belongs to the first page.
    low = 0 if page == 1 else start + 1
    actions = _actions_between(membership, trace, low, end)
    plans = access.plans_for(membership).filter(trace=trace, position__gte=low, position__lte=end)
    by_position = {key: list(group) for key, group in groupby(actions[:MAX_ACTIONS], key=lambda row: row.position)}
    planned: dict[int, list[Plan]] = {}
    for plan in plans.order_by("position", "created_at")[:MAX_ACTIONS]:
        plan.read = load.plan_from_json(plan.steps)  # type: ignore[attr-defined]
        planned.setdefault(plan.position, []).append(plan)
    positions = sorted({*steps, *by_position, *planned} | ({0} if page == 1 else set()))
    same = Q(agent=trace.agent_id, external_id=trace.external_id)
    return {
        "trace": trace,
        "moments": [Moment(at, steps.get(at), planned.get(at, []), by_position.get(at, [])) for at in positions],
        "longest": LONGEST,
        "page": page,
        "pages": pages,
        "cut": len(actions) > MAX_ACTIONS,
        "revisions": access.traces_for(membership).filter(same).exclude(pk=trace.pk).order_by("revision")[:PAGE_SIZE],
    }


def _actions_between(membership: Membership, trace: Trace, low: int, high: int) -> list[Action]:
    """The calls that were proposed behind these steps, with verdict, decision and what came of them."""
    in_force = Prefetch(
        "decisions", Decision.objects.filter(in_force=True).select_related("reviewer"), to_attr="in_force"
    )
    checks = Prefetch("checks", Check.objects.enforced().defer("stages").in_profile_order(), to_attr="enforced")
    executions = Prefetch("execution", Execution.objects.select_related("step__text"))
    actions = access.actions_for(membership).filter(trace=trace, position__gte=low, position__lte=high)
    # A call waits for its execution as an attribute that may be missing: fetched for all of them at once.
    return list(
        actions.prefetch_related(in_force, checks, executions).order_by("position", "created_at")[: MAX_ACTIONS + 1]
    )
