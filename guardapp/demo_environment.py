"""What the parts of a demonstration need to know, kept in a file so that `manage.py` finds the one that runs."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from guardapp.servers.machine import write_secret

FILE: Final = Path(__file__).resolve().parent.parent / ".run" / "environment.json"
SETTINGS: Final = "guardapp.settings"
# Variables without which the product does not start.
REQUIRED: Final = ("SECRET_KEY", "DATABASE_URL", "REDIS_URL")


def keep_variables(variables: Mapping[str, str], directory: Path) -> None:
    """Write the variables where only the owner can read them."""
    write_secret(directory / FILE.name, json.dumps(variables, indent=1) + "\n")


def adopt_variables() -> None:
    """Take on the demonstration's variables where nobody chose: an environment that is half set stays an error."""
    # Other settings, such as the tests', are a choice as well.
    other_settings = os.environ.get("DJANGO_SETTINGS_MODULE", SETTINGS) != SETTINGS
    chosen = other_settings or any(name in os.environ for name in REQUIRED)
    if FILE.exists() and not chosen:
        os.environ.update(json.loads(FILE.read_text(encoding="utf-8")))
