"""Tool documents in the shapes agents hold them: our own, OpenAI functions, MCP tools."""

from reviews.provenance.context import ToolDoc
from reviews.provenance.formats.reading import Node


def read_tools(tools: Node, *, trust_annotations: bool) -> tuple[ToolDoc, ...]:
    """Every tool of a list. Two tools of one name would let one document stand in for the other: an error.

    `trust_annotations`: an MCP server's word that a tool only reads (`readOnlyHint`) is believed.
    """
    documents: dict[str, ToolDoc] = {}
    for tool in tools.items():
        document = _read_tool(tool, trust_annotations=trust_annotations)
        if document.name in documents:
            tool.wrong(f"There are two tools called “{document.name[:100]}”.")
        documents[document.name] = document
    return tuple(documents.values())


def _read_tool(tool: Node, *, trust_annotations: bool) -> ToolDoc:
    tool.object(required=True)
    inner = tool.member("function") if tool.member("function").given else tool
    return ToolDoc(
        name=inner.member("name").text(required=True),
        description=inner.member("description").text(),
        parameters=_schema(inner),
        environment_changing=_changes(tool, inner, trust_annotations=trust_annotations),
    )


def _schema(inner: Node) -> dict[str, object]:
    for name in ("parameters", "inputSchema"):
        if inner.member(name).given:
            return inner.member(name).object()
    return {}


def _changes(tool: Node, inner: Node, *, trust_annotations: bool) -> bool:
    """Yes, unless the agent's own metadata or a trusted MCP annotation says that the tool only reads."""
    for place in (tool, inner):
        if place.member("environment_changing").given:
            return place.member("environment_changing").flag(default=True)
    annotations = tool.member("annotations")
    annotations.object()
    hint = annotations.member("readOnlyHint").flag(default=False)
    return not (trust_annotations and hint)
