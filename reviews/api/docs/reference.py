"""The OpenAPI document as a person reads it: operations and schemas, with types in words and links between them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]
# JSON Schema's keywords in words. Patterns are for programs: descriptions say what they mean.
_BOUNDS = (
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("minLength", "length at least {}"),
    ("maxLength", "length at most {}"),
    ("default", "{} when missing"),
)
# In the order a reader expects them below one path; also tells methods from a path's other members.
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Word:
    """A piece of running text: plain, code, or the name of a schema."""

    text: str
    is_code: bool = False
    schema: str = ""
    """Name of the schema it links to; empty for no link."""


@dataclass(frozen=True)
class Field:
    """A parameter, a header, or a member of an object."""

    name: str
    type: tuple[Word, ...]
    about: tuple[Word, ...]
    required: bool = False
    where: str = ""
    """For a parameter: `path`, `query` or `header`."""


@dataclass(frozen=True)
class Content:
    """One media type that a request or an answer may have."""

    media_type: str
    type: tuple[Word, ...]
    example: str = ""


@dataclass(frozen=True)
class Answer:
    """What an operation may answer with."""

    status: str
    about: tuple[Word, ...]
    contents: tuple[Content, ...]
    headers: tuple[Field, ...]


@dataclass(frozen=True)
class Operation:
    """One method on one path."""

    id: str
    method: str
    path: str
    summary: str
    about: tuple[Word, ...]
    parameters: tuple[Field, ...]
    bodies: tuple[Content, ...]
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Part:
    """One named schema."""

    name: str
    about: tuple[Word, ...]
    type: tuple[Word, ...]
    """Empty for an object whose fields are listed."""
    fields: tuple[Field, ...]
    example: str


@dataclass(frozen=True)
class Reference:
    """The whole document."""

    title: str
    about: tuple[Word, ...]
    sign: tuple[Word, ...]
    """How a request is signed."""
    operations: tuple[Operation, ...]
    parts: tuple[Part, ...]


def read_reference(document: Schema) -> Reference:
    """The document, in its own order; schemas by name."""
    components = document["components"]
    return Reference(
        title=document["info"]["title"],
        about=parse_prose(document["info"].get("description", "")),
        sign=parse_prose(
            " ".join(scheme.get("description", "") for scheme in components.get("securitySchemes", {}).values())
        ),
        operations=tuple(_read_operations(document["paths"])),
        parts=tuple(_read_part(name, schema) for name, schema in sorted(components["schemas"].items())),
    )


def parse_prose(text: str) -> tuple[Word, ...]:
    """Running text; what stands between backticks is code."""
    # Backticks come in pairs, so every second piece stood between two of them.
    pieces = enumerate(text.split("`"))
    return tuple(Word(piece, is_code=number % 2 == 1) for number, piece in pieces if piece)


def type_of(schema: Schema) -> tuple[Word, ...]:
    """A schema's type in words, such as `list of` and a link to `Finding`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return (Word(name, schema=name),)
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return _join_choices(type_of(alternative) for alternative in schema[choice])
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return _join_choices((Word(json.dumps(value), is_code=True),) for value in values)
    return _type_in_words(schema)


def _type_in_words(schema: Schema) -> tuple[Word, ...]:
    match schema.get("type"):
        case "array":
            return (Word("list of "), *type_of(schema.get("items", {})))
        # An object with named fields is a part of its own and linked to; here only maps are spelt out.
        case "object" if isinstance(schema.get("additionalProperties"), Mapping):
            return (Word("object of "), *type_of(schema["additionalProperties"]))
        case list() as kinds:
            return _join_choices(_type_in_words({**schema, "type": kind}) for kind in kinds)
        case None:
            return (Word("any JSON"),)
        case kind:
            kind_in_words = f"{kind} ({schema['format']})" if "format" in schema else kind
            bounds = (words.format(schema[keyword]) for keyword, words in _BOUNDS if keyword in schema)
            return (Word(", ".join([kind_in_words, *bounds])),)


def _join_choices(choices: Iterable[tuple[Word, ...]]) -> tuple[Word, ...]:
    words: list[Word] = []
    for choice in choices:
        words += [Word(" or "), *choice] if words else choice
    return tuple(words)


def _read_operations(paths: Mapping[str, Schema]) -> Iterator[Operation]:
    for path, methods in paths.items():
        for method in METHODS:
            if method not in methods:
                continue
            operation = methods[method]
            parameters = operation.get("parameters", [])
            yield Operation(
                id=operation["operationId"],
                method=method.upper(),
                path=path,
                summary=operation.get("summary", ""),
                about=parse_prose(operation.get("description", "")),
                parameters=tuple(_read_field(field["name"], field, where=field["in"]) for field in parameters),
                bodies=_read_contents(operation.get("requestBody", {})),
                # The document lists them as the view declared them; a reader looks for the lowest first.
                answers=tuple(
                    Answer(
                        status,
                        parse_prose(response.get("description", "")),
                        _read_contents(response),
                        tuple(_read_field(name, header) for name, header in response.get("headers", {}).items()),
                    )
                    for status, response in sorted(operation["responses"].items())
                ),
            )


def _read_contents(holder: Schema) -> tuple[Content, ...]:
    """The media types of a request's body or of a response."""
    return tuple(
        Content(media_type, type_of(content.get("schema", {})), _first_example(content))
        for media_type, content in holder.get("content", {}).items()
    )


def _read_field(name: str, declaration: Schema, *, where: str = "", required: bool = False) -> Field:
    """From a parameter or header, which wrap their schema, or from a property, which is one."""
    return Field(
        name,
        type_of(declaration.get("schema", declaration)),
        parse_prose(declaration.get("description", "")),
        # A property that is itself an object has a list of names under `required`.
        required or declaration.get("required") is True,
        where,
    )


def _read_part(name: str, schema: Schema) -> Part:
    required = schema.get("required", [])
    properties = schema.get("properties", {})
    fields = tuple(_read_field(key, declaration, required=key in required) for key, declaration in properties.items())
    # An object's type would only repeat its fields.
    return Part(
        name,
        parse_prose(schema.get("description", "")),
        () if fields else type_of(schema),
        fields,
        _first_example(schema),
    )


def _first_example(holder: Schema) -> str:
    """The first example, as JSON; OpenAPI names its examples, JSON Schema lists them."""
    examples = holder.get("examples") or ()
    values = [example["value"] for example in examples.values()] if isinstance(examples, Mapping) else list(examples)
    return json.dumps(values[0], indent=2, ensure_ascii=False) if values else ""
