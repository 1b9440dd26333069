"""What the clauses of a tool's document begin with: the verbs by which it says what the tool does."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from reviews.provenance.detectors import severity_words as vocabulary
from reviews.provenance.detectors.severity_words import Effect
from reviews.provenance.proofs.words import ARTICLES, PREPOSITIONS

# Characters of a clause that are read: its verb comes first.
_MAX_CLAUSE: Final = 60
_PART: Final = re.compile(r"[.;:,!\n()]|\b(?:and|or|then|to|which|that|the (?:tool|function))\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]+")
# Signs behind which a sentence begins.
_SENTENCE_ENDS: Final = frozenset(".;:!\n")
# English endings of verbs and nouns, the longer ones first, with what stands in their place in the base form.
_ENDINGS: Final = (("ies", "y"), ("ied", "y"), ("es", ""), ("ed", ""), ("ing", ""), ("s", ""), ("d", ""))


def effect_of(word: str, table: Mapping[str, Effect]) -> Effect | None:
    """What a word does by a table, in any of its forms; None where the table has none."""
    return next((table[form] for form in _base_forms(word) if form in table), None)


def may_be_thing(word: str) -> bool:
    """Whether the word names a thing as well as a deed, one or several: "order", "orders"."""
    return word in vocabulary.ALSO_NOUNS or word.removesuffix("s") in vocabulary.ALSO_NOUNS


def deeds_of(description: str) -> Iterator[tuple[str, bool]]:
    """Those of the openings that can only be verbs, each with whether it is surely the tool that does it.

    In "lists orders and invoices" and "creates a reminder to contact somebody" the second may name a thing, or what the
    thing is for; in "creates a draft and emails it" something follows that only a verb has behind it. What a sentence
    that begins with no verb tells may be somebody else's: "The agent has to ask", "part of a system to book flights".
    Behind the first verb another one is sure where it names no thing and has the same ending.
    """
    first, is_told = "", False
    for joint, words, behind in _clauses_of(description):
        if joint in ("", *_SENTENCE_ENDS):
            first, is_told = "", False
        if words:
            word, has_object = words[0], words[1] not in PREPOSITIONS if words[1:] else behind == "to"
            if not (is_told and may_be_thing(word) and (joint == "to" or not has_object)):
                is_joined = _is_verb(first) and has_object and _is_joined(joint, words, first)
                yield word, is_joined or not first
            first = first or word
            is_told = is_told or _is_verb(word)


def _is_joined(joint: str, words: Sequence[str], first: str) -> bool:
    """Whether a clause surely goes on with what the sentence's first verb began: with the same ending, and no noun."""
    is_like = joint == "to" or _ending_of(words[0]) == _ending_of(first)
    return is_like and (not may_be_thing(words[0]) or not ARTICLES.isdisjoint(words[1:2]) or not words[1:])


def _ending_of(word: str) -> str:
    return next((ending for ending in ("ing", "ed", "s") if word.endswith(ending)), "")


def _is_verb(word: str) -> bool:
    return effect_of(word, vocabulary.VERBS) is not None


def openings_of(description: str) -> Iterator[str]:
    """The words with which the description's sentences and their parts begin: where documents put what a tool does."""
    return (words[0] for _, words, _ in _clauses_of(description) if words)


def _clauses_of(description: str) -> Iterator[tuple[str, Sequence[str], str]]:
    """The parts of a description's sentences as words, each with what stands before it and behind."""
    joints = ["", *(hit[0].lower() for hit in _PART.finditer(description)), ""]
    for part, (joint, behind) in zip(_PART.split(description), pairwise(joints), strict=True):
        # “This tool will delete”, “may be used to send”: what stands before the verb says nothing. An article begins no
        # clause, but what the verb is done to.
        words = [word for word in _WORD.findall(part.lower()[:_MAX_CLAUSE]) if word not in vocabulary.FILLERS]
        yield joint, _without_letting(words, behind), behind


def _without_letting(words: Sequence[str], behind: str) -> Sequence[str]:
    """A clause without the "allows" before what the tool does: "allows users to book", "allows booking".

    "Allowing for more" says what comes of the deed, and does nothing. Alone the word may let somebody in.
    """
    if not words or not is_letting(words[0]):
        return words
    if behind == "to" or words[0].endswith("ing"):
        return ()
    return words[1:] if words[1:] and effect_of(words[1], vocabulary.VERBS) else words


def is_letting(word: str) -> bool:
    """Whether documents begin with the word what people may do with a tool."""
    return not vocabulary.LETTING.isdisjoint(_base_forms(word))


# A tool's name is read again for every call of a conversation; 4,096 different words hold the vocabulary of several.
@lru_cache(maxsize=4096)
def _base_forms(word: str) -> tuple[str, ...]:
    """The word and the base forms it may come from: `booked` gives `book` and `booke`, `planned` gives `plan` too."""
    forms = [word]
    for ending, replacement in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            base = word[: -len(ending)] + replacement
            forms += [base, f"{base}e"]
            # A doubled consonant is only there because of the ending.
            forms += [base[:-1]] if base[-1:] == base[-2:-1] else []
    return tuple(forms)
