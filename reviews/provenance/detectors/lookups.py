"""Calls that only read, by the name and the document of their tool, though nobody marked them as read-only.

A mark comes from somebody the workspace trusts, a name does not: such a call does not pass unasked, but it is not
rejected for looking something up that the request does not mention, nor for the values it tries.
"""

import re
from typing import Final

from reviews.provenance.core.context import ProposedAction, ToolDoc
from reviews.provenance.detectors.gravity import by_arguments
from reviews.provenance.request.actions import ActionClass, classes_of_tool, is_verb, tokens_of
from reviews.provenance.text.stems import base_forms

_WORD: Final = re.compile(r"[a-z]+")
# "Voids a check": what stands before an article is a verb, whether or not the tables have it.
_OPENING: Final = re.compile(r"\W*(?P<verb>[a-z]+)(?P<governs>\s+(?:an?|the|one|some|all|this|several)\b)?")
# Words that make a name ambiguous: `return_items` gives goods back, `check_out` and `check_in` settle something.
_NOT_ONLY_READING: Final = frozenset({"return", "returns", "out", "in", "off"})
_ONLY_READS: Final = frozenset({ActionClass.READ})


def is_lookup(tool: ToolDoc, action: ProposedAction) -> bool:
    """Whether every verb of the tool's name reads, and neither its document nor an argument speaks of anything else.

    In doubt it is none.
    """
    # A database is queried by name and changed by what the query says.
    return _only_reads(tool) and by_arguments(action) is None


def _only_reads(tool: ToolDoc) -> bool:
    words = tokens_of(tool.name)
    verbs = [word for word in words if is_verb(word)]
    # A name such as `get_and_delete` begins harmlessly, so each verb is looked at by itself.
    if not verbs or _NOT_ONLY_READING & set(words) or not all(map(_reads, verbs)):
        return False
    # The first sentence says what the tool does; later ones often name other tools, to be called before or after.
    summary = tool.description.partition(". ")[0].lower()
    spoken = {form for word in _WORD.findall(summary) for form in base_forms(word) if is_verb(form)}
    opening = _OPENING.match(summary)
    opens = opening is not None and not spoken.isdisjoint(base_forms(opening["verb"]))
    if opening and opening["governs"] and opening["verb"].endswith("s") and not opens and opening["verb"] != "this":
        return False
    # `void_check` and `join_waiting_list` end with a noun that is a verb elsewhere: `user_list` says that it lists.
    return all(map(_reads, spoken)) and (verbs[0] == words[0] or opens)


def _reads(verb: str) -> bool:
    return classes_of_tool(ToolDoc(verb)) == _ONLY_READS
