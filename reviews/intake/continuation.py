"""What an agent need not send again: the beginning of its conversation, and tools that it sent before."""

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from reviews import access
from reviews.models import Action, AgentKey, ModelResponse, ToolSet
from reviews.provenance.core.context import JsonValue
from reviews.records.stored_past import StoredPast, stored_past_of

# An action, and up to which entry of its history the past is meant.
_TOKEN: Final = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9]{1,6})")


@dataclass(frozen=True)
class SentBefore:
    """What an agent has sent before; without a key, nothing."""

    agent_key: AgentKey | None = None

    def find_past(self, token: str) -> StoredPast | None:
        """The past that this token names; None where the agent has none of it, or it was erased."""
        match = _TOKEN.fullmatch(token)
        if match is None or self.agent_key is None:
            return None
        actions = access.actions_for(self.agent_key).select_related("trace__query")
        action = actions.filter(pk=UUID(match[1]), trace__erased_at__isnull=True).first()
        position = int(match[2])
        if action is None or position > action.position:
            return None
        return stored_past_of(action, position, named_in="continues")

    def find_response(self, response_id: str) -> tuple[StoredPast, list[JsonValue]] | None:
        """The past that ends with this response, and the items of its turn; None as above."""
        if self.agent_key is None:
            return None
        actions = access.actions_for(self.agent_key).filter(trace__erased_at__isnull=True)
        responses = ModelResponse.objects.filter(agent=self.agent_key.agent_id, action__in=actions)
        response = responses.filter(response_id=response_id).select_related("action__trace__query").first()
        if response is None:
            return None
        past = stored_past_of(response.action, response.position, named_in="previous_response_id")
        return past, response.items

    def find_tools(self, digest: str) -> list[JsonValue] | None:
        """The documents of this digest, in our own shape; None where the workspace has none of it."""
        if self.agent_key is None:
            return None
        tools = ToolSet.objects.filter(workspace=self.agent_key.workspace_id, digest=digest)
        return tools.values_list("tools", flat=True).first()


@dataclass(frozen=True)
class ToldResponse:
    """The response that a submission's items end with: what came before it, and what the model wrote in its turn."""

    response_id: str
    position: int
    """How many entries of the history came before `items`."""
    items: list[JsonValue]


NOTHING: Final = SentBefore()
"""Of who is no agent, nothing was sent before."""


def token_of(action: Action, position: int) -> str:
    """What names the past of this action up to this position."""
    return f"{action.pk}.{position}"
