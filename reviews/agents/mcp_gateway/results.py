"""What an MCP server's tool returned: as text for the guard, and as an error for the model."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types


class FailedToolError(Exception):
    """The server ran the tool and answered with an error."""

    def __init__(self, result: types.CallToolResult) -> None:
        super().__init__(read_outcome(result))
        self.result = result

    def __repr__(self) -> str:
        """What is reported of the call: the server's words alone."""
        return str(self)


def read_outcome(result: types.CallToolResult) -> str:
    """What a call returned, as text; what is neither text nor data leaves a placeholder."""
    texts = [_block_text(block) for block in result.content]
    structured = result.structured_content
    # Servers are asked to send it as text as well.
    if structured is not None and not any(_says(text, structured) for text in texts):
        texts.append(json.dumps(structured, ensure_ascii=False))
    outcome = "\n".join(texts)
    # As the guard marks failures itself: nobody shall take one for what the tool found.
    return f"Error: {outcome}" if result.is_error and not outcome.lower().startswith("error") else outcome


def _block_text(block: types.ContentBlock) -> str:
    if isinstance(block, types.TextContent):
        return block.text
    if isinstance(block, types.EmbeddedResource) and isinstance(block.resource, types.TextResourceContents):
        return block.resource.text
    return f"{block.name}: {block.uri}" if isinstance(block, types.ResourceLink) else f"[{block.type}]"


def _says(text: str, value: Any) -> bool:
    """Whether the text is this value as JSON, or what the protocol's SDK wraps into an object."""
    try:
        return value == {"result": text} or bool(json.loads(text) == value)
    except (ValueError, RecursionError):
        return False


def tool_error(message: str) -> types.CallToolResult:
    """An error that the model reads as the result of its call."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=message)], is_error=True)
