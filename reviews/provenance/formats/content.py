"""The text of a message or of a tool's result, whichever way its parts are written.

What is no text (an image, a file, an audio) leaves a short placeholder in its place: a reader must see that something
stood there. What a model only thought is no evidence and leaves nothing.
"""

import json
from itertools import islice
from typing import Final

from reviews.provenance.core.shortening import shortened
from reviews.provenance.formats.submission import Node

THOUGHTS: Final = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_text"})
"""Types of the parts in which a model thinks."""
# Parts of formats that write calls among the content, or results: a reader that meets them here reads another format.
_CALLS: Final = ("tool_use", "tool_result", "function_call", "function_call_output")
# An empty type: some agents leave it out where the part holds a text only.
_TEXTS: Final = frozenset({"", "text", "input_text", "output_text", "refusal"})
MEDIA: Final = frozenset(
    """
    audio computer_screenshot container_upload document file image image_url input_audio input_file input_image
    resource resource_link search_result tool_reference video web_search_result
    """.split()
)
"""Types of the parts that are no text: a placeholder stands for them."""
# Fields that tell a person which image or file it was, the ones people choose first.
_DETAILS: Final = (
    "title name filename file_name uri url image_url file_url source file_id mimeType mime_type media_type format"
).split()
# A placeholder is one line: a name, an address and a type tell one file from another.
_MOST_DETAILS: Final = 3
_LONGEST_DETAIL: Final = 200
# Objects within a part that may name it; formats wrap a file in one or two.
_MOST_WRAPPERS: Final = 4
# Documents may hold parts which are documents; deeper ones leave their placeholder only.
_DEEPEST: Final = 4


def message_text(content: Node) -> str:
    """What a message says: text, or a list of parts, one a line. Anything else is wrong."""
    if isinstance(content.value, list):
        return "\n".join(text for part in content.items() if (text := part_text(part)))
    return content.text()


def result_text(content: Node) -> str:
    """What a tool returned: text, a list of parts, or any JSON. Nothing at all is the empty text."""
    value = content.value
    if not content.present or isinstance(value, str):
        return content.text()
    if isinstance(value, dict) and _kind(content) in MEDIA:
        return part_text(content) or ""
    if not isinstance(value, list) or not all(isinstance(p, dict) and isinstance(p.get("type"), str) for p in value):
        return as_json(content)
    texts: list[str | None] = []
    for part in content.items():
        # A tool may return a list of records of its own that have a type: they are data, not parts.
        is_data = _kind(part) not in _TEXTS | MEDIA | THOUGHTS
        texts.append(as_json(part) if is_data else part_text(part))
    return "\n".join(filter(None, texts))


def failure(text: str) -> str:
    """The result of a call that failed: nobody shall take it for what the tool found."""
    return text if text.lstrip()[:5].lower() == "error" else f"Error: {text}"


def part_text(part: Node, depth: int = 1) -> str | None:
    """The text of one part, after its placeholder where it is a document; None for a thought."""
    if isinstance(part.value, str):
        return str(part.value)
    part.object(required=True)
    kind = part.member("type").text()
    if kind in THOUGHTS:
        return None
    if kind in _CALLS:
        part.member("type").wrong(f"“{kind}” belongs to another format than the rest of this submission.")
    if kind in _TEXTS:
        return part.first("refusal", "text").text(required=not kind)
    inside = _text_inside(part, depth)
    return placeholder(part) if inside is None else f"{placeholder(part)}\n{inside}"


def placeholder(part: Node) -> str:
    """What stands for a part that is no text: its type, and the names it goes by."""
    fields = part.object()
    wrappers = islice((value for value in fields.values() if isinstance(value, dict)), _MOST_WRAPPERS)
    holders = (fields, *wrappers)
    details: dict[str, None] = {}
    for detail in (holder.get(name) for name in _DETAILS for holder in holders):
        if not isinstance(detail, str) or not detail:
            continue
        # The content itself stands in a data address (RFC 2397); its type is all that can be read.
        media_type = detail[len("data:") : _LONGEST_DETAIL].partition(",")[0].partition(";")[0]
        details[media_type if detail.startswith("data:") else shortened(detail, _LONGEST_DETAIL)] = None
    kind = _kind(part)[:_LONGEST_DETAIL] or "part"
    return f"[{kind}: {', '.join(islice(details, _MOST_DETAILS))}]" if details else f"[{kind}]"


def as_json(node: Node) -> str:
    """The value as JSON text. A value too deep to be written is wrong."""
    try:
        return json.dumps(node.value, ensure_ascii=False)
    except RecursionError:
        node.wrong("Nested too deep.")
        return ""


def _kind(part: Node) -> str:
    """The part's type where it is text; anything else is reported by whoever reads the part."""
    kind = part.member("type").value
    return kind if isinstance(kind, str) else ""


def _text_inside(part: Node, depth: int) -> str | None:
    """The text a document, a resource or a search result carries with it; None when it carries none."""
    source = part.member("source")
    # Anthropic's documents hold a text source, MCP's parts a text or a resource with one.
    plain = source.member("data").value if source.member("type").value == "text" else None
    for text in (plain, part.member("text").value, part.member("resource").member("text").value):
        if isinstance(text, str):
            return text
    nested = part.member("content") if part.member("content").present else source.member("content")
    if not isinstance(nested.value, str | list) or depth == _DEEPEST:
        return None
    if isinstance(nested.value, str):
        return str(nested.value)
    return "\n".join(text for item in nested.items() if (text := part_text(item, depth + 1)))
