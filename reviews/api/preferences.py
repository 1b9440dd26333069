"""The `Prefer` header (RFC 7240), of which `wait` is heard here."""

import re
from collections.abc import Iterable
from typing import Final

from reviews.errors import ReviewError

# A quoted string may hold commas and semicolons, which otherwise end a preference and its value.
_PREFERENCE: Final = re.compile(r'(?:[^,"]|"(?:[^"\\]|\\.)*")+')
_NAME_AND_VALUE: Final = re.compile(r'\s*([^\s=;"]+)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^\s;"]*))?\s*(?:;.*)?', re.DOTALL)
# Nine digits always fit an integer, and are more seconds than a person lives to wait.
_SECONDS: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
WAIT: Final = r"^(?:wait=[0-9]{1,9})?$"
"""The pattern of the header as the document tells it; other preferences are ignored."""


class BadHeaderError(ReviewError, problem="bad-header", title="Bad header"):
    """A header's value cannot be used."""


def preferred_wait(headers: Iterable[str]) -> int:
    """Seconds of the one `wait` among the values of all `Prefer` headers; 0 without one.

    Raises `BadHeaderError` for a wait that is no number of seconds, and for a second one: the RFC lets a server take
    the first, but an agent that gave two means one of them. Preferences that nobody knows are ignored.
    """
    preferences = (preference for header in headers for preference in _PREFERENCE.findall(header))
    matches = (match for preference in preferences if (match := _NAME_AND_VALUE.fullmatch(preference)))
    waits = [(match[2] or "").strip('"') for match in matches if match[1].lower() == "wait"]
    if len(waits) > 1:
        raise BadHeaderError("Prefer names `wait` more than once.")
    if waits and not _SECONDS.fullmatch(waits[0]):
        raise BadHeaderError("Prefer takes `wait` as a whole number of seconds, such as wait=30.")
    return int(waits[0]) if waits else 0
