"""What a tool does, as far as its name and document say: its verbs, and the things it acts on."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from reviews.provenance.language.base import languages, phrases
from reviews.provenance.request.actions import tokens_of
from reviews.provenance.request.verbs_abroad import named_by, told_by
from reviews.provenance.text.fold import fold
from reviews.provenance.text.roots import root
from reviews.provenance.text.stems import base_forms

_WORD = re.compile(r"[^\W\d_]+")
# The first word of each sentence of a document, and what follows it. Some documents open with what the tool is part
# of, so the verb may stand at the start of a later one.
_SEGMENT = re.compile(r"(?:^|(?P<mark>[.:!?])\s+|\n\s*)(?P<verb>[A-Za-z]+)(?P<rest>[^.:!?\n]*)")
# What stands between a verb and its object.
_GOVERNS = re.compile(r"\s+(?:an?|the|one|some|all|this|several)\b", re.I)
# What ends the object of a document's verb.
_OBJECT_ENDS = re.compile(r"\b(?:to|from|for|in|on|at|by|of|with|into|using|given|that|which|if|when|and then)\b")
# Words that name no thing a tool could act on.
_EMPTY = frozenset(
    "a an the to from for with of in on at by or and all any my it its this that new given specific specified certain "
    "current id ids info information data details detail api tool system user one via per content "
    "contents value".split()
)
# Words of a name among which its verb is looked for in other languages.
_MOST_NAMED = 3
# Verbs that bring something about which is a deed itself: to plan a pickup, to submit a payment.
_BRINGING_ABOUT = frozenset("create make plan schedule book submit place add set arrange issue open register".split())
# Sentences of a document that are read: what a tool does is said early.
_MOST_SEGMENTS = 6


@dataclass(frozen=True)
class Purpose:
    """What a tool does."""

    verbs: frozenset[str]
    """Its verbs, from the name and the first sentence of the document."""
    things: frozenset[str]
    """The nouns it acts on."""
    named: frozenset[str]
    """The nouns of its name alone."""
    own: frozenset[str] = frozenset()
    """The first word of a name without any known verb: a verb if the user gives it as a command (cd, scale, prune)."""
    deeds: frozenset[str] = frozenset()
    """Verbs of what the tool makes: who plans a pickup picks up, who submits a payment pays."""


class _Sentence(NamedTuple):
    leads: bool
    """Whether it says what the tool does: it is the first, or stands behind a label."""
    verb: str
    things: frozenset[str]


@lru_cache(maxsize=1024)
def purpose_of(name: str, description: str) -> Purpose:
    """The purpose of the tool so named and described."""
    words = [word for word in tokens_of(_plain(re.split(r"[./:]|__", name)[-1])) if word.isalpha()]
    verbs = [word for word in words if _is_tool_verb(word)]
    abroad, acted_on = told_by(description)
    kinds, foreign = (frozenset(), None) if verbs else named_by(tuple(words[:_MOST_NAMED]))
    sentences = tuple(_sentences(description))
    # In "charge_card" the first is the verb; in "email_send" and "calendar.event_create" the one that is no noun.
    chosen = ([word for word in verbs if not _is_thing(word)] or verbs)[:1]
    unknown = words and not chosen and foreign is None and not _is_thing(words[0])
    own = frozenset(words[:1]) if unknown else frozenset[str]()
    told = [sentence for sentence in sentences if not chosen or root(sentence.verb) == root(chosen[0])]
    # The document may say the same with another verb ("terminate_instance": "Deletes an instance"), which reading
    # verbs do not: "Returns true" is about the answer.
    others = [each for each in sentences if each.leads and chosen and not _reads(each.verb) and each not in told]
    spoken = [*(each.verb for each in (told[:1] if not chosen else [])), *(each.verb for each in others[:1])]
    things = frozenset().union(*(each.things for each in ([*told, *others[:1]] if chosen else told[:1])))
    named = frozenset(word for word in words if word not in (*chosen, *own, foreign) and word not in _EMPTY)
    made = frozenset(verb for verb in _tool_verbs() if root(verb) in roots(named)) if _makes(chosen) else frozenset()
    verbs_told = frozenset((*chosen, *spoken)) | kinds | (abroad - _reading_verbs() if chosen else abroad)
    return Purpose(verbs_told, (named | things | acted_on) - _EMPTY, named, own | _first_verb(description), made)


def _first_verb(description: str) -> frozenset[str]:
    """The word that a document opens with, as a command says it: "Takes crates out" is asked for by "take"."""
    word = fold((_WORD.match(description) or [""])[0])
    return frozenset(base_forms(word)[1:]) if word.endswith("s") and not word.endswith("ss") else frozenset()


def _plain(name: str) -> str:
    """The name without accents: a letter with one is no border of words."""
    return name if name.isascii() else "".join(c for c in unicodedata.normalize("NFKD", name) if c.isascii())


def _makes(chosen: Sequence[str]) -> bool:
    return not _BRINGING_ABOUT.isdisjoint(chosen)


def is_reading_verb(verb: str) -> bool:
    """Whether a tool with this verb only looks something up."""
    return _reads(verb)


def roots(words: Iterable[str]) -> frozenset[str]:
    """The root of each word."""
    return frozenset(map(root, words))


def _sentences(description: str) -> Iterator[_Sentence]:
    """Each sentence of the document that begins with a verb of tools."""
    for n, hit in enumerate(_SEGMENT.finditer(description)):
        verb = fold(hit["verb"])
        if n >= _MOST_SEGMENTS:
            return
        sentence = f"{verb}{fold(hit['rest'])}"
        # "Waters a plant": what stands before an article is a verb, whether or not the tables have it.
        unknown = n == 0 and verb.endswith("s") and _GOVERNS.match(hit["rest"]) is not None
        if unknown and not _is_tool_verb(verb):
            verb = base_forms(verb)[1]
        if compound := next((name for name, told in _compounds() if phrases(told).match(sentence)), None):
            verb = compound
        if unknown or _is_tool_verb(verb):
            parts = _OBJECT_ENDS.split(fold(hit["rest"]))
            found = (frozenset(_WORD.findall(part)) - _EMPTY for part in parts)
            # "Write content to a file" acts on the file: what it writes goes without saying.
            yield _Sentence(n == 0 or hit["mark"] == ":", verb, next((each for each in found if each), frozenset()))


def _is_tool_verb(word: str) -> bool:
    """Whether the word is a verb of tools: those of the English tables, in any form."""
    return root(word) in _verb_roots()


def _reads(verb: str) -> bool:
    return root(verb) in _reading()


@lru_cache(maxsize=1)
def _verb_roots() -> frozenset[str]:
    return roots(languages()[0].verbs)


@lru_cache(maxsize=1)
def _tool_verbs() -> frozenset[str]:
    return frozenset(languages()[0].verbs)


@lru_cache(maxsize=1)
def _reading_verbs() -> frozenset[str]:
    return frozenset(verb for verb in languages()[0].verbs if _reads(verb))


@lru_cache(maxsize=1)
def _reading() -> frozenset[str]:
    return roots(languages()[0].reading)


@lru_cache(maxsize=1)
def _compounds() -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple(languages()[0].compounds.items())


def _is_thing(word: str) -> bool:
    return any(word in words for words in languages()[0].things.values())
