"""Whether a text asks for what a tool does: its kind of action, on its kind of thing."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.language.base import Language, languages, languages_of, phrases
from reviews.provenance.request.actions import NOUN_BEFORE, tokens_of, unquoted
from reviews.provenance.request.negation import is_denied
from reviews.provenance.request.purposes import Purpose, is_reading_verb, purpose_of, roots
from reviews.provenance.request.verbs_abroad import has_verb, speaks_of_it, verbs_in
from reviews.provenance.text.fold import fold
from reviews.provenance.text.roots import root
from reviews.provenance.text.stems import base_forms
from reviews.provenance.values.number import said_in

# Characters of a text that are looked at.
_READ = 8_000
# Words in any script, without figures.
_WORD = re.compile(r"[^\W\d_]+")
# A name with an ending; hosts have endings, too, and are no files.
_FILE = re.compile(r"\b[\w-]+\.[a-z]\w{1,4}\b(?<!\.com)(?<!\.org)(?<!\.net)")
# An amount with its currency.
_MONEY = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:usd|eur|gbp|dollars?|euros?|pounds?)\b")
# What the writing of a value says about the kind of thing it is.
_SHAPES = (
    (_FILE, "file"),
    (_MONEY, "money"),
    (re.compile(r"\S@\S+\.\w"), "mail"),
    (re.compile(r"\d ?(?:\N{DEGREE SIGN}|degrees? [cf])"), "temperature"),
)
# "Cancel it": the thing was named before, and any will do.
_PRONOUN = re.compile(r"\s+(?:it|them|this|that|these|those|(?:the (?:other |first |last |second )?)?ones?|both)\b")
# Characters before a word in which an article or a possessive makes it a noun.
_LEAD = 16
# Words between an article and its noun: "a new draft file".
_DESCRIBED = r"\s+(?:\w+\s+){0,2}?"
# Where a command stands without any word before it.
_SENTENCE_BEGINS = re.compile(r"(?:^|[.!?:;\n,]\s*|- )$")
# The verb of tools that change nothing but where the agent is.
_MOVING_ABOUT = "navigate"
# Verbs that say little: what is done is said by the noun ("create a reminder" is to remind).
_MAKING = frozenset(
    "create make add send issue place submit log give book schedule set file post open register request record enter"
    "".split()
)
# Those that bring a thing about for whoever names it.
_BRINGING = _MAKING | frozenset({"order", "reserve", "buy", "purchase", "rent"})
# The first word of a text.
_FIRST = re.compile(r"\w+")
# Letters of a word that may be made of two, letters of its second part, and how many such words are looked at.
_LONG_WORD, _ENDING, _MOST_JOINED = 7, 4, 400
# Words of a parameter's name that say how it is given, not what it is.
_NAMING = frozenset("name id ids number value type kind list content text".split())
# What stands behind a verb that has an object.
_GOVERNS = re.compile(r"\s+(?:the|a|an|my|our|his|her|their|me|him|us|them)\b")
# Characters behind a verb in which its object stands, and what ends it.
_OBJECT = 60
_CLAUSE_ENDS = re.compile(r"[.,;:!?]|\b(?:to|from|for|in|on|at|by|of|with|into|and|or|that|which|who)\b")
# "The guest's microphone" is a microphone.
_POSSESSIVE = re.compile(r"\w+'s\b")
# Characters before a word in which what makes it a command stands: "could you please".
_COMMAND = 24


@dataclass(frozen=True)
class Match:
    """How a text asks for a tool."""

    verb: str
    """The word that asks for it."""
    things: frozenset[str]
    """The tool's nouns that the text speaks of, as roots."""


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
        # "Two loaves for Saturday, please" asks for the one tool that brings loaves about.
        if found := _unsaid(tool.name, tool.description[:_READ], text):
            return None if any(_unsaid(other.name, other.description[:_READ], text) for other in others) else found
    return None


@lru_cache(maxsize=4096)
def _unsaid(name: str, description: str, text: str) -> Match | None:
    """How a text without any verb asks for a tool that makes or orders: by the thing it opens with."""
    purpose, plain = purpose_of(name, description), fold(unquoted(text))[:_READ].lstrip(" -*\"'")
    if purpose.verbs.isdisjoint(_BRINGING) or "?" in plain or not plain:
        return None
    for language in (each for each in languages_of(text) if each.spaced):
        first = _FIRST.match(plain)
        opens = first and (first.group() in language.ones or any(each.start == 0 for each in said_in(plain)))
        if opens and not has_verb(plain, language) and not phrases(language.negations).search(plain):
            things = _spoken_of(purpose, plain, fold(text)[:_READ])
            return Match(min(things), things) if things else None
    return None


@lru_cache(maxsize=4096)
def _match(name: str, description: str, text: str) -> Match | None:
    purpose, plain = purpose_of(name, description), fold(unquoted(text))[:_READ]
    things = _spoken_of(purpose, plain, fold(text)[:_READ])
    for start, end in _asking(purpose, plain, text):
        verb = plain[start:end]
        # A tool without any thing of its own ("pay", "reschedule") is asked for by its verb.
        named = things or ({verb} if not purpose.things or _speaks_again(plain, start, end, text) else frozenset())
        if named:
            return Match(verb, frozenset(named))
    for start, end in _asking(replace(purpose, verbs=purpose.deeds), plain, text) if purpose.deeds else ():
        return Match(plain[start:end], frozenset({root(plain[start:end])}))
    for start, end in _made(purpose, plain, text):
        return Match(plain[start:end], things or frozenset({root(plain[start:end])}))
    return None


def _speaks_again(plain: str, start: int, end: int, text: str) -> bool:
    """Whether a pronoun stands for the thing that the verb there acts on."""
    spoken = (language for language in languages_of(text) if language.code != languages()[0].code)
    return _PRONOUN.match(plain, end) is not None or any(speaks_of_it(plain, start, end, each) for each in spoken)


@dataclass(frozen=True)
class AskingVerb:
    """The word by which a text asks for a tool's kind of action."""

    word: str
    vague: bool
    """Whether many tools do what it says: "put", or a verb whose object is a thing of another kind."""


def asking_verb(tool: ToolDoc, texts: Iterable[str]) -> AskingVerb | None:
    """The word by which a text asks for the tool's kind of action, on whatever thing."""
    purpose = purpose_of(tool.name, tool.description[:_READ])
    for text in texts:
        plain = fold(unquoted(text))[:_READ]
        for start, end in _asking(purpose, plain, text):
            verb = plain[start:end]
            says_little = verb in _MAKING or any(verb in language.light for language in languages())
            return AskingVerb(verb, says_little or not _is_of(purpose, plain, end, text))
    return None


def _is_of(purpose: Purpose, plain: str, end: int, text: str) -> bool:
    """Whether the verb that ends there may have an object of the tool's kind.

    An object that no table knows may be called anything: it is taken for one of the tool's. One of another kind may be
    the same thing still ("forward the contract" forwards a mail), but that is not for the verb to tell.
    """
    own = frozenset(kind for thing in purpose.things for kind in _kinds(thing))
    for word in _WORD.findall(_POSSESSIVE.sub(" ", _CLAUSE_ENDS.split(plain[end : end + _OBJECT])[0])):
        if root(word) in roots(purpose.things):
            return True
        for language in languages_of(text):
            kinds = {kind for kind, words in language.things.items() if word in words or language.stem(word) in words}
            if kinds:
                return not own.isdisjoint(kinds)
    return True


def speaks_of(tool: ToolDoc, texts: Iterable[str]) -> str | None:
    """A thing of the tool's that a text mentions: enough for a tool that only reads."""
    purpose = purpose_of(tool.name, tool.description[:_READ])
    found = (_spoken_of(purpose, fold(unquoted(text))[:_READ], fold(text)[:_READ]) for text in texts)
    return next((min(things) for things in found if things), None)


def speaks_of_parameter(name: str, text: str) -> bool:
    """Whether a text mentions what a parameter is named after, or a value that is written like one: a file, money."""
    # A customer's mail is a mail: who speaks of the customer does not speak of it.
    head = [word for word in tokens_of(name) if word not in _NAMING][-1:]
    purpose = Purpose(frozenset(), frozenset(word for word in head if _kinds(word)), frozenset())
    return bool(_spoken_of(purpose, fold(unquoted(text))[:_READ], fold(text)[:_READ]))


def only_reads(tool: ToolDoc) -> bool:
    """Whether the tool only looks something up, by its mark or by the verb of its name or document."""
    verbs = purpose_of(tool.name, tool.description[:_READ]).verbs
    return not tool.environment_changing or (bool(verbs) and all(map(is_reading_verb, verbs)))


def explores(tool: ToolDoc) -> bool:
    """Whether the tool at most moves the agent about (another working directory, another page) to look around."""
    verbs = purpose_of(tool.name, tool.description[:_READ]).verbs
    return only_reads(tool) or (bool(verbs) and all(is_reading_verb(verb) or verb == _MOVING_ABOUT for verb in verbs))


def outdone(tool: ToolDoc, matched: Match, toolset: Sequence[ToolDoc], texts: Iterable[str]) -> bool:
    """Whether the texts speak more exactly of another tool of the same verb: of all this one's nouns, and of more."""
    own = purpose_of(tool.name, tool.description[:_READ])
    for other in toolset:
        purpose = purpose_of(other.name, other.description[:_READ])
        if other.name == tool.name or not purpose.verbs & own.verbs:
            continue
        theirs = match(other, texts)
        mine, others = matched.things & roots(own.named), (theirs.things & roots(purpose.named)) if theirs else set()
        if mine < others:
            return True
    return False


def _asking(purpose: Purpose, plain: str, text: str) -> Iterator[tuple[int, int]]:
    """The words of a text that ask for the tool's action and are not denied."""
    for language in languages_of(text):
        wanted = frozenset(word for verb in purpose.verbs for word in _meaning(language, verb))
        english = language.code == languages()[0].code
        found = _verbs_in(wanted, purpose, plain, language) if english or language.spaced else ()
        spans = (*found, *(() if english else verbs_in(wanted, plain, language)), *_phrases_in(wanted, plain, language))
        yield from (span for span in spans if not is_denied(plain, span[0], span[1]))


def _verbs_in(wanted: frozenset[str], purpose: Purpose, plain: str, language: Language) -> Iterator[tuple[int, int]]:
    nouns, own = roots(purpose.things), roots(purpose.verbs)
    bases, named = _bases(wanted, language), roots(wanted)
    english = language.code == languages()[0].code
    for hit in _WORD.finditer(plain):
        word = hit.group()
        # Other languages inflect more: their verbs are looked for by `verbs_in`.
        listed = english and not bases.isdisjoint(_forms(word, language))
        verbal = listed and not NOUN_BEFORE.search(plain[: hit.start()][-_LEAD:])
        asks = verbal or (root(word) in own and root(word) not in nouns and bases.isdisjoint(_forms(word, language)))
        # "Arrange the reservation": the noun of a verb, which a verb that says little governs.
        asks = asks or (root(word) in named and word not in wanted and _is_done(plain, hit.start(), language))
        asks = asks or (
            not purpose.own.isdisjoint(_forms(word, language)) and _is_command(plain, hit.start(), language)
        )
        if asks:
            yield hit.span()


def _phrases_in(wanted: frozenset[str], plain: str, language: Language) -> Iterator[tuple[int, int]]:
    """Verbs of several words; a particle may stand behind the object: "log me in"."""
    spoken = frozenset(word for word in wanted if " " in word)
    yield from (hit.span() for hit in phrases(spoken).finditer(plain))
    for verb, _, particle in (phrase.partition(" ") for phrase in sorted(spoken)):
        if particle in language.particles:
            yield from (hit.span() for hit in _apart(verb, particle).finditer(plain))


@lru_cache(maxsize=512)
def _apart(verb: str, particle: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(verb)}\b(?:[^\S\n]+[^\s.;:!?]+){{1,8}}?[^\S\n]+{re.escape(particle)}(?!\w)")


def _made(purpose: Purpose, plain: str, text: str) -> Iterator[tuple[int, int]]:
    """What the tool makes, asked for by itself: "into a new file", or as a verb: "remind me" for a reminder."""
    if purpose.verbs.isdisjoint(_MAKING):
        return
    nouns = roots(purpose.things)
    for language in languages_of(text):
        for hit in re.finditer(phrases(language.fresh).pattern + _DESCRIBED + r"(\w+)", plain):
            if root(hit[1]) in nouns and not is_denied(plain, hit.start()):
                yield hit.span(1)
        for hit in _WORD.finditer(plain):
            # "Call the plumber" is a command, "call log" is none.
            governs = hit.group() not in purpose.things or _GOVERNS.match(plain, hit.end())
            if (
                root(hit.group()) in nouns
                and governs
                and _is_command(plain, hit.start(), language)
                and not is_denied(plain, hit.start())
            ):
                yield hit.span()


def _is_command(plain: str, start: int, language: Language) -> bool:
    """Whether the word that begins there stands where commands stand: first in its clause, or behind "please"."""
    before = plain[max(0, start - _COMMAND) : start]
    if _SENTENCE_BEGINS.search(before):
        return True
    return bool(re.search(phrases(language.commands).pattern + r"\s+$", before))


def _is_done(plain: str, start: int, language: Language) -> bool:
    """Whether a verb that says little governs the noun that begins there: "make the", "arrange my"."""
    articles = "|".join(sorted(map(re.escape, language.small)))
    pattern = phrases(language.light).pattern + rf"\s+(?:(?:{articles})\s+){{1,2}}(?:\w+\s+){{0,2}}$"
    return bool(re.search(pattern, plain[max(0, start - 2 * _COMMAND) : start]))


def _spoken_of(purpose: Purpose, plain: str, whole: str) -> frozenset[str]:
    """The tool's nouns, as roots, that the text mentions, by another name too or by the writing of a value."""
    said = {root(word) for word in _WORD.findall(plain)}
    spoken = languages_of(whole)
    for language in spoken:
        words = _WORD.findall(plain) if language.spaced else ()
        said.update(language.stem(word) for word in words)
        things = frozenset(thing for words in language.things.values() for thing in words)
        said.update(root(thing) for thing in (*things, *purpose.things) if not language.spaced and thing in plain)
    # Words are joined to one: a spotlight is a light, a "Lieferadresse" an address.
    joined = [word for word in said if len(word) > _LONG_WORD][:_MOST_JOINED]
    shaped = {kind for pattern, kind in _SHAPES if pattern.search(whole)}
    return frozenset(
        root(thing)
        for thing in purpose.things
        if root(thing) in said
        or any(language.stem(thing) in said for language in spoken)
        or words_alike(thing) & said
        or _ends(joined, thing)
        or (shaped and _kinds(thing) & shaped)
    )


def _ends(joined: Sequence[str], thing: str) -> bool:
    """Whether a longer word ends in a word for the thing."""
    endings = tuple(word for word in (root(thing), *words_alike(thing)) if len(word) >= _ENDING)
    return any(word.endswith(endings) and word not in endings for word in joined) if endings else False


def _forms(word: str, language: Language) -> tuple[str, ...]:
    """The forms under which a word may be looked up."""
    return base_forms(word) if language.code == languages()[0].code else (word, language.stem(word))


@lru_cache(maxsize=1024)
def _bases(wanted: frozenset[str], language: Language) -> frozenset[str]:
    if language.code == languages()[0].code:
        return wanted
    return wanted | frozenset(map(language.stem, wanted))


@lru_cache(maxsize=1024)
def _meaning(language: Language, verb: str) -> frozenset[str]:
    """The language's words for a kind of action, else for those that English has other words of its own for."""
    found = frozenset(word for key, words in language.verbs.items() if root(key) == root(verb) for word in words)
    if found or language.code == languages()[0].code:
        return found
    near = roots(_meaning(languages()[0], verb))
    return frozenset(word for key, words in language.verbs.items() if root(key) in near for word in words)


@lru_cache(maxsize=1024)
def words_alike(thing: str) -> frozenset[str]:
    """The roots and stems of other words for a thing, in any language."""
    kinds = _kinds(thing)
    words = ((each, word) for each in languages() for kind in kinds for word in each.things.get(kind, ()))
    return frozenset(form for each, word in words for form in (root(word), each.stem(word)))


@lru_cache(maxsize=1024)
def _kinds(thing: str) -> frozenset[str]:
    english = languages()[0].things
    found = frozenset(kind for kind, words in english.items() if any(root(word) == root(thing) for word in words))
    # A tool may be named in another language.
    return found or frozenset(kind for each in languages()[1:] for kind, words in each.things.items() if thing in words)
