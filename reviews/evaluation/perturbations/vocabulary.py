"""The words of a case that name things, and those that every language needs and no renaming may touch."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from babel import Locale

from reviews.evaluation.mutants.short_values import is_short
from reviews.provenance.core.context import Case, JsonValue, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind

TOKEN: Final = re.compile(
    r"""
    (?P<escape>\\u[0-9a-fA-F]{4}|\\[nrtbf"'\\/])    # of a text in JSON: the letter belongs to the backslash
    | (?P<mixed>[A-Za-z]*[0-9][A-Za-z0-9]*)         # what holds a digit is a number or an identifier
    | (?P<initial>(?<![A-Za-z])[A-Za-z](?=\.[A-Za-z]{3}))  # d.kim@example.com: the letter goes with the name behind it
    | (?P<word>[A-Z]?[a-z]+|[A-Z]+(?![a-z]))        # a word of camelCase, of snake_case or of a sentence
    """,
    re.VERBOSE,
)
SHORTEST: Final = 3
"""Letters of a word that is renamed: shorter ones are function words in some language, or collide with them."""
STEM: Final = 5
"""Letters that words of one family share: reservation and reserved, delivery and delivered."""
# A key and its value on a line of their own, as tools print records that are no JSON.
_LINE: Final = re.compile(r"^[ \t]*(?:[-*][ \t]+)?(\w[\w .-]{0,40}?)[ \t]*:[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)

# A capital within a sentence: cities and people of whom a code or an address may be made.
_PROPER: Final = re.compile(r"(?<=[\w,;:)] )[A-Z][a-z]{2,}")

# What parameters and fields are called everywhere and what words of time, number and grammar say is no name of a
# domain's things. With another word in its place a sentence would say something else, or nothing.
_GENERIC: Final = frozenset(
    """
    id ids uid name names first last middle full nick email emails mail phone mobile tel telephone fax date dates day
    days time times datetime timestamp start end begin due from into onto since until till before after between at by
    for with without about over under than then when where which what who whom whose why how this that these those
    there here the and but not nor yet all any both each every few many more most much none other others another some
    such same only own too very can could may might must shall should will would has have had are was were been being
    does did done doing amount amounts price prices cost costs fee total totals sum balance count number numbers
    quantity percent percentage status state type types kind title subject body text message messages content note
    notes description comment reason query question answer link url http https www com org net edu gov html htm txt pdf
    csv json xml doc docx xls xlsx png jpg jpeg zip file files path folder directory currency unit units result results
    error errors success true false yes none null nan list lists item items data value values key keys code codes
    address addresses street city zip postal country region iban bic swift duration interval timezone uuid
    min max minimum maximum average limit page size length height width weight left right top bottom low lower lowest
    high higher highest small smaller smallest large larger largest big bigger biggest long longer longest short
    shorter shortest new newer newest old older oldest latest earliest next previous cheap cheaper cheapest best worst
    one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million
    billion dozen half quarter double once twice second seconds minute minutes hour hours week weeks weekly month
    months monthly year years yearly daily today tomorrow tonight yesterday morning noon afternoon evening night now
    ago weekend weekday dollar dollars cent cents euro euros pound pounds kilo kilos gram grams meter meters metre
    metres mile miles liter liters litre litres gallon gallons celsius fahrenheit utc gmt you your yours his her hers
    its our ours their theirs him she they them mine myself please thanks thank hello dear sorry okay sure
    uhr tag tage tagen woche wochen monat monate monaten jahr jahre jahren stunde stunden minuten morgen mittag abend
    nacht prozent hälfte stück dutzend
    der die das den dem des ein eine einen einem einer und oder von vom zum zur mit für bei aus auf nach über
    les une des aux pour avec dans sur sous chez par del los las una uno por para con como sin che gli dei delle della
    nel per con van het een voor met aan bij och för med att till ett som och det dla jest się nie oraz uma dos das
    não com para pela pelo
    """.split()
)
# Those in which requests come; months and weekdays of others stay unprotected, and stand in no data set at hand.
_LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "tr")
# What most people pay in: the names of all currencies are words such as “real” and “crown”.
_CURRENCIES: Final = ("USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN")


@cache
def protected_words() -> frozenset[str]:
    """The words of any case that keep their meaning: grammar, generic fields, days, months and currencies."""
    words = set(_GENERIC)
    for locale in map(Locale.parse, _LANGUAGES):
        calendar = (*locale.months["format"].values(), *locale.days["format"].values())
        texts = [name for names in calendar for name in names.values()]
        texts += [locale.currencies.get(code, code) for code in _CURRENCIES]
        words.update(word for text in texts for word in words_in(text))
    return frozenset(words.union(code.casefold() for code in _CURRENCIES))


def words_in(text: str) -> Iterator[str]:
    """The words of a text in small letters; runs that hold digits are none."""
    return (match["word"].casefold() for match in TOKEN.finditer(text) if match["word"])


def naming_words(case: Case) -> frozenset[str]:
    """The words by which tools, fields and values of the case are called: its domain's nouns and its names."""
    context = case.context
    texts = [tool.name for tool in context.tools]
    for tool in context.tools:
        texts += _names_in_schema(dict(tool.parameters))
    for item in context.history:
        if isinstance(item, Step):
            texts += _names_in(dict(item.arguments))
            texts += _names_in_result(item.outcome or "")
    texts += _names_in(dict(case.action.arguments))
    requests = (source.text for source in context.sources.values() if source.kind is SourceKind.USER_QUERY)
    texts += (name for text in requests for name in _PROPER.findall(text))
    return frozenset(word for text in texts for word in words_in(text))


def verbs_of(tools: tuple[ToolDoc, ...]) -> frozenset[str]:
    """The words that tools' names open with: what somebody asks to be done is no name."""
    # Some put what the tool belongs to in front: email.delete_email.
    opening = (next(words_in(tool.name.rpartition(".")[2]), "") for tool in tools)
    return frozenset(opening) - {""}


def _names_in_schema(schema: JsonValue) -> Iterator[str]:
    match schema:
        case dict():
            properties = schema.get("properties")
            yield from properties if isinstance(properties, dict) else ()
            yield from (value for value in schema.get("enum") or () if isinstance(value, str))
            for item in schema.values():
                yield from _names_in_schema(item)
        case list():
            for item in schema:
                yield from _names_in_schema(item)


def _names_in(value: JsonValue) -> Iterator[str]:
    """Keys and short texts of any JSON value."""
    match value:
        case dict():
            yield from value
            for item in value.values():
                yield from _names_in(item)
        case list():
            for item in value:
                yield from _names_in(item)
        case str() if is_short(value):
            yield value


def _names_in_result(text: str) -> Iterator[str]:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        for key, entry in _LINE.findall(text):
            yield from (part for part in (key, entry) if is_short(part))
    else:
        yield from _names_in(value)
