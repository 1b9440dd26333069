"""Parameters that should have a source: derivable ones do, generative ones are composed by the agent.

ProvenanceGuard paper, section 4.2.4. Only clear names, formats and types are decided here.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.names import tokens_of

# Words in the name of a parameter that an agent composes. A label is none: it is put on things.
_GENERATIVE = frozenset(
    "subject body message content contents text note notes summary description comment comments title reason "
    "caption greeting signature remark remarks details explanation prompt html markdown script bio feedback reply "
    "response answer headline snippet".split()
)
# Words in the name of one whose value must come from somewhere.
_DERIVABLE = frozenset(
    "id ids uuid guid identifier number no address addresses recipient recipients to cc bcc from sender email emails "
    "participant participants attendee attendees invitee invitees guest guests assignee owner user users username "
    "account iban bic card amount price cost total sum fee balance quantity qty count date dates time datetime "
    "timestamp start end begin deadline due day month year duration hour hours minute minutes phone tel mobile fax "
    "url uri link website host hostname domain ip port path file filename filepath folder directory status state "
    "currency city country location place zip postcode channel repo repository branch commit service instance server "
    "cluster namespace region environment project ticket order product sku customer client contact vendor supplier "
    "percent percentage rate threshold seat room flight hotel booking reservation invoice payee beneficiary".split()
)
# Of what is there already a title and a script are the name, and a title is a person's rank.
_NAMING = frozenset({"title", "script"})
# Formats of JSON Schema whose values nobody composes.
_FORMATS = frozenset(
    "date date-time time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri uuid".split()
)
# How a description in any language says the format of a day, a time or an account.
_FORMATTED = re.compile(r"[A-Z]{4}[-/.]?MM|MM[-/.][A-Z]{2}|H{1,2}[:h]MM|ISO[ -]?8601|\bI?BAN\b", re.I)
# Characters of a description that are read for it.
_DESCRIBED = 400
# How much of something, not which thing: an agent may choose it.
_TUNING = frozenset("limit page offset size timeout retries verbose depth top max min".split())
# Words by which a parameter called "code" is a program.
_PROGRAMMING = frozenset(
    "program programs programming script source snippet python javascript typescript sql java html css shell bash "
    "execute execution executed run runs running interpreter function compile eval evaluate review lint format".split()
)
# A bound of what has a source has one, too: `max_price`, `start_date_min`.
_BOUNDS = frozenset({"min", "max", "limit"})
_BOUNDED = frozenset(
    "date dates time datetime timestamp day month year price amount cost budget credit spending expense loan".split()
)
MAKING = frozenset("create add make new".split())
"""Words that open the name of a tool that makes something new."""
# And of one that does away with something.
_DELETING = frozenset("delete remove".split())
# Parameters and depth of a schema that are classed: a hostile document must not take all the time.
_MAX_PATHS, _DEEPEST = 256, 8


def parameter_paths(tool: ToolDoc) -> Mapping[str, Mapping[str, JsonValue]]:
    """The schema of each documented parameter by path: a JSON Pointer into the arguments without list positions."""
    return dict(islice(_walk_schema(tool.parameters, "", 0), _MAX_PATHS))


def path_of(pointer: str) -> str:
    """The parameter path an argument leaf belongs to."""
    return re.sub(r"/\d+(?=/|$)", "", pointer)


def is_derivable(path: str, schema: Mapping[str, JsonValue], tool: ToolDoc) -> bool | None:
    """Whether a parameter should have a source; None where name, format and type do not tell."""
    words = tokens_of(path.rsplit("/", 1)[-1])
    if _is_fixed(schema):
        return True
    # `min` and `max` may stand with a thing that the user must have bounded: a time, a price.
    bounds_something = bool(_BOUNDS.intersection(words) and _BOUNDED.intersection(words))
    if not words or (_TUNING & set(words) and not bounds_something):
        return None
    making = not MAKING.isdisjoint(tokens_of(tool.name))
    if "name" in (words[-1], words[0]):
        # A name identifies what exists already; for what is only being made, the agent may find one.
        return None if making or len(words) == 1 else True
    if words[-1] == "code":
        # A program is written, the code of a place is looked up; of one that nobody describes nothing is known.
        described = tokens_of(str(schema.get("description", ""))[:_DESCRIBED])
        is_program = len(words) == 1 and not _PROGRAMMING.isdisjoint((*described, *tokens_of(tool.name)))
        return not is_program if is_program or described or len(words) > 1 else None
    # Nobody composes a number, and who deletes a message writes none: both name one that exists.
    deleted = words[-1] in tokens_of(tool.name) and not _DELETING.isdisjoint(tokens_of(tool.name))
    if schema.get("type") in ("integer", "number") or deleted:
        return True
    is_composed = words[-1] in _GENERATIVE and (making or words[-1] not in _NAMING)
    return not is_composed if is_composed or _DERIVABLE.intersection(words) else None


def _is_fixed(schema: Mapping[str, JsonValue]) -> bool:
    """Whether the schema lists the values, or says how they are written: nobody composes such a value."""
    listed = "enum" in schema or "const" in schema or bool(Leaf(None, schema=schema).choices)
    formatted = _FORMATTED.search(str(schema.get("description", ""))[:_DESCRIBED])
    return listed or schema.get("format") in _FORMATS or formatted is not None


def _walk_schema(schema: JsonValue, path: str, depth: int) -> Iterator[tuple[str, Mapping[str, JsonValue]]]:
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        if isinstance(inner, dict):
            here = path + pointer_to(name)
            yield here, _item_schema(inner)
            yield from _walk_schema(_item_schema(inner), here, depth + 1)


def _item_schema(schema: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """What one element of a list is; any other schema as it is."""
    for _ in range(_DEEPEST):
        inner = schema.get("items")
        if not isinstance(inner, dict):
            break
        schema = inner
    return schema


@dataclass(frozen=True)
class DerivableParameters:
    """The parameters of a tool that must have a source, looked up by argument leaf."""

    tool: ToolDoc
    by_path: Mapping[str, bool | None]

    @classmethod
    def by_rule(cls, tool: ToolDoc) -> "DerivableParameters":
        """By names and types alone."""
        return cls(tool, {path: is_derivable(path, schema, tool) for path, schema in parameter_paths(tool).items()})

    def is_derivable(self, pointer: str) -> bool | None:
        """Whether the leaf must have a source; None where that is open.

        An undocumented leaf goes by its own name, then by what it is part of.
        """
        path = path_of(pointer)
        if path in self.by_path:
            return self.by_path[path]
        answer = is_derivable(path, {}, self.tool)
        while answer is None and path:
            path = path.rpartition("/")[0]
            answer = self.by_path.get(path)
        return answer
