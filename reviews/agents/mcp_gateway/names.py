"""The name of a server, as part of its tools' names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import mcp_types as types

# Between a server and its tool, as hosts write it; what stands before the first one is the server.
SEPARATOR = "__"
# With a tool's own name it has to fit into the 64 characters that models' providers allow.
MAX_SERVER_NAME_LENGTH = 32
SERVER_NAME = re.compile(rf"(?!.*__)[A-Za-z0-9][A-Za-z0-9_-]{{0,{MAX_SERVER_NAME_LENGTH - 1}}}(?<!_)")


def name_server(claimed: types.Implementation | None) -> str:
    """The name that a server gives itself, as part of a tool's name."""
    words = re.findall(r"[A-Za-z0-9]+", claimed.name if claimed else "")
    return "-".join(words)[:MAX_SERVER_NAME_LENGTH] or "server"
