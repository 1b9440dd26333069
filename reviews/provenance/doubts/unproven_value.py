"""The value stands somewhere, and nothing proves that it is meant; or it stands nowhere."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

from reviews.provenance.core.context import Span
from reviews.provenance.core.places import describe_source
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.sources import Cell, SourceText
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.doubts.other_spelling import find_near_wording, find_other_spelling, find_part, find_wording
from reviews.provenance.doubts.said_fields import telling_fields
from reviews.provenance.doubts.similar_identifier import most_similar
from reviews.provenance.doubts.value_shape import is_of_shape
from reviews.provenance.doubts.wording import quote_as_value, quote_cell, quote_words
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.other_meanings import unused_places
from reviews.provenance.proofs.phrase import stands_in_plain_sentence, stands_plainly
from reviews.provenance.proofs.words import counts_anything
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.readings.mentions import find_readings
from reviews.provenance.terms.record_keys import unsaid_arguments
from reviews.provenance.terms.search import propose_paths
from reviews.provenance.terms.terms import Confirmed, Documented, Field, Stated, Term
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.terms.verify import Verified, verify_term
from reviews.provenance.text.boundaries import Place, find_all, stands_in_whole
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import READING, local_name, stems_of, tokens_of
from reviews.provenance.values.numbers import UNREAD, number_of, readings_in

SAID = "doubts.said_unclearly"
EARLIER = "doubts.said_earlier"
RECORDED = "doubts.stands_in_data"
NOWHERE = "doubts.stands_nowhere"
UNASKED = "doubts.unasked_setting"
# Between the entries of a list that is one text, and the figures of a formula; and how many there may be.
_ENTRIES = re.compile(r"[,()]|\s[-+*/]\s")
_MAX_ENTRIES = 8
# Figures of a number that is looked for within codes: a single one stands in many.
_MIN_FIGURES = 2
# Other values of the call whose names may have the same words.
_MAX_OTHERS = 64
# Letters of a word that may speak of a setting: shorter ones join others.
_MIN_WORD = 4


def raise_doubt(leaf: Leaf, call: ProposedCall, terms: tuple[Term, ...]) -> Doubt:
    """What is known of the value's source."""
    match terms[0] if terms else None:
        case Stated(span) | Confirmed(span):
            return _doubt_statement(leaf, call, span)
        case Field(span):
            place = describe_source(span.source)
            cell = call.evidence.texts[span.source].cell_at(span)
            fields = telling_fields(cell, call) if cell else []
            beside = f", beside {', '.join(map(quote_cell, fields))}" if fields else ""
            beside += _describe_narrowing(cell, fields, call) if cell else ""
            stated = quote_as_value(span, leaf, call.text.now)
            return Doubt(RECORDED, f"{stated} stands in {place}{beside}. Is it the one that the request means?")
        case Documented(span):
            stated = quote_as_value(span, leaf, call.text.now)
            part = find_part(leaf, call.text)
            mention = (
                f"the request says {quote_words(call.text.span(*part))}" if part else "no rule finds it in the request"
            )
            return Doubt(RECORDED, f"The tool's document has {stated}; {mention}. Is it asked for?")
    return _doubt_unsaid(leaf, call) if leaf.text else _doubt_setting(leaf, call)


def _describe_narrowing(cell: Cell, fields: Sequence[Cell], call: ProposedCall) -> str:
    """By what else the look-up was narrowed of a record that the request calls by name: another may have that name."""
    step, is_called = cell.text.step, any(fold(field.value) in call.text.folded for field in fields)
    if step is None or not is_called or READING.isdisjoint(tokens_of(local_name(step.tool))[:1]):
        return ""
    argument = next(unsaid_arguments(cell.text, call.evidence), None)
    if argument is None:
        return ""
    value = shorten_text(argument.text or json.dumps(argument.value), 40)
    return f", looked up with {shorten_text(argument.name, 40)} “{value}”, which the user did not say"


def _doubt_unsaid(leaf: Leaf, call: ProposedCall) -> Doubt:
    """Of a value that stands nowhere as it is: in which spelling or parts it does, else what is like it."""
    if wording := _find_in_messages(leaf, call, find_other_spelling, find_wording):
        stated = quote_as_value(wording, leaf, call.text.now)
        if wording.source == call.text.source.id:
            note = f"The request says {stated}. Is it meant for {leaf.name or 'this'}?"
            return Doubt(SAID, note, spans=(wording,))
        note = f"The user said {stated} before the latest message. Does it still hold?"
        return Doubt(EARLIER, note, spans=(wording,))
    for path in propose_paths(leaf, call.evidence):
        outcome = verify_term(path, leaf, call.evidence)
        if isinstance(outcome, Verified):
            words = _word_places(outcome.spans)
            return Doubt(RECORDED, f"{words}. Is “{shorten_text(leaf.text, 60)}” meant?", spans=outcome.spans)
    if parts := _find_listed(leaf, call):
        return Doubt(SAID, f"{_word_places(parts)}. Is “{shorten_text(leaf.text, 60)}” meant?", spans=parts)
    numbers = chain.from_iterable(call.text.numbers.values())
    if leaf.text == "1" and counts_anything(leaf.name) and not any(is_of_shape(n, leaf, call.text) for n in numbers):
        return Doubt(NOWHERE, f"No rule finds a number for {leaf.name}. Is it one?")
    return _doubt_unfound(leaf, call)


def _doubt_unfound(leaf: Leaf, call: ProposedCall) -> Doubt:
    """Of a value that no rule finds: the code that it stands within, else what it is most like."""
    if code := _find_code_around(leaf, call):
        note = f"The request says {quote_words(code)}. Is “{shorten_text(leaf.text, 40)}” of it meant for {leaf.name}?"
        return Doubt(SAID, note, spans=(code,))
    nearest = most_similar(leaf, call) or _find_in_messages(leaf, call, find_near_wording)
    similar = f"; {describe_source(nearest.source)} says “{shorten_text(nearest.quote, 60)}”." if nearest else "."
    return Doubt(NOWHERE, f"“{shorten_text(leaf.text, 60)}” appears nowhere{similar}", nearest)


def _find_in_messages(
    leaf: Leaf, call: ProposedCall, *finders: Callable[[Leaf, SourceText], Place | None]
) -> Span | None:
    """What one of the finders finds of the value in what the user has said; the latest message first."""
    for text in call.evidence.user_messages:
        if place := next(filter(None, (find(leaf, text) for find in finders)), None):
            return text.span(*place)
    return None


def _find_code_around(leaf: Leaf, call: ProposedCall) -> Span | None:
    """The one code that the request says for nothing in the call, and within which the value stands: 79 of "CWE-79"."""
    text = call.text
    if len(leaf.text) < _MIN_FIGURES or not leaf.folded.isdigit():
        return None
    text.budget.spend(1 + len(text.identifiers))
    codes = [
        place
        for place in text.identifiers
        if not call.is_used(*place)
        and any(
            stands_in_whole(text.folded, place[0] + at, place[0] + at + len(leaf.folded))
            for at in find_all(text.folded[slice(*place)], leaf.folded)
        )
    ]
    return text.span(*codes[0]) if len(codes) == 1 else None


def _find_listed(leaf: Leaf, call: ProposedCall) -> tuple[Span, ...]:
    """Where each entry of a list that is one text stands: "Ann, Bo" of "Ann with Bo".

    All of them in one message of the user; those of a formula, "3 * 1.25", each in a message or a result.
    """
    entries = [Leaf(entry.strip()) for entry in _ENTRIES.split(leaf.text) if entry.strip()]
    is_formula = all(number_of(entry.text) is not None for entry in entries)
    is_list = all(any(map(str.isalpha, entry.text)) for entry in entries)
    if not 1 < len(entries) <= _MAX_ENTRIES or kind_of(leaf) is not Kind.TEXT or not (is_list or is_formula):
        return ()
    messages, data = call.evidence.user_messages, call.evidence.data
    for texts in [[*messages, *data]] if is_formula else [[message] for message in messages]:
        spans = [next(_find_entry(entry, texts, call), None) for entry in entries]
        if None not in spans:
            return tuple(span for span in spans if span)
    return ()


def _find_entry(entry: Leaf, texts: Sequence[SourceText], call: ProposedCall) -> Iterator[Span]:
    for text in texts:
        readings = find_readings(entry, text, call.evidence)
        places = chain((mention.place for mention in mentions_of(entry, text)), readings)
        yield from (text.span(*place) for place in places)


def _word_places(spans: Sequence[Span]) -> str:
    """Where each of several quotations stands."""
    places = [describe_source(span.source) for span in spans]
    if len(set(places)) == 1:
        return f"{' and '.join(map(quote_words, spans))} stand in {places[0]}"
    return " and ".join(f"{quote_words(span)} stands in {place}" for span, place in zip(spans, places, strict=True))


def _doubt_setting(leaf: Leaf, call: ProposedCall) -> Doubt:
    """Of a switch: the words of its name, where the request has any that neither the tool nor another argument has."""
    given = (stems_of(argument.name) for argument in islice(call.leaves, _MAX_OTHERS) if argument.text)
    stems = stems_of(leaf.name).difference(stems_of(local_name(call.tool)), *given)
    places = filter(None, map(call.spoken_stems.get, stems))
    if place := min((place for place in places if place[1] - place[0] >= _MIN_WORD), default=None):
        span = call.text.span(*place)
        note = f"The request speaks of “{span.quote}”; the call sets it to {json.dumps(leaf.value)}. Is that meant?"
        return Doubt(UNASKED, note, nearest=span, spans=(span,))
    name, value = shorten_text(leaf.name, 40), json.dumps(leaf.value)
    return Doubt(UNASKED, f"No rule finds “{name}” in the request; the call sets it to {value}. Is that meant?")


def _doubt_statement(leaf: Leaf, call: ProposedCall, span: Span) -> Doubt:
    source, stated = call.evidence.texts[span.source], quote_as_value(span, leaf, call.text.now)
    if source.source.kind is SourceKind.SYSTEM_PROMPT:
        return Doubt(EARLIER, f"The system prompt says {stated}. Is it meant here?")
    if source is not call.text:
        return Doubt(EARLIER, f"The user said {stated} before the latest message. Does it still hold?")
    places = [mention.place for mention in mentions_of(leaf, call.text)]
    readings = {read.value for read in readings_in(fold(span.quote)) if read.value != UNREAD}
    if kind_of(leaf) is Kind.NUMBER and len(readings) > 1:
        meant = " or ".join(map(str, sorted(readings)))
        return Doubt(SAID, f"The request says {quote_words(span)}, which may be {meant}. Is {leaf.text} meant?")
    is_plain = all(stands_in_plain_sentence(start, call) for start, _ in places)
    if not is_plain and (kind := _word_sentence(places, call)):
        return Doubt(SAID, f"{stated} is said in a {kind}. Is it meant?")
    ending = " with an ending" if is_plain and not all(stands_plainly(*place, call) for place in places) else ""
    beside = _word_other_code(leaf, call)
    return Doubt(SAID, f"The request says {stated}{ending}{beside}. Is it meant for {leaf.name or 'this'}?")


def _word_other_code(leaf: Leaf, call: ProposedCall) -> str:
    """The one other code of the same form that the request says and no value of the call takes up: it may be meant."""
    places = unused_places(leaf, call) if kind_of(leaf) is Kind.CODE else ()
    codes = {code for place in places if _form_of(code := call.text.span(*place).quote) == _form_of(leaf.text)}
    return f" and, for nothing in the call, “{shorten_text(codes.pop(), 40)}”" if len(codes) == 1 else ""


def _form_of(code: str) -> str:
    """How a code is written: where it has figures, letters and other signs."""
    return "".join("0" if sign.isdigit() else "a" if sign.isalpha() else sign for sign in code)


def _word_sentence(places: Sequence[Place], call: ProposedCall) -> str:
    """What the sentences are in which a value is said, and of which none proves anything.

    Nothing to tell where only a prefix might deny: “non-fat”.
    """
    sentences = [sentence for start, _ in places if (sentence := call.text.sentence_at(start))]
    if limit := next(filter(None, (sentence.limit_by_itself for sentence in sentences)), None):
        return f"sentence with “{limit}”, which may deny or set a condition"
    if any(sentence.limit for sentence in sentences):
        return ""
    return "question" if any(sentence.is_question for sentence in sentences) else "sentence that may ask"
