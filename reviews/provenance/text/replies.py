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

# Letters and figures with the marks that stand inside words: "don't", "d'accord".
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# Signs of scripts that put no spaces between words: there a word of the lists is looked for anywhere.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SENTENCE_END = re.compile(r"(?<=[.!?;])[\"')\]]*\s+|\n+|(?<=[。！？])")  # noqa: RUF001 - their own full stops
# Words of a message that agrees: what is longer says more.
_MAX_AGREEMENT = 24
# Sentences of one message that are looked at: nobody asks for more in one breath.
_MAX_SENTENCES = 64


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
    is_plain: bool
    """It denies nothing, makes no condition, and is no question but one that asks for a deed."""


def words_in(folded: str) -> tuple[str, ...]:
    """The words of a folded text, apostrophes kept."""
    return tuple(_WORD.findall(folded))


def is_agreement(text: str, allowed: frozenset[str] = frozenset()) -> bool:
    """Whether a message agrees and says nothing else. `allowed`: stems that add nothing: the offered tool's."""
    folded = fold(text)
    words = words_in(folded)
    if not words or len(words) > _MAX_AGREEMENT:
        return False
    known = _list("agreements")
    return all(
        word in known or stem_of(word) in allowed or (_UNSPACED.search(word) and _is_made_of(word, known))
        for word in words
    )


def sentences_in(folded: str) -> Iterator[Sentence]:
    """The sentences of a folded message, in order."""
    at = 0
    ends = [hit.span() for hit in _SENTENCE_END.finditer(folded)]
    for start, end in [*ends, (len(folded), len(folded))][:_MAX_SENTENCES]:
        if text := folded[at:start].strip():
            yield Sentence(at, start, text, is_plain=not _is_withheld(text))
        at = end


def _is_withheld(sentence: str) -> bool:
    words = words_in(sentence)
    if _holds(sentence, words, "negations") or _holds(sentence, words, "conditions"):
        return True
    asks = sentence.endswith(("?", "？"))  # noqa: RUF001
    return asks and _list("requests").isdisjoint(words)


def _holds(sentence: str, words: tuple[str, ...], name: str) -> bool:
    known = _list(name)
    # "Don't" and "can't" end in a negation of their own.
    if not known.isdisjoint(words) or any(word.endswith("n't") for word in words):
        return True
    return bool(_UNSPACED.search(sentence)) and any(word in sentence for word in known if _UNSPACED.search(word))


def is_reply_word(word: str) -> bool:
    """Whether a folded word is one of those by which messages agree, deny or make conditions."""
    return any(word in _list(name) for name in ("agreements", "negations", "conditions"))


def _is_made_of(run: str, known: frozenset[str]) -> bool:
    """Whether a run of signs without spaces is one listed word after another."""
    for word in sorted((word for word in known if _UNSPACED.search(word)), key=len, reverse=True):
        run = run.replace(word, "")
    return not run


@cache
def _list(name: str) -> frozenset[str]:
    text = files(__package__).joinpath("replies.toml").read_text(encoding="utf-8")
    return frozenset(fold(tomllib.loads(text)[name]).split())


def opens_request(before: str) -> bool:
    """Whether a verb behind these words of its sentence may ask for a deed: it stands where an imperative stands."""
    before = before.rstrip(" \t\"'“(*-")
    if not before or before.endswith((",", ":", ";", ".", "!", "?")):
        return True
    words = words_in(before)
    if words[-2:] == ("help", "me"):
        return True
    if not words or words[-1] not in _list("openers"):
        return False
    return words[-1] not in ("to", "you") or not _list("askers").isdisjoint(words)


def asks_for_help(sentence: str) -> bool:
    """Whether a sentence says that somebody wants something done: "please", "could you", "I need"."""
    words = words_in(sentence)
    return "please" in words or any(pair in _WANTING for pair in pairwise(words))
