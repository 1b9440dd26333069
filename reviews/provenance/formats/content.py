"""The text of a message or of a tool's result, whichever way its parts are written.

What is no text (an image, a file, an audio) leaves a short placeholder in its place: a reader must see that something
stood there. What a model only thought is no evidence and leaves nothing. Words that cannot be read are wrong: a call
must not pass because the sentence that speaks against it stood in a field nobody looked at.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from reviews.provenance.core.context import JsonValue, leaves
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.formats.inline_files import (
    MEDIA,
    TYPE_NAMES,
    WORD_NAMES,
    is_inline_file,
    kind_of,
    without_files,
)
from reviews.provenance.formats.json_nodes import MAX_NAME_LENGTH, Node, name_set

THOUGHTS: Final = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_text", "reasoning_content"})
"""Types of the parts in which a model thinks."""
# Parts of formats that write calls among the content, or results: a reader that meets them here reads another format.
_CALLS: Final = name_set("""
    tool_use tool_result tool_call tool_return tool_response server_tool_call function_call function_call_output
    function_response function_result
""")
# An empty type: some agents leave it out where the part holds a text only.
_TEXTS: Final = frozenset({"", "text", "input_text", "output_text", "refusal"})
# Files with what somebody wrote, or called them. What a sound says is said by whoever sends it.
_WRITTEN: Final = MEDIA.union(name_set("binary citable document_url uploaded_file video_url")) - {
    "audio",
    "input_audio",
}
# A placeholder that tells no more than types.
_UNNAMED: Final = re.compile(r"\[\w+(?:: (?:application|audio|font|image|model|text|video)/[\w.+-]{1,80})?\]")
# Names of a part's only member where it has no type, as Bedrock and Google write them. A marker of a cache is nothing.
_UNTYPED_MEDIA: Final = frozenset({"audio", "document", "file_data", "image", "inline_data", "video"})
_MARKERS: Final = frozenset({"cache_point"})
# What a marker says: of which kind it is, and for how long it holds.
_MARKER_FIELDS: Final = frozenset({"type", "ttl"})
_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Fields that tell a person which image or file it was, the ones people choose first.
_DETAILS: Final = (
    "title name filename file_name uri url image_url file_url source file_id mimeType mime_type media_type format"
).split()
# A placeholder is one line: a name, an address and a type tell one file from another.
_MAX_DETAILS: Final = 3
_MAX_DETAIL_LENGTH: Final = 200
# Objects within a part that may name it; formats wrap a file in one or two.
_MAX_WRAPPERS: Final = 4
# Members of a part that tell of its words and are none of the conversation's own.
_BESIDE: Final = name_set("""
    additional_properties annotations cache_control cachePoint citations extras internal logprobs mediaResolution
    metadata partMetadata part_metadata providerMetadata providerOptions provider_details provider_metadata
    provider_options signature text_signature thoughtSignature thought_signature
""")
_TEXT_MEMBERS: Final = _BESIDE.union(TYPE_NAMES, WORD_NAMES)
_PART_MEMBERS: Final = _TEXT_MEMBERS.union(_DETAILS, ("data", "resource"))
# Spaces of a text that are looked at for words on both sides.
_ENOUGH: Final = 40
# Documents may hold parts which are documents; deeper ones leave their placeholder only.
_DEEPEST: Final = 4


def message_text(content: Node, depth: int = 1) -> str:
    """What a message says: text, a part, or a list of parts, one a line. Anything else is wrong."""
    if isinstance(content.value, list):
        return "\n".join(filter(None, (part_text(part, depth) for part in content.items())))
    return part_text(content) or "" if isinstance(content.value, dict) else content.text()


def text_and_attachments(content: Node) -> tuple[str, list[str]]:
    """What a message says, with the type of each file in its place, and what each file is called and says.

    Whoever passes on a file need not have written it, nor given it its name.
    """
    if not isinstance(content.value, list | dict):
        return content.text(), []
    lines, attachments = list[str](), list[str]()
    for part in content.items() if isinstance(content.value, list) else [content]:
        kind = _kind_of(part) if isinstance(part.value, dict) else ""
        if kind not in _WRITTEN:
            lines.append(part_text(part) or "")
            continue
        placeholder, text = placeholder_of(part), _text_inside(part, 1) or ""
        is_named = not _UNNAMED.fullmatch(placeholder)
        lines += [f"[{kind_of(part.value) or kind}]" if is_named else placeholder, *_said_beside(part, kind)]
        attachments += [f"{placeholder}\n{text}".strip()] if is_named or text else []
    return "\n".join(filter(None, lines)), attachments


def result_text(content: Node) -> str:
    """What a tool returned: text, a list of parts, or any JSON. Nothing at all is the empty text."""
    value = content.value
    if not content.present or isinstance(value, str):
        return content.text()
    if isinstance(value, dict) and kind_of(value) in MEDIA:
        return part_text(content) or ""
    if not isinstance(value, list) or not all(isinstance(p, dict) and isinstance(p.get("type"), str) for p in value):
        return as_json(content)
    texts = (as_json(part) if _is_record(part) else part_text(part) for part in content.items())
    return "\n".join(filter(None, texts))


def _is_record(part: Node) -> bool:
    """Whether something with a type is a record of the tool's own: data, no part of a message."""
    kind = kind_of(part.object())
    # A tool has no thoughts: what looks like one is what it returned, and the model reads it.
    if kind not in _TEXTS or part.member("thought").value is True:
        return kind not in MEDIA
    more = (value for name, value in part.object().items() if name not in _TEXT_MEMBERS)
    return not part.member("text").present or any(map(bears_words, more))


def is_marker(part: JsonValue) -> bool:
    """Whether this is Bedrock's marker of where a cache ends, among parts or tools, and nothing besides."""
    fields = [(name, value) for name, value in part.items() if value is not None] if isinstance(part, dict) else []
    match fields:
        case [("cachePoint" | "cache_point", dict(marker))]:
            return marker.keys() <= _MARKER_FIELDS and not bears_words(marker)
    return False


def mark_failure(text: str) -> str:
    """The result of a call that failed: nobody shall take it for what the tool found."""
    return text if text.lstrip()[:5].lower() == "error" else f"Error: {text}"


def part_text(part: Node, depth: int = 1) -> str | None:
    """The text of one part, after its placeholder where it is a document; None for a thought."""
    if isinstance(part.value, str):
        return str(part.value)
    part.object(required=True)
    if is_marker(part.value):
        return None
    place, kind = part.first(*TYPE_NAMES), _kind_of(part)
    place.text()
    if kind in THOUGHTS | _MARKERS or part.member("thought").value is True:
        return None
    if kind in _CALLS:
        place.note_problem(f"“{kind}” belongs to another format than the rest of this submission.")
    if kind in _TEXTS:
        return _read_words(part)
    inside = (text for text in (_text_inside(part, depth), *_said_beside(part, kind)) if text)
    return "\n".join((placeholder_of(part), *inside))


def bears_words(value: JsonValue) -> bool:
    """Whether words stand anywhere in a value; a name, an id or a date alone is none."""
    return any(isinstance(leaf, str) and _is_wording(leaf) for _, leaf in leaves(value))


def _is_wording(text: str) -> bool:
    """Whether a text is words and not the name of something: two of them, or any in a script without capitals."""
    # By spaces alone: files that are written as text have line breaks.
    if sum(any(map(str.isalpha, word)) for word in text.split(" ", _ENOUGH)) > 1:
        return True
    return not text.isascii() and any(char.isalpha() and char.lower() == char.upper() for char in text)


def refuse_unread(node: Node, read_names: frozenset[str], *, every_word: bool = False) -> None:
    """Note every other member in which words stand, or with `every_word` a single one."""
    for name, value in node.value.items() if isinstance(node.value, dict) else ():
        if name not in read_names and (bears_words(value) or (every_word and _bears_letters(value))):
            quoted = shorten_text(name, MAX_NAME_LENGTH)
            node.member(name).note_problem(f"What `{quoted}` says would not be read: words stand in `content`.")


def _bears_letters(value: JsonValue) -> bool:
    return any(isinstance(leaf, str) and any(map(str.isalpha, leaf)) for _, leaf in leaves(value))


def placeholder_of(part: Node) -> str:
    """What stands for a part that is no text: its type, and the names it goes by."""
    fields = part.object()
    wrappers = islice((value for value in fields.values() if isinstance(value, dict)), _MAX_WRAPPERS)
    holders = (fields, *wrappers)
    details: dict[str, None] = {}
    for detail in (holder.get(name) for name in _DETAILS for holder in holders):
        if not isinstance(detail, str) or not detail:
            continue
        # The content itself stands in a data address (RFC 2397); its type is all that can be read.
        media_type = detail[len("data:") : _MAX_DETAIL_LENGTH].partition(",")[0].partition(";")[0]
        details[media_type if detail.startswith("data:") else shorten_text(detail, _MAX_DETAIL_LENGTH)] = None
    kind = kind_of(fields)[:_MAX_DETAIL_LENGTH] or "part"
    return f"[{kind}: {', '.join(islice(details, _MAX_DETAILS))}]" if details else f"[{kind}]"


def as_json(node: Node) -> str:
    """What a tool returned as JSON text, without inline files. A value too deep to be written is wrong."""
    try:
        return record_json(node.value)
    except RecursionError:
        node.note_problem("Nested too deep.")
        return ""


def record_json(record: JsonValue) -> str:
    """What a tool returned as JSON text, without inline files."""
    return json.dumps(without_files(record), ensure_ascii=False)


def _kind_of(part: Node) -> str:
    return kind_of(part.object()) if part.members(*TYPE_NAMES) else _kind_of_untyped(part)


def _kind_of_untyped(part: Node) -> str:
    """What a part without a type is: its only object's name where that is no text, else a text."""
    if part.members(*WORD_NAMES):
        return ""
    objects = [name for name, value in part.object().items() if isinstance(value, dict) and name not in _BESIDE]
    kind = _CAPITAL.sub("_", objects[0]).lower() if len(objects) == 1 else ""
    return kind if kind in _UNTYPED_MEDIA | _MARKERS | _CALLS | THOUGHTS else ""


def _read_words(part: Node) -> str:
    """The words of a text part. None at all, and two that differ, are wrong."""
    # OpenAI's assistants hold the words one level deeper, beside their annotations.
    members = [
        member.member("value") if isinstance(member.value, dict) else member for member in part.members(*WORD_NAMES)
    ]
    texts = [member.require_present().text(required=not kind_of(part.object())) for member in members]
    if not members:
        part.member(WORD_NAMES[0]).note_problem("This field is required.")
    for member, text in zip(members[1:], texts[1:], strict=True):
        if text not in ("", texts[0]):
            member.note_problem(
                f"Says something else than `{members[0].pointer.rpartition('/')[2]}`; one of the two must go."
            )
    refuse_unread(part, _TEXT_MEMBERS)
    return next(filter(None, texts), "")


def _said_beside(part: Node, kind: str) -> Iterator[str]:
    """What members say that are no text of the part: the context of a document, the transcript of a sound."""
    for name, value in part.object().items():
        if name in _PART_MEMBERS or not bears_words(value):
            continue
        if isinstance(value, str):
            yield value
        elif kind not in MEDIA:
            part.member(name).note_problem("What stands in here would not be read: words stand in `text`.")


def _text_inside(part: Node, depth: int) -> str | None:
    """The text a document, a resource or a search result carries with it; None when it carries none."""
    source = part.member("source")
    # Anthropic's documents hold a text source, MCP's parts a text or a resource with one.
    plain = source.member("data").value if source.member("type").value == "text" else None
    fields = part.object()
    words = (fields.get(name) for name in WORD_NAMES if not is_inline_file(name, fields))
    for text in (plain, *words, part.member("resource").member("text").value):
        if isinstance(text, str):
            return text
    if is_inline_file("content", fields):
        return None
    nested = (part if part.members("content") else source).member("content")
    return message_text(nested, depth + 1) if isinstance(nested.value, str | list) and depth < _DEEPEST else None
