"""The guard that a command talks to: the one named on the command line, else the running demonstration."""

import json
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser

# Where `make demo` writes it, whatever folder the command is called from.
DEMO_FILE: Final = Path(__file__).resolve().parents[2] / ".run" / "demo.json"


def add_arguments(parser: CommandParser) -> None:
    """Declare `--url`, `--key` and `--demo`."""
    parser.add_argument("--url", help="address of the guard; the running demonstration's by default")
    parser.add_argument("--key", help="agent key for it; the running demonstration's by default")
    parser.add_argument("--demo", type=Path, default=DEMO_FILE, help="file with the demonstration's address and key")


def address_and_key(options: dict[str, Any]) -> tuple[str, str]:
    """The guard's address and an agent key for it, from the options or the file. Raises `CommandError`."""
    if options["url"] and options["key"]:
        return options["url"], options["key"]
    file: Path = options["demo"]
    try:
        demo = json.loads(file.read_text(encoding="utf-8"))
        return options["url"] or demo["url"], options["key"] or demo["agent_key"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        # The file is made by `make demo` and removed with it, so that a missing one is the usual case.
        message = f"{file} does not tell where the guard is ({error!r}). Start `make demo`, or give --url and --key."
        raise CommandError(message) from error
