"""What stands around a value in its sentence: whose label, and whether any word there is unaccounted for.

Nothing is read here. The words of the tool, of its parameters and of the call's values are known; articles, and a few
words that only link, say nothing; whatever else stands beside a value withholds.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.words import (
    ARTICLES,
    CALLING,
    LINKS,
    PREPOSITIONS,
    SETTING,
    STANDING_IN,
    TOWARDS,
    counts_anything,
    documented_nouns,
    is_led_elsewhere,
    join_split,
    labels_in,
    labels_of,
    labels_of_others,
    leads_with_more,
    may_name_next_value,
)
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.terms.kinds import Kind, are_alike, kind_of
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.boundaries import Place, overlaps
from reviews.provenance.text.names import is_plural, local_name, root_of, roots_of, stem_of, tokens_of
from reviews.provenance.text.replies import WORD, courtesies_in, is_reply_word, words_in
from reviews.provenance.values.money import currency_of

# What makes the words before it a subject: of what "is", nothing is asked.
_BEING: Final = frozenset("is be should".split())
# Characters of a phrase of politeness.
_MAX_COURTESY: Final = 40
# Words by which documents say of a number that something changes by it.
_OF_CHANGE: Final = frozenset("by off more less extra additional further delta increment decrement difference".split())
# Parameters that take what something is called.
_NAMES: Final = frozenset(map(stem_of, ("name", "title")))
# Characters before a value in which its parameter's name is looked for.
_REACH: Final = 80
POSSESSIVE: Final = re.compile(r"['’]s?\b|s['’](?=\s)")
"""What says that something is somebody's, right behind the name."""
# Of the budget, for the words around one place: some ten searches of a sentence.
_STEPS_A_PLACE: Final = 128
# The word right behind a value; a quotation may end between.
_BEHIND: Final = re.compile(r"[\"'»”`]? ?(?P<word>[^\W\d_]+(?:['-][^\W\d_]+)*)?")
# Between a noun and the figures that name one of its kind: "order number 17".
_NUMBER: Final = "number"
_WHOLE_WORD: Final = re.compile(r"\w+")
_SOME_OF: Final = re.compile(rf" of(?= )(?: (?:{'|'.join(sorted(ARTICLES))})(?= ))?")
_END: Final = re.compile(r"[,;!?()\[\]\"'`\n]|[.:](?=\s|$)")


def stands_plainly(start: int, end: int, call: ProposedCall) -> bool:
    """Whether the stretch stands in a sentence that proves something, and is nobody's possession."""
    return stands_in_plain_sentence(start, call) and POSSESSIVE.match(call.text.folded, end) is None


def stands_in_plain_sentence(start: int, call: ProposedCall) -> bool:
    """Whether nothing is denied, asked or made a condition in the sentence there."""
    sentence = call.text.sentence_at(start)
    return sentence is not None and sentence.is_plain


def is_labelled(leaf: Leaf, start: int, end: int, call: ProposedCall, *, of_record: bool = False) -> bool | None:
    """Whether the words beside a place name this parameter (True) or another one (False); None: neither.

    Its name stands right behind the value ("the 'Archives' folder"), or its name or preposition right before. Before
    the name of a record the noun of what the tool works on says nothing: "the invoice IN-71" has an amount.
    """
    call.evidence.budget.spend(_STEPS_A_PLACE)
    labels, other_labels = labels_in(leaf.name, call), labels_of_others(leaf, call)
    all_labels = labels_of_others(leaf, call, with_object=True)
    next_word, before = _word_behind(end, call), list(_words_before(start, call))
    behind = "" if next_word in PREPOSITIONS else stem_of(next_word)
    if behind in labels and root_of(next_word) not in roots_of(leaf.name):
        # Whoever is "published by" somebody is no publisher.
        behind = ""
    if kind_of(leaf) is Kind.NUMBER and find_other_counted(leaf, end, call):
        return False
    # What two parameters are called by names neither: "the DC address" of `address1` and `address2`.
    if behind in (labels - all_labels) | (other_labels - labels):
        # "X 10 Y 20": the one says what the other denies.
        is_denied = _label_before(before, labels, other_labels, Kind.NUMBER) is (behind not in labels)
        if is_denied or may_name_next_value(end, call, is_counted=kind_of(leaf) is Kind.NUMBER):
            return None
        if kind_of(leaf) is Kind.NUMBER and behind in labels:
            # What is counted says whose number it is, wherever it stands: "for 2 guests", "to 180 degrees".
            is_elsewhere = next(prepositions_before(start, call), "") not in TOWARDS
            return None if is_elsewhere and is_turned(leaf, start, call) else True
        # "From the Inbox folder": the preposition says which folder.
        return behind in labels and (not before or before[0] not in PREPOSITIONS - labels - {"in", "with", "of"})
    # What a text says is not what it is called.
    is_name, is_said = bool(labels & _NAMES), before[:1] == ["saying"]
    is_called = before[:1] and before[0] in CALLING and is_name != bool(other_labels & _NAMES or call.composes(leaf))
    if (is_said and is_name) or is_called:
        return None if _names_parameter(before[1:], call) else is_name and not is_said
    # Before a value the noun of what the tool works on is a label like any other: "box X1".
    label = _label_before(before, labels, other_labels if of_record else all_labels, kind_of(leaf))
    label = label and not leads_with_more(before[0], leaf.name, call)
    return None if label and is_turned(leaf, start, call) else label


def _names_parameter(words: Sequence[str], call: ProposedCall) -> bool:
    """Whether words, the last one first, are all that a parameter is called by: "a menu item called X"."""
    names = (list(map(stem_of, reversed(tokens_of(name)))) for name in call.document.properties)
    return any(name and name == list(map(stem_of, words[: len(name)])) for name in names)


def calls_names(leaf: Leaf) -> bool:
    """Whether the parameter takes what something is called."""
    return not _NAMES.isdisjoint(labels_of(leaf.name))


def is_turned(leaf: Leaf, start: int, call: ProposedCall) -> bool:
    """Whether a preposition gives a value another part than the parameter's.

    "From room 12" is no room that anything is moved to, unless the tool's document has such words itself, or what else
    the call is given stands behind "to". A day "by" which is the latest one.
    """
    leading = next(prepositions_before(start, call), "")
    if (is_elsewhere := is_led_elsewhere(leading, leaf.name, call)) is not None:
        return is_elsewhere
    return not any(
        first in TOWARDS
        for rival in call.decisive
        if path_of(rival.pointer) != path_of(leaf.pointer) and are_alike(rival, leaf)
        for mention in mentions_of(rival, call.text)
        for first in prepositions_before(mention.place[0], call)
    )


def is_change(leaf: Leaf, start: int, call: ProposedCall) -> bool:
    """Whether a figure stands behind "to", and its parameter may take by how much something changes.

    "Reduce the price to 5" takes off another amount than five, and so may any verb but one that sets a value, where the
    parameter is not what the sentence says to become so.
    """
    leading, labels = next(prepositions_before(start, call), ""), labels_in(leaf.name, call)
    if kind_of(leaf) is not Kind.NUMBER or leading not in TOWARDS or leading in labels:
        return False
    if not _OF_CHANGE.isdisjoint(words_in(leaf.hint.lower())):
        return True
    first_of_document = words_in(call.document.description[:_REACH].lower())[:1]
    sets = not SETTING.isdisjoint((*tokens_of(local_name(call.tool))[:1], *map(root_of, first_of_document)))
    sentence = call.text.sentence_at(start)
    # A step for each character: a stem takes as long as a dozen comparisons.
    call.evidence.budget.spend(1 + (len(sentence.text) if sentence else 0))
    stems = {stem_of(word) for word in words_in(sentence.text.replace("%", " percent "))} if sentence else set()
    return not sets and (labels - PREPOSITIONS).isdisjoint(stems)


def prepositions_before(start: int, call: ProposedCall) -> Iterator[str]:
    """The prepositions that lead to a place, the nearest first, with nothing but known words between."""
    for word in _words_before(start, call):
        if word in PREPOSITIONS:
            yield word
        elif word not in LINKS and root_of(word) not in call.known_words:
            return


def _label_before(
    before: Sequence[str], labels: frozenset[str], other_labels: frozenset[str], kind: Kind
) -> bool | None:
    # A word of both names tells nothing: "to account 77" is told by "to".
    telling = [word for word in before if stem_of(word) not in labels & other_labels]
    for distance, word in enumerate(telling):
        stem = stem_of(word)
        if word in PREPOSITIONS:
            if distance == 0 and (word in labels) != (word in other_labels):
                return word in labels
            # "The name of my dog" is no name, and archives "in Bern" are of no type Bern; a start may be "on Monday".
            if kind is Kind.TEXT and word not in TOWARDS:
                return None
        elif stem in labels or stem in other_labels:
            return stem in labels
        elif word not in LINKS:
            return None
    return None


def _words_before(start: int, call: ProposedCall, *, has_all: bool = False) -> Iterator[str]:
    """The words before a place, the nearest first, without articles; back to a value, which has labels of its own.

    `has_all`: with a noun right behind a value, which is that value's: the rooms of "2 rooms for 3". Back to a name.
    """
    begin = max(0, start - _REACH, call.verb_end if call.verb_end <= start else 0)
    value_ends = call.used_ends, call.text.quotation_ends, sorted(end for _, end in call.names if has_all)
    used_ends = [end for ends in value_ends for end in ends[bisect_right(ends, begin) : bisect_left(ends, start)]]
    begin = max([begin, *used_ends])
    stretch = re.split(r"[.!?;\n](?=\s|$)|,", call.text.folded[begin:start])
    words = join_split(words_in(stretch[-1]), call)
    is_joined = words[:1] and (words[0] in PREPOSITIONS | ARTICLES or is_reply_word(words[0]))
    if used_ends and len(stretch) == 1 and not (is_joined or has_all):
        words = words[1:]
    words = words[:-1] if _is_numbered(words, call) else words
    return (word for word in reversed(words) if word not in ARTICLES)


def _is_numbered(words: Sequence[str], call: ProposedCall) -> bool:
    """Whether words end in a parameter's noun and "number", which says nothing between it and what it is called by."""
    if not words[1:] or words[-1] != _NUMBER or _NUMBER in call.known_words:
        return False
    return any(stem_of(words[-2]) in labels_of(name) - PREPOSITIONS for name in call.document.properties)


def is_accounted_for(start: int, end: int, call: ProposedCall) -> bool:
    """Whether the words on either side of a place are known ones, or none at all.

    Before it also what a preposition leads from: "a third of $30" is another amount.
    """
    before, linking = _words_before(start, call, has_all=True), PREPOSITIONS | LINKS | STANDING_IN
    telling = next((word for word in before if word not in linking), "")
    is_documented = any(noun == stem_of(telling) for _, noun in documented_nouns(call))
    return (is_documented or _may_stand_beside(telling, call)) and ends_phrase(end, call)


def ends_phrase(end: int, call: ProposedCall) -> bool:
    """Whether a value ends where this place is: no word follows that may be a part of it, its unit or its noun."""
    folded, at = call.text.folded, bisect_left(call.used, (end,))
    next_value = at < len(call.used) and call.used[at][0] <= end + 1
    if end == len(folded) or _END.match(folded, end) or next_value:
        return True
    if folded[end : end + 1] == "%" and root_of("percent") in call.known_words:
        return ends_phrase(end + 1, call)
    hit = _BEHIND.match(folded, end)
    word = hit["word"] if hit else None
    if not word:
        # A figure or a sign behind a space is another thing; right behind, as in "30%", it belongs to the value.
        return folded[end].isspace()
    if word in _BEING:
        return False
    begin = hit.start("word") if hit else end
    is_polite = any(start == 0 for start, _ in courtesies_in(folded[begin : begin + _MAX_COURTESY]))
    is_currency = any(amount.start < end < amount.end for amount in call.text.amounts_at(end, end))
    return _may_stand_beside(word, call) or is_polite or is_currency


def _may_stand_beside(word: str, call: ProposedCall) -> bool:
    return not word or word in PREPOSITIONS | ARTICLES | LINKS or root_of(word) in call.known_words


def is_covered(
    place: Place,
    call: ProposedCall,
    places: Collection[Place] = (),
    known_roots: frozenset[str] | None = None,
) -> bool:
    """Whether nothing but known words, articles, prepositions, values and these places stands at a place."""
    roots = call.known_words if known_roots is None else known_roots
    return all(
        word[0] in PREPOSITIONS | ARTICLES | LINKS | STANDING_IN
        or root_of(word[0]) in roots
        or (word[0] == _NUMBER and _leads_to_value(word.end(), call))
        or overlaps(places, *word.span())
        or call.is_used(*word.span())
        for word in WORD.finditer(call.text.folded, *place)
    )


def find_other_counted(leaf: Leaf, end: int, call: ProposedCall) -> str | None:
    """The noun behind a figure that counts it, where the parameter is no number of such things.

    "Delete 3 alarms", or "3 of the alarms", names no alarm, and gives them no priority 3: what counts several has their
    plural in its name or in its document, or is a quantity. An entry of a list is one of them.
    """
    some = _SOME_OF.match(call.text.folded, end)
    word = _word_behind(some.end() if some else end, call)
    if not (is_plural(word) or (leaf.text == "1" and root_of(word) in call.known_words)) or currency_of(word):
        return None
    name, stem = tokens_of(leaf.name), stem_of(word)
    things = (*tokens_of(local_name(call.tool)), *call.object_words)
    if leaf.pointer.rpartition("/")[2].isdigit() and stem in map(stem_of, things):
        return word
    names = {*name, *_WHOLE_WORD.findall(leaf.description.lower())}
    if counts_anything(leaf.name):
        names.update(tokens_of(local_name(call.tool)))
    is_own = word in name[-1:] or any(is_plural(noun) and stem_of(noun) == stem for noun in names)
    return None if is_own else word


def _leads_to_value(end: int, call: ProposedCall) -> bool:
    """Whether "number" ends here, behind a known noun and before a value of the call."""
    return _is_numbered(words_in(call.text.folded[max(0, end - _REACH) : end]), call) and call.is_used(end + 1, end + 2)


def _word_behind(end: int, call: ProposedCall) -> str:
    if call.text.folded[end : end + 1] == "%":
        return "percent"
    hit = _BEHIND.match(call.text.folded, end)
    return (hit["word"] if hit else None) or ""
