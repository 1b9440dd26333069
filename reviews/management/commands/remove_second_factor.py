"""A way back in for who has lost phone and recovery codes, through whoever runs the installation."""

from typing import Any

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from reviews import audit


class Command(BaseCommand):
    """Remove every authenticator app, passkey and recovery code of an account; its password signs in again."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", help="the person's user name, which for invited people is their e-mail address")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no account “{options['user']}”.")
        removed, _ = Authenticator.objects.filter(user=user).delete()
        if not removed:
            self.stdout.write(f"{user} has no second factor; nothing was changed.")
            return
        # In every workspace of the person: each relies on the factor. One order, as the chains are locked one by one.
        for membership in user.memberships.select_related("workspace").order_by("workspace"):
            audit.record(
                workspace=membership.workspace, verb="member.second_factor_removed", subject=user.get_username()
            )
        self.stdout.write(f"{user} signs in with the password alone, and may set up another second factor.")
