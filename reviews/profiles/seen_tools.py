"""The tools seen in a workspace's traffic, and what its profile says of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, F, Func, JSONField, Max, QuerySet

from reviews import access
from reviews.models import Action, Membership, ToolPolicy
from reviews.profiles.options import critical_actions
from reviews.provenance.core.context import ProposedAction
from reviews.provenance.detectors.critical_actions import CriticalAction, is_critical

# The latest calls that are counted, and the most tools listed: the page answers in a moment however long the
# workspace exists, and a tool that nobody called for so long is not what anyone looks for.
COUNTED: Final = 10_000
LISTED: Final = 500


@dataclass(frozen=True)
class SeenTool:
    """One tool, with the document that came with its latest call."""

    name: str
    document: Mapping[str, Any]
    """Empty where the agent offered none of this name."""
    calls: int
    """Among the latest `COUNTED` of the workspace."""
    last_seen: datetime
    policy: ToolPolicy | None
    """The workspace's standing order."""
    critical: bool
    """A rule for critical actions names it, for all of its calls or for some."""

    @property
    def changes(self) -> bool:
        """Whether a call changes something; so does everything that no trusted document calls a look-up."""
        return bool(self.document.get("environment_changing", True))


def seen_tools(membership: Membership) -> Iterator[SeenTool]:
    """The tools of the workspace's latest calls, the most called first."""
    profile = access.current_profile(membership.workspace)
    # By the tool alone: whether a call is critical may depend on its arguments, and here there is none.
    kinds = [CriticalAction(kind.tool) for kind in critical_actions(profile)]
    latest = access.actions_for(membership).order_by("-created_at", "-id").values("pk")[:COUNTED]
    # The slice is inside, so that the database counts no more than that.
    counted = Action.objects.filter(pk__in=latest)
    documents = dict(_tool_documents(counted))
    rows = counted.values("tool").annotate(calls=Count("pk"), at=Max("created_at")).order_by("-calls", "tool")
    for row in rows[:LISTED]:
        name, policy = row["tool"], profile.tool_policies.get(row["tool"])
        yield SeenTool(
            name=name,
            document=documents.get(name) or {},
            calls=row["calls"],
            last_seen=row["at"],
            policy=ToolPolicy(policy) if policy else None,
            critical=is_critical(ProposedAction(name, {}), kinds),
        )


def _tool_documents(counted: QuerySet[Action]) -> Iterator[tuple[str, Any]]:
    """Of each tool, the document that the agent offered with its latest call."""
    # Found by the database: a tool set may hold a megabyte, of which one document is shown.
    document = Func(
        F("tool_set__tools"),
        F("tool"),
        template="jsonb_path_query_first(%(expressions)s))",
        arg_joiner=", '$[*] ? (@.name == $name)', jsonb_build_object('name', ",
        output_field=JSONField(),
    )
    newest = counted.order_by("tool", "-created_at").distinct("tool")
    yield from newest.values_list("tool", document)
