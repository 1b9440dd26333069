"""A cipher that gives words and identifiers other letters, the same everywhere.

Letter by letter, so that whatever is equal, begins alike, is contained in another or is an edit away from it stays so:
“Dan” in “Daniel”, “kim” in “d.kim@example.com”, “flights” and “flight”.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Final

from reviews.evaluation.perturbations.base import seeded_random
from reviews.evaluation.perturbations.sentences import texts_of
from reviews.evaluation.perturbations.vocabulary import (
    SHORTEST,
    STEM,
    TOKEN,
    protected_words,
    verbs_of,
    words_in,
)
from reviews.provenance.core.context import Case, JsonValue, leaves
from reviews.provenance.terms.argument_leaf import leaf_at

# The other letters stand for themselves: plurals end in s, es and ies, and keep these endings.
_ALPHABETS: Final = ("aou", "bcdfghjklmnpqrtvwxz")
# A number does not begin with another digit than 0 where it did, nor with 0 where it did not.
_DIGITS: Final = "123456789"
# Numbers with what they count, ordinals, hours and ISO moments: they are read, and mean nothing else with other digits.
_READ: Final = re.compile(
    r"\d+(?:st|nd|rd|th|am|pm|h|hrs?|min|s|ms|kg|g|km|m|cm|mm|ft|lbs?|oz|l|ml|[kmgt]b|[kmx]|usd|eur|gbp)"
    r"|\d{1,2}t\d{2}|\d{2}z|\d{8}t\d{4,6}z?|q[1-4]|h[12]|v\d+",
    re.IGNORECASE,
)
# “room2”, “Address1”: a word with a number behind it, which people write apart as often. A code is of capitals.
_NUMBERED: Final = re.compile(r"([A-Za-z]?[a-z]{2,})(\d{1,3})")
_HEXADECIMAL: Final = re.compile(r"(?=.*\d)[0-9a-fA-F]{8,}")
# Below that a run of digits is a year, an amount, a count. A day without separators has eight.
_LONG_NUMBER: Final = 8
_DAY: Final = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
# A check of digits would refuse others; a bank's account begins with two letters and two digits.
_CHECKED: Final = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
# Parts into which people break an identifier: “HAT 028”, “1234 5678 9012 3456”, and an account's 34 signs by fours.
_PARTS: Final = 9
# Seeds until one is found whose words mean nothing else; short names hit upon a word now and then.
_ATTEMPTS: Final = 40


@dataclass(frozen=True)
class Renaming:
    """Other letters for these words, and other letters and digits for every identifier not among `unchanged`."""

    words: frozenset[str]
    """In small letters; their plurals are renamed, too."""
    letters: dict[int, str]
    digits: dict[int, str]
    unchanged: frozenset[str] = frozenset()

    def rename_text(self, text: str) -> str:
        """The text with everything renamed in it."""
        return TOKEN.sub(self._rename_token, text)

    def rename_value(self, value: JsonValue, rename_key: Callable[[str], str]) -> JsonValue:
        """A JSON value with its texts and its whole numbers as long as an identifier renamed, its keys by the function.

        Whatever else it holds stays as it is.
        """
        match value:
            case dict():
                return {rename_key(key): self.rename_value(item, rename_key) for key, item in value.items()}
            case list():
                return [self.rename_value(item, rename_key) for item in value]
            case str():
                return self.rename_text(value)
            case int() if not isinstance(value, bool):
                return int(self.rename_text(str(value)))
        return value

    def _rename_token(self, match: re.Match[str]) -> str:
        if match["word"]:
            return self._rename_word(match["word"])
        if match["initial"]:
            behind = TOKEN.match(match.string, match.end() + 1)
            renamed = behind and behind["word"] and self._is_renamed(behind["word"].casefold())
            return match[0].translate(self.letters) if renamed else match[0]
        if match["mixed"] and is_identifier(match):
            return self._rename_identifier(match["mixed"])
        if match["mixed"] and (numbered := _NUMBERED.fullmatch(match["mixed"])):
            return self._rename_word(numbered[1]) + numbered[2]
        return match[0]

    def _rename_word(self, word: str) -> str:
        return word.translate(self.letters) if self._is_renamed(word.casefold()) else word

    def _is_renamed(self, word: str) -> bool:
        return any(form in self.words for form in (word, *_possible_singulars(word)))

    def _rename_identifier(self, token: str) -> str:
        if token.casefold() in self.unchanged:
            return token
        # Of a hash or a UUID the letters say that it is one.
        letters = {} if _HEXADECIMAL.fullmatch(token) else self.letters
        return token.translate({**letters, **self.digits})


def is_identifier(match: re.Match[str]) -> bool:
    """Whether a run with a digit names something, and neither counts nor dates it."""
    token = match["mixed"]
    if _READ.fullmatch(token) or _NUMBERED.fullmatch(token) or _CHECKED.fullmatch(token):
        return False
    if not token.isdigit():
        return True
    # Digits beside a point are an amount's, behind a plus a phone's.
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:2]
    amount = before in (".", ",", "+") or (after[:1] in (".", ",") and after[1:].isdigit())
    return len(token) >= _LONG_NUMBER and not amount and not _DAY.fullmatch(token)


def renaming_of(words: frozenset[str], case: Case, seed: str) -> Renaming:
    """A renaming of those among the words that may be renamed, under which no two words of the case become one."""
    texts = texts_of(case)
    vocabulary = frozenset(words_in(texts))
    patterned = "\n".join(_patterned_values(case))
    fixed = {form for word in words_in(patterned) for form in (word, *_possible_singulars(word))}
    renamed = _word_families(words, vocabulary, verbs_of(case.context.tools)) - fixed
    unchanged = _broken_identifiers(texts) | {hit[0].casefold() for hit in TOKEN.finditer(patterned)}
    for attempt in range(_ATTEMPTS):
        letters, digits = _draw_substitutions(seeded_random(seed, str(attempt)))
        renaming = Renaming(renamed, letters, digits, unchanged)
        collisions = _colliding_words(renaming, vocabulary)
        if not collisions:
            return renaming
    # The few that every seed turns into another word keep their names.
    return Renaming(renamed - collisions, letters, digits, unchanged)


def _patterned_values(case: Case) -> Iterator[str]:
    """The texts of the call that a pattern of its tool's schema tells: other letters would break it."""
    tool = case.context.tool(case.action.tool)
    for pointer, value in leaves(dict(case.action.arguments)):
        if isinstance(value, str) and "pattern" in (leaf_at(value, pointer, tool).schema or {}):
            yield value


def _word_families(words: frozenset[str], vocabulary: frozenset[str], verbs: frozenset[str]) -> frozenset[str]:
    """The words with those of the case that share their stem; none of a family of which a word is protected."""
    protected = protected_words() | verbs
    stems = {word[:STEM] for word in words if len(word) >= STEM}
    singulars = {singular for word in words for singular in _possible_singulars(word)}
    family = words | singulars | {word for word in vocabulary if len(word) >= STEM and word[:STEM] in stems}
    # “booked” and “booking” belong to the verb “book”.
    closed = {word[:STEM] for word in protected if len(word) >= STEM}
    long_verbs = tuple(verb for verb in verbs if len(verb) > SHORTEST)
    return frozenset(
        word
        for word in family
        if len(word) >= SHORTEST
        and protected.isdisjoint((word, *_possible_singulars(word)))
        and not (len(word) >= STEM and word[:STEM] in closed)
        and not (long_verbs and word.startswith(long_verbs))
    )


def _possible_singulars(word: str) -> Iterator[str]:
    """What the word may be a plural of."""
    if word.endswith("ies"):
        yield f"{word[:-3]}y"
    if word.endswith("es"):
        yield word[:-2]
    if word.endswith("s"):
        yield word[:-1]


def _colliding_words(renaming: Renaming, vocabulary: frozenset[str]) -> frozenset[str]:
    """The renamed words whose new name is a word of the case that stays, or one that means something everywhere."""
    staying = {word for word in vocabulary if renaming.rename_text(word) == word} | protected_words()
    return frozenset(
        word for word in renaming.words if (image := renaming.rename_text(word)) != word and image in staying
    )


def _broken_identifiers(text: str) -> frozenset[str]:
    """The identifiers that somewhere stand in parts, with these: they would not be renamed alike."""
    matches = [match for match in TOKEN.finditer(text) if not match["escape"]]
    identifiers = (
        match for match in matches if match["mixed"] and (is_identifier(match) or _CHECKED.fullmatch(match[0]))
    )
    unbroken = {match[0].casefold() for match in identifiers}
    broken: set[str] = set()
    for start, opening in enumerate(matches):
        parts = [opening[0].casefold()]
        for match, follower in pairwise(matches[start : start + _PARTS]):
            # A sign between them, and no more.
            if follower.start() - match.end() > 2:  # noqa: PLR2004  # “, ” and “) ” are two
                break
            parts.append(follower[0].casefold())
            if (joined := "".join(parts)) in unbroken:
                broken.update((joined, *parts))
    return frozenset(broken)


def _draw_substitutions(chance: Random) -> tuple[dict[int, str], dict[int, str]]:
    """Another letter for each, in both cases, and another digit for each."""
    letters = {small: substitute for alphabet in _ALPHABETS for small, substitute in _draw_cycle(alphabet, chance)}
    capitals = {small.upper(): substitute.upper() for small, substitute in letters.items()}
    return str.maketrans({**letters, **capitals}), str.maketrans(dict(_draw_cycle(_DIGITS, chance)))


def _draw_cycle(signs: str, chance: Random) -> Iterator[tuple[str, str]]:
    """Each sign with the one behind it in a drawn order: none stays what it was."""
    order: Sequence[str] = chance.sample(signs, len(signs))
    return zip(order, [*order[1:], order[0]], strict=True)
