"""Mentions that the user denies or takes out: "not to Bo", "everyone except Omar", "instead of Tuesday"."""

import re
from functools import lru_cache

from reviews.provenance.language.base import Language, either, languages_of, phrases
from reviews.provenance.values.number import said_in

# A denial ends with its clause.
# An abbreviated title ends none.
_CLAUSE_END = re.compile(r"(?<!\bmr)(?<!\bms)(?<!\bdr)(?<!\bst)(?<!\bmrs)(?<!\bsra)(?<!\bhr)(?<!\bfr)[.,;:!?\n]\s|\n")
_WORD = re.compile(r"\w+")
# What opens the reason of a denial: "el negro no, que ya tiene casa".
_REASONS = "que|porque|pues|ya|car|puisque|parce|perche|che|porque|pois|want|omdat|denn|weil|because|since|as"
# A name in a language without spaces: no particle stands in it.
_NAME = r"[\u3400-\u9fff\u30a0-\u30ffA-Za-z0-9]{1,8}?"
# Characters behind a correction in which the number stands that it is about: "sorry, make it five".
_NEXT = 14
# Characters before a mention in which its clause begins.
_CLAUSE = 160
# Characters before a mention in which the word that denies it stands: a few small words lie between at most.
_REACH = 48


def is_denied(text: str, start: int, end: int | None = None) -> bool:
    """Whether the mention that begins there is denied or excluded. `text` is folded.

    With its `end`, what follows is looked at too: some languages deny a verb behind it.
    """
    before = text[max(0, start - _REACH) : start]
    if is_excepted(text, start) or is_spared(text, start):
        return True
    word = _WORD.match(text, start)
    for language in languages_of(text) if word else ():
        correction = _correction(language).match(text, word.end() if word else start)
        # "Three bags for Ann, sorry, make it five" corrects the number.
        if correction and not any(0 <= each.start - correction.end() <= _NEXT for each in said_in(text)):
            return True
    return any(
        _denial(language).search(before) or (end is not None and _is_denied_behind(text, start, end, language))
        for language in languages_of(text)
    )


def is_excepted(text: str, start: int) -> bool:
    """Whether the mention stands behind "except" in its clause: "all photos except the one of the cat"."""
    before = _CLAUSE_END.split(text[max(0, start - _CLAUSE) : start])[-1]
    for language in (each for each in languages_of(text) if each.spaced):
        # "Invite all except Bo to the briefing": what they are invited to is not taken out.
        over = rf"\s+\w.*\s(?:{either(language.roles.get('target', frozenset()))})\s"
        if any(not re.match(over, before[hit.end() :]) for hit in phrases(language.exceptions).finditer(before)):
            return True
    return False


def is_spared(text: str, start: int) -> bool:
    """Whether what follows a mention leaves it out: "Monday's one stays", "nur Ben nicht", "el negro no, que …"."""
    before = _CLAUSE_END.split(text[max(0, start - _REACH) : start])[-1]
    behind = text[start : start + _CLAUSE]
    for language in languages_of(text):
        if not language.spaced:
            if _spared_unspaced(language).match(behind):
                return True
            continue
        clause = _CLAUSE_END.split(behind)[0]
        left = _left(language).search(before) and _unchanged(language).search(clause)
        only = _only(language).search(before) and phrases(language.negations).search(clause)
        if left or only or _spared(language).match(behind):
            return True
    return False


@lru_cache(maxsize=32)
def _spared(language: Language) -> re.Pattern[str]:
    """A thing with its noun, then a denial that ends the clause or opens a reason, or that it stays as it is."""
    noes = either(language.noes | language.negations)
    stays, how = either(language.nots_behind), either(language.unchanged)
    end = rf"(?=\s*(?:[,.;!?\n]|$)|\s+(?:{_REASONS})\b)"
    # The mention with its owner's ending and its noun: "Monday's one", "Ben".
    return re.compile(rf"[\w'-]+(?:\s+[\w'-]+){{0,2}}?,?\s+(?:(?:{noes}){end}|(?:{stays})(?:{end}|\s+(?:{how})(?!\w)))")


@lru_cache(maxsize=32)
def _spared_unspaced(language: Language) -> re.Pattern[str]:
    return re.compile(rf"{_NAME}(?:さん|様|くん|ちゃん|氏|の方)?(?:{either(language.nots_behind)})")


@lru_cache(maxsize=32)
def _left(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{either(language.leaving)})\s+(?:[\w'-]+\s+){{0,3}}$")


@lru_cache(maxsize=32)
def _unchanged(language: Language) -> re.Pattern[str]:
    return re.compile(rf"^[\w'-]+(?:\s+[\w'-]+){{0,3}}?\s+(?:{either(language.unchanged)})(?!\w)")


@lru_cache(maxsize=32)
def _only(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{either(language.only)})\s+(?:(?:{either(language.small)})\s+)?$")


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
