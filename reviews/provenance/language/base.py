"""What the engine knows of a language, read from one file for each: `en.toml`, `de.toml` and so on.

A language is added by adding its file. Words are given as people write them, without accents, in lower case.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import snowballstemmer

from reviews.provenance.text.fold import fold

# A language is found by its file being here.
_FOLDER = Path(__file__).parent
# What tells a language are words of letters alone.
_WORD = re.compile(r"[^\W\d_]+")
# Languages that put no spaces between words: their words are looked for as they stand.
_UNSPACED = frozenset({"ja", "zh"})
# Snowball's names of the languages it knows.
_STEMMERS = MappingProxyType(
    {
        "de": "german", "en": "english", "es": "spanish", "fr": "french", "it": "italian", "nl": "dutch",
        "pt": "portuguese",
    }
)  # fmt: skip
# Characters of a text by which its language is told: function words are frequent, a few sentences have enough.
_READ = 4_000
# Function words of a language, at least, for a text to be in it.
_ENOUGH = 2


@dataclass(frozen=True, eq=False)
class Language:
    """The tables of one language. Every word is folded; a phrase is words with single spaces."""

    code: str
    """ISO 639-1."""
    function: frozenset[str]
    """Frequent words by which the language of a text is told."""
    negations: frozenset[str]
    """Words that deny what follows: not, never."""
    exclusions: frozenset[str]
    """Words that take out what follows: except, instead of."""
    small: frozenset[str]
    """Prepositions and articles that may stand between a denial and what it denies."""
    conjunctions: frozenset[str]
    """What joins two things: and, or."""
    agreements: frozenset[str]
    """What an answer that accepts a proposal says."""
    reservations: frozenset[str]
    """What takes part of an acceptance back: but, instead."""
    corrections: frozenset[str]
    """What announces another word on the same thing: sorry, make it."""
    roles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By part that a thing plays (source, target, old, new), the words before a thing that give it that part."""
    reading: frozenset[str] = frozenset()
    """Verbs of tools that only look something up."""
    verbs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By kind of action, the verbs that may mean it, in their base forms."""
    things: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By concept, the nouns that mean it."""
    compounds: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By verb, what documents of tools say for it in several words: to change the directory is to navigate."""
    titles: frozenset[str] = frozenset()
    """How people are addressed: many share one, so that it names nobody."""
    commands: frozenset[str] = frozenset()
    """What stands before a command: please, could you."""
    light: frozenset[str] = frozenset()
    """Verbs that say little, so that the noun behind them says what is done: make, arrange."""
    fresh: frozenset[str] = frozenset()
    """What says that a thing is yet to be made: a new."""
    particles: frozenset[str] = frozenset()
    """The second parts of verbs that an object may separate: log me in."""
    days: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By distance from today, in days, the words for it: tomorrow."""
    numbers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By number, the words for it."""
    clock_before: frozenset[str] = frozenset()
    """What stands before an hour: a las."""
    clock_behind: frozenset[str] = frozenset()
    """What stands behind an hour: uhr."""
    wholes: frozenset[str] = frozenset()
    """What asks for all of something: everything, verbatim."""
    number_joins: frozenset[str] = frozenset()
    """How a number between the tens is made of `{ten}` and `{one}`: zweiundzwanzig, treinta y dos."""
    number_gaps: frozenset[str] = frozenset()
    """What stands between the parts of a larger number: nothing, a space, and."""
    hundred: frozenset[str] = frozenset()
    """What a number before it is multiplied by: hundert. A language with words for each hundred lists them all."""
    thousand: frozenset[str] = frozenset()
    """The same of thousands, beside the word for a thousand: mila."""
    half_added: frozenset[str] = frozenset()
    """What adds a half to the number before it: zweieinhalb, due e mezzo."""
    half_before: frozenset[str] = frozenset()
    """What makes the hour behind it half an hour earlier: halb acht."""
    half_behind: frozenset[str] = frozenset()
    """What adds half an hour to the hour before it: et demie."""
    quarter_behind: frozenset[str] = frozenset()
    """The same of a quarter: y cuarto."""
    late: frozenset[str] = frozenset()
    """What says that an hour is of the afternoon or the evening."""
    early: frozenset[str] = frozenset()
    """What says that an hour is of the morning."""
    exceptions: frozenset[str] = frozenset()
    """What takes things out of all of them, to the end of its clause: except, apart from."""
    all: frozenset[str] = frozenset()
    """What asks for every thing of a kind."""
    last_month: frozenset[str] = frozenset()
    """Words for the month before this one."""
    last_year: frozenset[str] = frozenset()
    """Words for the year before this one."""
    ordinals: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By place in a list, from 1 and -1 for the last, the words for it."""
    days_ahead: frozenset[str] = frozenset()
    """What makes a number of days a day, with `{n}` for the number: in {n} tagen."""
    weeks_ahead: frozenset[str] = frozenset()
    """The same of weeks."""
    days_ago: frozenset[str] = frozenset()
    """What makes a number of days a day that is past."""
    weeks_ago: frozenset[str] = frozenset()
    """The same of weeks."""
    next_week: frozenset[str] = frozenset()
    """What says that a weekday is one of the coming week; what touches it, in languages without spaces."""
    this_week: frozenset[str] = frozenset()
    """The same of this week."""
    last_week: frozenset[str] = frozenset()
    """The same of the week before."""
    next_day: frozenset[str] = frozenset()
    """What stands beside a weekday that is to come: prochain."""
    noon: frozenset[str] = frozenset()
    """Words for twelve o'clock at day."""
    midnight: frozenset[str] = frozenset()
    """Words for twelve o'clock at night."""
    past_before: frozenset[str] = frozenset()
    """What adds a quarter to the hour behind it: viertel nach."""
    to_before: frozenset[str] = frozenset()
    """What takes a quarter off the hour behind it: kwart voor."""
    quarter_less: frozenset[str] = frozenset()
    """What takes a quarter off the hour before it: moins le quart."""
    late_before: frozenset[str] = frozenset()
    """What says before an hour that it is of the afternoon or the evening: heute Abend um acht."""
    early_before: frozenset[str] = frozenset()
    """The same of the morning."""
    noes: frozenset[str] = frozenset()
    """What opens an answer that does not agree."""
    only: frozenset[str] = frozenset()
    """What stands before the one thing that is told apart from all others: only Ben not."""
    nots_behind: frozenset[str] = frozenset()
    """What says behind a thing that it stays as it is, or is not meant: じゃない."""
    unchanged: frozenset[str] = frozenset()
    """What says how a thing stays: as it is."""
    leaving: frozenset[str] = frozenset()
    """Verbs by which a thing is left as it is."""
    lengths: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By unit of time, the words for it."""
    spans: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By minutes, lengths of time that have a word of their own: a quarter of an hour."""
    subjects: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By part, the verbs that give it to whoever does what they say: who takes over is a target."""
    later: frozenset[str] = frozenset()
    """What says that a time is moved on, or a stay made longer."""
    earlier: frozenset[str] = frozenset()
    """The opposite."""
    others: frozenset[str] = frozenset()
    """What stands for the one that is not named: "the other one"."""
    beside: frozenset[str] = frozenset()
    """What stands before a thing that nothing moves to or from: "next to", "up to"."""
    new_figures: frozenset[str] = frozenset()
    """What makes the figure behind it the new one: "now shows"."""
    overwriting: frozenset[str] = frozenset()
    """Verbs whose object is what is written over."""
    overwritten_with: frozenset[str] = frozenset()
    """What leads to that which takes its place."""
    replaced_by: frozenset[str] = frozenset()
    """What stands before the thing that another is replaced by: with, durch."""
    halves: frozenset[str] = frozenset()
    """Words for half of something."""
    doubles: frozenset[str] = frozenset()
    """Words for twice as much."""
    roles_behind: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Like `roles`, of words that stand behind a thing."""
    articles: frozenset[str] = frozenset()
    """Articles and possessives: the word behind one is a noun."""
    pronouns: frozenset[str] = frozenset()
    """What stands behind a verb for a thing that was named before: it, them."""
    verb_endings: frozenset[str] = frozenset()
    """Endings of verbs that the stemmer leaves: verlängert, verlengt."""
    ones: frozenset[str] = frozenset()
    """What is one inside a larger number, and an article by itself: ein, une."""
    clitics: frozenset[str] = frozenset()
    """Pronouns that are written together with the verb before them: resérvamelo."""
    particle_forms: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By the second part of a verb, what people say for it: dran for an."""
    denied_behind: frozenset[str] = frozenset()
    """Words, in a language without spaces endings, that deny the verb before them in its clause."""
    least: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By dimension, what asks for the thing with the least of it: cheapest. Endings may follow, except in English."""
    greatest: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The same for the most of it."""
    columns: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By dimension, words of the names of fields that tell it."""
    dayparts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By part of the day, the words for it."""
    list_ends: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Like `ordinals`, of words for the ends of a list: top, bottom, last but one."""

    @property
    def spaced(self) -> bool:
        """Whether the language writes spaces between words."""
        return self.code not in _UNSPACED

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every single word of the tables: what tells a text's language where it has few function words."""
        lists = (self.function, self.negations, self.exclusions, self.small, self.corrections)
        tables = (self.verbs, self.things, self.days, self.numbers)
        words = (*chain(*lists), *chain.from_iterable(chain(*table.values()) for table in tables))
        return frozenset(word for word in words if " " not in word)

    @cached_property
    def nouns(self) -> frozenset[str]:
        """Every word for a thing."""
        return frozenset(chain.from_iterable(self.things.values()))

    def stem(self, word: str) -> str:
        """The word without its inflection; the word itself in languages that no stemmer knows."""
        stemmer = _stemmer(self.code)
        return _stemmed(self.code, word) if stemmer else word


@cache
def _stemmer(code: str) -> Callable[[str], str] | None:
    name = _STEMMERS.get(code)
    return snowballstemmer.stemmer(name).stemWord if name else None


# A conversation repeats its words; 8,192 hold the vocabulary of several long ones.
@lru_cache(maxsize=8192)
def _stemmed(code: str, word: str) -> str:
    stemmer = _stemmer(code)
    return fold(stemmer(word)) if stemmer else word


@cache
def languages() -> tuple[Language, ...]:
    """Every language there is a file for, English first: it is the language of tools."""
    paths = sorted(_FOLDER.glob("*.toml"), key=lambda path: (path.stem != "en", path.stem))
    return tuple(_read(path) for path in paths)


# Words of a text that is too short for its function words to tell its language.
_FEW_WORDS = 14


@lru_cache(maxsize=256)
def languages_of(text: str) -> tuple[Language, ...]:
    """The languages a text may be in, by its function words; English where none is told."""
    folded = fold(text[:_READ])
    spoken = frozenset(_WORD.findall(folded))
    function = {each.code: _said(each.function, each, spoken, folded) for each in languages()}
    most = max(function.values(), default=0)
    if len(spoken) <= _FEW_WORDS and (short := _of_few_words(function, spoken, folded)):
        return short
    if most >= _ENOUGH:
        likely = tuple(language for language in languages() if function[language.code] == most)
        return _by_vocabulary(likely, spoken, folded) if len(likely) > 1 else likely
    likely = _by_vocabulary(languages(), spoken, folded)
    # "Commande vingt-deux chaises": two words of one language, and none that English has, too.
    told = bool(likely) and all(_said(each.vocabulary, each, spoken, folded) >= _ENOUGH for each in likely)
    if told and not _said(languages()[0].vocabulary, languages()[0], spoken, folded):
        return likely
    # A few words may hold one function word that English does not have; then it may be English all the same.
    others = not function[languages()[0].code]
    return tuple(each for each in languages() if each.code == "en" or (others and function[each.code] == most > 0))


def _of_few_words(function: Mapping[str, int], spoken: frozenset[str], folded: str) -> tuple[Language, ...]:
    """The languages that most words of a short text are of, of whatever kind; none where no two words tell.

    "Ruf alle ausser Frau Peters in Raum 3" has two words that Italian joins others with, and more that are German.
    """
    known = {each: function[each.code] + _said(each.vocabulary, each, spoken, folded) for each in languages()}
    most = max(known.values())
    return tuple(each for each, count in known.items() if count == most) if most >= _ENOUGH else ()


def _said(words: frozenset[str], language: Language, spoken: frozenset[str], folded: str) -> int:
    """How many of the words a text holds; a language without spaces is looked for as it stands."""
    return len(spoken & words) if language.spaced else sum(word in folded for word in words)


def _by_vocabulary(likely: tuple[Language, ...], spoken: frozenset[str], folded: str) -> tuple[Language, ...]:
    """Those of the languages that most words of the text are of."""
    counted = [_said(language.vocabulary, language, spoken, folded) for language in likely]
    return tuple(language for language, count in zip(likely, counted, strict=True) if count == max(counted))


@lru_cache(maxsize=256)
def phrases(spellings: frozenset[str]) -> re.Pattern[str]:
    """A pattern that finds any of the words and phrases as whole words of a folded text; nothing for no words."""
    ordered = sorted(spellings, key=len, reverse=True)
    inner = "|".join(r"\W+".join(map(re.escape, spelling.split())) for spelling in ordered)
    return re.compile(rf"(?<!\w)(?:{inner})(?!\w)" if inner else r"(?!)")


def either(words: Iterable[str]) -> str:
    """A pattern of any of the words as they stand, the longest first; of none it matches nothing."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)) or r"(?!)"


@cache
def language_verbs() -> frozenset[str]:
    """The verbs of every language that say what a tool does."""
    return frozenset(verb for language in languages() for verb in language.verbs)


def _read(path: Path) -> Language:
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    fields: dict[str, Any] = {name: frozenset(_words(tables.get(name, ""))) for name in _LISTS}
    for name in _TABLES:
        table = tables.get(name, {})
        fields[name] = MappingProxyType({key: frozenset(_words(words)) for key, words in table.items()})
    return Language(code=path.stem, **fields)


# What a table holds as a list of words, and what as a table of its own; all else in a file is an error.
_LISTS = (
    "function", "negations", "exclusions", "small", "conjunctions", "agreements", "reservations", "corrections",
    "reading", "commands", "light", "fresh", "particles", "wholes",
    "denied_behind", "clock_before", "clock_behind",
    "number_joins", "half_before", "half_behind", "quarter_behind", "late", "early", "exceptions", "all", "last_month",
    "last_year", "halves", "doubles", "replaced_by", "days_ahead", "weeks_ahead",
    "articles", "clitics", "pronouns", "ones", "verb_endings", "titles",
    "number_gaps", "hundred", "thousand", "half_added",
    "days_ago", "weeks_ago", "next_week", "this_week", "last_week", "next_day", "noon", "midnight", "past_before",
    "to_before", "quarter_less", "late_before", "early_before", "later", "earlier",
    "noes", "only", "nots_behind", "unchanged", "leaving", "others", "overwriting", "overwritten_with",
    "beside", "new_figures",
)  # fmt: skip
_TABLES = (
    "roles", "verbs", "things", "compounds", "days", "numbers", "ordinals", "roles_behind",
    "least", "greatest", "columns", "dayparts", "list_ends", "particle_forms", "lengths", "spans", "subjects",
)  # fmt: skip


def _words(listed: str | list[str]) -> Iterable[str]:
    """Words in one string are separated by spaces; a list may hold phrases."""
    return map(fold, listed.split() if isinstance(listed, str) else listed)
