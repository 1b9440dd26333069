"""A text that the agent words itself tells a fact of another record than the one that is named.

The fact stands in data alone, as a whole field, and in no record that the call's values or the latest words name; a
record of the same kind that they do name has something else in that very field. Which record a text should tell of
nobody reads here: whatever is said of the fact's own record, and not of the named one, may mean it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.document import Pattern
from reviews.provenance.data.latest_request import LatestRequest
from reviews.provenance.data.sources import Cell, SourceText
from reviews.provenance.doubts.composed_text import read_composed, read_text
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.doubts.unknown_fact import list_facts
from reviews.provenance.doubts.wording import quote_words
from reviews.provenance.proofs.call import MAX_LEAVES, MAX_READ, ProposedCall, is_bare
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.record_keys import looked_up_by, named_records
from reviews.provenance.terms.same_value import same_value
from reviews.provenance.terms.search import fields_with
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.boundaries import overlaps
from reviews.provenance.text.fold import words_of
from reviews.provenance.values.identifiers import is_identifier
from reviews.provenance.values.moments import moment_of

RULE = "doubts.others_fact"
# Facts of one text, places of each in one result, and fields of a record that are looked at.
_MAX_FACTS, _MAX_PLACES, _MAX_FIELDS = 16, 4, 32
# The user's messages before the latest that may name the record.
_MAX_MESSAGES = 4
_TOKEN = re.compile(r"[^\s\"'`<>()\[\]{},;|*]+")
# What is a fact by itself, and names no record in a text.
_FACT = re.compile(r"[0-9@]|://")
# Characters of a word, and figures of a number, that stand in two texts by more than chance.
_MIN_WORD, _MIN_NUMBER = 3, 10
# Places of one text that numbers are held against.
_MAX_READ = 64
# Characters of a field that are read in one step of the budget.
_CHARACTERS_A_STEP = 16


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about the first such fact of a text."""
    text = read_composed(leaf, call)
    facts = list(islice(_list_facts_of(text), _MAX_FACTS)) if text else []
    if not facts:
        return None
    # All values of the call are read for them.
    names = _Names(call)
    for fact in facts:
        if counterpart := _find_counterpart(fact, names):
            note = f"The text says “{shorten_text(fact.text, 60)}”; the record that is named has"
            return Doubt(RULE, f"{note} {quote_words(counterpart.span)}. Is that one meant?", nearest=counterpart.span)
    return None


def _list_facts_of(text: SourceText) -> Iterator[Leaf]:
    """Days, times of day, links, identifiers and other numbers of a text, as values by themselves."""
    yield from chain.from_iterable(list_facts(text))
    tokens = ((hit.start(), hit[0].rstrip(".:!?")) for hit in text.afford(_TOKEN.finditer(text.folded)))
    codes = [(start, start + len(token)) for start, token in tokens if is_identifier(token)]
    yield from (Leaf(text.span(*place).quote, "/id") for place in codes)
    read = [*codes, *(moment.place for moment in text.moments)][:_MAX_READ]
    for number, places in text.numbers.items():
        text.budget.spend(1 + len(read))
        if not number.is_nan() and number >= _MIN_NUMBER and not overlaps(read, *places[0]):
            yield Leaf(int(number) if number == int(number) else float(number), "/number")


def _drop_facts(leaf: Leaf) -> str:
    """A value of the call; of a text only the words that may name something."""
    text = leaf.text[:MAX_READ]
    return text if is_bare(leaf) else " ".join(word for word in text.split() if not _FACT.search(word))


class _Names:
    """Which records of a kind the call names: by its values, by the names in its texts, and by the user's words."""

    def __init__(self, call: ProposedCall) -> None:
        leaves = call.leaves[:MAX_LEAVES]
        call.evidence.budget.spend(sum(1 + len(leaf.text[:MAX_READ]) // _CHARACTERS_A_STEP for leaf in leaves))
        call_text = read_text("\n".join(map(_drop_facts, leaves)), call)
        self.call = call
        self._latest = dict.fromkeys((call_text, call.latest_request.text, call.latest_request.message))
        self.words = {word for text in self._latest for word in words_of(text.folded)}
        self._by_kind: dict[tuple[str, Pattern], set[tuple[str, int]]] = {}

    def records_like(self, cell: Cell) -> set[tuple[str, int]]:
        """The named records of a field's kind; earlier messages name one where nothing else does."""
        key = cell.text.step.tool if cell.text.step else cell.text.source.id, cell.kind
        if key not in self._by_kind:
            latest = set().union(*(self._named_in(text, cell) for text in self._latest))
            earlier = (self._named_in(text, cell) for text in self.call.evidence.user_messages[:_MAX_MESSAGES])
            self._by_kind[key] = latest or next(filter(None, earlier), set())
        return self._by_kind[key]

    def _named_in(self, text: SourceText, cell: Cell) -> set[tuple[str, int]]:
        request, evidence = LatestRequest(text), self.call.evidence
        results = evidence.results_of(cell.text) if not cell.kind else ()
        looked_up = (looked_up_by(result, request, evidence) for result in results)
        names = (*named_records(cell.text, cell.kind, request, evidence), *filter(None, looked_up))
        return {name.identity for name in names}

    def is_named(self, cell: Cell) -> bool:
        """Whether the record of a field is one of them."""
        return (cell.text.source.id, cell.record) in self.records_like(cell)


def _find_counterpart(fact: Leaf, names: _Names) -> Cell | None:
    """What the named record has in the place of the fact, where the fact is another one's."""
    call = names.call
    if any(argument.folded == fact.folded for argument in call.leaves[:MAX_LEAVES]):
        return None
    statements = (*call.evidence.user_messages, *call.evidence.instructions, call.text)
    if any(mentions_of(fact, text) for text in statements):
        return None
    matches = ((text, field) for text in call.evidence.data for field in islice(fields_with(fact, text), _MAX_PLACES))
    places = [text.cell_at(field.span) for text, field in matches]
    # A place that is no whole field may be anybody's.
    owners = [owner for owner in places if owner and _gives(owner, fact) and not names.is_named(owner)]
    if len(owners) < len(places):
        return None
    for owner in owners:
        for source, record in sorted(names.records_like(owner)):
            fields = call.evidence.texts[source].cells_of(record)[:_MAX_FIELDS]
            counterpart = next((field for field in fields if field.field == owner.field), None)
            has_fact = any(_gives(field, fact) for field in fields)
            if counterpart and not has_fact and not _is_spoken_of(owner, fields, fact, names):
                return counterpart
    return None


def _gives(cell: Cell, fact: Leaf) -> bool:
    cell.text.budget.spend(1 + len(cell.value) // _CHARACTERS_A_STEP)
    moment, meant = moment_of(cell.value), moment_of(fact.value)
    if moment and meant:
        return all(part is None or part in moment for part in meant)
    return bool(same_value(fact, cell.value))


def _is_spoken_of(owner: Cell, named_fields: Sequence[Cell], fact: Leaf, names: _Names) -> bool:
    """Whether a word is said that the fact's own record has, and the named one has not."""
    named_words = _words_of(named_fields).union(words_of(fact.text))
    words = _words_of(owner.text.cells_of(owner.record)[:_MAX_FIELDS]) & names.words
    return any(len(word) >= _MIN_WORD for word in words - named_words)


def _words_of(cells: Sequence[Cell]) -> set[str]:
    for cell in cells:
        cell.text.budget.spend(1 + len(cell.value) // _CHARACTERS_A_STEP)
    return {word for cell in cells for word in words_of(cell.value)}
