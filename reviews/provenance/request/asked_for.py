"""Whether a text asks for what a tool does: its kind of action, on its kind of thing."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.language.base import Language, languages, languages_of, phrases
from reviews.provenance.request.actions import NOUN_BEFORE, tokens_of, unquoted
from reviews.provenance.request.negation import is_denied
from reviews.provenance.text.fold import fold
from reviews.provenance.text.roots import root
from reviews.provenance.text.stems import base_forms

_READ = 8_000
"""Characters of a text that are looked at."""
_WORD = re.compile(r"[^\W\d_]+")
_SEGMENT = re.compile(r"(?:^|[.:!?]\s+|\n\s*)([A-Za-z]+)([^.:!?\n]*)")
"""The first word of each sentence of a document, and what follows it. Some documents open with what the tool is part
of, so the verb may stand at the start of a later one."""
_OBJECT_ENDS = re.compile(r"\b(?:to|from|for|in|on|at|by|of|with|into|using|given|that|which|if|when|and then)\b")
_EMPTY = frozenset(
    "a an the to from for with of in on at by or and all any my it its this that new given specific specified certain "
    "current id ids info information data details detail api tool system user one via per".split()
)
_FILE = re.compile(r"\b[\w-]+\.[a-z]\w{1,4}\b(?<!\.com)(?<!\.org)(?<!\.net)")
_MONEY = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:usd|eur|gbp|dollars?|euros?|pounds?)\b")
_SHAPES = ((_FILE, "file"), (_MONEY, "money"), (re.compile(r"\S@\S+\.\w"), "mail"))
"""What the writing of a value says about the kind of thing it is."""
_PRONOUN = re.compile(r"\s+(?:it|them|this|that|these|those|one|both)\b")
_LEAD = 16
"""Characters before a word in which an article or a possessive makes it a noun."""
_MOST_SEGMENTS = 6


@dataclass(frozen=True)
class Purpose:
    """What a tool does, as far as its name and document say."""

    verbs: frozenset[str]
    """Its verbs, from the name or else the first of the document."""
    things: frozenset[str]
    """The nouns it acts on."""
    named: frozenset[str]
    """The nouns of its name alone."""


@dataclass(frozen=True)
class Match:
    """How a text asks for a tool."""

    verb: str
    """The word that asks for it."""
    things: frozenset[str]
    """The tool's nouns that the text speaks of, as roots."""


@lru_cache(maxsize=1024)
def purpose_of(name: str, description: str) -> Purpose:
    """The purpose of the tool so named and described."""
    words = [word for word in tokens_of(re.split(r"[./:]|__", name)[-1]) if word.isalpha()]
    verbs = [word for word in words if _means(word)]
    described = list(_described(description))
    # In "charge_card" the first is the verb; in "email_send" and "calendar.event_create" the one that is no noun.
    chosen = [word for word in verbs if not _is_thing(word)] or verbs
    if not chosen and described:
        chosen, things = [described[0][0]], frozenset(described[0][1])
    else:
        things = frozenset(word for verb, nouns in described if root(verb) in map(root, chosen) for word in nouns)
    named = frozenset(word for word in words if word not in chosen[:1] and word not in _EMPTY)
    return Purpose(frozenset(chosen[:1]), (named | things) - _EMPTY, named)


def match(tool: ToolDoc, texts: Iterable[str], toolset: Sequence[ToolDoc] = ()) -> Match | None:
    """How the texts, the latest first, ask for the tool; None where none clearly does.

    A text that asks for another tool of the set, and not for this one, ends the search: what was asked before it has
    been done, or is not what is asked now.
    """
    others = [other for other in toolset if other.name != tool.name and not only_reads(other)]
    for text in texts:
        if found := _match(tool.name, tool.description[:_READ], text):
            return found
        if any(_match(other.name, other.description[:_READ], text) for other in others):
            return None
    return None


@lru_cache(maxsize=4096)
def _match(name: str, description: str, text: str) -> Match | None:
    purpose, plain = purpose_of(name, description), fold(unquoted(text))[:_READ]
    things = _spoken_of(purpose, plain, fold(text)[:_READ])
    for hit in _asking(purpose, plain, text):
        verb = hit.group()
        # A tool without any thing of its own ("pay", "reschedule") is asked for by its verb.
        named = things or ({verb} if not purpose.things or _PRONOUN.match(plain, hit.end()) else frozenset())
        if named:
            return Match(verb, frozenset(named))
    return None


def speaks_of(tool: ToolDoc, texts: Iterable[str]) -> str | None:
    """A thing of the tool's that a text mentions: enough for a tool that only reads."""
    purpose = purpose_of(tool.name, tool.description[:_READ])
    found = (_spoken_of(purpose, fold(unquoted(text))[:_READ], fold(text)[:_READ]) for text in texts)
    return next((min(things) for things in found if things), None)


def only_reads(tool: ToolDoc) -> bool:
    """Whether the tool only looks something up, by its mark or by the verb of its name or document."""
    verbs = purpose_of(tool.name, tool.description[:_READ]).verbs
    return not tool.environment_changing or (bool(verbs) and all(root(verb) in _reading() for verb in verbs))


def outdone(tool: ToolDoc, matched: Match, toolset: Sequence[ToolDoc], texts: Iterable[str]) -> bool:
    """Whether the texts speak more exactly of another tool of the same verb: of all this one's nouns, and of more."""
    own = purpose_of(tool.name, tool.description[:_READ])
    for other in toolset:
        purpose = purpose_of(other.name, other.description[:_READ])
        if other.name == tool.name or not purpose.verbs & own.verbs:
            continue
        theirs = match(other, texts)
        mine, others = matched.things & _roots(own.named), (theirs.things & _roots(purpose.named)) if theirs else set()
        if mine < others:
            return True
    return False


def _asking(purpose: Purpose, plain: str, text: str) -> Iterator[re.Match[str]]:
    """The words of a text that ask for the tool's action and are not denied."""
    spoken = languages_of(text)
    wanted = frozenset(word for verb in purpose.verbs for language in spoken for word in _meaning(language, verb))
    nouns, own = _roots(purpose.things), _roots(purpose.verbs)
    for hit in _WORD.finditer(plain):
        word = hit.group()
        # Of the tool's own verb a noun will do ("the cancellation"), unless it is what the tool acts on.
        verbal = not wanted.isdisjoint(base_forms(word)) and not NOUN_BEFORE.search(plain[: hit.start()][-_LEAD:])
        asks = verbal or (root(word) in own and root(word) not in nouns and wanted.isdisjoint(base_forms(word)))
        if asks and not is_denied(plain, hit.start()):
            yield hit
    yield from phrases(frozenset(word for word in wanted if " " in word)).finditer(plain)


def _spoken_of(purpose: Purpose, plain: str, whole: str) -> frozenset[str]:
    """The tool's nouns, as roots, that the text mentions, by another name too or by the writing of a value."""
    said = {root(word) for word in _WORD.findall(plain)}
    shaped = {kind for pattern, kind in _SHAPES if pattern.search(whole)}
    return frozenset(
        root(thing)
        for thing in purpose.things
        if root(thing) in said or words_alike(thing) & said or (shaped and _kinds(thing) & shaped)
    )


def _described(description: str) -> Iterator[tuple[str, list[str]]]:
    """Each verb that a sentence of the document begins with, and the nouns of its object."""
    for n, hit in enumerate(_SEGMENT.finditer(description)):
        verb = fold(hit[1])
        if n < _MOST_SEGMENTS and _means(verb):
            nouns = _WORD.findall(_OBJECT_ENDS.split(fold(hit[2]))[0])
            yield verb, [word for word in nouns if word not in _EMPTY]


def _means(word: str) -> bool:
    """Whether the word is a verb of tools: those of the English tables, in any form."""
    return root(word) in _verb_roots()


@lru_cache(maxsize=1)
def _verb_roots() -> frozenset[str]:
    return frozenset(root(verb) for verb in languages()[0].verbs)


@lru_cache(maxsize=1)
def _reading() -> frozenset[str]:
    return frozenset(map(root, languages()[0].reading))


@lru_cache(maxsize=1024)
def _meaning(language: Language, verb: str) -> frozenset[str]:
    return frozenset(word for key, words in language.verbs.items() if root(key) == root(verb) for word in words)


def _is_thing(word: str) -> bool:
    return any(word in words for words in languages()[0].things.values())


@lru_cache(maxsize=1024)
def words_alike(thing: str) -> frozenset[str]:
    """The roots of other words for a thing, in any language."""
    kinds = _kinds(thing)
    return frozenset(root(word) for each in languages() for kind in kinds for word in each.things.get(kind, ()))


@lru_cache(maxsize=1024)
def _kinds(thing: str) -> frozenset[str]:
    english = languages()[0].things
    return frozenset(kind for kind, words in english.items() if any(root(word) == root(thing) for word in words))


def _roots(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(root, words))
