"""What the gateway knows of its clients' conversations: the user's words, and the calls that ran with their results."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

import mcp_types as types
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from reviews.agents.client.provenanceguard.calls_under_way import CallsUnderWay
from reviews.agents.client.provenanceguard.kept_history import KeptHistory

# The user's words, percent-encoded because headers carry ASCII.
REQUEST_HEADER = "ProvenanceGuard-Request"
# The name of the conversation on the desk, where the client has no session or a conversation has several.
CONVERSATION_HEADER = "ProvenanceGuard-Conversation"
SESSION_HEADER = "Mcp-Session-Id"
# As long as the guard takes the name of a trace.
MAX_CONVERSATION_NAME_LENGTH = 200
# With a full history each, a tenth of a gigabyte. Of one that was forgotten, earlier calls prove nothing any more.
MAX_CONVERSATIONS = 256
# Of these only that they were there is kept: a few megabytes. Behind them every conversation may be one of them.
MAX_FORGOTTEN = 65_536


class Conversation:
    """One conversation of one client, as far as an MCP server is told of it."""

    def __init__(self, request: str = "", *, trace_id: str = "", is_kept: bool = True) -> None:
        """`request` is what the user asked for first, where that is known; `is_kept` tells whether calls follow."""
        self.trace_id = trace_id or str(uuid4())
        self.is_kept = is_kept
        self.history = KeptHistory(request)
        self.is_whole = True
        """Whether its earlier calls are known, if it had any."""
        self.was_asked = False
        """Whether the user was asked for the request; nobody is asked twice."""
        self.asking = asyncio.Lock()
        """Held while the user is asked."""
        self._newest_request = request
        self._under_way = CallsUnderWay()

    def note_request(self, words: str) -> None:
        """What the user asks for now: the first words are the request, and other ones a further turn."""
        if not words or words == self._newest_request:
            return
        if self._newest_request or self.history.entries:
            # The host's word for it: no result that foretells what the user says takes it away.
            self.history.add_message("user", words, **{"from": "user"})
        else:
            self.history.query = words
        self._newest_request = words

    @contextmanager
    def propose(self, tool: str, arguments: dict[str, Any], tools: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The past of a call that is proposed now, as a submission has it, and carried out within the block."""
        with self._under_way.enter(tool, arguments, {"tool": tool, "arguments": arguments}) as alike:
            history = [*self.history.entries, *alike]
            yield {"query": self.history.query, "tools": tools, "history": history, "trace_id": self.trace_id}


class Conversations:
    """The conversations of one gateway; the one that was quiet for longest is forgotten first."""

    def __init__(self, request: str = "") -> None:
        """`request` is what the user asked for, wherever a client says nothing of it."""
        self._request = request
        self._by_key: OrderedDict[str, Conversation] = OrderedDict()
        self._forgotten: set[str] = set()

    def find(self, context: ServerRequestContext[Any]) -> Conversation:
        """The conversation in which a request is made. Raises MCPError for headers that cannot be read."""
        if context.request is None:
            # One connection is one conversation.
            return self._keep("", "")
        headers: Mapping[str, str] = context.request.headers
        name = headers.get(CONVERSATION_HEADER, "")
        if len(name) > MAX_CONVERSATION_NAME_LENGTH or not name.isprintable():
            raise MCPError(types.INVALID_PARAMS, f"{CONVERSATION_HEADER} is no name of a conversation.")
        # Newer clients have no session; what one of them sends as its number is nobody's.
        has_session = context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
        session = headers.get(SESSION_HEADER, "") if has_session else ""
        words = _read_words(headers)
        if not name and not session:
            # Nobody knows what came before: by the user's words every repetition would pass as the first.
            return Conversation(is_kept=False)
        # Words that were said once ask for one thing: a session that follows another's does not begin it anew.
        key = f"named {name}" if name else "request" if self._request else f"session {session}"
        conversation = self._keep(key, name)
        if conversation.is_whole:
            conversation.note_request(words)
        return conversation

    def _keep(self, key: str, name: str) -> Conversation:
        if key not in self._by_key:
            self._by_key[key] = self._begin(key, name)
        self._by_key.move_to_end(key)
        if len(self._by_key) > MAX_CONVERSATIONS:
            forgotten, _ = self._by_key.popitem(last=False)
            if len(self._forgotten) < MAX_FORGOTTEN:
                self._forgotten.add(forgotten)
        return self._by_key[key]

    def _begin(self, key: str, name: str) -> Conversation:
        is_whole = key not in self._forgotten and len(self._forgotten) < MAX_FORGOTTEN
        # By the same words a call that was made before it was forgotten would be the first again.
        conversation = Conversation(self._request if is_whole else "", trace_id=name)
        conversation.is_whole = is_whole
        return conversation


def _read_words(headers: Mapping[str, str]) -> str:
    try:
        return unquote(headers.get(REQUEST_HEADER, ""), errors="strict").strip()
    except UnicodeDecodeError:
        raise MCPError(types.INVALID_PARAMS, f"{REQUEST_HEADER} is percent-encoded UTF-8.") from None
