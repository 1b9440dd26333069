"""The settings of a stack that gives a database up that is away before a test has waited for long."""

from typing import Any

from tests.settings import *  # noqa: F403
from tests.settings import DATABASES

# Far above the hundredths of a second that a new connection takes, on a busy machine too.
GIVES_UP_SECONDS = 2
options: Any = DATABASES["default"]["OPTIONS"]
options["pool"] |= {"timeout": GIVES_UP_SECONDS, "reconnect_timeout": GIVES_UP_SECONDS}
