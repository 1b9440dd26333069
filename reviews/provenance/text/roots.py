"""What remains of a word without the endings by which English makes nouns of verbs: cancellation, payment, removal."""

from functools import lru_cache

# The longest first: each ends in shorter ones of the list.
_ENDINGS = (
    "ifications", "ification", "isations", "izations", "isation", "ization", "ations", "ation", "itions", "ition",
    "ions", "ion", "ments", "ment", "ances", "ance", "als", "al", "ings", "ing",
    "ied", "ies", "ify", "ise", "ize", "ed", "es", "ers", "er", "e", "s", "y",
)  # fmt: skip
# Letters that must remain: less is shared by words that have nothing to do with one another.
_SHORTEST = 3


@lru_cache(maxsize=4096)
def root(word: str) -> str:
    """The word without such an ending and without a consonant doubled because of it."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > _SHORTEST and word[-1] == word[-2] else word
