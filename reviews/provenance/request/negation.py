"""Mentions that the user denies or takes out: "not to Bo", "everyone except Omar", "instead of Tuesday"."""

import re
from functools import lru_cache

from reviews.provenance.language.base import Language, either, languages_of, phrases

# A denial ends with its clause.
# An abbreviated title ends none.
_CLAUSE_END = re.compile(r"(?<!\bmr)(?<!\bms)(?<!\bdr)(?<!\bst)(?<!\bmrs)(?<!\bsra)(?<!\bhr)(?<!\bfr)[.,;:!?\n]\s|\n")
_WORD = re.compile(r"\w+")
# Characters before a mention in which its clause begins.
_CLAUSE = 160
# Characters before a mention in which the word that denies it stands: a few small words lie between at most.
_REACH = 48


def is_denied(text: str, start: int, end: int | None = None) -> bool:
    """Whether the mention that begins there is denied or excluded. `text` is folded.

    With its `end`, what follows is looked at too: some languages deny a verb behind it.
    """
    before = text[max(0, start - _REACH) : start]
    if is_excepted(text, start):
        return True
    word = _WORD.match(text, start)
    if word and any(_correction(language).match(text, word.end()) for language in languages_of(text)):
        return True
    return any(
        _denial(language).search(before) or (end is not None and _is_denied_behind(text, start, end, language))
        for language in languages_of(text)
    )


def is_excepted(text: str, start: int) -> bool:
    """Whether the mention stands behind "except" in its clause: "all photos except the one of the cat"."""
    before = _CLAUSE_END.split(text[max(0, start - _CLAUSE) : start])[-1]
    return any(phrases(language.exceptions).search(before) for language in languages_of(text) if language.spaced)


def _is_denied_behind(text: str, start: int, end: int, language: Language) -> bool:
    """Whether a denial follows the verb, as in "ne l'annule pas" and "sag ihn nicht ab"."""
    if not language.spaced:
        return any(text.startswith(ending, end) for ending in language.denied_behind)
    clause = text[start:end] + _CLAUSE_END.split(text[end : end + _CLAUSE])[0]
    return bool(language.denied_behind) and phrases(language.denied_behind).search(clause) is not None


@lru_cache(maxsize=32)
def _correction(language: Language) -> re.Pattern[str]:
    """Behind a word that is taken back at once: "to Ann, no wait, to Bo"."""
    cues = phrases(language.corrections).pattern
    return re.compile(rf"\W{{1,4}}(?:(?:no|oh|or|uh|um)\W{{1,3}})?{cues}(?!\s+(?:for|about|that|if|than)\b)")


@lru_cache(maxsize=32)
def _denial(language: Language) -> re.Pattern[str]:
    """A denial, then at most small words, or one more thing that is denied with this one."""
    words = sorted(language.negations | language.exclusions, key=len, reverse=True)
    denial = "|".join(r"\s+".join(map(re.escape, word.split())) for word in words)
    small = either(language.small)
    joined = "|".join(map(re.escape, language.conjunctions))
    if not language.spaced:
        # "Do not send to": what is denied may be a verb with its preposition.
        verbs = either({word for each in language.verbs.values() for word in each})
        return re.compile(rf"(?:{denial})(?:{verbs})?(?:{small})?$")
    return re.compile(rf"(?<!\w)(?:{denial})\s+(?:(?:{small})\s+){{0,2}}(?:[\w'@.-]+(?:,|\s+(?:{joined}))\s+)?$")


def in_denial(text: str, start: int) -> bool:
    """Whether a denial stands anywhere before the mention in its clause: what it denies, rules cannot tell."""
    before = _CLAUSE_END.split(text[max(0, start - _CLAUSE) : start])[-1]
    return any(phrases(language.negations).search(before) for language in languages_of(text))
