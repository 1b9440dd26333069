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
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from reviews.provenance.core.context import Span
from reviews.provenance.proofs.call import CHARACTERS_A_STEP, Establishment, ProposedCall
from reviews.provenance.proofs.leading import find_stray
from reviews.provenance.proofs.other_meanings import (
    is_behind_labels,
    is_of_unknown_thing,
    is_second_thing,
    may_be_another_verbs,
    may_be_moment_of_another,
    may_be_of_omitted,
    may_be_rivals,
    unused_places,
)
from reviews.provenance.proofs.parameter_field import is_other_field
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
from reviews.provenance.proofs.whole_message import is_used_up, says_value_alone
from reviews.provenance.proofs.whole_value import is_name, is_quoted, is_whole
from reviews.provenance.proofs.words import (
    FRAME,
    PREPOSITIONS,
    PRONOUNS,
    STANDING_IN,
    TOWARDS,
    counts_anything,
    labels_in,
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
from reviews.provenance.values.money import currency_of

RULE = "proofs.sole_reading"
# Words right before a value by which it may be called: "the calendar event E1", "the post number P-1".
_NAMING: Final = 3
# What leads to what something becomes.
_BECOMING: Final = frozenset({"to", "as"})
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
        if not self._is_said():
            return False
        label = is_labelled(self.leaf, *self.mention.place, self.call)
        if label is None:
            return not self._may_mean_else() and self._is_accounted_for() and self._is_said_for_call()
        names_thing = self._kind in (Kind.CODE, Kind.TEXT) and is_name_of_thing((self.leaf.name,), self.call.things)
        return label and not self._may_label_else() and (self._is_said_for_call() or not names_thing)

    def _is_said(self) -> bool:
        """Whether the words say the value: all of it, in one reading, to the letter, where it proves something."""
        leaf, call, mention = self.leaf, self.call, self.mention
        return (
            (not leaf.choices or leaf.folded in map(fold, leaf.choices))
            and stands_plainly(*mention.place, call)
            and not has_other_reading(leaf, mention, call.text)
            and self._is_where_asked()
            and is_whole(leaf, mention, call, self.request)
            and not is_change(leaf, mention.place[0], call)
            and not (self._kind is Kind.MOMENT and may_be_moment_of_another(leaf, call))
            and (self._is_quoted or self._is_named())
            and not says_other_field(leaf, self.spans[0].quote, call.evidence)
            and not is_other_field(leaf, call)
            and not is_second_thing(mention.place[0], call)
        )

    def _may_label_else(self) -> bool:
        """Whether the parameter's name beside the value may name something else."""
        start, call = self.mention.place[0], self.call
        is_of_another = calls_names(self.leaf) and self._kind is Kind.TEXT and not self._is_in_sentence_that_asks()
        is_of_unknown = self._kind in (Kind.CODE, Kind.TEXT) and is_of_unknown_thing(start, call)
        is_led_to_else = is_behind_labels(self.leaf, start, call) or may_be_another_verbs(start, call)
        return is_of_another or is_of_unknown or is_led_to_else or self._describes_by_label()

    def _may_mean_else(self) -> bool:
        """Whether the words may mean another parameter or thing, as nothing beside them names this parameter."""
        return (
            is_turned(self.leaf, self.mention.place[0], self.call)
            or may_be_of_omitted(self.leaf, self.call, is_quoted=self._is_quoted)
            or self._is_price()
            or self._is_another_things()
            or self._describes_thing()
            or self._follows_thing()
            or self._is_frame_word()
            or any(may_be_rivals(rival, self.leaf, self.mention, self.call) for rival in self.call.rivals_of(self.leaf))
        )

    def _is_accounted_for(self) -> bool:
        """Whether known words lead to the value and none that is unknown follows it; of a free text in the sentence."""
        if self._kind is Kind.TEXT:
            is_led = self._is_quoted and self._is_in_sentence_that_asks() and self._is_led_well()
            return is_led or self._is_in_read_sentence()
        place = self.mention.place
        # Right behind the tool's verb stands what it governs: "Send $30".
        return ends_phrase(place[1], self.call) if self._between == () else is_accounted_for(*place, self.call)

    @cached_property
    def _kind(self) -> Kind:
        return kind_of(self.leaf)

    @cached_property
    def _is_quoted(self) -> bool:
        return is_quoted(self.mention, self.call.text)

    @cached_property
    def _between(self) -> tuple[str, ...] | None:
        """The words between the tool's verb and the value; None where it does not stand behind one."""
        start, request = self.mention.place[0], self.request
        return words_in(self.call.text.folded[request.end : start]) if request and request.end <= start else None

    @cached_property
    def _word_before(self) -> str:
        """The word right before it."""
        return "".join(words_in(self.call.text.folded[: self.mention.place[0]])[-1:])

    @property
    def _leading(self) -> str:
        """The nearest preposition that leads to it; empty where none does."""
        return next(prepositions_before(self.mention.place[0], self.call), "")

    def _is_in_sentence_that_asks(self) -> bool:
        """Whether it is said in the sentence that asks: one before it may say what else there is.

        Where none does, in the only one, but for what answers the agent: that is of what the agent asked for.
        """
        asking = self.request.sentence if self.request else self.call.offer
        is_alone = len(self.call.text.sentences) == 1 and not self.call.latest_request.is_answer
        return self.call.text.sentence_at(self.mention.place[0]) == asking if asking else is_alone

    def _is_said_for_call(self) -> bool:
        """Whether the sentence that asks says it, or one that says nothing else.

        "A-1 is for the rent. Close the other.": what is said of a thing besides does not mean it.
        """
        sentence = self.call.text.sentence_at(self.mention.place[0]) if self.request else None
        return self._is_in_sentence_that_asks() or (sentence is not None and says_value_alone(sentence, self.call))

    def _is_where_asked(self) -> bool:
        """Whether the value stands in the sentence that asks for the tool, or in one where nothing turns it around."""
        sentence = self.call.text.sentence_at(self.mention.place[0])
        if sentence is None:
            return False
        self.call.evidence.budget.spend(1 + len(sentence.text) // CHARACTERS_A_STEP)
        # An agent that says "please" asks the user to do it.
        is_users = self.call.latest_request.offers and "please" in words_in(sentence.text)
        is_asking = self.request is not None and sentence == self.request.sentence
        return not is_users and (is_asking or not sentence.has_turn())

    def _is_named(self) -> bool:
        """Whether a free text is shown to be a name."""
        # Where all words are in capitals, one alone looks like a code.
        is_free = self._kind is Kind.TEXT or (self._kind is Kind.CODE and self.leaf.text.isalpha())
        return not is_free or is_name(self.leaf, self.mention, self.call)

    def _is_frame_word(self) -> bool:
        """Whether the value reads like a word that any sentence has: the grade A, and "on" that no "to" leads to."""
        return self.leaf.folded in FRAME and not self._is_quoted and self._word_before not in _BECOMING

    def _is_price(self) -> bool:
        """Whether it is an amount where things are counted: money counts neither guests nor shares."""
        last = "".join(tokens_of(self.leaf.name)[-1:])
        counts = (is_plural(last) or counts_anything(self.leaf.name)) and currency_of(last) is None
        return self._kind is Kind.NUMBER and counts and any(self.call.text.amounts_at(*self.mention.place))

    def _is_another_things(self) -> bool:
        """Whether a noun that is not the parameter's stands right before it: "of customer C-1" says no order.

        A figure there names the thing: "table 5" is no table for 5.
        """
        leaf, call, words = self.leaf, self.call, (self._between or ())[-_NAMING:]
        is_figure = self._kind is Kind.NUMBER and not any(call.text.amounts_at(*self.mention.place))
        is_named = is_name_of_thing((leaf.name,), call.things)
        if is_figure and not is_named and not call.things.intersection(map(root_of, words[-1:])) <= roots_of(leaf.name):
            return True
        parted = [at for at, word in enumerate(words, start=1) if word in PREPOSITIONS]
        return names_another(words[max(parted, default=0) :], leaf.name, call)

    def _describes_thing(self) -> bool:
        """Whether it stands right before a noun or a value: "the paid order" is not one to be set so."""
        call = self.call
        behind = _NEXT_WORD.match(call.text.folded, self.mention.place[1])
        if behind is None or behind["word"] in PREPOSITIONS | STANDING_IN:
            return False
        is_before_noun = root_of(behind["word"]) in call.known_words
        if self._kind is Kind.OPTION:
            return (is_before_noun or call.is_used(*behind.span("word"))) and not self._is_quoted
        # What has several is counted.
        return self._kind in (Kind.NUMBER, Kind.MOMENT) and is_before_noun and not is_plural(behind["word"])

    def _describes_by_label(self) -> bool:
        """Whether it and its label lead to a noun: "the high priority ticket" is not set so.

        A figure or a day does where the noun has its name behind it, "the priority 1 ticket T-1", or before "of": "the
        ticket T-1 of priority 1".
        """
        call, value_end = self.call, self.mention.place[1]
        if self._kind not in (Kind.OPTION, Kind.NUMBER, Kind.MOMENT):
            return False
        labels, end = labels_in(self.leaf.name, call) - PREPOSITIONS, value_end
        while (noun := _NEXT_WORD.match(call.text.folded, end)) and stem_of(noun["word"]) in labels:
            end = noun.end()
        if noun and root_of(noun["word"]) in call.known_words - PREPOSITIONS:
            return (self._kind is Kind.OPTION and end > value_end) or call.is_used(noun.end() + 1, noun.end() + 2)
        return self._leading == "of" and (self._is_behind_code() or call.is_used(end + 1, end + 2))

    def _follows_thing(self) -> bool:
        """Whether the thing that the verb governs is named before it, and nothing leads to it as to what that becomes.

        Who moves "the event E7 on Friday" has not said where to.
        """
        return self._leading not in TOWARDS and self._word_before != "as" and self._is_behind_code()

    def _is_behind_code(self) -> bool:
        """Whether another value stands before it that is a code, and no preposition leads to that."""
        call, start = self.call, self.mention.place[0]
        codes = (code for code in call.leaves if code.pointer != self.leaf.pointer and kind_of(code) is Kind.CODE)
        places = (mention.place for code in codes for mention in mentions_of(code, call.text))
        return any(place[1] <= start and not any(prepositions_before(place[0], call)) for place in places)

    def _is_led_well(self) -> bool:
        """Whether each preposition from the verb to it leads where the call says: "the files in 'A'" are not A."""
        request, start = self.request, self.mention.place[0]
        return request is None or find_stray((min(request.end, start), start), request, self.call) is None

    def _is_in_read_sentence(self) -> bool:
        """Whether nothing in the sentence that asks is left unread, and it leads to the value: "the status to done".

        "Call it a day": what stands in for something is what the verb governs.
        """
        request, call, place, between = self.request, self.call, self.mention.place, self._between
        if request is None or between is None or place[0] >= request.sentence.end:
            return False
        if not PRONOUNS.isdisjoint(between) or not is_used_up(request, call):
            return False
        becomes = self._word_before in _BECOMING and not overlaps(call.names, *place)
        return becomes or find_stray((request.end, request.sentence.end), request, call) is None


def establish_leaf(leaf: Leaf, call: ProposedCall, request: Request | None) -> Establishment | None:
    """The proof of a value that is said and could mean nothing else."""
    for mention in mentions_of(leaf, call.text) if kind_of(leaf) is not Kind.NOTHING else ():
        call.evidence.budget.spend()
        statement = _Statement(leaf, mention, call, request)
        if statement.is_meant() and not any(unused_places(leaf, call)):
            agreement = call.latest_request.agreement_to(call.text)
            agreed = "The agent proposed it and the user agreed."
            note = agreed if agreement else "The request says it, and nothing else."
            spans = (*statement.spans, agreement.whole) if agreement else statement.spans
            return Establishment(RULE, note, mention.how, spans)
    return None
