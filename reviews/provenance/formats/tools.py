"""Tool documents in the shapes agents hold them: our own, OpenAI's, Anthropic's, MCP's and those of frameworks.

What a tool returns is told by its results; an output schema is checked for being one and not kept.
"""

from collections.abc import Iterator
from typing import Final

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.formats.content import is_marker
from reviews.provenance.formats.json_nodes import MAX_NAME_LENGTH, Node
from reviews.provenance.formats.tool_schemas import read_schema
from reviews.provenance.formats.unread_schemas import refuse_beside, refuse_second, refuse_unread

# Fields that hold the whole document: OpenAI's chat, Bedrock.
_WRAPPERS: Final = ("function", "custom", "toolSpec", "tool_spec")
# Google lists the declarations of several functions in one tool.
_DECLARATIONS: Final = ("functionDeclarations", "function_declarations")
# The arguments of a tool that takes one free text.
_FREE_TEXT: Final = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
# Characters of a name in a message about it.
_MAX_QUOTED_LENGTH: Final = 100


def read_tools(*lists: Node, trust_annotations: bool) -> tuple[ToolDoc, ...]:
    """Every tool of the lists. Two tools of one name would let one document stand in for the other: an error.

    A list may hold, or be, the result of an MCP server's `tools/list`, and OpenAI's namespaces.
    `trust_annotations`: a server's word that its tool only reads is believed.
    """
    documents: dict[str, ToolDoc] = {}
    for tool, namespace, by_server in (listed for tools in lists for listed in _listed_tools(tools)):
        place = tool.first_or_self(*_WRAPPERS)
        document = _read_tool(tool, place, namespace, by_server=by_server, trust_annotations=trust_annotations)
        # One that only has a type is the provider's own, and the same wherever it is listed.
        if document.name in documents and place.members("name"):
            tool.note_problem(f"There are two tools called “{document.name[:_MAX_QUOTED_LENGTH]}”.")
        documents[document.name] = document
    return tuple(documents.values())


def qualified_name(namespace: str, name: str, place: Node) -> str:
    """The name of a tool within its namespace; one that is too long is wrong."""
    qualified = f"{namespace}.{name}" if namespace else name
    if len(qualified) > MAX_NAME_LENGTH:
        place.note_problem(f"With its namespace it is longer than {MAX_NAME_LENGTH} characters.")
    return qualified


def _listed_tools(tools: Node) -> Iterator[tuple[Node, str, bool]]:
    """Each tool of a list with its namespace, and whether it stands in a server's own listing."""
    if isinstance(tools.value, dict):
        # JSON-RPC wraps the listing in a `result`.
        yield from _server_tools(tools.first_or_self("result"))
        return
    for tool in tools.items():
        if is_marker(tool.value):
            continue
        if tool.member("type").value == "namespace":
            namespace = tool.member("name").name()
            yield from ((inner, namespace, False) for inner in tool.member("tools").items())
        elif declarations := tool.members(*_DECLARATIONS):
            yield from ((inner, "", False) for inner in declarations[0].items())
        elif tool.members("tools") and not tool.members("name", "type"):
            yield from _server_tools(tool)
        else:
            yield tool, "", False


def _server_tools(listing: Node) -> Iterator[tuple[Node, str, bool]]:
    """The tools of the result of an MCP server's `tools/list`."""
    if not listing.members("tools"):
        listing.note_problem("Must be a list of tools, or the result of “tools/list”.")
    yield from ((tool, "", True) for tool in listing.member("tools").items())


def _read_tool(tool: Node, document: Node, namespace: str, *, by_server: bool, trust_annotations: bool) -> ToolDoc:
    """One tool, whose document stands in it or is the tool itself."""
    tool.object(required=True)
    kind = tool.member("type").name(required=False)
    # A provider's own tool, such as a web search, has a type and no name.
    hosted = kind not in ("", "function", "custom")
    if hosted and document is not tool:
        tool.member("type").expect("function", "custom")
    name = document.member("name")
    full_name = qualified_name(namespace, name.name(required=not hosted) or kind, name)
    document.first("outputSchema", "output_schema").object()
    # The grammar of a free text.
    read_names = ("format",) if kind == "custom" or tool.members("custom") else ()
    refuse_unread(document, *read_names, hosted=hosted)
    if document is not tool:
        tool.only(*_WRAPPERS, problem="The tool has another document; one of the two must go.")
        refuse_unread(tool, *_WRAPPERS, hosted=False)
        refuse_second(tool)
    description, schema = _describe_tool(document), read_schema(document)
    if not (schema or hosted or kind == "custom" or tool.members("custom")):
        refuse_beside(tool, document)
    changing = _changes_environment(tool, document, by_server=by_server, trust_annotations=trust_annotations)
    return ToolDoc(full_name, description, schema or (_FREE_TEXT if kind == "custom" else {}), changing)


def _describe_tool(document: Node) -> str:
    """The description, after the title where that says more than the name does."""
    description, annotations = document.member("description").text(), document.member("annotations")
    title = document.member("title").text() or annotations.member("title").text()
    if not title or title == document.member("name").value or description.startswith(title):
        return description
    return f"{title}: {description}" if description else title


def _changes_environment(tool: Node, document: Node, *, by_server: bool, trust_annotations: bool) -> bool:
    """Whether the tool changes anything: yes, unless the agent's own metadata or a trusted server says it only reads.

    A server may say so in either way, and then both are only as good as the server. Of two that contradict each
    other the more careful one counts.
    """
    members = [*tool.members("environment_changing"), *document.members("environment_changing")]
    changing = members[0].flag(default=True) if members else None
    annotations = tool.member("annotations")
    annotations.object()
    hinted = annotations.member("readOnlyHint").flag()
    destructive = annotations.member("destructiveHint").flag()
    # `inputSchema` is MCP's name: a document copied out of a server's listing is still the server's word.
    if changing is not None and not (by_server or document.members("inputSchema")):
        return changing
    if changing or destructive or not (hinted or changing is False):
        return True
    tool.notes.disbelieved |= not trust_annotations
    return not trust_annotations
