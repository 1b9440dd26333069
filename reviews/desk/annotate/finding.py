"""Where words stand in a conversation: found by comparing letters alone, so that nobody's opinion is in it."""

from dataclasses import dataclass
from typing import Final

from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.evidence import Evidence
from reviews.provenance.core.context import Context

MAX_WORDS_LENGTH: Final = 200
# More places than this are no help; the rest is counted.
MAX_PLACES: Final = 50
MAX_COUNTED: Final = 1_000
_AROUND: Final = 48
"""Characters that are shown on either side."""


@dataclass(frozen=True)
class Place:
    """One place where the words stand."""

    anchor: str
    """The id of the text on the page."""
    title: str
    before: str
    words: str
    after: str
    nth: int
    """How many equal ones stand before it in its text, upper and lower case alike."""


@dataclass(frozen=True)
class Places:
    """All of them, as far as they are listed."""

    words: str
    listed: list[Place]
    count: int
    """Up to `MAX_COUNTED`."""

    @property
    def there_may_be_more(self) -> bool:
        """Whether counting ended before the conversation did."""
        return self.count == MAX_COUNTED


def find_places(context: Context, words: str) -> Places:
    """Where the words stand in the texts of the conversation, upper and lower case alike, in reading order."""
    words = words.strip()[:MAX_WORDS_LENGTH]
    wanted, evidence = _fold(words), Evidence(context)
    listed: list[Place] = []
    count = 0
    for name, source in context.sources.items() if wanted else ():
        text = source.text
        folded = _fold(text)
        start, nth = folded.find(wanted), 0
        while start >= 0 and count < MAX_COUNTED:
            end = start + len(wanted)
            if len(listed) < MAX_PLACES:
                before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
                place = vocabulary.name_place(name)
                listed.append(Place(evidence.anchor_of(name), place, before, text[start:end], after, nth))
            count, nth = count + 1, nth + 1
            start = folded.find(wanted, end)
    return Places(words, listed, count)


def _fold(text: str) -> str:
    """The text in lower case, each character where it was: one that becomes two would move all behind it."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := character.lower()) == 1 else character for character in text)
