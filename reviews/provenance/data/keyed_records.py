"""Objects that hold records under their keys: {"K1": {"name": "Ana"}}, {"CMU": "City Museum"}."""

import re
from collections.abc import Sequence

from reviews.provenance.data.literals import Branch, Flat, Scalar, keys_of

# Up to so many words without figures that hold like objects are parts of one thing, such as two addresses.
_FEW_NAMES = 4
# Characters before a value in which the key of its record is looked for: quotes, a colon, a brace, some space.
_KEY_REACH = 24
# A key that is a code: capitals, or a word with a figure. Days and numbers are those of a series.
_CODE = re.compile(r"[A-Z]{2,5}|(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])[\w.-]{1,24}")
# Entries of a map that are looked at before it is known for one.
_MOST = 1_000


def is_map(branch: Branch) -> bool:
    """Whether an object is a list of records by key: of objects with like fields, or of names by code."""
    names = keys_of(branch)
    if len(names) < 2 or not branch.is_object:  # noqa: PLR2004
        return False
    children = [] if isinstance(branch, Flat) else [child for _, child in branch.children]
    objects = [child for child in children if isinstance(child, Branch) and child.is_object]
    if objects:
        return len(objects) == len(children) and _are_alike(objects, names)
    return _has_codes(branch)


def _are_alike(objects: Sequence[Branch], names: Sequence[str]) -> bool:
    first = set(keys_of(objects[0]))
    # A person's "shipping" and "billing" have like fields as well, but their names are words, and few.
    alike = all(2 * len(first.intersection(keys_of(child))) > len(first) for child in objects)
    return alike and (len(names) > _FEW_NAMES or any(any(map(str.isdigit, name)) for name in names))


def _has_codes(branch: Branch) -> bool:
    names = keys_of(branch)[:_MOST]
    if not all(_CODE.fullmatch(name) for name in names):
        return False
    # "ID" and "NAME" are fields; codes in capitals are of one length.
    if all(map(str.isalpha, names)) and len({len(name) for name in names}) > 1:
        return False
    values = [child for _, child in branch.children[:_MOST]]
    # The quarters of a year with their figures are a series.
    scalars = [value for value in values if isinstance(value, Scalar)]
    return len(scalars) == len(values) and any(map(str.isalpha, "".join(value.text for value in scalars)))


def key_place(text: str, key: str, start: int) -> tuple[int, int] | None:
    """Where the key of what begins there stands; None where it is written another way."""
    at = text.rfind(key, max(0, start - len(key) - _KEY_REACH), start)
    return (at, at + len(key)) if at >= 0 else None
