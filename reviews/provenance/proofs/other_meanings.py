"""What else may be meant: a parameter that the call leaves out, or a value that no argument takes up."""

import re
from collections.abc import Iterator
from itertools import chain, dropwhile, islice
from typing import Final

from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.phrase import is_labelled
from reviews.provenance.proofs.words import (
    ARTICLES,
    LINKS,
    PLACES,
    PREPOSITIONS,
    TOWARDS,
    documented_nouns,
    labels_of_others,
)
from reviews.provenance.terms.argument_leaf import Leaf, types_of
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import is_name_of_thing
from reviews.provenance.terms.value_mentions import Mention, mentions_of
from reviews.provenance.text.boundaries import Place
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import root_of, stem_of, tokens_of
from reviews.provenance.text.replies import WORD, words_in
from reviews.provenance.values.durations import seconds_of_unit
from reviews.provenance.values.moments import moment_of

_NUMBERS: Final = frozenset({"integer", "number"})
# What JSON Schema's formats of moments are called by; names of units of time are the others.
_MOMENTS: Final = frozenset({"date", "time"})
# Characters of a parameter's description that say what it takes, and to look a word up among the names of units.
_MAX_DESCRIPTION: Final = 400
_STEPS_A_WORD: Final = 16
# Two words with nothing but a comma between them right before a value, and characters in which they stand.
_LISTED_LABELS: Final = re.compile(r"(?P<first>[^\W\d_]+), (?:and )?(?:the )?[^\W\d_]+(?: to| is| are)?[ :=]*$")
_MAX_LABELS: Final = 80
# Words behind a verb in which it governs its object.
_MAX_WORDS: Final = 12
# Other values that are looked at: a list has more, and its entries have one label.
_MAX_OTHERS: Final = 16


def omits_number(call: ProposedCall) -> bool:
    """Whether the call leaves out a parameter that takes a number."""
    return any(not _NUMBERS.isdisjoint(types_of(schema)) for schema in call.omitted.values())


def may_be_of_omitted(leaf: Leaf, call: ProposedCall, *, is_quoted: bool = False) -> bool:
    """Whether a value may be meant for a parameter that the call leaves out: what has to be given goes before that.

    What is quoted may be any text: of "an email 'Hi'" the subject, and no recipient, unless it names the thing.
    """
    if kind_of(leaf) is Kind.NUMBER:
        return omits_number(call)
    required = call.document.parameters.get("required")
    is_required = isinstance(required, list) and leaf.parameter in required
    is_first = is_required and (
        not is_quoted or call.composes(leaf) or is_name_of_thing((leaf.name,), call.things | PLACES)
    )
    return not is_first and any(_may_take(leaf, path, call, is_quoted=is_quoted) for path in call.omitted)


def _may_take(leaf: Leaf, path: str, call: ProposedCall, *, is_quoted: bool) -> bool:
    """Whether a parameter that is left out takes values that are written like the leaf's."""
    omitted = Leaf(None, path, call.omitted[path])
    call.evidence.budget.spend()
    if leaf.choices or omitted.choices:
        return leaf.folded in map(fold, omitted.choices)
    is_formatted = kind_of(leaf) is not Kind.MOMENT and "format" in call.omitted[path]
    # What is composed stands for nothing else than another text that is.
    is_alike = is_quoted or call.composes(leaf) or call.classes.is_derivable(path) is not False
    return types_of(omitted.schema) == {"string"} and not is_formatted and is_alike


def may_be_moment_of_another(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether nothing says that the parameter takes a moment, and another value may have been exchanged with it.

    Where a call has the room "09:00 AM" at the time "Room 5", the room alone looks right: the other's label tells.
    """
    name = tokens_of(leaf.name)
    words = {*name, *words_in(leaf.description[:_MAX_DESCRIPTION].lower())}
    call.evidence.budget.spend(1 + _STEPS_A_WORD * len(words) + len(call.decisive))
    # Of a parameter that is called by a preposition, that tells where it stands: `from_day`, and also `from`. "Of"
    # joins two nouns.
    is_led_to = not (PREPOSITIONS - {"of"}).isdisjoint(name)
    says_so = "format" in (leaf.schema or {}) or any(word in _MOMENTS or seconds_of_unit(word) for word in words)
    others = (other for other in call.decisive if other.parameter != leaf.parameter and isinstance(other.value, str))
    return not (says_so or is_led_to) and any(
        not other.choices
        and kind_of(other) is not Kind.MOMENT
        and not any(is_labelled(other, *mention.place, call) for mention in mentions_of(other, call.text))
        for other in islice(others, _MAX_OTHERS)
    )


def may_be_rivals(rival: Leaf, leaf: Leaf, mention: Mention, call: ProposedCall) -> bool:
    """Whether another value of the kind may be meant where this one is said, as nothing says where that one is."""
    meant, its = moment_of(leaf.text), moment_of(rival.text)
    if meant and its and all((part is None) != (other is None) for part, other in zip(meant, its, strict=True)):
        # One of them is a day and the other a time of day: exchanged where the parameter is called by the other.
        return ("time" if meant[0] else "date") in tokens_of(leaf.name)
    # What is said once is one parameter's value, and nothing says which one's.
    places = (other.place for other in mentions_of(rival, call.text))
    is_one = rival.text == leaf.text or _follows_figure(rival, mention.place[0], call)
    return is_one or not any(is_labelled(rival, *place, call) for place in places)


def _follows_figure(rival: Leaf, start: int, call: ProposedCall) -> bool:
    """Whether what starts here goes on from a figure or a time of another parameter: "the price 30 to 20" is one."""
    ends = (
        mention.place[1] for mention in mentions_of(rival, call.text) if kind_of(rival) in (Kind.NUMBER, Kind.MOMENT)
    )
    return any(end <= start and TOWARDS.issuperset(words_in(call.text.folded[end:start])) for end in ends)


def is_behind_labels(leaf: Leaf, start: int, call: ProposedCall) -> bool:
    """Whether its label stands behind another one, "width, height: 2, 3": nobody has said which is which."""
    labels = _LISTED_LABELS.search(call.text.folded, max(0, start - _MAX_LABELS), start)
    return labels is not None and stem_of(labels["first"]) in labels_of_others(leaf, call)


def may_be_another_verbs(start: int, call: ProposedCall) -> bool:
    """Whether the noun before a value may be a verb behind "and": "cancel it and order A-1" orders something."""
    sentence = call.text.sentence_at(start)
    *before, joint, noun = ("", "", *words_in(call.text.folded[sentence.start if sentence else 0 : start]))
    return joint == "and" and root_of(noun) in call.things.difference(map(root_of, before))


def is_second_thing(start: int, call: ProposedCall) -> bool:
    """Whether the noun before a value stands behind the verb already, without a value: "a folder in the folder 'A'"."""
    *before, noun = map(root_of, words_in(call.text.folded[call.verb_end : start])[-_MAX_WORDS:] or ("",))
    is_governed = 0 < call.verb_end <= start and noun in call.things and noun in before
    return is_governed and not any(call.verb_end <= place[0] < start for place in call.used)


def is_of_unknown_thing(start: int, call: ProposedCall) -> bool:
    """Whether "of" leads to what is said here from a noun that nobody knows: the room of an event is none."""
    if not 0 < call.verb_end <= start:
        return False
    call.evidence.budget.spend(1 + start - call.verb_end)
    words = [word for word in WORD.finditer(call.text.folded, call.verb_end, start) if word[0] not in ARTICLES | LINKS]
    known_roots = call.known_words - {"of"}
    rest = [*dropwhile(lambda word: root_of(word[0]) in known_roots, reversed(words))]
    if len(rest) == 1 or [word[0] for word in rest[:1]] != ["of"] or call.is_used(*rest[1].span()):
        return False
    documented = {noun for _, noun in documented_nouns(call)}
    return root_of(rest[1][0]) not in known_roots and stem_of(rest[1][0]) not in documented


def unused_places(leaf: Leaf, call: ProposedCall) -> Iterator[Place]:
    """Where the text that asks says values of the leaf's kind that no argument takes up."""
    call.evidence.budget.spend(1 + len(call.text.folded) // 64)
    yield from (place for place in _places_of_kind(leaf, call.text) if not call.is_used(*place))


def _places_of_kind(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """Where a text says values of the leaf's kind, or other options of its list."""
    match kind_of(leaf):
        case Kind.NUMBER:
            # "One" is a word for a thing more often than a number.
            for value, places in text.numbers.items():
                text.budget.spend(1 + len(places) // 4)
                yield from (place for place in places if value != 1 or text.folded[slice(*place)].strip().isdigit())
        case Kind.MOMENT:
            yield from (part for moment in text.moments for part in moment.parts)
        case Kind.CODE:
            yield from text.opaque
            yield from text.identifiers
            # An account's number is a number as well, and no other code is.
            numbers = chain(*text.numbers.values()) if leaf.folded.isdigit() else ()
            yield from (place for place in numbers if _is_bare_code(place, text))
        case Kind.OPTION:
            for option in map(Leaf, leaf.choices):
                if option.folded != leaf.folded:
                    yield from (place for mention in mentions_of(option, text) for place in mention.places)
        case Kind.TEXT:
            yield from text.quotations


def _is_bare_code(place: Place, text: SourceText) -> bool:
    """Whether figures alone stand there, as many as a code has, and no amount of money."""
    word = text.folded[slice(*place)]
    return word.isdigit() and kind_of(Leaf(word)) is Kind.CODE and not any(text.amounts_at(*place))
