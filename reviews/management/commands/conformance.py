"""Whether a guard and a client of it keep their promises."""

from importlib import import_module
from typing import Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from reviews.agents.client.provenanceguard import GuardError
from reviews.agents.client.provenanceguard.conformance import (
    Client,
    Result,
    check_api,
    check_client,
    require_test_key,
    run_with_guard,
)


class Command(BaseCommand):
    """Try a guard's API, and a client of it, with forced decisions and with trouble on the way; print what held.

    Takes a test key (`manage.py create_agent_key --test`). A client or adapter of your own is `--client
    module:function`, a function of one `Trial` (`provenanceguard.conformance`).
    """

    help = __doc__ or ""
    # The guard may run on another machine, and no database is needed here.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("url", help="address of the guard")
        parser.add_argument("key", help="a test key of it")
        parser.add_argument("--client", help="module:function of the client to try; the provenanceguard package's own")
        parser.add_argument("--only", action="append", metavar="SCENARIO", help="this scenario alone; may be repeated")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check, and print. Raises CommandError when something did not hold, or cannot be tried."""
        url, key, only = options["url"], options["key"], options["only"] or ()
        client = _load_client(options["client"]) if options["client"] else run_with_guard
        try:
            require_test_key(url, key)
        except GuardError as error:
            raise CommandError(str(error)) from error
        results = list(check_client(url, key, client, only=only))
        if not only:
            results += check_api(url, key)
        if not results:
            raise CommandError(f"There is no such scenario: {', '.join(only)}.")
        Console(file=cast(Any, self.stdout), soft_wrap=True).print(_table_of(results))
        if broken := sum(not result.has_held for result in results):
            raise CommandError(f"{broken} of {len(results)} did not hold.")


def _load_client(path: str) -> Client:
    """The function at `module:name`. Raises CommandError."""
    module, _, name = path.partition(":")
    try:
        client = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise CommandError(f"There is no client at “{path}”: {error}") from error
    if not callable(client):
        raise CommandError(f"“{path}” cannot be called.")
    return cast(Client, client)


def _table_of(results: list[Result]) -> Table:
    table = Table("scenario", "promise", "held")
    for result in results:
        table.add_row(result.name, result.promise, "yes" if result.has_held else f"NO: {result.observed}")
    return table
