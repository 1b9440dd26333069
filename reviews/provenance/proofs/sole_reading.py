"""The message that asks says the value, and it could mean no other value and no other parameter.

Sound because: the value stands in the user's latest message (or in an offer that nothing but agreement, or the call's
own words, followed); every other value of its kind there is taken up by another argument, or this one alone fills a
line with the parameter's name; where another parameter takes that kind, this one's own name or preposition stands
before the value; and a free text is quoted, labelled, or what the tool's verb governs.
Assumes: who asks for a call names its values in the message that asks. A sentence that denies, makes a condition or
asks a question proves nothing, nor does what the user says of somebody ("Ann's").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.phrase import (
    ends_phrase,
    is_accounted_for,
    is_covered,
    is_labelled,
    is_turned,
    sentence_at,
    stands_plainly,
)
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.whole_message import is_used_up
from reviews.provenance.proofs.whole_value import is_quoted, is_whole, omits_number
from reviews.provenance.proofs.words import ARTICLES, PREPOSITIONS, PRONOUNS
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.mentions import Kind, Mention, has_other_reading, kind_of, mentions_of
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import stem_of, stems_of, tokens_of
from reviews.provenance.text.quotations import QUOTATION
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.moments import moment_of
from reviews.provenance.values.money import amounts_in, currency_of

RULE = "proofs.sole_reading"
# Words that join the tool's verb to what it governs: articles and the like.
_MAX_JOINING = 3
# A line that says one thing by its name, in Markdown or without.
_FORM_LINE = re.compile(r"^[^\w\n]{0,8}(?P<name>\w[\w -]{0,40}?)\W{0,3}:(?P<value>[^\n]{1,200})$", re.M)
_MARKS = " \t*_`#.-"


@dataclass(frozen=True, slots=True)
class Statement:
    """A value that the asking words say, as nothing else could be meant."""

    text: SourceText
    mention: Mention

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where it stands."""
        return tuple(self.text.span(*place) for place in self.mention.places)

    @property
    def how(self) -> Grounding:
        """How it is written there."""
        return self.mention.how


def find_sole_statement(leaf: Leaf, call: ProposedCall, request: Request | None) -> Statement | None:
    """Where the value is said, if it could mean nothing else; None otherwise. Raises `OutOfBudgetError`."""
    kind = kind_of(leaf)
    if kind is Kind.NOTHING:
        return None
    for text in call.asking.texts:
        for mention in mentions_of(leaf, text):
            call.evidence.budget.spend()
            statement = Statement(text, mention)
            if not _is_meant(leaf, statement, call, request):
                continue
            if _is_only_form_field(leaf, mention, text, call) or not _has_unused_value(leaf, kind, call):
                return statement
    return None


def _is_meant(leaf: Leaf, statement: Statement, call: ProposedCall, request: Request | None) -> bool:
    kind, mention, text = kind_of(leaf), statement.mention, statement.text
    if leaf.choices and leaf.folded not in map(fold, leaf.choices):
        return False
    is_plain = stands_plainly(mention.start, mention.end, text) and not has_other_reading(leaf, mention, text)
    if not (is_plain and _is_where_asked(statement, call, request) and is_whole(leaf, mention, text, call, request)):
        return False
    label = is_labelled(leaf, mention.start, mention.end, text, call)
    if label is not None:
        return label
    if is_turned(leaf, mention.start, text, call) or _may_be_of_omitted(leaf, mention, text, call):
        return False
    if any(_may_be_mistaken(argument, leaf, kind, call) for argument in call.decisive):
        return False
    is_quotation = kind is Kind.TEXT and is_quoted(mention, text)
    return is_quotation or _is_beside_known_words(leaf, mention, text, call, request)


def _is_beside_known_words(
    leaf: Leaf, mention: Mention, text: SourceText, call: ProposedCall, request: Request | None
) -> bool:
    """Whether the tool's verb, or words that are known, lead to the value, and none that is unknown follows it."""
    if kind_of(leaf) is Kind.TEXT:
        return _is_governed(leaf, mention, text, call, request) or _completes_request(mention, text, call, request)
    is_behind_verb = request is not None and request.text is text and request.end <= mention.start
    if request and is_behind_verb and not words_in(text.folded[request.end : mention.start]):
        # Right behind the tool's verb stands what it governs: "Send $30".
        return ends_phrase(mention.end, text, call)
    return is_accounted_for(mention.start, mention.end, text, call)


def _is_where_asked(statement: Statement, call: ProposedCall, request: Request | None) -> bool:
    """Whether the value stands in the sentence that asks for the tool, or in one where nothing turns it around."""
    sentence = sentence_at(statement.mention.start, statement.text)
    if sentence is not None and call.asking.agreement_to(statement.text) and "please" in words_in(sentence.text):
        # An agent that says "please" asks the user to do it.
        return False
    if sentence is None or (request is not None and request.text is statement.text and sentence == request.sentence):
        return sentence is not None
    return not sentence.has_turn()


def _may_be_mistaken(argument: Leaf, leaf: Leaf, kind: Kind, call: ProposedCall) -> bool:
    """Whether another parameter takes this kind of value, and nothing says which value that one has."""
    if (
        kind_of(argument) is not kind
        or _says_other_part(argument, leaf)
        or path_of(argument.pointer) == path_of(leaf.pointer)
    ):
        return False
    # What is said once is one parameter's value, and nothing says which one's.
    return argument.text == leaf.text or not any(
        is_labelled(argument, mention.start, mention.end, text, call)
        for text in call.asking.texts
        for mention in mentions_of(argument, text)
    )


def _may_be_of_omitted(leaf: Leaf, mention: Mention, text: SourceText, call: ProposedCall) -> bool:
    """Whether a number may be meant for a parameter that the call leaves out, or counts no such thing as this one."""
    if kind_of(leaf) is not Kind.NUMBER or call.document is None:
        return False
    if omits_number(call):
        return True
    # Money counts neither guests nor shares.
    last = tokens_of(leaf.name)[-1:]
    counts = bool(last) and last[0].endswith("s") and stem_of(last[0]) != last[0] and currency_of(last[0]) is None
    return counts and any(
        amount.start <= mention.end and mention.start <= amount.end for amount in amounts_in(text.folded)
    )


def _says_other_part(argument: Leaf, leaf: Leaf) -> bool:
    """Whether one of them is a day and the other a time of day: neither can be meant where the other stands."""
    one, other = moment_of(argument.text), moment_of(leaf.text)
    if one is None or other is None:
        return False
    return all((mine is None) != (its is None) for mine, its in zip(one, other, strict=True))


def _is_governed(leaf: Leaf, mention: Mention, text: SourceText, call: ProposedCall, request: Request | None) -> bool:
    """Whether nothing but the tool's own words and articles stands between the tool's verb and the value."""
    if request is None or request.text is not text or not request.end <= mention.start <= request.sentence.end:
        return False
    between = words_in(text.folded[request.end : mention.start])
    if not PRONOUNS.isdisjoint(between):
        # "Call it a day": what stands in for something is what the verb governs.
        return False
    known_stems = stems_of(call.tool) | stems_of(leaf.name)
    words = [word for word in between if word not in ARTICLES]
    return (
        len(words) <= _MAX_JOINING
        # "Turn on the lamp": the tool's own.
        and (PREPOSITIONS - set(tokens_of(call.tool))).isdisjoint(between)
        and is_covered((request.end, mention.start), text, known_stems, call)
    )


def _completes_request(mention: Mention, text: SourceText, call: ProposedCall, request: Request | None) -> bool:
    """Whether the request says what something becomes, and nothing else that is not taken up: "the status to done"."""
    if request is None or request.text is not text or not request.end < mention.start < request.sentence.end:
        return False
    names = call.places_of_names(text)
    return (
        words_in(text.folded[request.end : mention.start])[-1:] in (("to",), ("as",))
        and not any(start < mention.end and mention.start < end for start, end in names)
        and is_used_up(request, call)
    )


def _is_only_form_field(leaf: Leaf, mention: Mention, text: SourceText, call: ProposedCall) -> bool:
    """Whether the value is all of the one line that the parameter's whole name begins: "Order ID: W1122334"."""
    name = tokens_of(leaf.name)
    lines = [hit for asking in call.asking.texts for hit in _FORM_LINE.finditer(asking.folded)]
    call.evidence.budget.spend(1 + len(lines))
    values = [hit["value"].strip(_MARKS) for hit in lines if tuple(words_in(hit["name"])) == name]
    return values == [text.folded[mention.start : mention.end].strip(_MARKS)]


def _has_unused_value(leaf: Leaf, kind: Kind, call: ProposedCall) -> bool:
    """Whether the asking words hold another value of this kind that no argument takes up."""
    for text in call.asking.texts:
        call.evidence.budget.spend(1 + len(text.folded) // 64)
        if any(not call.is_used(text, start, end) for start, end in places_of_kind(leaf, kind, text)):
            return True
    return False


def places_of_kind(leaf: Leaf, kind: Kind, text: SourceText) -> Iterator[tuple[int, int]]:
    """Where a text says values of this kind, or other options of the leaf's list."""
    match kind:
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
        case Kind.OPTION:
            for choice in leaf.choices:
                option = Leaf(choice)
                if option.folded != leaf.folded:
                    yield from (place for mention in mentions_of(option, text) for place in mention.places)
        case Kind.TEXT:
            yield from (hit.span() for hit in QUOTATION.finditer(text.folded))
