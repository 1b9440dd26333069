"""The text of a message or of a tool's result, whichever way its parts are written.

What is no text (an image, a file, an audio) leaves a short placeholder in its place: a reader must see that something
stood there. What a model only thought is no evidence and leaves nothing.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.reading import Node

THOUGHTS: Final = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_text"})
_CALLS: Final = ("tool_use", "tool_result", "function_call", "function_call_output")
_TEXTS: Final = frozenset({"", "text", "input_text", "output_text", "refusal"})
_MEDIA: Final = frozenset(
    """
    audio computer_screenshot container_upload document file image image_url input_audio input_file input_image
    resource resource_link search_result tool_reference video web_search_result
    """.split()
)
_DETAILS: Final = (
    "title name filename file_name uri url image_url file_url source file_id mimeType mime_type media_type format"
).split()
"""Fields that tell a person which image or file it was."""
_MOST_DETAILS: Final = 3
_LONGEST_DETAIL: Final = 200
_DEEPEST: Final = 4
"""Documents may hold parts which are documents; deeper ones leave their placeholder only."""


def said(content: Node) -> str:
    """What a message says: text, or a list of parts. Anything else is wrong."""
    if isinstance(content.value, list):
        return "\n".join(text for part in content.items() if (text := part_of(part)))
    return content.text()


def returned(content: Node) -> str:
    """What a tool returned: text, a list of parts, or any JSON. Nothing at all is the empty text."""
    if not content.given or isinstance(content.value, str):
        return content.text()
    if isinstance(content.value, dict) and _kind(content) in _MEDIA:
        return part_of(content) or ""
    if not _is_parts(content.value):
        return as_json(content)
    texts = (_data(part) if _kind(part) not in _TEXTS | _MEDIA else part_of(part) for part in content.items())
    return "\n".join(text for text in texts if text)


def failure(text: str) -> str:
    """The result of a call that failed: nobody shall take it for what the tool found."""
    return text if text.lstrip()[:5].lower() == "error" else f"Error: {text}"


def part_of(part: Node, depth: int = 1) -> str | None:
    """The text of one part; None for a thought."""
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
    inside = _inside(part, depth)
    return placeholder(part) if inside is None else f"{placeholder(part)}\n{inside}"


def placeholder(part: Node) -> str:
    """What stands for a part that is no text: its type, and the names it goes by."""
    details = list(dict.fromkeys(_shortened(detail) for detail in _details(part.object())))[:_MOST_DETAILS]
    kind = _kind(part)[:_LONGEST_DETAIL] or "part"
    return f"[{kind}: {', '.join(details)}]" if details else f"[{kind}]"


def as_json(node: Node) -> str:
    """The value as JSON text. A value too deep to be written is wrong."""
    try:
        return json.dumps(node.value, ensure_ascii=False)
    except RecursionError:
        node.wrong("Nested too deep.")
        return ""


def _data(part: Node) -> str | None:
    # A tool may return a list of records of its own that have a type: they are data, not parts.
    return None if _kind(part) in THOUGHTS else as_json(part)


def _is_parts(value: JsonValue) -> bool:
    return isinstance(value, list) and all(
        isinstance(part, dict) and isinstance(part.get("type"), str) for part in value
    )


def _kind(part: Node) -> str:
    kind = part.member("type").value
    return kind if isinstance(kind, str) else ""


def _inside(part: Node, depth: int) -> str | None:
    """The text a document, a resource or a search result carries with it; None when it carries none."""
    source = part.member("source")
    plain = (source.member("data").value if source.member("type").value == "text" else None, part.member("text").value)
    for text in (*plain, part.member("resource").member("text").value):
        if isinstance(text, str):
            return text
    nested = part.member("content") if part.member("content").given else source.member("content")
    if not isinstance(nested.value, str | list) or depth == _DEEPEST:
        return None
    if isinstance(nested.value, str):
        return str(nested.value)
    return "\n".join(text for item in nested.items() if (text := part_of(item, depth + 1)))


def _details(part: dict[str, Any]) -> Iterator[str]:
    holders = [part, *islice((value for value in part.values() if isinstance(value, dict)), _DEEPEST)]
    for name in _DETAILS:
        yield from (holder[name] for holder in holders if isinstance(holder.get(name), str) and holder[name])


def _shortened(detail: str) -> str:
    if detail.startswith("data:"):
        # The content itself stands in such an address; its type is all that can be read.
        detail = detail[len("data:") : _LONGEST_DETAIL].partition(",")[0].partition(";")[0]
    return detail if len(detail) <= _LONGEST_DETAIL else f"{detail[:_LONGEST_DETAIL]}…"
