"""What a value is written like."""

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.values.identifiers import is_identifier, is_opaque
from reviews.provenance.values.moments import moment_of
from reviews.provenance.values.numbers import number_of

# Figures of a text that may count something; an order's or an account's number has more.
_MAX_COUNT: Final = 4
LINK: Final = re.compile(r"https?://", re.I)


class Kind(StrEnum):
    """What a value is written like."""

    NUMBER = "number"
    MOMENT = "day or time"
    CODE = "identifier"
    OPTION = "option"
    TEXT = "text"
    NOTHING = "nothing that can be said"


# The same value is asked about by every proof.
@lru_cache(maxsize=4096)
def _kind_of_text(text: str) -> Kind:
    if moment_of(text) is not None:
        return Kind.MOMENT
    if number_of(text) is not None:
        return Kind.CODE if len(text) > _MAX_COUNT else Kind.NUMBER
    return Kind.CODE if is_opaque(text) or is_identifier(text) or LINK.match(text) else Kind.TEXT


def are_alike(leaf: Leaf, rival: Leaf) -> bool:
    """Whether one value may be meant for the other's parameter: a name has figures or has none, whatever it names."""
    kinds = {kind_of(leaf), kind_of(rival)}
    return len(kinds) == 1 or kinds == {Kind.CODE, Kind.TEXT}


def kind_of(leaf: Leaf) -> Kind:
    """What the value is written like."""
    if not leaf.text:
        return Kind.NOTHING
    if leaf.choices:
        return Kind.OPTION
    return _kind_of_text(leaf.text) if isinstance(leaf.value, str) else Kind.NUMBER
