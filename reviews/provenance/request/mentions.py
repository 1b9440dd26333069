"""What the request calls things by, and whether it asks for one of them, many, or one chosen by comparison."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from reviews.provenance.core.context import Span
from reviews.provenance.records.index import Indexed
from reviews.provenance.records.records import Group, Record
from reviews.provenance.request.naming import STOP, Mention, codes_in, named_in
from reviews.provenance.request.negation import is_denied
from reviews.provenance.text.quotations import FOLDED_QUOTATION
from reviews.provenance.text.stems import stem

# Words by which several are meant.
_MANY = re.compile(
    r"\b(?:all|each|every|everyone|everybody|everything|both|any|anyone|whichever|either|multiple|several|many|various|bulk|these|those|few|couple|bunch|lots|some)\b"
)
# Words that choose by order.
_ORDER = """
    last first next most least more less fewer fewest previous final current recent recently overdue urgent
    upcoming best worst top bottom second third fourth fifth only same other another free available default main
    primary usual over under above below after before since between than until past future higher lower larger
    smaller bigger earlier later older newer cheaper due
    """.split()
# Words that end in -est and compare nothing.
_NOT_SUPERLATIVE = """
    request interest suggest guest test rest west forest invest harvest contest protest manifest digest quest nest chest
    """.split()
# Superlatives by their ending, since any adjective has one.
_CHOSEN = re.compile(rf"\b(?:{'|'.join(_ORDER)}|(?!(?:{'|'.join(_NOT_SUPERLATIVE)})\b)[a-z]{{2,12}}est)\b")
# Words that end in -s and are no plurals.
_SINGULAR = "this|his|is|was|its|has|as|us|yes|does|address|business|status|class|access|process|news"
# Plurals that count, and name nothing.
_UNITS = "euros|dollars|pounds|francs|cents|bucks|percents|seconds|minutes|mins|hours|days|weeks|months|years"
_PLURAL = rf"(?P<plural>(?!(?:{_SINGULAR}|{_UNITS})\b)[a-z]{{2,}}s)"
# Words that join a plural to what qualifies it.
_JOINS = "with|from|of|by|about|named|called|assigned|belonging|on|in|for|that|where|which"
_PLURAL_BEFORE = re.compile(rf"\b{_PLURAL}(?: \w+){{0,2}} (?:{_JOINS})(?: to)?\W+$")
# A clause that follows has a verb: "the tenor that rehearsal starts" are not several.
_PLURAL_AFTER = re.compile(rf"^(?:'s?|\W)?(?! (?:that|which|who|whether|if|when|because)\b)(?: \w+){{0,2}} {_PLURAL}\b")
_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"[.!?;\n]\s")
# "Last week" is a period: its "last" chooses nothing.
_PERIOD = re.compile(
    r"\b(?:last|next|first|past|previous)(?: \w+)? "
    r"(?:second|minute|hour|day|night|week|weekend|fortnight|month|year)s?\b(?!-)"
)
# Characters of a sentence that are looked at: without bound one that never ends is read from each word.
_LONGEST_SENTENCE = 1000
# A word between an article and what it qualifies.
_QUALIFIER = re.compile(r"\b(?:the|a|an|my|our|his|her|their) (?P<word>[^\W\d_]{3,}) $")
# Mentions of one word kept.
_REPEATS = 64
# Characters around a mention in which a plural noun may stand.
_REACH = 48


@dataclass(frozen=True)
class References:
    """The words of the user's messages that can name a record."""

    texts: tuple[Indexed, ...]
    _explained_by: dict[frozenset[Span], frozenset[str]] = field(default_factory=dict, compare=False)

    @cached_property
    def mentions(self) -> Mapping[str, tuple[Mention, ...]]:
        """Where each stem, and each day as ISO text, is mentioned."""
        found: dict[str, list[Mention]] = {}
        for text in self.texts:
            for word, mention in named_in(text):
                known = found.setdefault(word, [])
                known += [mention] if len(known) < _REPEATS else []
        return {word: tuple(known) for word, known in found.items()}

    @cached_property
    def spoken(self) -> Mapping[str, Span]:
        """Where each stem is first said, those that name nothing included."""
        found: dict[str, Span] = {}
        for text in self.texts:
            for hit in _WORD.finditer(text.folded.text):
                if (word := stem(hit.group())) not in found:
                    found[word] = text.span(*hit.span())
        return found

    @cached_property
    def codes(self) -> frozenset[str]:
        """The identifiers of several parts that the user says."""
        return frozenset(code for text in self.texts for code, _ in codes_in(text))

    def asks_for_many(self, words: Iterable[str]) -> bool:
        """Whether the user asks for all of the things so named, and compares none of them."""
        words = frozenset(words)
        naming = [sentence for text in self.texts for sentence in _sentences_with(words, text)]
        many = any(_MANY.search(_unmasked(sentence)) for sentence in naming)
        return many and not any(_CHOSEN.search(_unmasked(sentence)) for sentence in naming)

    def selects(self, words: Iterable[str]) -> bool:
        """Whether the user asks for many of the things so named, or for one chosen by order or comparison.

        Words that ask so stand in the sentence that names the things, or in a later one that speaks of them again.
        """
        named = [mention for word in words for mention in self.mentions.get(word, ())]
        if not named:
            return bool(self._selecting)
        return any(text is not m.text or at >= _sentence(m) for text, at in self._selecting for m in named)

    @cached_property
    def _selecting(self) -> tuple[tuple[Indexed, int], ...]:
        """The last word of each text that asks for many or compares; "next Friday" and quotations do neither."""
        return tuple((text, at) for text in self.texts if (at := _last_selecting(text)) >= 0)

    def shared(self, group: Group) -> tuple[frozenset[str], ...]:
        """For each record of a group the words of the user that name it."""
        return group.naming(self.naming)

    @cached_property
    def naming(self) -> frozenset[str]:
        """The words that point at something: whom the user leaves out, the user does not point at."""
        return frozenset(
            word
            for word, found in self.mentions.items()
            if not all(is_denied(each.text.folded.text, each.start) for each in found)
        )

    def unexplained(self, words: frozenset[str], used: frozenset[Span]) -> frozenset[str]:
        """The words without those that explain another argument, unless that leaves none."""
        return words - self._explained(used) or words

    def _explained(self, used: frozenset[Span]) -> frozenset[str]:
        if used not in self._explained_by:
            inside = (word for word, found in self.mentions.items() if all(_within(m.span, used) for m in found))
            self._explained_by[used] = frozenset(inside)
        return self._explained_by[used]

    def spans(self, words: Iterable[str]) -> tuple[Span, ...]:
        """The longest stretch of text made of these words; at most one span."""
        mentions = sorted(
            (m for word in words for m in self.mentions.get(word, ())), key=lambda m: (m.span.source, m.start)
        )
        return (max(_runs(mentions), key=lambda m: m.end - m.start).span,) if mentions else ()

    def sign(self, sign: str) -> tuple[Span, ...]:
        """Where a sign such as € stands; at most one span."""
        places = ((text, text.folded.text.find(sign)) for text in self.texts)
        return next(((text.span(at, at + 1),) for text, at in places if at >= 0), ())

    def qualified(self, words: Iterable[str], records: Iterable[Record]) -> bool:
        """Whether a word before one of these qualifies it and is a word of none of the records."""
        known = frozenset().union(*(record.words for record in records))
        for mention in (mention for word in words for mention in self.mentions.get(word, ())):
            folded = mention.text.folded.text
            before = _QUALIFIER.search(folded, max(0, mention.start - _REACH), mention.start)
            if before and before["word"] not in STOP and stem(before["word"]) not in known:
                return True
        return False

    def plural(self, words: Iterable[str]) -> bool:
        """Whether one of the words stands with a plural noun: "Lena's leads", "meetings with Raj"."""
        words = frozenset(words)
        return any(_near_plural(m, words) for word in words for m in self.mentions.get(word, ()))


def _sentences_with(words: frozenset[str], text: Indexed) -> Iterator[str]:
    """The sentences of a text that mention any of the words."""
    for sentence in _SENTENCE.split(text.folded.text):
        if not words.isdisjoint(map(stem, _WORD.findall(sentence))):
            yield sentence


def _unmasked(sentence: str) -> str:
    """The sentence without periods, such as "last week", and quotations: neither compares things."""
    return _PERIOD.sub(" ", FOLDED_QUOTATION.sub(" ", sentence))


def _sentence(mention: Mention) -> int:
    """Where the sentence of a mention begins."""
    low = max(0, mention.start - _LONGEST_SENTENCE)
    ends = [hit.end() for hit in _SENTENCE.finditer(mention.text.folded.text, low, mention.start)]
    return ends[-1] if ends else low


def _last_selecting(text: Indexed) -> int:
    folded = text.folded.text
    masks = [m.span() for pattern in (_PERIOD, FOLDED_QUOTATION) for m in pattern.finditer(folded)]
    masks += [(moment.start, moment.end) for moment in text.moments if folded[moment.end : moment.end + 1] != "-"]
    masks.sort()
    found = -1
    at = 0
    for hit in sorted(m.start() for pattern in (_MANY, _CHOSEN) for m in pattern.finditer(folded)):
        while at < len(masks) and masks[at][1] <= hit:
            at += 1
        found = found if at < len(masks) and masks[at][0] <= hit else hit
    return found


def _runs(mentions: list[Mention]) -> Iterator[Mention]:
    """Neighbouring mentions joined."""
    run = mentions[0]
    for mention in mentions[1:]:
        if mention.text is run.text and mention.start <= run.end + 1:
            run = Mention(run.text, run.start, max(run.end, mention.end))
        else:
            yield run
            run = mention
    yield run


def _near_plural(mention: Mention, words: frozenset[str]) -> bool:
    folded, reach = mention.text.folded.text, max(0, mention.start - _REACH)
    before, after = folded[reach : mention.start], folded[mention.end : mention.end + _REACH]
    candidates = (
        (re.fullmatch(_PLURAL, folded[mention.start : mention.end]), mention.start),
        (_PLURAL_BEFORE.search(before), reach),
        (_PLURAL_AFTER.search(after), mention.end),
    )
    return any(
        hit is not None and not _is_name(mention.text, hit, offset) and not _qualifies(folded, hit, offset, words)
        for hit, offset in candidates
    )


def _qualifies(folded: str, hit: re.Match[str], offset: int, words: frozenset[str]) -> bool:
    """Whether a plural that names the record itself stands before a noun: a "savings account" is one."""
    if stem(hit["plural"]) not in words:
        return False
    following = _WORD.search(folded, offset + hit.end("plural"), offset + hit.end("plural") + _REACH)
    adjacent = following is not None and following.start() == offset + hit.end("plural") + 1
    return adjacent and following is not None and following.group() not in STOP


def _is_name(text: Indexed, hit: re.Match[str], offset: int) -> bool:
    """Whether a plural found is written as a name: Lucas, Reyes. At the start of a sentence nobody can tell."""
    start, end = offset + hit.start("plural"), offset + hit.end("plural")
    opening = re.search(r"(?:^|[.!?\n])\W*$", text.folded.text[max(0, start - 8) : start]) is not None
    return not opening and text.span(start, end).quote[:1].isupper()


def _within(span: Span, used: frozenset[Span]) -> bool:
    return any(u.source == span.source and u.start <= span.start and span.end <= u.end for u in used)
