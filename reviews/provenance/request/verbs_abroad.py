"""Verbs as languages other than English put them: inflected, with pronouns attached, in two parts, before or behind."""

import re
from collections.abc import Iterator
from functools import lru_cache

from reviews.provenance.language.base import Language, languages, languages_of, phrases
from reviews.provenance.text.fold import fold

_WORD = re.compile(r"[^\W\d_]+")
# Letters that must remain of a word without the pronouns at its end: "dalo" keeps "da".
_SHORTEST = 2
# Words between the two parts of a verb: "häng die neue Rechnung an".
_APART = 10
# Parts of one clause.
_CLAUSE = re.compile(r"[.;:!?\n]")
# What may stand between the parts of a verb that are written together: "abzusagen", "abgesagt".
_INFIXES = ("", "zu", "ge", "te")
# Words of a document's sentence that may name what the tool acts on, and letters of the shortest.
_MOST_THINGS, _SHORTEST_THING = 6, 3
# Characters behind a verb in which the pronoun for its object stands.
_NEXT = 24
# Sentences of a document that are read.
_MOST_SENTENCES = 3
# Japanese: a noun is the object or the subject of another verb, unless it is what is asked for.
_NOUN_BEHIND = re.compile(r"(?:を(?!お?願|し|す|取|頼|入)|の(?!を?お?願)|は|が)|单|號|号|信息|記録|记录")
# Infinitives, before which an article is a pronoun: "peux-tu la réserver".
_INFINITIVE = re.compile(r"(?:er|ir|re|ar)(?:l[oaie]s?)?$")


def verbs_in(wanted: frozenset[str], plain: str, language: Language) -> Iterator[tuple[int, int]]:
    """Where a folded text says one of these verbs, in any form and not as a noun."""
    if not language.spaced:
        hits = (hit for hit in _vocabulary(language).finditer(plain) if hit.group() in wanted)
        yield from (hit.span() for hit in hits if not _NOUN_BEHIND.match(plain, hit.end()))
        return
    bases, joined, parts = _bases(wanted, language), _joined(wanted, language), _parts(wanted, language)
    words = list(_WORD.finditer(plain))
    for n, hit in enumerate(words):
        word = hit.group()
        # Without its accent "dé" is a preposition.
        if word in language.small and plain[: hit.start()].strip():
            continue
        found = forms_of(word, language)
        if (bases & found or language.stem(word) in joined) and not is_noun(plain, hit.start(), word, language):
            yield hit.span()
        for part in {each for form in found for each in parts.get(form, ())}:
            behind = _part(part, language).search(plain, hit.end(), words[min(n + _APART, len(words) - 1)].end())
            if behind and not _CLAUSE.search(plain[hit.end() : behind.start()]):
                yield hit.span()


def has_verb(plain: str, language: Language) -> bool:
    """Whether a folded text may have a verb: a noun with its adjective behind an article is none."""
    every = frozenset(word for words in language.verbs.values() for word in words)
    bases = _bases(every, language)
    for start, end in verbs_in(every, plain, language):
        before = list(_WORD.finditer(plain, 0, start))[-1:]
        if plain[start:end] in bases or not before or not is_noun(plain, before[0].start(), plain[start:end], language):
            return True
    return False


def is_noun(plain: str, start: int, word: str, language: Language) -> bool:
    """Whether an article or a possessive before it makes the word a noun: "die Bestellung", "la reserva"."""
    before = re.search(rf"(?:{_articles(language)})[\s']+$", plain[max(0, start - 16) : start])
    return before is not None and not _INFINITIVE.search(word)


@lru_cache(maxsize=4096)
def forms_of(word: str, language: Language) -> frozenset[str]:
    """The word, its stem, and both without the pronouns at its end: resérvamelo, spostarla."""
    found = {word, language.stem(word)}
    for clitic in language.clitics:
        if word.endswith(clitic) and len(word) - len(clitic) >= _SHORTEST:
            base = word.removesuffix(clitic)
            found |= {base, language.stem(base), language.stem(f"{base}e")}
    for ending in language.verb_endings:
        if word.endswith(ending):
            found |= {word.removesuffix(ending), language.stem(word.removesuffix(ending))}
    return frozenset(found)


def speaks_of_it(plain: str, start: int, end: int, language: Language) -> bool:
    """Whether a pronoun stands for the object of the verb there: at its end, joined by a hyphen, or behind it."""
    verb, behind, known = plain[start:end], plain[end : end + _NEXT], _kinds(language)
    ending = verb not in known and language.stem(verb) not in known and any(map(known.get, forms_of(verb, language)))
    if ending and language.clitics:
        return True
    # Behind a verb "la" may be an article; joined to it, it is none.
    pronouns = language.pronouns if behind.startswith("-") else language.pronouns - language.articles
    return (
        phrases(pronouns).match(behind.lstrip(" -")) is not None
        if language.spaced
        else behind.startswith(tuple(pronouns))
    )


@lru_cache(maxsize=256)
def told_by(description: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a document in another language says a tool does: the kinds of its verbs, and words for what it acts on."""
    folded = fold(description)
    sentences = [each for each in re.split(r"[.!?\n。]+\s*", folded) if each][:_MOST_SENTENCES]
    for language in (each for each in _spoken(folded) if each.code != languages()[0].code):
        for sentence in sentences:
            kinds, rest = _opening(sentence, language) if language.spaced else _written(sentence, language)
            if kinds:
                return kinds, _things(rest, language)
    return frozenset(), frozenset()


def named_by(words: tuple[str, ...]) -> tuple[frozenset[str], str | None]:
    """The kinds of the first word of a tool's name that is a verb of another language, and the word."""
    for word in (each for each in words if not any(each in language.nouns for language in languages())):
        for language in (each for each in languages()[1:] if each.spaced):
            kinds = frozenset().union(*(_kinds(language).get(form, frozenset()) for form in forms_of(word, language)))
            if kinds := kinds or _joined_kinds(word, language):
                return kinds, word
    return frozenset(), None


def _spoken(folded: str) -> tuple[Language, ...]:
    """The languages a document may be in; where a few words tell none, those of which its first word is a verb."""
    spoken = languages_of(folded)
    if any(language.code != languages()[0].code for language in spoken):
        return spoken
    said = frozenset(_WORD.findall(folded))
    return () if said & languages()[0].function - frozenset({"a", "in", "on", "me", "no"}) else languages()


def _opening(sentence: str, language: Language) -> tuple[frozenset[str], str]:
    """The kinds of the verb that opens a sentence, and what follows it."""
    words = list(_WORD.finditer(sentence))
    if not words:
        return frozenset(), ""
    first, behind = words[0], {word.group() for word in words[1:]}
    forms = forms_of(first.group(), language)
    apart = {
        (kind, particle)
        for kind, phrase in _phrases(language)
        for verb, _, particle in [phrase.partition(" ")]
        if particle in behind and (verb in forms or language.stem(verb) in forms)
    }
    # A particle at the end says more than the verb alone: to put is not to put in.
    closing = frozenset(kind for kind, particle in apart if words[-1].group() == particle)
    kinds = closing or frozenset().union(*(_kinds(language).get(form, frozenset()) for form in forms))
    kinds = kinds or frozenset(kind for kind, _ in apart) or _joined_kinds(first.group(), language)
    return kinds, sentence[first.end() :]


def _written(sentence: str, language: Language) -> tuple[frozenset[str], str]:
    """The same where words have no spaces: Japanese says the verb last, Chinese first."""
    places = [
        (sentence.rfind(word) if language.code == "ja" else -sentence.find(word), len(word), word)
        for words in language.verbs.values()
        for word in words
        if word in sentence
    ]
    word = max(places)[2] if places else None
    kinds = frozenset(kind for kind, words in language.verbs.items() if word in words)
    return kinds, sentence.replace(word or "", " ")


def _things(text: str, language: Language) -> frozenset[str]:
    if not language.spaced:
        return frozenset(word for words in language.things.values() for word in words if word in text)
    empty = language.small | language.function | language.particles
    words = (word for word in _WORD.findall(text) if len(word) >= _SHORTEST_THING and word not in empty)
    return frozenset(word for word, _ in zip(words, range(_MOST_THINGS), strict=False))


def _joined_kinds(word: str, language: Language) -> frozenset[str]:
    stemmed = language.stem(word)
    return frozenset(kind for kind, phrase in _phrases(language) if stemmed in _joined(frozenset({phrase}), language))


@lru_cache(maxsize=16)
def _kinds(language: Language) -> dict[str, frozenset[str]]:
    """By a verb and by its stem, the kinds of action it may mean."""
    found: dict[str, set[str]] = {}
    for kind, words in language.verbs.items():
        for word in (each for each in words if " " not in each):
            found.setdefault(word, set()).add(kind)
            found.setdefault(language.stem(word), set()).add(kind)
    return {word: frozenset(kinds) for word, kinds in found.items()}


@lru_cache(maxsize=16)
def _vocabulary(language: Language) -> re.Pattern[str]:
    """Every verb and noun of a language without spaces, the longest first: an order is no ordering (订单, 订)."""
    words = {word for table in (language.verbs, language.things) for each in table.values() for word in each}
    return re.compile("|".join(sorted(map(re.escape, words), key=len, reverse=True)))


@lru_cache(maxsize=16)
def _phrases(language: Language) -> tuple[tuple[str, str], ...]:
    return tuple((kind, word) for kind, words in language.verbs.items() for word in words if word.count(" ") == 1)


@lru_cache(maxsize=1024)
def _bases(wanted: frozenset[str], language: Language) -> frozenset[str]:
    single = frozenset(word for word in wanted if " " not in word)
    return single | frozenset(map(language.stem, single))


@lru_cache(maxsize=1024)
def _joined(wanted: frozenset[str], language: Language) -> frozenset[str]:
    """The stems of verbs of two parts where they are written as one: absagen, abzusagen."""
    apart = (word.split() for word in wanted if word.count(" ") == 1)
    return frozenset(
        f"{parts[1]}{infix}{language.stem(parts[0])}"
        for parts in apart
        if parts[1] in language.particles
        for infix in _INFIXES
    )


@lru_cache(maxsize=1024)
def _parts(wanted: frozenset[str], language: Language) -> dict[str, frozenset[str]]:
    """By the first part of a verb and by its stem, what else belongs to it: leg … an, mets … en pause."""
    found: dict[str, set[str]] = {}
    for verb, _, rest in (word.partition(" ") for word in wanted if " " in word):
        if rest in language.particles or " " in rest:
            for form in (verb, language.stem(verb)):
                found.setdefault(form, set()).add(rest)
    return {verb: frozenset(particles) for verb, particles in found.items()}


@lru_cache(maxsize=512)
def _part(part: str, language: Language) -> re.Pattern[str]:
    return phrases(language.particle_forms.get(part, frozenset()) | {part})


@lru_cache(maxsize=16)
def _articles(language: Language) -> str:
    return phrases(language.articles).pattern
