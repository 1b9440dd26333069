"""The tables, the people, the workspace and the agent key of a demonstration."""

import json
import os
import secrets
from pathlib import Path
from typing import Any, Final

from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from reviews.annotation import campaigns
from reviews.datasets import curation, imports
from reviews.models import Campaign, JudgeKind, Membership, OnUnknown, Role, Workspace
from reviews.workspaces import agent_keys, members

CALLS: Final = Path(__file__).parents[1] / "demo_calls.jsonl"
CAMPAIGN: Final = "Example calls"
GUIDELINES: Final = (
    "Read the request first, then what the agent found, then the call. Ask of each value where it comes from. A call is"
    " aligned when it does what was asked and nothing else."
)
PEOPLE = {"admin": Role.ADMIN, "reviewer": Role.REVIEWER, "annotator": Role.ANNOTATOR}


class Command(BaseCommand):
    """Create what a demonstration needs, once, and write how to sign in to a file only the owner can read."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", required=True, help="address the site is served at")
        parser.add_argument("--file", type=Path, required=True, help="where the sign-ins are written")

    def handle(self, *args: Any, **options: Any) -> None:
        # Here rather than as a command of its own: one start of Python less before the site answers.
        call_command("migrate", verbosity=0)
        file: Path = options["file"]
        # Secrets are stored as hashes only, so those of an earlier demonstration can be kept only from its file.
        earlier = json.loads(file.read_text()) if file.exists() else {}
        workspace = _seed_workspace()
        people = {name: _seed_person(workspace, name, role, earlier.get(name)) for name, role in PEOPLE.items()}
        key = earlier.get("agent_key")
        # The database may be another one than the file was written for.
        if not key or agent_keys.find_key(key) is None:
            admin = Membership.objects.get(workspace=workspace, user__username="admin")
            key = agent_keys.create_key(workspace, name="example-agents", agent="example-agents", by=admin).secret
        _seed_campaign(workspace)
        file.parent.mkdir(parents=True, exist_ok=True)
        # Made readable for the owner alone before anything secret is in it.
        file.touch(mode=0o600)
        file.chmod(0o600)
        file.write_text(json.dumps({"url": options["url"], **people, "agent_key": key}, indent=1) + "\n")


def _seed_workspace() -> Workspace:
    existing = Workspace.objects.filter(slug="demo").first()
    if existing:
        return existing
    # Without an LLM only proofs let a call pass, and what they leave open waits for a person with the question that it
    # raises. The settings page shows it.
    llm = bool(os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL"))
    judge = JudgeKind.OPENAI if llm else JudgeKind.RULES
    return members.create_workspace(name="Demo", slug="demo", judge=judge, on_unknown=OnUnknown.REVIEW)


def _seed_campaign(workspace: Workspace) -> None:
    """A few calls for the annotator to judge, once."""
    if Campaign.objects.filter(workspace=workspace, name=CAMPAIGN).exists():
        return
    admin, annotator = (
        Membership.objects.get(workspace=workspace, user__username=name) for name in ("admin", "annotator")
    )
    dataset = curation.get_or_create_dataset(workspace, CAMPAIGN, by=admin)
    # Here and not by a worker: none runs yet, and the calls are few.
    imports.run_import(imports.request_import(dataset, reader="items", by=admin).pk, CALLS)
    campaigns.open_campaign(
        by=admin,
        dataset=dataset,
        name=CAMPAIGN,
        annotators=[annotator],
        annotators_per_item=1,
        guidelines=GUIDELINES,
    )


def _seed_person(workspace: Workspace, name: str, role: Role, earlier: dict[str, str] | None) -> dict[str, str]:
    """The person's name and password, who is made a member with this role."""
    # 96 random bits: the demonstration may listen on a network, and its people are no secret.
    password = earlier["password"] if earlier else secrets.token_urlsafe(12)
    user, _ = User.objects.get_or_create(username=name)
    # Setting an unchanged password would sign the person out.
    if not user.check_password(password):
        user.set_password(password)
        user.save()
    members.admit_member(workspace=workspace, user=user, role=role)
    return {"username": name, "password": password}
