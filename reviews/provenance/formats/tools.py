"""Tool documents in the shapes agents hold them: our own, OpenAI's, Anthropic's, MCP's and those of frameworks.

What a tool returns is told by its results; an output schema is checked for being one and not kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.formats.json_nodes import MAX_NAME_LENGTH, Node
from reviews.provenance.formats.tool_schemas import read_schema, refuse_second, refuse_unread

# Fields that hold the whole document: OpenAI's chat, Bedrock.
_WRAPPERS: Final = ("function", "custom", "toolSpec", "tool_spec")
# Google lists the declarations of several functions in one tool.
_DECLARATIONS: Final = ("functionDeclarations", "function_declarations")
# The arguments of a tool that takes one free text.
_FREE_TEXT: Final = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
# Characters of a name in a message about it.
_MAX_QUOTED_LENGTH: Final = 100


@dataclass(frozen=True)
class _ListedTool:
    """A tool document, and who says so."""

    tool: Node
    namespace: str = ""
    by_server: bool = False
    """It stands in a server's own listing."""

    @property
    def document(self) -> Node:
        """Where the document itself stands: some wrap it."""
        return next(iter(self.tool.given(*_WRAPPERS)), self.tool)


def read_tools(*lists: Node, trust_annotations: bool) -> tuple[ToolDoc, ...]:
    """Every tool of the lists. Two tools of one name would let one document stand in for the other: an error.

    A list may hold, or be, the result of an MCP server's `tools/list`, and OpenAI's namespaces.
    `trust_annotations`: a server's word that its tool only reads is believed.
    """
    documents: dict[str, ToolDoc] = {}
    for listed in (listed for tools in lists for listed in _listed_tools(tools)):
        document = _read_tool(listed, trust_annotations=trust_annotations)
        # One that only has a type is the provider's own, and the same wherever it is listed.
        if document.name in documents and listed.document.member("name").present:
            listed.tool.note_problem(f"There are two tools called “{document.name[:_MAX_QUOTED_LENGTH]}”.")
        documents[document.name] = document
    return tuple(documents.values())


def qualified_name(namespace: str, name: str, place: Node) -> str:
    """The name of a tool within its namespace; one that is too long is wrong."""
    qualified = f"{namespace}.{name}" if namespace else name
    if len(qualified) > MAX_NAME_LENGTH:
        place.note_problem(f"With its namespace it is longer than {MAX_NAME_LENGTH} characters.")
    return qualified


def _listed_tools(tools: Node) -> Iterator[_ListedTool]:
    """The tools of one list, whose entries may be a namespace or a server's listing of several."""
    if isinstance(tools.value, dict):
        # JSON-RPC wraps the listing in a `result`.
        yield from _server_tools(tools.member("result") if tools.member("result").present else tools)
        return
    for tool in tools.items():
        if tool.member("type").value == "namespace":
            namespace = tool.member("name").name()
            yield from (_ListedTool(inner, namespace) for inner in tool.member("tools").items())
        elif declarations := tool.given(*_DECLARATIONS):
            yield from map(_ListedTool, declarations[0].items())
        elif tool.given("tools") and not tool.given("name", "type"):
            yield from _server_tools(tool)
        else:
            yield _ListedTool(tool)


def _server_tools(listing: Node) -> Iterator[_ListedTool]:
    """The tools of the result of an MCP server's `tools/list`."""
    if not listing.member("tools").present:
        listing.note_problem("Must be a list of tools, or the result of “tools/list”.")
    yield from (_ListedTool(tool, by_server=True) for tool in listing.member("tools").items())


def _read_tool(listed: _ListedTool, *, trust_annotations: bool) -> ToolDoc:
    tool, document = listed.tool, listed.document
    tool.object(required=True)
    kind = tool.member("type").name(required=False)
    # A provider's own tool, such as a web search, has a type and no name.
    hosted = kind not in ("", "function", "custom")
    if hosted and document is not tool:
        tool.member("type").note_problem("Must be “function” or “custom”.")
    place = document.member("name")
    name = qualified_name(listed.namespace, place.name(required=not hosted) or kind, place)
    _refuse_unread(listed, kind, hosted=hosted)
    return ToolDoc(
        name=name,
        description=_describe_tool(document),
        parameters=read_schema(document) or (_FREE_TEXT if kind == "custom" else {}),
        environment_changing=_changes_environment(listed, document, trust_annotations=trust_annotations),
    )


def _describe_tool(document: Node) -> str:
    """The description, after the title where that says more than the name does."""
    description, annotations = document.member("description").text(), document.member("annotations")
    title = document.member("title").text() or annotations.member("title").text()
    if not title or title == document.member("name").value or description.startswith(title):
        return description
    return f"{title}: {description}" if description else title


def _refuse_unread(listed: _ListedTool, kind: str, *, hosted: bool) -> None:
    """Note what could hold a schema and is not read, in the document and in what wraps it."""
    tool, document = listed.tool, listed.document
    document.first("outputSchema", "output_schema").object()
    # The grammar of a free text.
    read_names = ("format",) if kind == "custom" or tool.member("custom").present else ()
    refuse_unread(document, *read_names, hosted=hosted)
    if document is tool:
        return
    tool.only(*_WRAPPERS, problem="The tool has another document; one of the two must go.")
    refuse_unread(tool, *_WRAPPERS, hosted=False)
    refuse_second(tool)


def _changes_environment(listed: _ListedTool, document: Node, *, trust_annotations: bool) -> bool:
    """Whether the tool changes anything: yes, unless the agent's own metadata or a trusted server says it only reads.

    A server may say so in either way, and then both are only as good as the server. Of two that contradict each
    other the more careful one counts.
    """
    members = [*listed.tool.given("environment_changing"), *document.given("environment_changing")]
    changing = members[0].flag(default=True) if members else None
    annotations = listed.tool.member("annotations")
    annotations.object()
    hinted = annotations.member("readOnlyHint").flag()
    destructive = annotations.member("destructiveHint").flag()
    # `inputSchema` is MCP's name: a document copied out of a server's listing is still the server's word.
    if changing is not None and not (listed.by_server or document.member("inputSchema").present):
        return changing
    if changing or destructive or not (hinted or changing is False):
        return True
    listed.tool.notes.disbelieved |= not trust_annotations
    return not trust_annotations
