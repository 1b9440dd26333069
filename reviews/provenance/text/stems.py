"""Word forms taken back to the form that tables and records use.

Two readers need two answers. Nouns are matched against one another, so one form each is enough and a wrong one does
no harm as long as it is always the same (`stem`). Verbs are looked up in a table, so every base form that the spelling
may come from is offered (`base_forms`). Units of time and measure keep rules of their own where they are read: `hrs` is
too short for `stem`, and `gas` is a unit's plural only if the table of units says so.
"""

from functools import lru_cache

# Letters from which a final s is taken for a plural: `bus`, `gas` and `yes` keep theirs.
_MIN_PLURAL_LENGTH = 4
# English endings of nouns and verbs, the longer ones first, with what stands in their place in the base form.
_ENDINGS = (("ies", "y"), ("ied", "y"), ("es", ""), ("ed", ""), ("ing", ""), ("s", ""), ("d", ""))


def stem(word: str) -> str:
    """The word without a plural s. A double s belongs to the word: `address`."""
    return word[:-1] if len(word) >= _MIN_PLURAL_LENGTH and word.endswith("s") and not word.endswith("ss") else word


# A tool's name and a request's sentences are read again for every call of a conversation; 4,096 different words hold
# the vocabulary of several long ones.
@lru_cache(maxsize=4096)
def base_forms(word: str) -> tuple[str, ...]:
    """The word and the base forms it may come from: `booked` gives `book` and `booke`, `planned` gives `plan` too."""
    forms = [word]
    for ending, replacement in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            base = word[: -len(ending)] + replacement
            forms += [base, f"{base}e"]
            # A doubled consonant is only there because of the ending.
            forms += [base[:-1]] if base[-1:] == base[-2:-1] else []
    return tuple(forms)
