"""The message that asks says another value of the kind, which no argument takes up, and not this one."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from rapidfuzz import fuzz

from reviews.provenance.core.context import Step, leaves
from reviews.provenance.core.places import describe_source
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import SourceText
from reviews.provenance.doubts import part_of_moment
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.doubts.other_spelling import find_other_spelling, find_part
from reviews.provenance.doubts.value_shape import clocks_at, days_at, is_of_shape
from reviews.provenance.doubts.wording import quote_as_read
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.other_meanings import unused_places
from reviews.provenance.proofs.phrase import is_labelled
from reviews.provenance.proofs.words import PRONOUNS
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.same_value import same_value
from reviews.provenance.terms.search import find_copied
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.boundaries import Place, overlaps, stands_in
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.names import stems_of
from reviews.provenance.text.quotations import QUOTATION
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.moments import moment_of
from reviews.provenance.values.numbers import UNREAD

RULE = "doubts.other_value"
# Groups of figures behind a code, of four and one shorter at the end: as many as the longest account has. A bank's
# letters may stand before them.
_GROUPS = re.compile(r"(?: [a-z]{4}(?= \d))?(?: \d{4}(?!\w)){1,7}(?: \d{1,3}(?!\w))?")
# The word before a value, and characters in which it stands.
_WORD_BEFORE, _MAX_WORD = re.compile(r"[^\W\d_]+ \Z"), 40
# A noun and "is" before a value, which says what that is: of "my heart rate is 80" no user's number is said, where the
# user has said one before. What stands for a noun may be anything: "make it", "the new one is 80".
_SUBJECT = re.compile(r"(?<!\w)(?!(?:it|that|this|which|one) )[^\W\d_]+ (?:is|are|was|were) [\"'“‘]?\Z")
# Figures that a record holds as text to name something: of shorter ones lists of numbers are made.
_MIN_FIGURES = 4
# Characters of data that are searched through in one step of the budget.
_CHARACTERS_A_STEP = 1_024
# Values of one message that are looked at: nobody who asks for one thing names more.
_MAX_CANDIDATES = 64
# Other values of the call that may be meant: a list has more, and its entries are told of one by one.
_MAX_COMPETITORS = 16
# Values of a call, in one of which figures stand behind the same word.
_MAX_LEAVES = 64
# The latest calls that may have taken what is said.
_MAX_STEPS = 32
# To compare one of them with the value.
_STEPS_A_PLACE = 8


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value in whose place the user says another."""
    text = call.text
    # Of signs alone, such as a path's "..", nobody says another one.
    if kind_of(leaf) is Kind.NOTHING or not leaf.words or mentions_of(leaf, text):
        return None
    if doubt := part_of_moment.raise_doubt(leaf, call):
        return doubt
    if _is_rather_missing(leaf, call):
        return None
    places = (_inside_marks(place, text.folded) for place in unused_places(leaf, call))
    competitors = list(islice(_find_competitors(leaf, call), _MAX_COMPETITORS))
    is_said_earlier = any(mentions_of(leaf, message) for message in call.evidence.user_messages)
    candidates = [
        place
        for place in islice(places, _MAX_CANDIDATES)
        if text.span(*place).quote not in PRONOUNS
        and is_of_shape(place, leaf, text)
        and not _is_of_competitor(place, leaf, competitors, call)
        and not _is_part_of_name(place, leaf, call)
        and not (is_said_earlier and _SUBJECT.search(text.folded[max(0, place[0] - _MAX_WORD) : place[0]]))
        and not _is_recorded_as_text(place, leaf, call)
        and not _is_given_for(place, leaf, call)
    ]
    candidates = _drop_foreign(candidates, leaf, call) if candidates else []
    text.budget.spend(1 + _STEPS_A_PLACE * len(candidates))
    nearest = max(candidates, key=lambda place: _similarity(place, leaf, text), default=None)
    if nearest is None:
        return None
    # Figures that are none by themselves are quoted with what makes them so, from which nobody reads a number.
    unread = (place for place in text.afford(text.numbers.get(UNREAD, ())) if overlaps([place], *nearest))
    near = text.span(*_with_groups(next(unread, nearest), text))
    where = f"{describe_source(text.source.id).capitalize()} says {quote_as_read(near, text)}"
    # The user says no rate that was looked up, nor what was computed.
    result = find_copied(leaf, call.evidence)
    place = f", which stands in {describe_source(result.source.id)}" if result else ""
    return Doubt(RULE, f"{where}; the call has “{shorten_text(leaf.text, 40)}”{place}. Is that meant?", near)


def _is_rather_missing(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether the value stands somewhere, and the call leaves out what it has to give: that is said, rather."""
    required = call.document.parameters.get("required")
    parameters = {argument.parameter for argument in call.leaves}
    if not isinstance(required, list) or parameters.issuperset(name for name in required if isinstance(name, str)):
        return False
    return any(mentions_of(leaf, text) for text in (*call.evidence.user_messages, *call.evidence.data))


def _with_groups(place: Place, text: SourceText) -> Place:
    """A code with the groups of figures that follow it, as people write an account: "DE89 3704 0044"."""
    start, end = place
    groups = _GROUPS.match(text.folded, end)
    return (start, groups.end()) if groups and any(map(str.isalpha, text.folded[start:end])) else place


def _inside_marks(place: Place, folded: str) -> Place:
    """A quotation without its marks."""
    start, end = place
    return (start + 1, end - 1) if QUOTATION.fullmatch(folded, start, end) else place


def _find_competitors(leaf: Leaf, call: ProposedCall) -> Iterator[Leaf]:
    """The other values of the kind that the message does not say either, and in whose place it may say the same."""
    for argument in call.leaves:
        call.evidence.budget.spend()
        is_alike = argument.pointer != leaf.pointer and kind_of(argument) is kind_of(leaf)
        if is_alike and not mentions_of(argument, call.text):
            yield argument


def _is_of_competitor(place: Place, leaf: Leaf, competitors: Sequence[Leaf], call: ProposedCall) -> bool:
    """Whether what is said there is rather meant for another parameter: it has that one's label, or is more like it."""
    text, label = call.text, is_labelled(leaf, *place, call)
    # A day is not what the noun before it is called, where no other value is one: "move the appointment to Friday".
    is_day = kind_of(leaf) is Kind.MOMENT and any(moment.day and moment.start == place[0] for moment in text.moments)
    if label is not None and (label or competitors or not is_day):
        return not label
    text.budget.spend(_STEPS_A_PLACE * len(competitors))
    similarity, word = _similarity(place, leaf, text), text.folded[slice(*place)]
    # The figures of a card, which the call names by them, count nothing.
    is_within = any(" " not in argument.folded and word in words_in(argument.folded) for argument in call.leaves)
    return (
        is_within
        or any(_is_part_of(place, competitor, text) for competitor in competitors)
        or any(
            _similarity(place, competitor, text) > similarity and is_of_shape(place, competitor, text)
            for competitor in competitors
        )
    )


def _is_part_of(place: Place, leaf: Leaf, text: SourceText) -> bool:
    """Whether the day or the time of day that is said there is the value's, of which nobody says both."""
    day, clock = moment_of(leaf.value) or (None, None)
    if clock is not None and clock in clocks_at(place, text):
        return True
    return day is not None and any(day and moment.on(day) for moment in days_at(place, text))


def _is_part_of_name(place: Place, leaf: Leaf, call: ProposedCall) -> bool:
    """Whether data have it behind the same word, or another value of the call has figures there.

    The 17 of "Customer 17" is what a record is called, and that of "High Street 17" a house's number, be it mistyped.
    """
    text = call.text
    before = _WORD_BEFORE.search(text.folded[max(0, place[0] - _MAX_WORD) : place[0]])
    if before is None:
        return False
    text.budget.spend(1 + sum(len(data.folded) for data in call.evidence.data) // _CHARACTERS_A_STEP)
    if any(stands_in(data.folded, f"{before[0]}{text.folded[slice(*place)]}") for data in call.evidence.data):
        return True
    return any(
        argument.folded.partition(before[0])[2][:1].isdigit()
        for argument in islice(call.leaves, _MAX_LEAVES)
        if argument.pointer != leaf.pointer
    )


def _is_recorded_as_text(place: Place, leaf: Leaf, call: ProposedCall) -> bool:
    """Whether a record has these figures as text: the last four of a card are no amount."""
    figures = call.text.folded[slice(*place)]
    if kind_of(leaf) is not Kind.NUMBER or not figures.isdigit() or len(figures) < _MIN_FIGURES:
        return False
    call.text.budget.spend(1 + sum(len(data.folded) for data in call.evidence.data) // _CHARACTERS_A_STEP)
    return any(f'"{figures}"' in data.source.text or f"'{figures}'" in data.source.text for data in call.evidence.data)


def _drop_foreign(places: Sequence[Place], leaf: Leaf, call: ProposedCall) -> list[Place]:
    """What is said in place of a value that the message has in another spelling, or two words of it in a row.

    Only what the parameter's name stands beside; of a value that is said in part, what shares a word with it as well.
    """
    is_said = find_other_spelling(leaf, call.text) is not None
    if not is_said and not find_part(leaf, call.text):
        return list(places)
    value_words = set() if is_said else set(leaf.words)
    return [
        place
        for place in places
        if is_labelled(leaf, *place, call) or not value_words.isdisjoint(words_of(call.text.folded[slice(*place)]))
    ]


def _is_given_for(place: Place, leaf: Leaf, call: ProposedCall) -> bool:
    """Whether an earlier call has taken it for another parameter and returned this value: 20,000 yuan in dollars."""
    words = call.text.folded[slice(*place)]
    history = enumerate(call.evidence.context.history, start=1)
    steps = [(at, item) for at, item in history if isinstance(item, Step) and item.outcome][-_MAX_STEPS:]
    for at, step in steps:
        arguments = [Leaf(value, pointer) for pointer, value in islice(leaves(dict(step.arguments)), _MAX_LEAVES)]
        call.evidence.budget.spend(1 + _STEPS_A_PLACE * len(arguments))
        matches = (argument for argument in arguments if argument.folded == words or same_value(argument, words))
        names = [stems_of(argument.name) for argument in matches]
        is_other = names and not any(name <= stems_of(leaf.name) or name >= stems_of(leaf.name) for name in names)
        if is_other and mentions_of(leaf, call.evidence.texts[f"history/{at}/outcome"]):
            return True
    return False


def _similarity(place: Place, leaf: Leaf, text: SourceText) -> float:
    return fuzz.ratio(text.folded[slice(*place)], leaf.folded)
