"""The two-person rule: a call of a tool that the profile names runs only once two people have approved it.

The first approval is a decision that awaits its second. It tells nobody: to agents the action waits on, and anybody may
still reject the call alone. The second is an approval of the very same call, by its digest, from another person who may
decide; it goes out as any approval does (`holds`). Approving another call than the first person did begins anew. All
of it happens under the lock on the action.
"""

from django.utils import timezone

from reviews import access
from reviews.errors import ApprovedByYouError
from reviews.models import RUNNABLE, Action, Decision, ToolPolicy, pipeline


def takes_two(action: Action, tool: str) -> bool:
    """Whether a call of this tool in the place of the action takes two people's approval."""
    policies = action.profile.tool_policies
    # What was proposed counts as well: nobody gets around the rule by editing the call into one of another tool.
    return ToolPolicy.TWO_PEOPLE in (policies.get(action.tool), policies.get(tool))


def find_first_approval(action: Action) -> Decision | None:
    """The approval that awaits its second, with its reviewer."""
    if ToolPolicy.TWO_PEOPLE not in action.profile.tool_policies.values():
        return None
    return Decision.objects.select_related("reviewer").filter(action=action, awaits_second=True).first()


def apply_rule(decision: Decision) -> None:
    """Make an approval the first or the second of two, where its call takes two.

    A decision that one person may take alone withdraws a first approval. It is not stored yet. Raises
    `ApprovedByYouError`.
    """
    first = find_first_approval(decision.action)
    is_one_of_two = decision.outcome in RUNNABLE and takes_two(decision.action, decision.tool)
    if (
        is_one_of_two
        and first is not None
        and first.digest == decision.digest
        and _still_counts(first, decision.action)
    ):
        if first.reviewer_id == decision.reviewer_id:
            raise ApprovedByYouError
        decision.first_approval = first
        return
    if first is not None:
        withdrawn = {"awaits_second": False, "withdrawn_at": timezone.now()}
        pipeline.update_rows(Decision, withdrawn, id=first.pk)
    if is_one_of_two:
        decision.awaits_second, decision.in_force, decision.held_until = True, False, None


def conclude_first_approval(decision: Decision) -> None:
    """Once the second approval is in force the first awaits nothing any more."""
    if decision.first_approval_id is not None:
        pipeline.update_rows(Decision, {"awaits_second": False}, id=decision.first_approval_id)


def _still_counts(first: Decision, action: Action) -> bool:
    """Whether the person may still decide: whoever has left approves nothing."""
    return access.deciders_of(action.workspace_id).filter(user=first.reviewer_id).exists()
