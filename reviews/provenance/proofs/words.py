"""The words of a call: those of its tool, of its parameters, and of what the tool's document says that it does.

Beside them only words of a language's frame are known, which say nothing by themselves: prepositions, articles and a
few that link.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import is_plural, local_name, root_of, stem_of, stems_of, tokens_of

PREPOSITIONS: Final = frozenset("to from in at on by for with of into".split())
"""Prepositions that parameters are called by, and that lead from one known word to the next."""
ARTICLES: Final = frozenset("the a an my our your this".split())
OWNERS: Final = frozenset("my our your".split())
"""Those of them that say whose something is."""
PRONOUNS: Final = frozenset("it them me us him her you".split())
"""What stands for somebody or something that is named elsewhere."""
CALLING: Final = frozenset("called named titled".split())
"""Words that say what something is called."""
LINKS: Final = frozenset("is be should as saying".split()) | CALLING
"""Words between a parameter's name and its value: "the subject should be", "a folder called", "a mail saying"."""
FRAME: Final = PREPOSITIONS | ARTICLES | PRONOUNS | LINKS | {"and"}
"""All of these: words that every sentence has."""
STANDING_IN: Final = frozenset({"it", "them", "and"})
"""What stands for something that the sentence has named before, and what joins two of them."""
SETTING: Final = frozenset("set update change edit modify put".split())
"""Verbs of tools that leave a value as it is given."""
TOWARDS: Final = frozenset({"to", "into"})
"""What leads to where something goes, and to what it becomes."""
PLACES: Final = frozenset({"path", "url"})
"""How parameters are called whose value names a thing by where it is."""
# How parameters are called that count something, besides its plural.
_COUNTING: Final = frozenset("quantity qty count number num".split())
# Prepositions that say the same of where something is: whoever moves it "into" a folder moves it "to" one.
_ALIKE: Final = (TOWARDS, {"for", "in", "on", "at"})
# Prepositions that say where something comes from, and that a day is the latest one.
_ORIGINS: Final = frozenset({"from", "by"})
# The first sentence of a document says what the tool does; later ones may forbid what they mention.
_FIRST_SENTENCE: Final = re.compile(r"\s*[^.;:\n]*")
_PIECE: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[^\w\s]")
_NOUNS: Final = re.compile(r"(?: [^\W\d_]+)+ [\"'`«“]?")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_NEXT_WORD: Final = re.compile(r" ([^\W\d_]+)")
# Characters behind a possessive in which its noun stands.
_MAX_NOUN: Final = 60


def labels_of(name: str) -> frozenset[str]:
    """The words by which a text may name a parameter."""
    return frozenset(token if token in PREPOSITIONS else stem_of(token) for token in tokens_of(name))


def labels_in(name: str, call: ProposedCall) -> frozenset[str]:
    """The words by which a text may name a parameter, with the prepositions that the document has before them.

    Who "assigns a ticket to a user" calls the user by "to". "Of" joins any two nouns: beside the parameter's own, which
    needs none, it leads to something else. "The game score of Ann" is not the "score of a game".
    """
    labels, own = _labels_by_name(*_document_of(call)).get(name), labels_of(name)
    is_said = labels is not None and "of" in labels - own and not (own - PREPOSITIONS).isdisjoint(call.spoken_stems)
    return (labels or own) - ({"of"} if is_said else set())


def labels_of_others(leaf: Leaf, call: ProposedCall, *, with_object: bool = False) -> frozenset[str]:
    """The words by which a text may name the other parameters.

    What the tool works on is none of them, unless it is asked for: the event of a "2 hour event" and of `event_name`.
    """
    labels = _labels_without(leaf.parameter, *_document_of(call))
    return labels if with_object else labels - stems_of(local_name(call.tool))


def documented_nouns(call: ProposedCall) -> frozenset[tuple[str, str]]:
    """Each preposition of what the tool's document says that it does, with the stem of the noun behind it."""
    return _nouns_of_document(_document_of(call)[1])


def nouns_behind(folded: str) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Each preposition of a text with the word behind it and its articles, and where that word stands."""
    leading = ""
    for hit in _PIECE.finditer(folded):
        if leading and hit[0] not in ARTICLES:
            yield leading, hit[0], hit.span()
        leading = hit[0] if hit[0] in PREPOSITIONS else leading if hit[0] in ARTICLES else ""


def led_roots(rest: str) -> Iterator[tuple[str, str]]:
    """The roots of the words behind a verb, each with the preposition before it, which leads up to a comma."""
    leading = ""
    for word in (piece.removesuffix("'s") for piece in _PIECE.findall(rest)):
        if word in PREPOSITIONS or word == "and" or not word.isalpha():
            leading = word if word in PREPOSITIONS else ""
        elif word not in FRAME:
            yield leading, root_of(word)


def nouns_in(description: str) -> Iterator[str]:
    """The stems of the words of a document that stand as nouns do: behind an article, or in the plural."""
    before = ""
    for word in _LETTERS.findall(description.lower()):
        if before in ARTICLES or (before and is_plural(word)):
            yield stem_of(word)
        before = word


def may_name_next_value(end: int, call: ProposedCall, *, is_counted: bool) -> bool:
    """Whether the words behind a place may be the name of the value that they lead to: "a.txt new name b.txt".

    One noun behind a figure is what that counts.
    """
    start = next((start for start, _ in call.used[bisect_left(call.used, (end,)) :]), end)
    words = _NOUNS.fullmatch(call.text.folded, end, start)
    return words is not None and len(words[0].split()) > is_counted and FRAME.isdisjoint(words[0].split())


def is_led_elsewhere(preposition: str, name: str, call: ProposedCall) -> bool | None:
    """Whether this preposition gives a value another part than the parameter's; None where the document is silent.

    A book that is returned "from a reader" goes to none.
    """
    documented = documented_leads(name, call)
    if not preposition or preposition in labels_of(name) | documented:
        return False
    if documented or not PREPOSITIONS.isdisjoint(labels_of(name)):
        return True
    return None if preposition in _ORIGINS else False


def names_another(words: Iterable[str], name: str, call: ProposedCall) -> bool:
    """Whether one of the words right before a value is a noun of the tool or its document that is not the parameter's.

    "The order of customer C-1" says no `order_id`, and "from account A-1" nobody whom money goes `to`. Of a parameter
    that neither of them mentions nobody can tell what it is called by.
    """
    labels, pairs = labels_in(name, call), documented_nouns(call)
    nouns = stems_of(local_name(call.tool)).union((noun for _, noun in pairs), map(stem_of, call.object_words))
    led = {noun for leading, noun in pairs if leading in labels}
    is_known = not labels.isdisjoint(nouns.union(leading for leading, _ in pairs))
    return is_known and not (nouns - labels - led).isdisjoint(map(stem_of, words))


def documented_leads(name: str, call: ProposedCall) -> frozenset[str]:
    """The prepositions that the tool's document has before the parameter's noun, and those that say the same.

    One right behind the verb may make another verb of it: a form is filled "in", and nothing is filled "for" it.
    """
    documented = frozenset(leading for leading, noun in documented_nouns(call) if noun in labels_of(name))
    particle = _document_of(call)[1].lower().split()[1:2]
    return documented.union(*(group for group in _ALIKE if not group.isdisjoint(documented.difference(particle))))


def counts_anything(name: str) -> bool:
    """Whether a parameter counts whatever it is given with, and has no plural of it in its name: `quantity`."""
    return not _COUNTING.isdisjoint(tokens_of(name)[-1:])


def leads_with_more(preposition: str, name: str, call: ProposedCall) -> bool:
    """Whether a parameter's preposition stands in its name behind a word that nobody says.

    Who sends an email "to Ann" says no `reply_to`.
    """
    tokens = tokens_of(name)
    if preposition not in PREPOSITIONS.intersection(tokens) - documented_leads(name, call):
        return False
    return any(stem_of(token) not in call.spoken_stems for token in tokens[: tokens.index(preposition)])


def join_split(words: Iterable[str], call: ProposedCall) -> list[str]:
    """Words, of which two that a name of the call has as one are one: the "user name" of `username`."""
    joined: list[str] = []
    for word in words:
        if joined and root_of(f"{joined[-1]}{word}") in call.known_words:
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def end_of_noun(start: int, call: ProposedCall, known_roots: frozenset[str]) -> int | None:
    """Where the known words behind a place end; None where the next word is not known."""
    end = start
    while (word := _NEXT_WORD.match(call.text.folded, end, start + _MAX_NOUN)) and root_of(word[1]) in known_roots:
        end = word.end()
    return end if end > start else None


def _document_of(call: ProposedCall) -> tuple[tuple[str, ...], str]:
    """The parameters' names, and the first sentence of what the tool's document says."""
    hit = _FIRST_SENTENCE.match(call.descriptions.get(call.tool, ""))
    return tuple(call.document.properties), hit[0] if hit else ""


# The tools of a few conversations, each asked about for every value of every call.
@lru_cache(maxsize=1024)
def _nouns_of_document(sentence: str) -> frozenset[tuple[str, str]]:
    return frozenset((preposition, stem_of(noun)) for preposition, noun, _ in nouns_behind(fold(sentence)))


@lru_cache(maxsize=1024)
def _labels_by_name(parameters: tuple[str, ...], sentence: str) -> Mapping[str, frozenset[str]]:
    by_name, nouns = {name: labels_of(name) for name in parameters}, _nouns_of_document(sentence)
    # Of two pages nobody could tell which one is linked "to a page".
    sole = {noun for _, noun in nouns if sum(noun in labels for labels in by_name.values()) == 1}
    leads = {name: {leading for leading, noun in nouns if noun in labels & sole} for name, labels in by_name.items()}
    return {name: labels | leads[name] for name, labels in by_name.items()}


@lru_cache(maxsize=4096)
def _labels_without(name: str, parameters: tuple[str, ...], sentence: str) -> frozenset[str]:
    by_name = _labels_by_name(parameters, sentence)
    return frozenset[str]().union(*(by_name[parameter] for parameter in by_name.keys() - {name}))
