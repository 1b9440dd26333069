"""Calls that only read, by the name and the document of their tool, though nobody marked them as read-only.

A mark comes from somebody the workspace trusts, a name does not: such a call does not pass unasked, but it is not
rejected for looking something up that the request does not mention, nor for the values it tries.
"""

from typing import Final

from reviews.provenance.core.context import ProposedAction, ToolDoc, leaves
from reviews.provenance.core.pointers import keys_of
from reviews.provenance.detectors.severity import by_arguments, effect_of, openings_of
from reviews.provenance.detectors.severity_words import ALWAYS, CHANGING, CONJUNCTIONS, LEADING, MAKERS, READING
from reviews.provenance.terms.derivability import DerivableParameters
from reviews.provenance.text.names import local_name, tokens_of
from reviews.provenance.text.stems import base_forms

# Words that make a name ambiguous: `return_items` gives goods back, `check_out` and `check_in` settle something.
# Behind "and" or "for" stands a second deed, or what the first one is for: `list_item_for_sale`.
_NOT_ONLY_READING: Final = CONJUNCTIONS | {"return", "returns", "out", "in", "off", "on", "for", "rid"}
# Verbs that are the names of what is read as well: `get_order`, `list_open_trades`. Any other verb in its base form
# behind the first one is a second deed: `find_replace`.
_ALSO_NOUNS: Final = frozenset(
    "order transfer message email mail text post report invoice bill charge refund deposit request contact call "
    "alert invite purchase book trade bid fund credit debit tip rent page reply tweet sms fax script command "
    "patch start trip scale draft register plot chart record log plan schedule note bookmark tag flag label pin "
    "star favorite highlight copy archive store sketch comment open new".split()
)
# Verbs that put something before people: with a text that the agent words itself they publish it.
_SHOWING: Final = frozenset({"show", "display", "describe"})
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
    return _only_reads(tool) and by_arguments(action) is None and not _does_more(tool, action)


def _only_reads(tool: ToolDoc) -> bool:
    words = tokens_of(local_name(tool.name))
    if not words or not _NOT_ONLY_READING.isdisjoint(words) or not _is_reading_verb(words[0]):
        return False
    if any(_is_second_deed(word) for word in words[1:]):
        return False
    # A name such as `get_ride` tells less than what the document says first: "Orders a taxi."
    openings = list(openings_of(tool.description[:_MAX_DESCRIPTION].partition(". ")[0]))
    return not openings or (
        not READING.isdisjoint(base_forms(openings[0]))
        and not any(effect_of(word, LEADING) or _is_changing_verb(word) for word in openings)
    )


def _is_second_deed(word: str) -> bool:
    if word in _ALSO_NOUNS:
        return False
    return word in LEADING or word in CHANGING or word in MAKERS or effect_of(word, ALWAYS) is not None


def _does_more(tool: ToolDoc, action: ProposedAction) -> bool:
    """Whether an argument settles something, as `approved: true` does, or is a text to be shown."""
    classes = DerivableParameters.by_rule(tool)
    shows = not _SHOWING.isdisjoint(tokens_of(local_name(tool.name))[:1])
    for pointer, value in leaves(dict(action.arguments)):
        if value is True and any(effect_of(word, LEADING) for key in keys_of(pointer) for word in tokens_of(key)):
            return True
        if shows and isinstance(value, str) and classes.is_derivable(pointer) is False:
            return True
    return False


def _is_reading_verb(word: str) -> bool:
    return not (READING - _COMPUTING).isdisjoint(base_forms(word))


def _is_changing_verb(word: str) -> bool:
    return not CHANGING.isdisjoint(base_forms(word)) and not _is_reading_verb(word)
