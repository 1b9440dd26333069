"""What a check says, the call that all of them are about, and the key that it takes."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import httpx

from ..connections import headers_for, site_address
from ..errors import GuardError, UnreachableError

TOOL = "pay"
ARGUMENTS = MappingProxyType({"to": "daniel@example.org", "amount": 30})
PAST = MappingProxyType(
    {
        "query": "Pay Daniel (daniel@example.org) $30.",
        "tools": [
            {
                "name": TOOL,
                "description": "Sends money.",
                "parameters": {
                    "type": "object",
                    "properties": {"to": {"type": "string"}, "amount": {"type": "number"}},
                    "required": ["to", "amount"],
                },
            }
        ],
    }
)


@dataclass(frozen=True)
class Result:
    """Whether one promise was kept."""

    name: str
    promise: str
    has_held: bool
    observed: str
    """What happened instead; empty where it held."""


class UnusableTestKeyError(GuardError):
    """The key is no test key: decisions cannot be forced with it, and people would be asked about made-up calls."""


def require_test_key(url: str, key: str) -> None:
    """Raises `UnusableTestKeyError` for every other key, and `UnreachableError`."""
    try:
        response = httpx.get(f"{site_address(url)}/api/v1/me", headers=headers_for(key), trust_env=False)
        is_test = response.is_success and response.json().get("is_test") is True
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, AttributeError) as error:
        raise UnreachableError(f"{url} does not answer as a guard does: {type(error).__name__}") from None
    if not is_test:
        advice = "`manage.py create_agent_key --test` issues one."
        raise UnusableTestKeyError(f"This is no test key (status {response.status_code}). {advice}")


def submission(**fields: Any) -> dict[str, Any]:
    """A body that proposes the call."""
    return {**PAST, "action": {"tool": TOOL, "arguments": dict(ARGUMENTS)}, **fields}
