"""Images, sounds and files that stand as base64 inside a conversation: nobody reads them, so they are not kept.

One is told by its shape alone: an address that is its own content (RFC 2397), or base64 beside a media type, or in a
part whose type or name says that it is no text. What a tool is called with, a tool's schema and what anybody says are
never one, whatever they look like: arguments are judged to the character.
"""

import hashlib
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.json_nodes import name_set
from reviews.provenance.formats.tool_schemas import SCHEMA_NAMES

MEDIA: Final = name_set("""
    audio computer_screenshot container_upload document file file_data image image_url inline_data input_audio
    input_file input_image resource resource_link search_result tool_reference video web_search_result
""")
"""Types of the parts that are no text: a placeholder stands for them."""
TYPE_NAMES: Final = ("type", "block_type", "content_type", "part_kind")
"""Names under which frameworks give a part's type."""
WORD_NAMES: Final = ("text", "value", "content", "refusal")
"""Names under which they give a text part's words."""
# A shorter value may as well be a name or an id, and replacing it would gain nothing.
_MIN_LENGTH: Final = 256
# Base64 in either alphabet. Possessively (`++`): what could be given back would be remembered character by character.
_BASE64: Final = re.compile(r"(data:[^,]{0,200};base64,)?[A-Za-z0-9+/_\r\n-]++={0,2}[\r\n]*+", re.ASCII)
# What is no text by itself. Beside the type of one its words may stand, some of which have no spaces.
_MEDIA_TYPE: Final = re.compile(r"(?:application|audio|font|image|model|video)/[\w.+-]{1,80}(?:;.{0,100})?", re.ASCII)
_NAME_WORD: Final = re.compile(r"[A-Z]?[a-z0-9]+")
# Of which one stands in the type of a part, or in a member's name, that holds a file.
_FILE_WORDS: Final = name_set("audio document file image images inline screenshot video")
# Members in which somebody's words stand, and what calls returned.
_OUTCOMES: Final = name_set("outcome output outputs response result results")
_SAID: Final = _OUTCOMES.union(WORD_NAMES, name_set("blocks contents errorText items message parts"))
# Members that hold a call or what it is made with, and those that describe tools.
_CALLED: Final = name_set("""
    action action_input actions call custom function functionCall functionCalls function_call function_calls input
    parsed_arguments rawInput toolCall toolCalls toolUse tool_args tool_call tool_calls tool_input tool_kwargs tool_use
""").union(SCHEMA_NAMES, ("tools",))
# What looks like base64 and is passed on from one call to the next.
_PASSED_ON: Final = re.compile(r"(?:cursor|hash|id|key|signature|token)s?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Part:
    """What an object says of the texts in it."""

    is_file: bool = False
    """By its type or name it is no text, or it is part of what is none."""
    is_text: bool = False
    has_media_type: bool = False


def without_files(value: JsonValue) -> JsonValue:
    """A copy of part of a conversation with digest and size in place of each inline file.

    A digest and not nothing: two submissions that differ in a picture remain two.
    """
    return _copy(value, "", _Part())


def is_inline_file(name: str, part: Mapping[str, JsonValue]) -> bool:
    """Whether what a part has under this name is a file and no words."""
    value = part.get(name)
    return isinstance(value, str) and _shorten(value, name, _part_of(part, "", is_file=False)) != value


def _copy(value: JsonValue, name: str, holder: _Part) -> JsonValue:
    """The copy of what its holder has under this name."""
    match value:
        case dict():
            part, unchanged = _part_of(value, name, is_file=holder.is_file), _unchanged_members(value)
            return {key: member if key in unchanged else _copy(member, key, part) for key, member in value.items()}
        case list():
            return [_copy(element, name, holder) for element in value]
        case str():
            return _shorten(value, name, holder)
    return value


def _part_of(value: Mapping[str, JsonValue], name: str, *, is_file: bool) -> _Part:
    kind = kind_of(value)
    return _Part(
        is_file=is_file or kind in MEDIA or _names_file(kind) or _names_file(name),
        is_text=kind == "text",
        has_media_type=any(isinstance(text, str) and _MEDIA_TYPE.fullmatch(text) for text in value.values()),
    )


def _unchanged_members(part: Mapping[str, JsonValue]) -> AbstractSet[str]:
    """The members that stay as they are: of a call everything but what it returned, for it may be an argument."""
    kind = kind_of(part)
    return part.keys() - _OUTCOMES if kind.endswith(("call", "tool_use")) or kind == "program" else _CALLED


def kind_of(part: Mapping[str, JsonValue]) -> str:
    """The part's type where it is text: anything else is none, and may be as large as the body."""
    return next((kind.replace("-", "_") for name in TYPE_NAMES if isinstance(kind := part.get(name), str)), "")


def _names_file(name: str) -> bool:
    return not _FILE_WORDS.isdisjoint(word.lower() for word in _NAME_WORD.findall(name[:_MIN_LENGTH]))


def _shorten(text: str, name: str, holder: _Part) -> str:
    """Digest and size of a text that is a file, after its media type where that stands before it; else the text."""
    if len(text) < _MIN_LENGTH or holder.is_text or name == "text" or _PASSED_ON.search(name[-_MIN_LENGTH:]):
        return text
    match = _BASE64.fullmatch(text)
    if match is None or not (
        holder.has_media_type
        or (holder.is_file and name not in WORD_NAMES)
        or (name not in _SAID and (match[1] or _names_file(name)))
    ):
        return text
    head = match[1] or ""
    size = (len(text) - len(head) - sum(map(text.count, "=\r\n"))) * 3 // 4
    return f"{head}sha256-{hashlib.sha256(text.encode()).hexdigest()}, {size} bytes"
