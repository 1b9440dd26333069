"""The tables, the people, the workspace and the agent key of a demonstration."""

import json
import os
import secrets
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from reviews.models import JudgeKind, Membership, OnUnknown, Role, Workspace
from reviews.workspaces import agent_keys, members

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
        known = json.loads(file.read_text()) if file.exists() else {}
        workspace = _workspace()
        people = {name: _person(workspace, name, role, known.get(name)) for name, role in PEOPLE.items()}
        key = known.get("agent_key")
        if not key or agent_keys.find(key) is None:
            admin = Membership.objects.get(workspace=workspace, user__username="admin")
            key = agent_keys.issue(membership=admin, name="example-agents").secret
        _write(file, {"url": options["url"], **people, "agent_key": key})


def _workspace() -> Workspace:
    existing = Workspace.objects.filter(slug="demo").first()
    if existing:
        return existing
    # Said here and shown in the settings: without an LLM, what rules cannot decide passes in the demonstration.
    llm = bool(os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL"))
    judge = JudgeKind.OPENAI if llm else JudgeKind.RULES
    return members.create(name="Demo", slug="demo", judge=judge, on_unknown=OnUnknown.PASS)


def _person(workspace: Workspace, name: str, role: Role, known: dict[str, str] | None) -> dict[str, str]:
    password = known["password"] if known else secrets.token_urlsafe(12)
    user, _ = User.objects.get_or_create(username=name)
    if not user.check_password(password):
        user.set_password(password)
        user.save()
    members.admit(workspace=workspace, user=user, role=role)
    return {"username": name, "password": password}


def _write(file: Path, content: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.chmod(0o600)
    file.write_text(json.dumps(content, indent=1) + "\n")
