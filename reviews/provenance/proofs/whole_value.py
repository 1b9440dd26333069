"""Whether the words that say a value are all of it: no part of a name, a quotation or a range, and no description.

Nothing is read here: what a value ends at is a word that is known, a mark, or another value. A word behind "the user"
may be a name, or say which one, when or how ("oldest", "immediately"): a name is shown by figures or signs within it,
by a capital letter where other words have none, by a word that says what something is called, or by data that hold it
as a whole field.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from reviews.provenance.core.findings import Grounding
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import CHARACTERS_A_STEP, ProposedCall
from reviews.provenance.proofs.other_meanings import omits_number
from reviews.provenance.proofs.phrase import ends_phrase
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.units import is_in_other_unit
from reviews.provenance.proofs.whole_message import is_read_behind
from reviews.provenance.proofs.words import ARTICLES, CALLING, PREPOSITIONS, PRONOUNS
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import name_of_field
from reviews.provenance.terms.search import cells_with, is_echoed
from reviews.provenance.terms.value_mentions import Mention
from reviews.provenance.text.boundaries import Place, is_glued
from reviews.provenance.text.names import root_of, stems_of
from reviews.provenance.text.replies import WORD, says_nothing, words_in
from reviews.provenance.values.durations import seconds_of
from reviews.provenance.values.numbers import number_of

# A sign behind a figure that makes a share of it, with or without a space.
_SHARE: Final = re.compile(r"\s*%")
# Between letters or figures: what makes a path or a file's name.
_SEPARATED: Final = re.compile(r"^[^\s@]*[/\\][^\s@]*$|^[^\s@]*[^\W\d_]\.\w+$")
# Characters before a value in which its noun and an article stand.
_MAX_NOUN: Final = 60
# What an amount is paid for each of, behind it.
_RATE: Final = re.compile(r" an? (?P<noun>[^\W\d_]+)")
# Characters beside a figure in which a sign that changes it stands, with a currency's.
_MAX_SIGNS: Final = 3
# Words of a text that may be two values, and what joins two.
_SEVERAL: Final = 2
_JOINTS: Final = frozenset({"and", "or"})
# The word that stands right before or behind a value, as it is written.
_WORD_BEHIND: Final = re.compile(r"[ ](?P<word>[^\W\d_]+)")
_WORD_BEFORE: Final = re.compile(r"(?P<word>[^\W\d_]+)[ ]$")
# Of a list's values, looked through for each of them.
_PLACES_A_STEP: Final = 4
# Characters behind a value that end its quotation: the mark, and a full stop before it.
_MAX_MARKS: Final = 2
# Words that say what something is called or what a text says; characters in which one stands.
_CALLING: Final = CALLING | {"saying"}
_MAX_CALLING: Final = 24
# Fields of a result that may only repeat a look-up, and tell that nothing was found.
_REPEATED: Final = 3
# Signs at the end of a sentence or a clause.
_ENDING: Final = ".,;:!?"
# What no plain word has within.
_SIGN_WITHIN: Final = re.compile(r"[\d_./\\@:#&]")


def is_whole(leaf: Leaf, mention: Mention, call: ProposedCall, request: Request | None) -> bool:
    """Whether the words are all of the value, and no description of it.

    "My dog" describes, "green" of "green tea" ends too early, and a path in other letters is another path.
    """
    text = call.text
    if is_part_of_quotation(mention, text) or _is_end_of_range(leaf, mention, call) or _is_respelt(leaf, mention, call):
        return False
    if is_quoted(mention, text):
        # Whoever quotes a name says each letter of it.
        return mention.how is Grounding.COPY or kind_of(leaf) not in (Kind.TEXT, Kind.CODE)
    is_vague = kind_of(leaf) is Kind.TEXT and (_describes(leaf, call) or may_be_several(leaf, call))
    # "It" may be Italian, and stands for something else in any other sentence.
    is_name = kind_of(leaf) in (Kind.TEXT, Kind.CODE)
    if is_vague or leaf.folded in PRONOUNS or (is_name and _is_part_of_title(mention, call, request)):
        return False
    # What ends a sentence or a clause is no part of a name, and a name between commas may be whom it speaks to.
    if is_name and (leaf.text[-1] in _ENDING or _is_spoken_to(leaf, mention, call)):
        return False
    if _may_go_on(leaf, mention, call) or is_in_other_unit(leaf, mention, call) or _is_glued(leaf, mention, call):
        return False
    quotes = [text.span(*place).quote for place in mention.places]
    is_respelt_path = _SEPARATED.search(leaf.text) and any(quote != leaf.text for quote in quotes)
    # A share of something is another number than the figure before its sign.
    has_sign = any(quote.endswith("%") for quote in quotes) or _SHARE.match(text.folded, mention.place[1])
    is_share = bool(has_sign) and not leaf.is_in_percent
    is_cut = not all(ends_phrase(end, call) for _, end in mention.places) or _begins_late(mention, call, request)
    return not (is_respelt_path or is_share or is_cut)


def _is_respelt(leaf: Leaf, mention: Mention, call: ProposedCall) -> bool:
    """Whether a free text that is no length is written with other letters than the words: Muller is no Müller."""
    words = " ".join(call.text.span(*place).quote for place in mention.places)
    is_free = kind_of(leaf) is Kind.TEXT and not seconds_of(leaf.text, leaf.name)
    return is_free and words.casefold().split() != leaf.text.casefold().split()


def _is_spoken_to(leaf: Leaf, mention: Mention, call: ProposedCall) -> bool:
    """Whether plain words behind a comma end the sentence, and nothing names them: "Send $30, Ann." speaks to Ann."""
    start, end = mention.place
    sentence = call.text.sentence_at(start)
    is_between = call.text.folded[:start].rstrip().endswith(",") and path_of(leaf.pointer) == leaf.pointer
    return is_between and sentence is not None and says_nothing(call.text.folded[end : sentence.end] + " thanks")


def _may_go_on(leaf: Leaf, mention: Mention, call: ProposedCall) -> bool:
    """Whether plain words are a name that goes on in words which nobody reads: "Work in progress", "Work (old)"."""
    is_plain = _SIGN_WITHIN.search(leaf.text) is None and not leaf.text.isupper()
    is_name = kind_of(leaf) is Kind.TEXT and is_plain and not seconds_of(leaf.text, leaf.name)
    return is_name and not is_read_behind(mention.place[1], call)


def is_quoted(mention: Mention, text: SourceText) -> bool:
    """Whether the value is all that stands between quotation marks."""
    start, end = mention.place
    return text.folded[start - 1 : start] == text.folded[end : end + 1] == "`" or any(
        start == first + 1 and text.folded[end : last - 1] in ("", ".", ",")
        for first, last in _quotations_around(mention, text)
    )


def is_part_of_quotation(mention: Mention, text: SourceText) -> bool:
    """Whether it stands between quotation marks with something else: what is quoted is one thing."""
    start, end = mention.place
    return any(start > first + 1 or end < last - _MAX_MARKS for first, last in _quotations_around(mention, text))


def _quotations_around(mention: Mention, text: SourceText) -> Iterator[Place]:
    start, end = mention.place
    # They stand in order, none within another.
    first_behind = bisect_right(text.quotation_ends, start)
    behind = (text.quotations[at] for at in range(first_behind, len(text.quotations)))
    return takewhile(lambda place: place[0] < end, behind)


def _is_glued(leaf: Leaf, mention: Mention, call: ProposedCall) -> bool:
    """Whether a sign beside it belongs to it: one right before a name, and beside a figure or a moment one that counts.

    A minus with a space, a unit's, "~ 30", "9 am + 1"; a fraction behind a number, "30 1/2", and "30 a week".
    """
    (start, end), folded = mention.place, call.text.folded
    if kind_of(leaf) not in (Kind.NUMBER, Kind.MOMENT):
        return kind_of(leaf) in (Kind.TEXT, Kind.CODE) and is_glued(folded, start)
    before, behind = folded[max(0, start - _MAX_SIGNS) : start], folded[end : end + _MAX_SIGNS].lstrip()[:1]
    rate = _RATE.match(folded, end)
    is_rate = rate is not None and root_of(rate["noun"]) not in call.known_words
    is_followed = is_rate or (behind.isdigit() and not call.is_used(end, end + _MAX_SIGNS))
    # 30' are minutes or feet.
    is_unit = before.endswith("- ") or folded[end : end + 1] in ("'", '"') or is_followed
    # "Amount = 30" says what it is.
    beside = {before.rstrip(" $€£¥")[-1:], behind} - {"", "="}
    return (kind_of(leaf) is Kind.NUMBER and is_unit) or any(unicodedata.category(sign) == "Sm" for sign in beside)


def _is_part_of_title(mention: Mention, call: ProposedCall, request: Request | None) -> bool:
    """Whether a word beside a name has a capital where words of its kind have none: "Apocalypse Now", "To Sort"."""
    span = call.text.span(*mention.place)
    raw = call.text.source.text
    behind = _WORD_BEHIND.match(raw, span.end)
    if behind and behind["word"][:1].isupper():
        return True
    sentence = call.text.sentence_at(mention.place[0])
    begin = call.text.span(sentence.start, sentence.end).start if sentence else 0
    before = _WORD_BEFORE.search(raw[begin : span.start])
    # The first word of a sentence has a capital of its own, and so may the verb that asks.
    is_behind_verb = request is not None and mention.place[0] > request.end + 1
    return is_behind_verb and before is not None and before.start() > 0 and before["word"][:1].isupper()


def _describes(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether a free text tells what is meant by an article or a pronoun, or by the tool's own words: "the person"."""
    words = words_in(leaf.folded)
    begins_so = leaf.folded.split()[0] in ARTICLES | PRONOUNS
    return begins_so or (bool(words) and call.known_words.issuperset(map(root_of, words)))


def may_be_several(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether words of a free text may be another value or its label: "a.txt and file b.txt", "3 arrows"."""
    words = leaf.folded.split()
    if len(words) < _SEVERAL:
        return False
    holds_known = any(word in _JOINTS or root_of(word) in call.known_words for word in words_in(leaf.folded))
    return holds_known or "," in leaf.folded or (number_of(words[0]) is not None and omits_number(call))


def _is_end_of_range(leaf: Leaf, mention: Mention, call: ProposedCall) -> bool:
    """Whether it and another value of the same list are joined by more than "and": "mon to thu" are four days."""
    path, (first, last) = path_of(leaf.pointer), mention.place
    if path == leaf.pointer:
        return False
    places = call.places_by_path[path]
    call.evidence.budget.spend(1 + len(places) // _PLACES_A_STEP)
    neighbours = [place for place, value in places if value != leaf.text]
    gaps = [(end, first) for _, end in neighbours if end <= first]
    gaps += [(last, start) for start, _ in neighbours if last <= start]
    # Only the nearest is read: between two far ones stands half the request.
    nearest = call.text.folded[slice(*min(gaps, key=lambda gap: gap[1] - gap[0]))] if gaps else ""
    words = words_in(nearest)
    return ("-" in nearest or bool(words)) and words not in (("and",), ("or",)) and PREPOSITIONS.issuperset(words)


def _begins_late(mention: Mention, call: ProposedCall, request: Request | None) -> bool:
    """Whether an article stands between a known noun and the value: "the file my notes.txt" has a longer name."""
    start, _ = mention.place
    begin = request.end if request and request.end <= start else 0
    words = words_in(call.text.folded[max(begin, start - _MAX_NOUN) : start])[-2:]
    return len(words) > 1 and words[1] in ARTICLES and root_of(words[0]) in call.known_words - PREPOSITIONS


def is_name(leaf: Leaf, mention: Mention, call: ProposedCall) -> bool:
    """Whether a text that is not quoted is shown to be a name."""
    text, (start, _) = call.text, mention.place
    before = text.folded[max(0, start - _MAX_CALLING) : start]
    return (
        _SIGN_WITHIN.search(leaf.text) is not None
        or before.rstrip().endswith(":")
        or not _CALLING.isdisjoint(words_in(before)[-1:])
        or _stands_out(mention.place, call)
        or any(_holds_name(source, leaf) for source in call.evidence.data)
    )


def _holds_name(source: SourceText, leaf: Leaf) -> bool:
    """Whether data have the text as a whole field; of a look-up that was made with it as one of a whole record."""
    cells = cells_with(leaf, source)
    if not is_echoed(leaf, source):
        return any(cells)
    namesakes = (cell for cell in cells if stems_of(name_of_field(cell.field)) == stems_of(leaf.name))
    return any(len(source.cells_of(cell.record)) > _REPEATED for cell in namesakes)


def is_verbatim(leaf: Leaf, mention: Mention, call: ProposedCall) -> bool:
    """Whether the words are a text to be taken as it is: quoted, all that follows a colon, or a name.

    "Reply with a polite refusal" describes one.
    """
    text, (start, end) = call.text, mention.place
    if is_part_of_quotation(mention, text):
        return False
    closes = text.folded[:start].rstrip().endswith(":") and not text.folded[end:].strip(" .!")
    is_called = is_name(leaf, mention, call) and not may_be_several(leaf, call)
    return is_quoted(mention, text) or closes or is_called


def _stands_out(place: Place, call: ProposedCall) -> bool:
    """Whether it begins with a capital letter that no style of writing explains: "Delete The User Immediately"."""
    text = call.text
    sentence = text.sentence_at(place[0])
    if sentence is None or not text.span(*place).quote[:1].isupper():
        return False
    text.budget.spend(1 + len(sentence.text) // CHARACTERS_A_STEP)
    words = [hit.span() for hit in WORD.finditer(text.folded, sentence.start, sentence.end)]
    opening = text.span(*words[0])
    if words[0][0] >= place[0] or opening.quote[1:].isupper():
        return False
    unused = [text.span(*word).quote for word in words[1:] if not call.is_used(*word)]
    # "EUR" is written so anywhere.
    styled = [word for word in unused if not word.isupper()]
    return not styled or any(word[:1].islower() for word in styled)
