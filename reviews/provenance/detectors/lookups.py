"""Calls that only read, by the name and the document of their tool, though nobody marked them as read-only.

A mark comes from somebody the workspace trusts, a name does not: such a call does not pass unasked, but it is not
rejected for looking something up that the request does not mention, nor for the values it tries.
"""

from typing import Final

from reviews.provenance.core.context import ProposedAction, ToolDoc
from reviews.provenance.detectors.severity import Mildness, by_arguments, effect_of, kind_by_words, openings_of
from reviews.provenance.detectors.severity_words import ALWAYS, CHANGING, LEADING, READING
from reviews.provenance.text.names import local_name, tokens_of
from reviews.provenance.text.stems import base_forms

# Words that make a name ambiguous: `return_items` gives goods back, `check_out` and `check_in` settle something.
_NOT_ONLY_READING: Final = frozenset({"return", "returns", "out", "in", "off"})
# Verbs that work a value out of those they are given: of a wrong one comes a wrong answer, which somebody acts on, so
# such values are not tried out as those of a search are.
_COMPUTING: Final = frozenset(
    "convert translate calculate compute determine estimate compare summarize summarise parse analyze analyse explain "
    "validate".split()
)
# Characters of a document that say what its tool does; later sentences often name other tools, to be called first.
_MAX_DESCRIPTION: Final = 400


def is_lookup(tool: ToolDoc, action: ProposedAction) -> bool:
    """Whether the tool's name begins with a verb that finds what is there, and nothing says that it does more.

    In doubt it is none.
    """
    # A database is queried by name and changed by what the query says.
    return _only_reads(tool) and by_arguments(action) is None


def _only_reads(tool: ToolDoc) -> bool:
    words = tokens_of(local_name(tool.name))
    if not words or _NOT_ONLY_READING & set(words) or not _is_reading_verb(words[0]):
        return False
    # A name such as `get_and_delete` begins harmlessly, so each word is looked at by itself.
    if kind_by_words(words)[0] is not Mildness.READS or any(effect_of(word, ALWAYS) for word in words):
        return False
    summary = tool.description[:_MAX_DESCRIPTION].partition(". ")[0]
    return not any(effect_of(word, LEADING) or _is_changing_verb(word) for word in openings_of(summary))


def _is_reading_verb(word: str) -> bool:
    return not (READING - _COMPUTING).isdisjoint(base_forms(word))


def _is_changing_verb(word: str) -> bool:
    return not CHANGING.isdisjoint(base_forms(word)) and not _is_reading_verb(word)
