"""Words of identifiers: what a tool, a parameter or a field is called."""

import re
from functools import lru_cache

import snowballstemmer

READING = frozenset("get list search find read show view fetch lookup query describe".split())
"""Verbs by which most look-ups are called: what came of any other tool may be a deed."""
# Characters of a name that are read; longer ones are no names.
_MAX_NAME = 200
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TOKEN = re.compile(r"[a-z]+|\d+")
# What separates a tool's name from the server or the collection it belongs to.
_NAMESPACE = re.compile(r"[./:]|__")
# What a noun ends in, in one form or another. "-ing" makes another thing: a booking is no book, a recording no record.
_INFLECTIONS = frozenset({"", "s", "es", "e", "y", "ies", "i", "'s"})
_english = snowballstemmer.stemmer("english")


def tokens_of(name: str) -> tuple[str, ...]:
    """The words of an identifier, lower case: `sendEmail`, `send_email`, `mail.send-email`."""
    return tuple(_TOKEN.findall(_CAMEL.sub(" ", name[:_MAX_NAME]).lower()))


def local_name(name: str) -> str:
    """A tool's name without the server or collection before it."""
    return _NAMESPACE.split(name)[-1] or name


# A few conversations' vocabulary: the words of tools' names and of the latest messages.
@lru_cache(maxsize=8192)
def stem_of(word: str) -> str:
    """The word without English endings, so that `cancellation`, `cancels` and `cancel` are one: for verbs."""
    stem: str = _english.stemWord(word)
    return stem


@lru_cache(maxsize=8192)
def root_of(word: str) -> str:
    """The word without the endings that inflect a noun, so that `reports` and `report` are one.

    With another ending it is another thing: a reporter is no report, and neither is what is reported.
    """
    stem = stem_of(word)
    # "Copies" has the stem "copi".
    begin = stem[:-1] if stem.endswith("i") and not word.endswith("i") else stem
    return stem if word.removeprefix(begin) in _INFLECTIONS else word.removesuffix("s")


def stems_of(name: str) -> frozenset[str]:
    """The stems of an identifier's words."""
    return frozenset(map(stem_of, tokens_of(name)))


def roots_of(name: str) -> frozenset[str]:
    """The roots of an identifier's words."""
    return frozenset(map(root_of, tokens_of(name)))


def is_plural(word: str) -> bool:
    """Whether an English word of an identifier or a text has the ending of several: "emails", and not "status"."""
    return word.endswith("s") and stem_of(word) != word and not word.endswith("ss")
