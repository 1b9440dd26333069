"""Tool documents in the shapes agents hold them: our own, OpenAI's, Anthropic's, MCP's.

What a tool returns is told by its results; an output schema is checked for being one and not kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.formats.reading import LONGEST_NAME, Node

_SCHEMAS: Final = ("parameters", "inputSchema", "input_schema")
_FREE_TEXT: Final = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
"""The arguments of a tool that takes one free text."""


@dataclass(frozen=True)
class _Place:
    """A tool document, and who says so."""

    tool: Node
    server: bool
    """It stands in a server's own listing."""
    namespace: str = ""


def read_tools(*lists: Node, trust_annotations: bool) -> tuple[ToolDoc, ...]:
    """Every tool of the lists. Two tools of one name would let one document stand in for the other: an error.

    A list may hold, or be, the result of an MCP server's `tools/list`, and OpenAI's namespaces.
    `trust_annotations`: a server's word that its tool only reads is believed.
    """
    documents: dict[str, ToolDoc] = {}
    for place in (place for each in lists for place in _places(each)):
        document = _read_tool(place, trust_annotations=trust_annotations)
        # One that only has a type is the provider's own, and the same wherever it is listed.
        if document.name in documents and _inner(place.tool).member("name").given:
            place.tool.wrong(f"There are two tools called “{document.name[:100]}”.")
        documents[document.name] = document
    return tuple(documents.values())


def called(namespace: str, name: str) -> str:
    """The name of a tool that stands in a namespace."""
    return f"{namespace}.{name}" if namespace else name


def _places(tools: Node) -> Iterator[_Place]:
    listing = tools.member("result") if tools.member("result").given else tools
    if isinstance(tools.value, dict):
        yield from _listed(listing)
        return
    for tool in tools.items():
        if tool.member("type").value == "namespace":
            namespace = tool.member("name").name()
            yield from (_Place(inner, server=False, namespace=namespace) for inner in tool.member("tools").items())
        elif tool.member("tools").given and not tool.member("name").given and not tool.member("type").given:
            yield from _listed(tool)
        else:
            yield _Place(tool, server=False)


def _listed(listing: Node) -> Iterator[_Place]:
    if not listing.member("tools").given:
        listing.wrong("Must be a list of tools, or the result of “tools/list”.")
    yield from (_Place(tool, server=True) for tool in listing.member("tools").items())


def _read_tool(place: _Place, *, trust_annotations: bool) -> ToolDoc:
    tool, inner = place.tool, _inner(place.tool)
    tool.object(required=True)
    kind = tool.member("type").name(required=False)
    hosted = kind not in ("", "function", "custom")
    if hosted and inner is not tool:
        tool.member("type").wrong("Must be “function” or “custom”.")
    name = inner.member("name").name(required=not hosted) or kind
    if len(called(place.namespace, name)) > LONGEST_NAME:
        inner.member("name").wrong(f"With its namespace it is longer than {LONGEST_NAME} characters.")
    return ToolDoc(
        name=called(place.namespace, name),
        description=_description(inner),
        parameters=_schema(inner) or (_FREE_TEXT if kind == "custom" else {}),
        environment_changing=_changes(place, inner, trust_annotations=trust_annotations),
    )


def _inner(tool: Node) -> Node:
    """Where the document itself stands: OpenAI's chat wraps it."""
    return next((inner for inner in map(tool.member, ("function", "custom")) if inner.given), tool)


def _description(inner: Node) -> str:
    """The description, after the title where that says more than the name does."""
    description, annotations = inner.member("description").text(), inner.member("annotations")
    title = inner.member("title").text() or annotations.member("title").text()
    if not title or title == inner.member("name").value or description.startswith(title):
        return description
    return f"{title}: {description}" if description else title


def _schema(inner: Node) -> dict[str, Any]:
    given = [inner.member(name) for name in _SCHEMAS if inner.member(name).given]
    for second in given[1:]:
        second.wrong("The tool has another schema; one of the two must go.")
    inner.first("outputSchema", "output_schema").object()
    return given[0].kept() if given else {}


def _changes(place: _Place, inner: Node, *, trust_annotations: bool) -> bool:
    """Yes, unless the agent's own metadata or a trusted server says that the tool only reads.

    A server may say so in either way, and then both are only as good as the server. Of two that contradict each
    other the more careful one counts.
    """
    own = next((m for m in (each.member("environment_changing") for each in (place.tool, inner)) if m.given), None)
    changing = own.flag(default=True) if own else None
    annotations = place.tool.member("annotations")
    annotations.object()
    hinted = annotations.member("readOnlyHint").flag(default=False)
    destructive = annotations.member("destructiveHint").flag(default=False)
    if changing is not None and not (place.server or inner.member("inputSchema").given):
        return changing
    if changing or destructive or not (hinted or changing is False):
        return True
    place.tool.notes.disbelieved |= not trust_annotations
    return not trust_annotations
