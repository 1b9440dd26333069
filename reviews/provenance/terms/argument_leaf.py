"""One argument value with everything its schema says about it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.core.pointers import keys_of
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.quotations import LISTED_OPTION

Schema = Mapping[str, JsonValue]
# References and alternatives followed in one schema.
_HOPS = 16
# Words before a list of all options.
_LISTED = re.compile(
    r"\b(?:one of|either|available|options?|choices?|allowed|valid|possible|permitted|supported|must be|can be)\b", re.I
)
# Words before some of many: these bind nobody.
_EXAMPLES = re.compile(r"\be\.g\.|\bfor example\b|\bsuch as\b|\blike\b", re.I)
# How a parameter says that it counts hundredths.
_PERCENT = ("percent", "pct", "%")


@dataclass(frozen=True)
class Leaf:
    """A scalar, null, or empty container at a place in the arguments: what a term is about."""

    value: JsonValue
    pointer: str = ""
    schema: Schema | None = None
    tool: ToolDoc | None = None

    @cached_property
    def text(self) -> str:
        """The value as it would be written in running text; empty for what cannot be written."""
        if isinstance(self.value, str):
            return self.value.strip()
        if isinstance(self.value, bool | list | dict) or self.value is None:
            return ""
        try:
            return str(self.value)
        except ValueError:  # an integer of more than 4300 digits
            return ""

    @cached_property
    def folded(self) -> str:
        """The text without case and typography."""
        return fold(self.text)

    @cached_property
    def bare(self) -> str:
        """The folded text without the signs that texts set around an identifier."""
        return self.folded.strip("#*.:!?()[]{}<>\"'`,; ")

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The folded words of the text."""
        return words_of(self.text)

    @cached_property
    def name(self) -> str:
        """The innermost parameter name on the way to the leaf."""
        return next((key for key in reversed(keys_of(self.pointer)) if key and not key.isdigit()), "")

    @cached_property
    def parameter(self) -> str:
        """The parameter that the leaf is, or is a part of."""
        return "".join(keys_of(self.pointer)[:1])

    @cached_property
    def description(self) -> str:
        """What the schema says about the parameter."""
        description = (self.schema or {}).get("description")
        return description[:2000] if isinstance(description, str) else ""

    @cached_property
    def hint(self) -> str:
        """Name and description: what tells a unit."""
        return f"{self.name.replace('_', ' ')} {self.description}"

    @cached_property
    def is_in_percent(self) -> bool:
        """Whether name or description say that hundredths are counted."""
        return any(word in self.hint.lower() for word in _PERCENT)

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """The members of the schema's enum, or those its description lists in quotes."""
        for part in alternatives_of(self.schema):
            members = part.get("enum")
            if isinstance(members, list):
                return tuple(member for member in members if isinstance(member, str))
        listed = None if _EXAMPLES.search(self.description) else _LISTED.search(self.description)
        quoted = LISTED_OPTION.findall(self.description[listed.start() :]) if listed else []
        return tuple("".join(groups) for groups in quoted) if len(quoted) > 1 else ()


def alternatives_of(schema: Schema | None, tool: ToolDoc | None = None) -> Iterator[Schema]:
    """The schema and the members of its anyOf, oneOf and allOf; with its tool, what they refer to in their place."""
    pending: list[JsonValue | Schema] = [schema]
    for _ in range(_HOPS):
        part = _resolve_reference(pending.pop(0), tool) if pending else None
        if isinstance(part, Mapping):
            yield part
            for word in ("anyOf", "oneOf", "allOf"):
                pending += part[word][:_HOPS] if isinstance(part.get(word), list) else []


def types_of(schema: Schema | None, tool: ToolDoc | None = None) -> frozenset[str]:
    """The types beside null that the schema names; with its tool, also where it refers to other schemas."""
    keywords = (part.get("type") for part in alternatives_of(schema, tool))
    names = (name for keyword in keywords for name in (keyword if isinstance(keyword, list) else [keyword]))
    return frozenset(name for name in names if isinstance(name, str)) - {"null"}


def leaf_at(value: JsonValue, pointer: str, tool: ToolDoc | None) -> Leaf:
    """The leaf with the schema its tool declares at that pointer."""
    schema: Schema | None = tool.parameters if tool else None
    for name in keys_of(pointer):
        schema = _member_schema(schema, name, tool)
    return Leaf(value, pointer, schema, tool)


def _member_schema(schema: Schema | None, name: str, tool: ToolDoc | None) -> Schema | None:
    for part in alternatives_of(_resolve_reference(schema, tool)):
        properties, items = part.get("properties"), part.get("items")
        if isinstance(properties, Mapping) and name in properties:
            return _resolve_reference(properties[name], tool)
        if isinstance(items, Mapping) and name.isdigit():
            return _resolve_reference(items, tool)
    return None


def _resolve_reference(schema: JsonValue, tool: ToolDoc | None) -> Schema | None:
    """The schema behind local references."""
    for _ in range(_HOPS):
        if not isinstance(schema, Mapping):
            return None
        reference = schema.get("$ref")
        if not isinstance(reference, str) or tool is None:
            return schema
        target: JsonValue = tool.parameters
        for part in reference.lstrip("#").split("/")[1:]:
            target = target.get(part) if isinstance(target, Mapping) else None
        schema = target
    return None
