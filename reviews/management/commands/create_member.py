"""A person's way into a workspace, for whoever runs the installation: the first administrator has nobody to ask."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.urls import reverse

from reviews.errors import AlreadyMemberError
from reviews.management.tenants import workspace_named
from reviews.models import Invitation, Role
from reviews.workspaces import invitations


class Command(BaseCommand):
    """Invite a person and print the link, which works once, for a week. Again, it prints a new one and ends the old."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="the workspace's slug")
        parser.add_argument("email", metavar="e-mail", help="the person's address, which becomes their user name")
        parser.add_argument("--role", choices=Role.values, required=True, help="what they may do")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace, email = workspace_named(options["workspace"]), options["email"].strip()
        longest = Invitation._meta.get_field("email").max_length or 0
        try:
            validate_email(email)
        except ValidationError as error:
            raise CommandError(f"“{email}” is no e-mail address.") from error
        if len(email) > longest:
            raise CommandError(f"An address has at most {longest} characters.")
        try:
            issued = invitations.create_invitation(workspace, email=email, role=Role(options["role"]))
        except AlreadyMemberError as error:
            raise CommandError(f"{error} An administrator changes roles under Settings, Members.") from error
        self.stdout.write(f"{issued.invitation.email} joins {workspace} as {options['role']}, within a week, by:")
        # Last and alone on its line, so that a script can take it from there.
        self.stdout.write(settings.GUARD.public_url + reverse("invitation", args=[issued.token]))
