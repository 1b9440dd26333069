"""Authentication of the API's callers: agents, by their keys."""

from typing import cast

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from reviews import access
from reviews.models import AgentKey
from reviews.workspaces import agent_keys

# Shown to people by clients that ask for credentials; nothing depends on the words.
REALM = "ProvenanceGuard Review"


def caller(request: Request) -> AgentKey:
    """The key that signed an authenticated request."""
    # The framework's types only know Django's users.
    return cast(AgentKey, request.user)


def trusts_annotations(request: Request) -> bool:
    """Whether the caller's workspace believes servers that call their own tools read-only."""
    return access.current_profile(caller(request).workspace).trust_annotations


class AgentKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer <key>`. A revoked key stops working within `agent_keys.KNOWN_SECONDS`."""

    def authenticate(self, request: Request) -> tuple[AgentKey, None] | None:
        """The agent's key as the request's user. Raises AuthenticationFailed for a key that is not in force."""
        # A request without a key is not refused here: the permission class answers it with the challenge below.
        header: str = request.META.get("HTTP_AUTHORIZATION", "")
        if not header:
            return None
        # The scheme's name is case-insensitive (RFC 9110, section 11.1).
        scheme, _, secret = header.partition(" ")
        if scheme.lower() != "bearer" or not secret.strip():
            raise AuthenticationFailed("Send the agent key as 'Authorization: Bearer <key>'.")
        # One message for both, so that a guess does not learn which keys once existed.
        agent_key = agent_keys.find_key(secret.strip())
        if agent_key is None:
            raise AuthenticationFailed("This agent key does not exist or was revoked.")
        return agent_key, None

    def authenticate_header(self, request: Request) -> str:
        """The challenge of a 401."""
        return f'Bearer realm="{REALM}"'
