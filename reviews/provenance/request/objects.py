"""The kind of thing a tool acts on, and whether a request speaks of it."""

import re

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.request.actions import is_verb, tokens_of
from reviews.provenance.text.stems import base_forms

# Nouns for one kind of thing: tools and people call it differently.
_ALIKE = tuple(
    frozenset(group.split())
    for group in (
        "event meeting appointment calendar call invite session",
        "email mail message inbox",
        "customer client lead contact crm",
        "task todo ticket issue backlog",
        "money payment fund cash bill transaction salary rent dollar euro",
        "file document doc folder",
        "user member account person people colleague",
        "plot chart graph histogram",
        "server instance machine vm host",
        "channel slack",
        "reservation booking",
    )
)
# An amount speaks of money without the word.
_CURRENCY = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:usd|eur|gbp|dollars?|euros?|pounds?)\b")
_EMPTY = frozenset("by id to from for with of in on new the a an and all my it".split())
_MONEY = _ALIKE[4]


def objects_of(tool: ToolDoc) -> frozenset[str]:
    """The nouns in a tool's name, with words that mean the same."""
    words = {
        form for word in tokens_of(tool.name) if not is_verb(word) and word not in _EMPTY for form in base_forms(word)
    }
    return frozenset(words).union(*(group for group in _ALIKE if group & words))


def mentions_object(tool: ToolDoc, text: str) -> bool:
    """Whether the text speaks of the thing the tool acts on. A tool that names no thing is never matched."""
    lowered = text.lower()
    things = objects_of(tool)
    spoken = {form for word in re.findall(r"[a-z]+", lowered) for form in base_forms(word)}
    return bool(things & spoken) or (bool(things & _MONEY) and _CURRENCY.search(lowered) is not None)


def about_the_same(one: ToolDoc, other: ToolDoc) -> bool:
    """Whether two tools act on the same kind of thing."""
    return bool(objects_of(one) & objects_of(other))
