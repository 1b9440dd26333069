"""A workspace, with a guard profile that works without a language model."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug

from reviews.models import Workspace
from reviews.workspaces import members


class Command(BaseCommand):
    """Create a workspace. One of this slug that is there already is left as it is, and its name must not differ."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name for commands: letters, digits, hyphens and underscores")
        parser.add_argument("--name", help="name that people see (the slug)")

    def handle(self, *args: Any, **options: Any) -> None:
        slug, name = options["slug"], (options["name"] or options["slug"]).strip()
        try:
            validate_slug(slug)
        except ValidationError as error:
            raise CommandError("A slug has letters, digits, hyphens and underscores only.") from error
        # The columns' lengths; the database's own message would name neither.
        if len(slug) > 50 or not 1 <= len(name) <= 120:  # noqa: PLR2004
            raise CommandError("A slug has at most 50 characters, a name 1 to 120.")
        existing = Workspace.objects.filter(slug=slug).first()
        if existing is None:
            members.create_workspace(name=name, slug=slug)
            self.stdout.write(
                f"Workspace “{name}” ({slug}) is made. Next: manage.py create_member {slug} E-MAIL --role admin"
            )
        elif options["name"] and existing.name != name:
            raise CommandError(f"Workspace {slug} is there already, and called “{existing.name}”.")
        else:
            self.stdout.write(f"Workspace “{existing.name}” ({slug}) is there already; nothing was changed.")
