"""The message that asks says the value, and it could mean no other value and no other parameter.

Sound because: the value stands in the user's latest message (or in an offer that nothing but agreement followed); every
other value of its kind there is taken up by another argument; where another parameter takes that kind, this one's own
name or preposition stands before the value; it does not tell which thing is meant ("the event on Friday"); a figure
counts nothing else ("3 alarms") and is in the unit that the document counts in; no field of the data is written as the
words are and the value otherwise; a free text is quoted in the sentence that asks, or a name that is labelled or stands
in a sentence of which nothing is left unread.
Assumes: who asks for a call names its values in the message that asks. A sentence that denies, makes a condition or
asks a question proves nothing, nor does what the user says of somebody ("Ann's").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from reviews.provenance.core.context import Span
from reviews.provenance.proofs.call import CHARACTERS_A_STEP, Establishment, ProposedCall
from reviews.provenance.proofs.leading import find_stray
from reviews.provenance.proofs.omitted_parameter import may_be_of_omitted, omits_number
from reviews.provenance.proofs.phrase import (
    calls_names,
    ends_phrase,
    is_accounted_for,
    is_change,
    is_labelled,
    is_turned,
    prepositions_before,
    stands_plainly,
)
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.unused_places import unused_places
from reviews.provenance.proofs.whole_message import is_used_up
from reviews.provenance.proofs.whole_value import is_name, is_quoted, is_whole
from reviews.provenance.proofs.words import (
    FRAME,
    PREPOSITIONS,
    PRONOUNS,
    STANDING_IN,
    TOWARDS,
    counts_anything,
    labels_in,
    labels_of_others,
    names_another,
)
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import is_name_of_thing
from reviews.provenance.terms.search import says_other_field
from reviews.provenance.terms.value_mentions import Mention, has_other_reading, mentions_of
from reviews.provenance.text.boundaries import overlaps
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import is_plural, root_of, roots_of, stem_of, tokens_of
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.durations import seconds_of
from reviews.provenance.values.moments import moment_of
from reviews.provenance.values.money import currency_of

RULE = "proofs.sole_reading"
# Words right before a value by which it may be called: "the calendar event E1", "the post number P-1".
_NAMING: Final = 3
# Two words with nothing but a comma between them right before a value, and characters in which they stand.
_LISTED_LABELS: Final = re.compile(r"(?P<first>[^\W\d_]+), (?:and )?(?:the )?[^\W\d_]+(?: to| is| are)?[ :=]*$")
_MAX_LABELS: Final = 80
_NEXT_WORD: Final = re.compile(r" (?P<word>[^\W_]+)")


@dataclass(frozen=True)
class _Statement:
    """A value of a call at one place of the words that ask for it."""

    leaf: Leaf
    mention: Mention
    call: ProposedCall
    request: Request | None

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Where it stands."""
        return tuple(self.call.text.span(*place) for place in self.mention.places)

    def is_meant(self) -> bool:
        """Whether the words say the value, and of this parameter."""
        leaf, call, place = self.leaf, self.call, self.mention.place
        is_option = not leaf.choices or leaf.folded in map(fold, leaf.choices)
        if not is_option or not stands_plainly(*place, call) or has_other_reading(leaf, self.mention, call.text):
            return False
        if not self._is_where_asked() or not is_whole(leaf, self.mention, call, self.request):
            return False
        if is_change(leaf, place[0], call) or not self._is_named() or self._is_respelt():
            return False
        if says_other_field(leaf, self.spans[0].quote, call.evidence):
            return False
        label = is_labelled(leaf, *place, call)
        may_be_else = self._names_something_else() or self._describes_by_label() or self._may_be_another_verbs()
        if label and (may_be_else or self._is_behind_labels()):
            return False
        return self._is_sole() and not self._is_frame_word() if label is None else label

    def _names_something_else(self) -> bool:
        """Whether it says what something is called, and may be of another thing than the one that is asked for."""
        is_name = kind_of(self.leaf) is Kind.TEXT and calls_names(self.leaf)
        return is_name and not self._is_in_sentence_that_asks()

    def _is_respelt(self) -> bool:
        """Whether a free text that is no length is written with other letters than the words: Muller is no Müller."""
        said = " ".join(span.quote for span in self.spans)
        is_free = kind_of(self.leaf) is Kind.TEXT and not seconds_of(self.leaf.text, self.leaf.name)
        return is_free and said.casefold().split() != self.leaf.text.casefold().split()

    def _is_frame_word(self) -> bool:
        """Whether the value reads like a word that any sentence has: the grade A, and "on" that no "to" leads to."""
        leaf, (start, _) = self.leaf, self.mention.place
        if leaf.folded not in FRAME or is_quoted(self.mention, self.call.text):
            return False
        return words_in(self.call.text.folded[:start])[-1:] not in (("to",), ("as",))

    def _is_sole(self) -> bool:
        """Whether the words could mean no other parameter, as nothing beside them names this one."""
        leaf, call, place = self.leaf, self.call, self.mention.place
        if is_turned(leaf, place[0], call) or self._may_be_of_omitted() or self._is_another_things():
            return False
        if self._describes_thing() or self._follows_thing():
            return False
        if any(_may_be_mistaken(other, leaf, call) for other in call.rivals_of(leaf)):
            return False
        is_dictated = kind_of(leaf) is Kind.TEXT and is_quoted(self.mention, call.text)
        return (is_dictated and self._is_in_sentence_that_asks()) or self._is_beside_known_words()

    def _is_in_sentence_that_asks(self) -> bool:
        """Whether it is said in the sentence that asks: one before it may say what else there is."""
        sentence = self.call.text.sentence_at(self.mention.place[0])
        is_alone = len(self.call.text.sentences) == 1
        return is_alone if self.request is None else sentence == self.request.sentence

    def _is_named(self) -> bool:
        """Whether a free text is quoted, or shown to be a name."""
        leaf, call = self.leaf, self.call
        # Where all words are in capitals, one alone looks like a code.
        is_free = kind_of(leaf) is Kind.TEXT or (kind_of(leaf) is Kind.CODE and leaf.text.isalpha())
        return not is_free or is_quoted(self.mention, call.text) or is_name(leaf, self.mention, call)

    def _is_where_asked(self) -> bool:
        """Whether the value stands in the sentence that asks for the tool, or in one where nothing turns it around."""
        sentence = self.call.text.sentence_at(self.mention.place[0])
        if sentence is None:
            return False
        self.call.evidence.budget.spend(1 + len(sentence.text) // CHARACTERS_A_STEP)
        if self.call.latest_request.offers and "please" in words_in(sentence.text):
            # An agent that says "please" asks the user to do it.
            return False
        return (self.request is not None and sentence == self.request.sentence) or not sentence.has_turn()

    def _may_be_of_omitted(self) -> bool:
        """Whether it may be meant for a parameter that the call leaves out; or counts no such thing as this."""
        leaf, call = self.leaf, self.call
        if kind_of(leaf) is not Kind.NUMBER:
            return may_be_of_omitted(leaf, call, is_quoted=is_quoted(self.mention, call.text))
        if omits_number(call):
            return True
        # Money counts neither guests nor shares.
        last = "".join(tokens_of(leaf.name)[-1:])
        if not (is_plural(last) or counts_anything(leaf.name)) or currency_of(last) is not None:
            return False
        return any(call.text.amounts_at(*self.mention.place))

    def _is_another_things(self) -> bool:
        """Whether a noun that is not the parameter's stands right before it: "of customer C-1" says no order.

        A figure there names the thing: "table 5" is no table for 5.
        """
        (start, end), request = self.mention.place, self.request
        begin = request.end if request and request.end <= start else start
        words = words_in(self.call.text.folded[begin:start])[-_NAMING:]
        parted = [at for at, word in enumerate(words, start=1) if word in PREPOSITIONS]
        is_figure = kind_of(self.leaf) is Kind.NUMBER and not any(self.call.text.amounts_at(start, end))
        if is_figure and not is_name_of_thing((self.leaf.name,), self.call.things):
            named = self.call.things.intersection(map(root_of, words[-1:]))
            if not named <= roots_of(self.leaf.name):
                return True
        return names_another(words[max(parted, default=0) :], self.leaf.name, self.call)

    def _describes_thing(self) -> bool:
        """Whether it stands right before a noun or a value: "the paid order" is not one to be set so."""
        call, kind = self.call, kind_of(self.leaf)
        behind = _NEXT_WORD.match(call.text.folded, self.mention.place[1])
        if behind is None or behind["word"] in PREPOSITIONS | STANDING_IN:
            return False
        is_before_noun = root_of(behind["word"]) in call.known_words
        if kind is Kind.OPTION:
            is_before_value = call.is_used(*behind.span("word"))
            return (is_before_noun or is_before_value) and not is_quoted(self.mention, call.text)
        # What has several is counted.
        return kind in (Kind.NUMBER, Kind.MOMENT) and is_before_noun and not is_plural(behind["word"])

    def _describes_by_label(self) -> bool:
        """Whether it and its label lead to a noun: "the high priority ticket" is not set so.

        A figure or a day does where the noun has its name behind it, "the priority 1 ticket T-1", or before "of": "the
        ticket T-1 of priority 1".
        """
        call, kind, (start, value_end) = self.call, kind_of(self.leaf), self.mention.place
        if kind not in (Kind.OPTION, Kind.NUMBER, Kind.MOMENT):
            return False
        labels, end = labels_in(self.leaf.name, call) - PREPOSITIONS, value_end
        while (noun := _NEXT_WORD.match(call.text.folded, end)) and stem_of(noun["word"]) in labels:
            end = noun.end()
        if noun and root_of(noun["word"]) in call.known_words - PREPOSITIONS:
            is_labelled_behind = kind is Kind.OPTION and end > value_end
            return is_labelled_behind or call.is_used(noun.end() + 1, noun.end() + 2)
        is_of_thing = self._is_behind_code() or call.is_used(end + 1, end + 2)
        return is_of_thing and next(prepositions_before(start, call), "") == "of"

    def _may_be_another_verbs(self) -> bool:
        """Whether the noun before it may be a verb behind "and": "cancel it and order A-1" orders something."""
        sentence, start = self.call.text.sentence_at(self.mention.place[0]), self.mention.place[0]
        words = words_in(self.call.text.folded[sentence.start if sentence else 0 : start])
        is_joined = words[-2:-1] == ("and",) and root_of(words[-1]) in self.call.things
        return is_joined and root_of(words[-1]) not in map(root_of, words[:-2])

    def _is_behind_labels(self) -> bool:
        """Whether its label stands behind another one, "width, height: 2, 3": nobody has said which is which."""
        start = self.mention.place[0]
        labels = _LISTED_LABELS.search(self.call.text.folded, max(0, start - _MAX_LABELS), start)
        return labels is not None and stem_of(labels["first"]) in labels_of_others(self.leaf, self.call)

    def _follows_thing(self) -> bool:
        """Whether the thing that the verb governs is named before it, and nothing leads to it as to what that becomes.

        Who moves "the event E7 on Friday" has not said where to.
        """
        call, start = self.call, self.mention.place[0]
        leading, before = next(prepositions_before(start, call), ""), words_in(call.text.folded[:start])[-1:]
        return leading not in TOWARDS and before != ("as",) and self._is_behind_code()

    def _is_behind_code(self) -> bool:
        """Whether another value stands before it that is a code, and no preposition leads to that."""
        call, start = self.call, self.mention.place[0]
        others = (other for other in call.leaves if other.pointer != self.leaf.pointer and kind_of(other) is Kind.CODE)
        places = (mention.place for other in others for mention in mentions_of(other, call.text))
        return any(place[1] <= start and not any(prepositions_before(place[0], call)) for place in places)

    def _is_beside_known_words(self) -> bool:
        """Whether the tool's verb, or words that are known, lead to the value, and none that is unknown follows it."""
        (start, end), request = self.mention.place, self.request
        is_behind_verb = request is not None and request.end <= start
        between = words_in(self.call.text.folded[request.end : start]) if request and is_behind_verb else ()
        if kind_of(self.leaf) is not Kind.TEXT:
            # Right behind the tool's verb stands what it governs: "Send $30".
            if is_behind_verb and not between:
                return ends_phrase(end, self.call)
            return is_accounted_for(start, end, self.call)
        return request is not None and is_behind_verb and self._is_in_read_sentence(request, between)

    def _is_in_read_sentence(self, request: Request, between: Sequence[str]) -> bool:
        """Whether nothing in the sentence that asks is left unread, and it leads to the value: "the status to done".

        "Call it a day": what stands in for something is what the verb governs.
        """
        stretch, place = (request.end, request.sentence.end), self.mention.place
        becomes = between[-1:] in (("to",), ("as",)) and not overlaps(self.call.names, *place)
        return (
            place[0] < request.sentence.end
            and PRONOUNS.isdisjoint(between)
            and is_used_up(request, self.call)
            and (becomes or find_stray(stretch, request, self.call) is None)
        )


def establish_leaf(leaf: Leaf, call: ProposedCall, request: Request | None) -> Establishment | None:
    """The proof of a value that is said and could mean nothing else."""
    for mention in mentions_of(leaf, call.text) if kind_of(leaf) is not Kind.NOTHING else ():
        call.evidence.budget.spend()
        statement = _Statement(leaf, mention, call, request)
        if not statement.is_meant() or any(unused_places(leaf, call)):
            continue
        agreement = call.latest_request.agreement_to(call.text)
        if agreement is None:
            return Establishment(RULE, "The request says it, and nothing else.", mention.how, statement.spans)
        spans = (*statement.spans, agreement.whole)
        return Establishment(RULE, "The agent proposed it and the user agreed.", mention.how, spans)
    return None


def _may_be_mistaken(other: Leaf, leaf: Leaf, call: ProposedCall) -> bool:
    """Whether another value of the kind may be meant where the leaf's is said, as nothing says where that one is."""
    meant, rival = moment_of(leaf.text), moment_of(other.text)
    if meant and rival and all((mine is None) != (its is None) for mine, its in zip(meant, rival, strict=True)):
        # One of them is a day and the other a time of day.
        return False
    if other.text == leaf.text:
        # What is said once is one parameter's value, and nothing says which one's.
        return True
    return not any(is_labelled(other, *mention.place, call) for mention in mentions_of(other, call.text))
