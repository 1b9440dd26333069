"""A key for an agent, issued by whoever runs the installation."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews.errors import InvalidError
from reviews.management.tenants import workspace_named
from reviews.models import Agent, AgentKey
from reviews.workspaces import agent_keys


class Command(BaseCommand):
    """Issue an agent key and print it; its secret is kept nowhere and cannot be printed again."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="the workspace's slug")
        parser.add_argument("name", help="name of the key, shown beside every call it proposes")
        parser.add_argument(
            "--agent", help="the agent the key belongs to, found or made by this name (a new one named as the key)"
        )
        parser.add_argument("--read-only", action="store_true", help="let it propose, run and cancel nothing")
        parser.add_argument("--test", action="store_true", help="its calls say themselves how they are decided")
        parser.add_argument("--ground-truth", action="store_true", help="let it manage datasets and campaigns")
        parser.add_argument("--all-labels", action="store_true", help="let it export the labels of the whole workspace")
        parser.add_argument("--all-events", action="store_true", help="let it follow the calls of all agents")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = workspace_named(options["workspace"])
        name, agent = _check_name(AgentKey, options["name"]), options["agent"]
        try:
            issued = agent_keys.create_key(
                workspace,
                name=name,
                agent=None if agent is None else _check_name(Agent, agent),
                reads_all_labels=options["all_labels"],
                reads_all_events=options["all_events"],
                reads_only=options["read_only"],
                manages_ground_truth=options["ground_truth"],
                is_test=options["test"],
            )
        except InvalidError as error:
            raise CommandError(error.errors[0].message) from error
        self.stdout.write(f"Key “{name}” of agent “{issued.agent_key.agent}” in {workspace}:")
        # Last and alone on its line, so that a script can take it from there.
        self.stdout.write(issued.secret)


def _check_name(model: type[Agent | AgentKey], name: str) -> str:
    """The name as it is stored. Raises `CommandError` for one that does not fit the column."""
    longest = model._meta.get_field("name").max_length or 0
    stripped = name.strip()
    if not 1 <= len(stripped) <= longest:
        raise CommandError(f"A name has 1 to {longest} characters.")
    return stripped
