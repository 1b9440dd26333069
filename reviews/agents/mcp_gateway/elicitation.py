"""What the gateway asks the user through the client, which the protocol calls elicitation."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

# What may be asked for: what the user wants at all, and whether they want one call.
REQUEST, CONFIRMATION = "request", "confirmation"
# Longer than any request that is typed; what the client sends behind it is not believed.
MAX_REQUEST_LENGTH = 4_000
_REQUEST_SCHEMA = {
    "type": "object",
    "properties": {"request": {"type": "string", "title": "Your request", "maxLength": MAX_REQUEST_LENGTH}},
    "required": ["request"],
}


class InputNeededError(Exception):
    """The client has to ask its user and to call again with the answer, as newer revisions of the protocol do it."""

    def __init__(self, result: types.InputRequiredResult) -> None:
        super().__init__("The user has to be asked first.")
        self.result = result


def can_ask_within_call(context: ServerRequestContext[Any]) -> bool:
    """Whether the client takes questions while its call waits; newer revisions of the protocol know none."""
    return context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS


def can_fill_form(context: ServerRequestContext[Any]) -> bool:
    """Whether the client says that it shows forms."""
    capability = _capability(context)
    # One that names no mode is from before there were two.
    return capability is not None and (capability.form is not None or capability.url is None)


def can_open_page(context: ServerRequestContext[Any]) -> bool:
    """Whether the client says that it opens pages for its user."""
    capability = _capability(context)
    return capability is not None and capability.url is not None


def _capability(context: ServerRequestContext[Any]) -> types.ElicitationCapability | None:
    capabilities = context.session.client_capabilities
    return capabilities.elicitation if capabilities else None


def ask_for_request() -> types.ElicitRequest:
    """A form for what the user asked the agent to do."""
    message = "What did you ask the agent to do? Its calls are held against these words."
    params = types.ElicitRequestFormParams(message=message, requested_schema=_REQUEST_SCHEMA)
    return types.ElicitRequest(params=params)


def ask_for_confirmation(tool: str, url: str, action_id: str) -> types.ElicitRequest:
    """The guard's page on which the user confirms or refuses one call."""
    message = f"The agent wants to run {tool}. Confirm or refuse it on this page."
    return types.ElicitRequest(
        params=types.ElicitRequestURLParams(message=message, url=url, elicitation_id=action_id),
    )


async def elicit(
    context: ServerRequestContext[Any],
    params: types.CallToolRequestParams,
    kind: str,
    request: types.ElicitRequest,
    *,
    state: str | None = None,
) -> types.ElicitResult:
    """The user's answer.

    Raises InputNeededError where the client has to call again with it, and with `state`; MCPError where it fails to
    ask.
    """
    answer = (params.input_responses or {}).get(kind)
    if isinstance(answer, types.ElicitResult):
        return answer
    if not can_ask_within_call(context):
        raise InputNeededError(types.InputRequiredResult(input_requests={kind: request}, request_state=state))
    metadata = ServerMessageMetadata(related_request_id=context.request_id)
    return await context.session.send_request(request, types.ElicitResult, metadata=metadata)


def read_request(answer: types.ElicitResult) -> str:
    """The words of a filled form; none where the user would not say."""
    words = (answer.content or {}).get("request") if answer.action == "accept" else None
    return words.strip() if isinstance(words, str) and len(words) <= MAX_REQUEST_LENGTH else ""
