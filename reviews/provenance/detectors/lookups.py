"""Calls that only read, by the name and the document of their tool, though nobody marked them as read-only.

A mark comes from somebody the workspace trusts, a name does not: such a call does not pass unasked, but it is not
rejected for looking something up that the request does not mention, nor for the values it tries.
"""

import re
from typing import Final

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.request.actions import ActionClass, classes_of_tool, is_verb, tokens_of
from reviews.provenance.text.stems import base_forms

_WORD: Final = re.compile(r"[a-z]+")
# Words that make a name ambiguous: `return_items` gives goods back, `check_out` and `check_in` settle something.
_NOT_ONLY_READING: Final = frozenset({"return", "returns", "out", "in", "off"})
_ONLY_READS: Final = frozenset({ActionClass.READ})


def is_lookup(tool: ToolDoc) -> bool:
    """Whether every verb of the name reads, and the document speaks of nothing else. In doubt it is none."""
    words = tokens_of(tool.name)
    verbs = [word for word in words if is_verb(word)]
    # A name such as `get_and_delete` begins harmlessly, so each verb is looked at by itself.
    if (
        not verbs
        or _NOT_ONLY_READING & set(words)
        or any(classes_of_tool(ToolDoc(verb)) != _ONLY_READS for verb in verbs)
    ):
        return False
    # The first sentence says what the tool does; later ones often name other tools, to be called before or after.
    summary = tool.description.partition(". ")[0]
    spoken = {form for word in _WORD.findall(summary.lower()) for form in base_forms(word) if is_verb(form)}
    return all(classes_of_tool(ToolDoc(verb)) == _ONLY_READS for verb in spoken)
