"""Whether what an agent says beside a call says anything of that call.

"Sure!" and "One moment, please" are no step that could serve a request, in any language, and neither are they told by
a list of phrases. What makes a sentence one about this call is what only this call has: a value of its arguments, or
two words of its tool's name. Small words are in every sentence, so short ones do not count, nor do those of a composed
text. A step that is not told as one costs nothing: the call is held against the request, as if the agent had been
silent; and what it said stays in the history.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import groupby, islice
from typing import Final

from reviews.provenance.core.context import JsonValue, leaves
from reviews.provenance.text.fold import fold, words_of

# Characters of the sentences that are looked at: a step is said in a few.
_READ: Final = 4_000
# Leaves of the arguments that are looked at, and characters of each: what is longer is no name.
_MAX_VALUES: Final = 1_000
_READ_OF_VALUE: Final = 100
# Letters of a word that stands for nothing but itself: shorter ones are small words of some language.
_TELLING: Final = 5
# Characters of a number, or of a word in a script without capitals, that do.
_TELLING_SIGNS: Final = 2
# Words of a value that names something. What has more is composed, and its words are those of any sentence.
_MAX_NAME_LENGTH: Final = 4
# The same in scripts that put no spaces between words.
_SENTENCE_ENDS: Final = frozenset("\u3002\uff01\uff1f!?")
# Letters of a tool's word, and how many such words make a sentence one about the tool.
_MIN_OF_TOOL_LENGTH: Final = 3
_OF_TOOL: Final = 2
_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
# 1,250 and 1.250 and 1 250 are the number that arguments give as 1250.
_GROUPED: Final = re.compile(r"(?<=\d)[., '\u2019\u202f\u00a0](?=\d{3}(?!\d))")


def speaks_of(text: str, tool: str, arguments: Mapping[str, JsonValue]) -> bool:
    """Whether a text names a value of the call, or its tool."""
    spoken = fold(_GROUPED.sub("", text[:_READ]))
    words = {piece for run in words_of(spoken) for piece in (run, *_pieces_of_run(run))}
    if any(_is_said(value, words, spoken) for value in _telling_words(arguments)):
        return True
    runs = words_of(_CAPITAL.sub(" ", tool[:_READ]))
    names = {piece for run in runs for piece in _pieces_of_run(run) if len(piece) >= _MIN_OF_TOOL_LENGTH}
    return sum(_is_named(name, words, spoken) for name in names) >= _OF_TOOL


def _telling_words(arguments: Mapping[str, JsonValue]) -> Iterator[str]:
    """The words of the arguments' values that stand in no sentence by chance."""
    for _, value in islice(leaves(dict(arguments)), _MAX_VALUES):
        # A switch has no word of its own.
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            continue
        text = str(value)[:_READ_OF_VALUE]
        runs = words_of(text)
        composed = len(runs) > _MAX_NAME_LENGTH or not _SENTENCE_ENDS.isdisjoint(text)
        for run in runs:
            if any(map(str.isdigit, run)):
                yield from (run,) if len(run) >= _TELLING_SIGNS else ()
            elif not composed and len(run) >= (_TELLING if _has_capitals(run) else _TELLING_SIGNS):
                yield run


def _is_said(word: str, words: set[str], spoken: str) -> bool:
    """Whether a word of a value is said. Scripts without capitals put no spaces between words, as a rule."""
    return word in words or (not _has_capitals(word) and not word.isascii() and word in spoken)


def _is_named(name: str, words: set[str], spoken: str) -> bool:
    """Whether a word of the tool's name is said, with whatever ending: send, sending; transfer, transfers."""
    stem = name[: max(_MIN_OF_TOOL_LENGTH, len(name) - 1)]
    return any(word.startswith(stem) for word in words) or _is_said(name, words, spoken)


def _pieces_of_run(run: str) -> Iterator[str]:
    """The stretches of a run of letters and figures that are of one kind: 30 of “30ドル”."""
    return ("".join(stretch) for _, stretch in groupby(run, lambda char: (char.isdigit(), _has_capitals(char))))


def _has_capitals(text: str) -> bool:
    return text.lower() != text.upper()
