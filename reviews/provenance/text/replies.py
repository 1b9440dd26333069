"""What a user's message does by its form: agree, deny, make a condition, ask. Used to withhold, never to decide."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import stem_of
from reviews.provenance.text.quotations import QUOTATION

# Letters and figures with the marks that stand inside words: "don't", "d'accord".
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# Signs of scripts that put no spaces between words: there a word of the lists is looked for anywhere.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SENTENCE_END = re.compile(r"(?<=[.!?;])[\"')\]]*\s+|\n+|(?<=[。！？])")  # noqa: RUF001 - their own full stops
# Words of a message that agrees: what is longer says more.
_MAX_AGREEMENT = 24
# Sentences of one message that are looked at: nobody asks for more in one breath.
_MAX_SENTENCES = 64
# What stands in the place of a quotation's characters: somebody else's words, no words of the sentence.
_QUOTED = "\N{MIDDLE DOT}"
# Words of a sentence that may be an interjection: "Scratch that", "On hold".
_MAX_INTERJECTION = 3


# Pairs of words by which somebody asks for help.
_WANTING = frozenset(
    {(verb, "you") for verb in ("could", "can", "would", "will")}
    | {(who, verb) for who in ("i", "we") for verb in ("need", "want")}
    | {("would", "like"), ("i'd", "like"), ("we'd", "like"), ("could", "we"), ("can", "we")}
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of a folded message and what its form does."""

    start: int
    end: int
    text: str
    """Its characters; those between quotation marks are hidden."""
    is_plain: bool
    """It denies nothing, makes no condition, and is no question but one that asks for a deed."""

    def has_turn(self, start: int = 0) -> bool:
        """Whether a word behind this place gives what stands beside it another part: "but", "than", "after", "who"."""
        # "The most recent" is the latest, and compares nothing.
        text = self.text[max(0, start - self.start) :].replace("most recent", "latest")
        return not _words_listed("turns").isdisjoint(words_in(text))

    @property
    def may_revise(self) -> bool:
        """Whether it may take back what the sentences before it say: it refers to them, or is no sentence."""
        words = words_in(self.text)
        if not words or (len(words) <= _MAX_AGREEMENT and _words_listed("agreements").issuperset(words)):
            return False
        return not self.is_plain or len(words) <= _MAX_INTERJECTION or not _words_listed("references").isdisjoint(words)


def words_in(folded: str) -> tuple[str, ...]:
    """The words of a folded text, apostrophes kept."""
    return tuple(_WORD.findall(folded))


def is_agreement(text: str, allowed: frozenset[str] = frozenset()) -> bool:
    """Whether a message agrees and says nothing else. `allowed`: stems that add nothing: the offered tool's."""
    folded = fold(text)
    words = words_in(folded)
    # "Is that right?" has the words of an agreement, and is none.
    if not words or len(words) > _MAX_AGREEMENT or "?" in folded:
        return False
    agreements = _words_listed("agreements")
    return all(
        word in agreements or stem_of(word) in allowed or (_UNSPACED.search(word) and _is_made_of(word, agreements))
        for word in words
    )


def sentences_in(folded: str) -> Iterator[Sentence]:
    """The sentences of a folded message, in order."""
    at = 0
    unquoted = QUOTATION.sub(lambda hit: hit[0][0] + _QUOTED * (len(hit[0]) - 2) + hit[0][-1], folded)
    ends = [hit.span() for hit in _SENTENCE_END.finditer(unquoted)]
    for start, end in [*ends, (len(unquoted), len(unquoted))][:_MAX_SENTENCES]:
        if unquoted[at:start].strip():
            yield Sentence(at, start, unquoted[at:start], is_plain=not _is_withheld(unquoted[at:start].strip()))
        at = end


def _is_withheld(sentence: str) -> bool:
    words = words_in(sentence)
    if _has_word_of(sentence, words, "negations") or _has_word_of(sentence, words, "conditions"):
        return True
    asks = sentence.endswith(("?", "？"))  # noqa: RUF001
    return asks and _words_listed("requests").isdisjoint(words)


def _has_word_of(sentence: str, words: tuple[str, ...], name: str) -> bool:
    listed_words = _words_listed(name)
    # "Don't" and "can't" end in a negation of their own.
    if not listed_words.isdisjoint(words) or any(word.endswith("n't") for word in words):
        return True
    return bool(_UNSPACED.search(sentence)) and any(word in sentence for word in listed_words if _UNSPACED.search(word))


def is_reply_word(word: str) -> bool:
    """Whether a folded word is one of those by which messages agree, deny or make conditions."""
    return any(word in _words_listed(name) for name in ("agreements", "negations", "conditions"))


def _is_made_of(run: str, listed_words: frozenset[str]) -> bool:
    """Whether a run of signs without spaces is one listed word after another."""
    for word in sorted((word for word in listed_words if _UNSPACED.search(word)), key=len, reverse=True):
        run = run.replace(word, "")
    return not run


@cache
def _words_listed(name: str) -> frozenset[str]:
    text = files(__package__).joinpath("replies.toml").read_text(encoding="utf-8")
    return frozenset(fold(tomllib.loads(text)[name]).split())


def opens_request(before: str) -> bool:
    """Whether a verb behind these words of its sentence may ask for a deed: it stands where an imperative stands.

    Nothing stands before it, an agreement and a comma, or words by which people ask, back to a comma.
    """
    *earlier, clause = before.rstrip(" \t*-").split(",")
    words = words_in(clause)
    if any(sign in clause for sign in (":", '"', "“", "«", _QUOTED)):
        return False
    if not words:
        # A clause before a bare imperative may be about somebody who said it.
        return all(word in _words_listed("agreements") for clause in earlier for word in words_in(clause))
    return words[-1] in _words_listed("openers") and all(
        word in _words_listed("openers") | _words_listed("askers") for word in words
    )


def asks_for_help(sentence: str) -> bool:
    """Whether a sentence says that somebody wants something done: "please", "could you", "I need"."""
    words = words_in(sentence)
    return "please" in words or any(pair in _WANTING for pair in pairwise(words))
