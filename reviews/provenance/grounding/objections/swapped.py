"""Two arguments of a call that fit better the other way round: accounts, dates, a count and a number."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TypeAlias

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.objections.mentions import NAME_WORDS, NAMELESS, Mention, mentions_of
from reviews.provenance.grounding.results import Competing, Found
from reviews.provenance.request.actions import tokens_of
from reviews.provenance.request.asked_for import words_alike
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.parts import fits, part_of_parameter
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.roots import root
from reviews.provenance.values.moment import moment_of
from reviews.provenance.values.number import number_of

# Arguments of a call that are compared in pairs; longer ones come from lists, whose items have no parts.
_MOST_ARGUMENTS = 16
# Characters of a value that names something; longer ones are prose.
_LONGEST = 80
# By how much the other way round must fit better: one word may stand beside a value by chance.
_MARGIN = 2
# Figures from which a bare number is an identifier.
_LONG_NUMBER = 7
# The same of a number that is given as a string: numbers that count are given as numbers.
_LONG_DIGITS = 5
# Letters of a word for whoever does something.
_SHORTEST_DOER = 5
# Kinds that strings of figures may be mistaken for: a card's number, its month and a token.
_WRITTEN = frozenset({"number", "code", "time"})
# A name may have one word or several: an old and a new one are of one kind all the same.
_NAMES = frozenset({"word", "name"})
# What is written without spaces.
_TOKENS = frozenset({"word", "code"})
# A name with an ending of letters, in any folder.
_FILE = re.compile(r"[^\s/]+\.[a-z]\w{1,4}")


@dataclass(frozen=True)
class _Argument:
    """An argument with every mention of its value."""

    leaf: Leaf
    mentions: tuple[Mention, ...]
    others: tuple[str, ...] = ()
    """Names of the call's other parameters."""

    @cached_property
    def part(self) -> str | None:
        return part_of_parameter(self.leaf.name, self.leaf.description, self.others)

    @cached_property
    def named(self) -> frozenset[str]:
        """Roots of the words of its parameter's name, with words that mean the same."""
        return _roots(tokens_of(self.leaf.name))

    @cached_property
    def doing(self) -> frozenset[str]:
        """What one does who is called like the parameter: an examiner examines, a coach coaches."""
        return frozenset(form for word in tokens_of(self.leaf.name) for form in (word, *_undone(word)))

    @cached_property
    def described(self) -> frozenset[str]:
        """The same of its parameter's description."""
        return _roots(words_of(self.leaf.description[:200]))

    @cached_property
    def kind(self) -> str:
        """How the value is written: only values of one kind can have changed places."""
        longest = _LONG_DIGITS if isinstance(self.leaf.value, str) else _LONG_NUMBER
        if number_of(self.leaf.value) is not None and len(self.leaf.text) < longest:
            return "number"
        if moment_of(self.leaf.value):
            return "time"
        if "@" in self.leaf.text:
            return "address"
        if _FILE.fullmatch(self.leaf.folded):
            return "file"
        if " " not in self.leaf.text:
            return "code" if any(map(str.isdigit, self.leaf.text)) else "word"
        return "name" if len(self.leaf.words) <= NAME_WORDS else "text"


# The words of a parameter's name and those of its description, without those of the other parameter.
_Vocabulary: TypeAlias = tuple[frozenset[str], frozenset[str]]


def swapped(leaves: Sequence[Leaf], evidence: Evidence, budget: Budget) -> Iterator[tuple[Leaf, Found]]:
    """For each pair that fits better the other way round, both arguments, each competing with the other's value."""
    named = [leaf for leaf in leaves if leaf.text and len(leaf.text) <= _LONGEST and not isinstance(leaf.value, bool)]
    single = [leaf for leaf in named if not leaf.pointer.rpartition("/")[2].isdigit() and not leaf.choices]
    if not 1 < len(single) <= _MOST_ARGUMENTS:
        return
    names = tuple(leaf.name for leaf in single)
    arguments = [_Argument(leaf, tuple(mentions_of(leaf, evidence, budget)), names) for leaf in single]
    for one, other in combinations(arguments, 2):
        if (
            one.leaf.folded == other.leaf.folded
            or not _of_one_kind(one, other)
            or one.kind == "text"
            or not (one.mentions and other.mentions)
        ):
            continue
        if spans := _better_turned(one, other):
            yield one.leaf, _competing(one, other, spans)
            yield other.leaf, _competing(other, one, spans[::-1])


def _of_one_kind(one: _Argument, other: _Argument) -> bool:
    """Whether one may have been taken for the other, by how both are written; as strings, figures of any kind."""
    strings = isinstance(one.leaf.value, str) and isinstance(other.leaf.value, str)
    kinds = {one.kind, other.kind}
    # Only as it is written may a time be taken for a code.
    if len(kinds) > 1 and any(":" in each.leaf.text for each in (one, other)):
        return False
    opposed = one.part is not None and other.part is not None and fits(one.part, other.part) < 0
    # Of two branches one may have figures in its name: where one has a part, they may be mistaken all the same.
    parted = (one.part is None) != (other.part is None) and kinds <= _TOKENS
    return one.kind == other.kind or (strings and (kinds <= _WRITTEN or parted or (opposed and kinds <= _NAMES)))


def _better_turned(one: _Argument, other: _Argument) -> tuple[Span, Span] | None:
    """Where the two values are said, when each is at least as much at home as the other's, and one clearly more."""
    words = (one.named - other.named, one.described - other.described)
    other_words = (other.named - one.named, other.described - one.described)
    as_is = (_fit(one, one, words)[0], _fit(other, other, other_words)[0])
    mine, span = _fit(one, other, words)
    theirs, second = _fit(other, one, other_words)
    if mine < as_is[0] or theirs < as_is[1] or mine + theirs < sum(as_is) + _MARGIN:
        return None
    return span, second


def _fit(parameter: _Argument, value: _Argument, vocabulary: _Vocabulary) -> tuple[int, Span]:
    """How well one argument's value fits another's parameter, by the mention that fits best."""
    own = {root(word) for word in tokens_of(value.leaf.text) if not word.isdigit()}
    scored = [(_score(parameter, mention, vocabulary), mention.span) for mention in value.mentions]
    best, span = max(scored, key=lambda pair: pair[0])
    return best + 2 * bool(own & vocabulary[0]), span


def _score(parameter: _Argument, mention: Mention, vocabulary: _Vocabulary) -> int:
    named, described = vocabulary
    # A name says what a parameter is; a description mentions other things as well.
    score = 3 * bool((mention.beside | mention.is_a) & named) or int(bool(mention.beside & described))
    # "Greta the tutor of Lior" stands beside both, and says what Greta is; whoever examines is the examiner.
    score += 2 * bool(mention.is_a & named) + 3 * bool(mention.does & parameter.doing)
    if parameter.part and mention.part:
        score += 2 * fits(mention.part, parameter.part)
    return score


def _undone(word: str) -> Iterator[str]:
    """The verbs that a word for whoever does something may come from: examiner, trainer, planner, editor."""
    if len(word) >= _SHORTEST_DOER and word.endswith(("er", "or")):
        base = word[:-2]
        yield from (base, f"{base}e", *([base[:-1]] if base[-1] == base[-2] else ()))


def _roots(words: Sequence[str]) -> frozenset[str]:
    telling = [word for word in words if word not in NAMELESS and word.isalpha()]
    return frozenset(root(word) for word in telling).union(*(words_alike(word) for word in telling))


def exchange_of(one: Leaf, other: Leaf) -> str:
    """What both are called as one reading: with one of them changed alone, both arguments would be the same."""
    first, second = sorted((one.name[:40], other.name[:40]))
    return f"{first} and {second} exchanged"


def _competing(one: _Argument, other: _Argument, spans: tuple[Span, Span]) -> Found:
    value = shortened(other.leaf.text, 40)
    note = f"“{value}” fits {one.leaf.name[:40]} better; the two values seem to be the wrong way round."
    rival = Competing(other.leaf.text, (spans[0],), exchange_of(one.leaf, other.leaf))
    return Found(Grounding.COMPETING, (spans[1],), note, (rival,))
