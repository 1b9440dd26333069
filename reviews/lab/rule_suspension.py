"""Suspend rules that people overrule too often, and switch them on again.

What falls below the workspace's least precision is suspended without anybody's doing, as a version of the profile that
the operator stored. Only a person switches a rule on again: the labels it was suspended for are still there.
"""

from django.db import transaction

from reviews import access
from reviews.errors import FieldProblem, InvalidProfileError
from reviews.lab.rule_records import count_rule_records
from reviews.models import GuardProfile, Membership, Workspace
from reviews.profiles import versions


def suspend_imprecise_rules(workspace: Workspace) -> list[str]:
    """Suspend every rule that is proven to be upheld less often than the profile asks for. Returns their names.

    What an earlier version of it decided proves nothing of the present one.

    A rule that a person switched on again stays on: whoever did so knows the labels it was suspended for.
    """
    with transaction.atomic():
        # From here on nobody else changes the profile: what another one suspends at once must not be lost.
        Workspace.objects.select_for_update().get(pk=workspace.pk)
        profile = access.current_profile(workspace)
        if profile.min_rule_precision is None:
            return []
        least = profile.min_rule_precision
        records = count_rule_records(workspace)
        below = {record.rule for record in records if record.is_in_force and record.is_below(least)}
        below -= set(profile.suspended_rules)
        below -= _switched_on(workspace)
        if below:
            versions.store_version(workspace, {"suspended_rules": sorted({*profile.suspended_rules, *below})}, by=None)
        return sorted(below)


def switch_on(membership: Membership, rule: str) -> GuardProfile:
    """Let a suspended rule decide again. Raises `ForbiddenError`, and `InvalidProfileError` unless it is suspended."""
    access.require(membership, access.Permission.ADMINISTER)
    profile = access.current_profile(membership.workspace)
    if rule not in profile.suspended_rules:
        raise InvalidProfileError(FieldProblem("/suspended_rules", f"“{rule}” is not suspended."))
    rules = [name for name in profile.suspended_rules if name != rule]
    return versions.new_version(membership=membership, based_on=profile.version, suspended_rules=rules)


def _switched_on(workspace: Workspace) -> set[str]:
    """Rules that an earlier version suspended and the present one does not: a person wants them, whatever they did."""
    profiles = GuardProfile.objects.filter(workspace=workspace).exclude(suspended_rules=[])
    ever = {rule for rules in profiles.values_list("suspended_rules", flat=True) for rule in rules}
    return ever - set(access.current_profile(workspace).suspended_rules)
