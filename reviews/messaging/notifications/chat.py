"""The chat services that a person can be told by: each takes one POST to an address that is its secret.

A fixed few, known by their hosts: an address is never looked up that a person could have chosen to be of this network,
and each service's own way to call a whole channel can be kept out of what an agent wrote.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from reviews.messaging.webhooks.requests import WebhookRequest
from reviews.workspaces.encryption import load_keys

# Sets these keys apart from everything else that is made of SECRET_KEY.
_PURPOSE: Final = b"chat addresses at rest:"
# Discord takes 2,000 characters, the others more; a message of ten items has fewer.
MAX_TEXT_LENGTH: Final = 1_900


@dataclass(frozen=True)
class ChatService:
    """One service."""

    name: str
    host: str
    path: re.Pattern[str]
    """Of its addresses."""
    write_body: Callable[[str], dict[str, object]]


def _escape_slack(text: str) -> str:
    # https://api.slack.com/reference/surfaces/formatting: `<!channel>` would call everybody.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


SERVICES: Final = (
    ChatService(
        "Slack",
        "hooks.slack.com",
        re.compile(r"/services/\w{1,40}/\w{1,40}/\w{1,80}"),
        lambda text: {"text": _escape_slack(text)},
    ),
    ChatService(
        "Discord",
        "discord.com",
        re.compile(r"/api/webhooks/\d{1,30}/[\w-]{1,200}"),
        # Nobody is mentioned, whatever the text says; `[words](https://…)` would hide where an agent's link leads. Not
        # escaped, for a longer text might be refused.
        lambda text: {
            "content": text.replace("[", "(").replace("]", ")"),
            "allowed_mentions": {"parse": []},
        },
    ),
    ChatService(
        "Google Chat",
        "chat.googleapis.com",
        re.compile(r"/v1/spaces/[\w-]{1,80}/messages\?key=[\w-]{1,200}&token=[\w%=-]{1,400}"),
        # Mentions stand in angle brackets, which it has no way to escape.
        lambda text: {"text": text.replace("<", "(").replace(">", ")")},
    ),
)


def find_service(address: str) -> ChatService | None:
    """The service that this address is of; None for any other address."""
    for service in SERVICES:
        begin = f"https://{service.host}"
        if address.startswith(f"{begin}/") and service.path.fullmatch(address.removeprefix(begin)):
            return service
    return None


def build_request(address: str, text: str) -> WebhookRequest:
    """The request that says this. Raises `ValueError` for an address of no service."""
    service = find_service(address)
    if service is None:
        raise ValueError(f"{urlsplit(address).hostname} is no chat service that is known here.")
    return WebhookRequest(address, {}, json.dumps(service.write_body(text)))


def encrypt_address(address: str) -> str:
    """For the database; an empty one stays empty."""
    return load_keys(_PURPOSE).encrypt(address.encode()).decode() if address else ""


def decrypt_address(stored: str) -> str:
    """As it was given. Raises `InvalidToken` where its SECRET_KEY is given up."""
    return load_keys(_PURPOSE).decrypt(stored.encode()).decode() if stored else ""


def reencrypt_address(stored: str) -> str:
    """Under the present SECRET_KEY. Raises `InvalidToken`."""
    return load_keys(_PURPOSE).rotate(stored.encode()).decode() if stored else ""
