"""What a user's message does by its form: agree, deny, make a condition, ask. Used to withhold, never to decide."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise, takewhile
from typing import Any

from reviews.provenance.text.boundaries import UNSPACED
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import stem_of
from reviews.provenance.text.quotations import QUOTATION

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
"""Letters and figures with the marks that stand inside words: "don't", "d'accord"."""
_SENTENCE_END = re.compile(r"(?<=[.!?;])[\"')\]]*\s+|\n+|(?<=[。！？])")  # noqa: RUF001 - their own full stops
# Behind the figure of a day it is the month, as French has it; Italian has the word for "never".
_MAY = re.compile(r"(?<=\d )mai(?!\w)")
# Behind a noun it says what that shall be; at the beginning of a clause it makes a condition: "should it be late, ...".
_SHALL_BE = re.compile(r"(?<=[^\W_] )should (?=(?:be|have)(?!\w))")
# A word that stands before another with a hyphen.
_PREFIXED = re.compile(r"(?<![\w-])non-(?=[^\W\d_])")
# What parts the words of a reply: any other sign says something, and be it ":(".
_PAUSE = re.compile(r"[\s.,;!。、-]+")
# Categories of characters that strike letters out, enclose them, or do not show.
_HIDING = frozenset({"Mn", "Me", "Cf", "Co", "Cn"})
# And of those that no plain reply has: these, symbols, emoji.
_STRANGE = _HIDING | {"Sm", "Sc", "Sk", "So"}
# Characters of a message that agrees, and words of a sentence that does: what is longer says more.
_MAX_REPLY = 160
_MAX_AGREEMENT = 24
_AGREEING = ("agreements", "courtesies")
# Sentences of a message that are read: nobody asks for more in one breath, and what is not read may take all back.
_MAX_SENTENCES = 64
# What stands in the place of a quotation's characters: somebody else's words, no words of the sentence.
_QUOTED = "\N{MIDDLE DOT}"
# Of Latin, Arabic, Chinese, Greek, Armenian and Ethiopic.
_QUESTION_MARKS = "?؟？;՞፧"  # noqa: RUF001 - their own question marks
# Characters before a verb that may ask for it: phrases that do, and courtesies before them, are far shorter.
_MAX_OPENING = 300
# Words of a sentence that may be an interjection: "Scratch that", "On hold".
_MAX_INTERJECTION = 3


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of a folded message and what its form does."""

    start: int
    end: int
    text: str
    """Its characters; those between quotation marks are hidden."""
    is_plain: bool
    """It denies nothing, makes no condition, and is no question but one that asks for a deed."""

    def has_turn(self, start: int = 0, allowed: frozenset[str] = frozenset()) -> bool:
        """Whether a word behind this place gives what stands beside it another part: "but", "than", "after", "who"."""
        # "The most recent" is the latest, and compares nothing.
        text = self.text[max(0, start - self.start) :].replace("most recent", "latest")
        return not (_words_listed("turns", "comparisons") - allowed).isdisjoint(words_in(text))

    @property
    def compares(self) -> bool:
        """Whether it has a word that makes another amount, or another time, of the one beside it."""
        return _has_word_of(self.text, "comparisons")

    @property
    def is_question(self) -> bool:
        """Whether it has the mark of a question, in any script."""
        return any(mark in self.text for mark in _QUESTION_MARKS)

    @property
    def asks_something(self) -> bool:
        """Whether it has a word by which one asks."""
        return _has_word_of(self.text, "requests")

    @property
    def reaches_further(self) -> bool:
        """Whether it may hold for what is said later: it denies, makes a condition or speaks of several."""
        return self.is_limited or self.is_general

    @property
    def is_general(self) -> bool:
        """Whether it speaks of several things, or of one alone: "all", "every", "only"."""
        return _has_word_of(self.text, "standing")

    @property
    def speaks_of_leave(self) -> bool:
        """Whether it has a word for what somebody gives before a deed, in any form: "confirm", "confirmation"."""
        leave = map(stem_of, _words_listed("leave"))
        return not set(map(stem_of, words_in(self.text))).isdisjoint(leave)

    @property
    def is_limited(self) -> bool:
        """Whether it denies something or makes a condition."""
        return self.limit is not None

    @property
    def limit(self) -> str | None:
        """The first word by which it denies something or makes a condition: "not", "if"."""
        return _find_limit(self.text)

    @property
    def limit_by_itself(self) -> str | None:
        """The first such word that is no prefix of another: the “non” of “non-fat” says something of the milk alone."""
        return _find_limit(_PREFIXED.sub("", self.text))

    def may_revise(self, *, says_value: bool = False) -> bool:
        """Whether it may take back what the sentences before it say: it refers to them, or is no sentence.

        Some words that say a value ("Reason: too late.") are no interjection.
        """
        words = words_in(self.text)
        if not words or (len(words) <= _MAX_AGREEMENT and _words_listed(*_AGREEING).issuperset(words)):
            return False
        is_interjection = len(words) <= _MAX_INTERJECTION and not says_value
        return not self.is_plain or is_interjection or not _words_listed("references").isdisjoint(words)


def words_in(folded: str) -> tuple[str, ...]:
    """The words of a folded text, apostrophes kept."""
    return tuple(WORD.findall(folded))


def is_agreement(text: str) -> bool:
    """Whether a message agrees, politely or not, and says nothing else: not a word, not a sign, no emoji."""
    if len(text) > _MAX_REPLY or _categories_in(text) & _STRANGE:
        return False
    return _is_made_of(fold(text), *_AGREEING) and not _is_made_of(fold(text), "courtesies")


def hides_something(text: str) -> bool:
    """Whether a message has marks that strike letters out or enclose them, or characters that do not show."""
    return not text.isascii() and not _HIDING.isdisjoint(_categories_in(text))


def _categories_in(text: str) -> set[str]:
    # Put together, accents belong to their letters: what is left strikes a letter out, encloses or hides one.
    return {unicodedata.category(char) for char in set(unicodedata.normalize("NFC", text))}


def is_denial(text: str) -> bool:
    """Whether a message denies, politely or not, and says nothing else."""
    words = set(words_in(fold(text[:_MAX_REPLY])))
    denying = words & _words_listed("negations")
    return bool(denying) and words - denying <= _words_listed("courtesies")


def asks_to_confirm(sentence: str) -> bool:
    """Whether a folded sentence of the agent only asks whether its offer is accepted."""
    return _is_made_of(sentence.replace("?", " "), "confirmations")


def offers_help(sentence: str) -> bool:
    """Whether a folded question of the agent only asks what there is to do: any request answers it."""
    return _is_made_of(sentence.replace("?", " "), "openings")


def says_nothing(sentence: str) -> bool:
    """Whether a folded sentence only greets, thanks, agrees or asks politely: it takes nothing back."""
    return _is_made_of(sentence, "greetings", *_AGREEING)


def _is_made_of(folded: str, *names: str) -> bool:
    """Whether a text consists of phrases of these lists, and of nothing else."""
    return _pattern_of(*names).fullmatch(_PAUSE.sub(" ", folded).strip()) is not None


def _has_word_of(folded: str, name: str) -> bool:
    return not _words_listed(name).isdisjoint(words_in(folded))


def courtesies_in(folded: str) -> Iterator[tuple[int, int]]:
    """Where a folded text is polite: "please", "thank you".

    Whole phrases: a word of one alone may be anybody's name.
    """
    return (hit.span() for hit in _anywhere("courtesies").finditer(folded))


def opens_offer(before: str) -> bool:
    """Whether the folded words before a verb say that the agent offers to do it, and nothing else."""
    return before.strip() in _phrases_listed("offers")


def sentences_in(folded: str) -> Iterator[Sentence]:
    """The sentences of a folded message, in order; one of too many is one that proves nothing."""
    unquoted = QUOTATION.sub(lambda hit: hit[0][0] + _QUOTED * (len(hit[0]) - 2) + hit[0][-1], folded)
    breaks = [(0, 0), *(hit.span() for hit in _SENTENCE_END.finditer(unquoted)), (len(unquoted), len(unquoted))]
    stretches = [(start, end) for (_, start), (end, _) in pairwise(breaks) if unquoted[start:end].strip()]
    if len(stretches) > _MAX_SENTENCES:
        yield Sentence(0, len(unquoted), unquoted, is_plain=False)
        return
    for start, end in stretches:
        yield Sentence(start, end, unquoted[start:end], is_plain=not _is_withheld(unquoted[start:end].strip()))


def _is_withheld(sentence: str) -> bool:
    # What is left out, or broken off, nobody can read.
    if "..." in sentence:
        return True
    # "?!" and "(?)" ask as well.
    asks = any(sign in "?？" for sign in takewhile(lambda sign: not sign.isalnum(), reversed(sentence)))  # noqa: RUF001
    return _find_limit(sentence) is not None or (asks and not _has_word_of(sentence, "requests"))


def _find_limit(sentence: str) -> str | None:
    """The first word that denies something or makes a condition."""
    withholding = _words_listed("negations", "conditions")
    # "Don't" and "can't" end in a negation of their own.
    words = words_in(_SHALL_BE.sub("", _MAY.sub("", sentence)))
    limits = (word for word in words if word in withholding or word.endswith("n't"))
    # Where no spaces stand between words, one of the list is looked for anywhere.
    unspaced = (word for word in sorted(withholding) if UNSPACED.search(word) and word in sentence)
    return next(limits, None) or (next(unspaced, None) if UNSPACED.search(sentence) else None)


def is_reply_word(word: str) -> bool:
    """Whether a folded word is one of those by which messages agree, deny or make conditions."""
    return word in _words_listed(*_AGREEING, "negations", "conditions")


@cache
def _pattern_of(*names: str) -> re.Pattern[str]:
    """One phrase of these lists after the other; between signs of scripts that put no spaces there, none is needed."""
    phrases = {_PAUSE.sub(" ", phrase) for name in names for phrase in _phrases_listed(name)}
    parts = (re.escape(phrase) + ("" if UNSPACED.search(phrase) else r"(?!\S)") for phrase in sorted(phrases, key=len))
    return re.compile(rf"(?:(?:{'|'.join(parts)}) ?)+")


@cache
def _anywhere(name: str) -> re.Pattern[str]:
    """A phrase of this list, wherever it stands as whole words; of two the longer one."""
    phrases = map(re.escape, sorted(_phrases_listed(name), key=len, reverse=True))
    return re.compile("|".join(phrase if UNSPACED.search(phrase) else rf"(?<!\w){phrase}(?!\w)" for phrase in phrases))


@cache
def _phrases_listed(name: str) -> frozenset[str]:
    return frozenset(fold(phrase) for phrase in _read_lists()[name])


@cache
def _words_listed(*names: str) -> frozenset[str]:
    lists = (_read_lists()[name] for name in names)
    return frozenset(fold(" ".join(text if isinstance(text, str) else " ".join(text) for text in lists)).split())


@cache
def _read_lists() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("replies.toml").read_text(encoding="utf-8"))


def opens_request(before: str, *, of_noun: bool = False) -> bool:
    """Whether a verb behind these words of its sentence asks for a deed, or a noun of one does.

    Nothing stands before it, or a phrase by which people ask; in clauses before that nothing but courtesies.
    """
    if len(before) > _MAX_OPENING:
        return False
    *earlier, clause = before.rstrip(" \t*-").split(",")
    if any(sign in clause for sign in (":", '"', "“", "«", _QUOTED)):
        return False
    # A clause before it may be about somebody who said it.
    if not all(says_nothing(part) or not _without_fillers(part) for part in earlier):
        return False
    phrase = " ".join(_without_fillers(clause))
    if of_noun:
        return phrase.removesuffix(" the") in _phrases_listed("noun_askings")
    return not phrase or phrase in _phrases_listed("askings")


def _without_fillers(clause: str) -> tuple[str, ...]:
    return tuple(word for word in words_in(clause) if word not in _words_listed("fillers"))
