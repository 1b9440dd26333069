"""The OpenAPI document as a person reads it: operations and schemas, with types in words and links between them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]
_BOUNDS = (
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("minLength", "length at least {}"),
    ("maxLength", "length at most {}"),
    ("default", "{} when missing"),
)
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


def read(document: Schema) -> Reference:
    """The document, in its own order; schemas by name."""
    components = document["components"]
    return Reference(
        title=document["info"]["title"],
        about=prose(document["info"].get("description", "")),
        sign=prose(" ".join(each.get("description", "") for each in components.get("securitySchemes", {}).values())),
        operations=tuple(_operations(document["paths"])),
        parts=tuple(_part(name, schema) for name, schema in sorted(components["schemas"].items())),
    )


def prose(text: str) -> tuple[Word, ...]:
    """Running text; what stands between backticks is code."""
    pieces = enumerate(text.split("`"))
    return tuple(Word(piece, is_code=number % 2 == 1) for number, piece in pieces if piece)


def type_of(schema: Schema) -> tuple[Word, ...]:
    """A schema's type in words, such as `list of` and a link to `Finding`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return (Word(name, schema=name),)
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return _joined(type_of(each) for each in schema[choice])
    if "enum" in schema or "const" in schema:
        return _joined((Word(json.dumps(each), is_code=True),) for each in schema.get("enum", [schema.get("const")]))
    return _plain(schema)


def _plain(schema: Schema) -> tuple[Word, ...]:
    match schema.get("type"):
        case "array":
            return (Word("list of "), *type_of(schema.get("items", {})))
        case "object" if isinstance(schema.get("additionalProperties"), Mapping):
            return (Word("object of "), *type_of(schema["additionalProperties"]))
        case list() as kinds:
            return _joined(_plain({**schema, "type": kind}) for kind in kinds)
        case None:
            return (Word("any JSON"),)
        case kind:
            named = f"{kind} ({schema['format']})" if "format" in schema else kind
            return (Word(", ".join([named, *(words.format(schema[key]) for key, words in _BOUNDS if key in schema)])),)


def _joined(choices: Iterable[tuple[Word, ...]]) -> tuple[Word, ...]:
    words: list[Word] = []
    for choice in choices:
        words += [Word(" or "), *choice] if words else choice
    return tuple(words)


def _operations(paths: Mapping[str, Schema]) -> Iterator[Operation]:
    for path, methods in paths.items():
        for method in METHODS:
            if method in methods:
                yield _operation(path, method, methods[method])


def _operation(path: str, method: str, told: Schema) -> Operation:
    return Operation(
        id=told["operationId"],
        method=method.upper(),
        path=path,
        summary=told.get("summary", ""),
        about=prose(told.get("description", "")),
        parameters=tuple(_field(each["name"], each, where=each["in"]) for each in told.get("parameters", [])),
        bodies=_contents(told.get("requestBody", {})),
        answers=tuple(_answer(status, each) for status, each in sorted(told["responses"].items())),
    )


def _answer(status: str, told: Schema) -> Answer:
    headers = tuple(_field(name, each) for name, each in told.get("headers", {}).items())
    return Answer(status, prose(told.get("description", "")), _contents(told), headers)


def _contents(told: Schema) -> tuple[Content, ...]:
    return tuple(
        Content(media, type_of(each.get("schema", {})), _example(each))
        for media, each in told.get("content", {}).items()
    )


def _field(name: str, told: Schema, *, where: str = "", required: bool = False) -> Field:
    """From a parameter or header, which wrap their schema, or from a property, which is one."""
    about = prose(told.get("description", ""))
    return Field(name, type_of(told.get("schema", told)), about, required or told.get("required") is True, where)


def _part(name: str, schema: Schema) -> Part:
    needed = schema.get("required", [])
    fields = tuple(_field(key, each, required=key in needed) for key, each in schema.get("properties", {}).items())
    return Part(name, prose(schema.get("description", "")), () if fields else type_of(schema), fields, _example(schema))


def _example(told: Schema) -> str:
    """The first example, as JSON; OpenAPI names its examples, JSON Schema lists them."""
    examples = told.get("examples") or ()
    values = [each["value"] for each in examples.values()] if isinstance(examples, Mapping) else list(examples)
    return json.dumps(values[0], indent=2, ensure_ascii=False) if values else ""
