"""Records that the user's words name by a key: a field whose values are all different among records of one kind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from reviews.provenance.core.context import Span, leaves
from reviews.provenance.data.document import Pattern
from reviews.provenance.data.sources import Asking, Evidence, SourceText
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.mentions import Kind, kind_of, mentions_of
from reviews.provenance.terms.terms import Confirmed, Key, Stated
from reviews.provenance.text.boundaries import find_occurrences
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.replies import is_reply_word

MAX_RECORDS: Final = 5_000
"""Records of one kind that are looked at. Of more nobody could tell which one is meant, and none counts as named."""
# Characters of a field that may be a key; longer ones are prose. Shorter ones than three stand in words by chance.
_MIN_KEY, _MAX_KEY = 3, 80
# Words of a person's or a thing's name of which one alone may name it.
_MIN_WORDS, _MAX_WORDS = 2, 4


@dataclass(frozen=True, slots=True)
class NamedRecord:
    """A record that the user's words name."""

    text: SourceText
    record: int
    key: Key
    said_in: SourceText
    start: int
    """Where the words stand in the folded message."""
    end: int

    @property
    def words(self) -> str:
        """The words, folded."""
        return self.said_in.folded[self.start : self.end]


@dataclass(frozen=True, slots=True)
class _Cell:
    """One field of one record that may be a key."""

    text: SourceText
    record: int
    scalar: int
    value: str

    @property
    def span(self) -> Span:
        """The field's characters. Made only for what is named: a listing has thousands of fields."""
        document = self.text.document
        return self.text.raw_span(document.starts[self.scalar], document.ends[self.scalar])


def named_records(text: SourceText, kind: Pattern, asking: Asking, evidence: Evidence) -> tuple[NamedRecord, ...]:
    """Every record of this kind that a key of its own names, in all results of the tool. Raises `OutOfBudgetError`."""
    columns = _key_columns(text, kind, evidence)
    records: dict[tuple[str, int], NamedRecord] = {}
    for cells in columns:
        for record in _named_in_column(cells, asking):
            records.setdefault((record.text.source.id, record.record), record)
    return tuple(records.values())


def looked_up_by(text: SourceText, asking: Asking, evidence: Evidence) -> NamedRecord | None:
    """The result as a record that is named by what it was looked up with, where the user says all of that."""
    if text.step is None:
        return None
    call = evidence.texts[text.source.id.replace("/outcome", "/call")]
    key_record: NamedRecord | None = None
    for pointer, value in leaves(dict(text.step.arguments)):
        leaf = Leaf(value, pointer)
        if kind_of(leaf) is Kind.NOTHING:
            continue
        mentioned = next(
            ((message, mention) for message in asking.texts for mention in mentions_of(leaf, message)), None
        )
        if mentioned is None:
            return None
        message, mention = mentioned
        at = call.source.text.find(leaf.text)
        if at >= 0:
            key = Key(
                call.raw_span(at, at + len(leaf.text)), _term_of_words(message, mention.start, mention.end, asking)
            )
            key_record = NamedRecord(text, 0, key, message, mention.start, mention.end)
    return key_record


def _term_of_words(said_in: SourceText, start: int, end: int, asking: Asking) -> Stated | Confirmed:
    span = said_in.span(start, end)
    agreement = asking.agreement_to(said_in)
    if agreement is None:
        return Stated(span)
    return Confirmed(span, agreement.raw_span(0, len(agreement.source.text)))


def _key_columns(text: SourceText, kind: Pattern, evidence: Evidence) -> Iterator[Sequence[_Cell]]:
    """The fields that may be keys: of each record at most one value, no two records with the same."""
    columns: dict[Pattern, dict[str, _Cell] | None] = {}
    known_rows: set[tuple[str, ...]] = set()
    count = 0
    for result in evidence.results_of(text):
        document = result.document
        for record in document.records_of_kind(kind):
            scalars = document.fields_of(record)
            evidence.budget.spend(1 + len(scalars))
            values = tuple(document.value_of(scalar) for scalar in scalars)
            # One record that was looked up twice is one record.
            if values in known_rows:
                continue
            known_rows.add(values)
            count += 1
            if count > MAX_RECORDS:
                return
            for scalar, value in zip(scalars, values, strict=True):
                _add_cell(columns, document.field_of(scalar), _Cell(result, record, scalar, value))
    yield from (tuple(cells.values()) for cells in columns.values() if cells)


def _add_cell(columns: dict[Pattern, dict[str, _Cell] | None], field: Pattern, cell: _Cell) -> None:
    cells = columns.setdefault(field, {})
    folded = cell.value.casefold().strip()
    if cells is None or not _MIN_KEY <= len(folded) <= _MAX_KEY:
        return
    # Two records share the value: then this field tells nobody apart. What a value is written like takes the longest to
    # tell, so it is asked of such values and of those that the user's words name.
    if folded not in cells:
        cells[folded] = cell
    elif _is_like_key(folded):
        columns[field] = None


def _is_like_key(value: str) -> bool:
    return kind_of(Leaf(value)) in (Kind.TEXT, Kind.CODE)


def _named_in_column(cells: Sequence[_Cell], asking: Asking) -> Iterator[NamedRecord]:
    for said_in in asking.texts:
        said_words = set(words_of(said_in.folded))
        by_word: dict[str, list[_Cell]] = {}
        wholes: list[tuple[int, int]] = []
        for cell in cells:
            words = words_of(cell.value)
            shared = said_words.intersection(words)
            if not shared or not _is_like_key(cell.value.casefold().strip()):
                continue
            place = _said_whole(cell, words, said_in) if shared == set(words) else None
            if place is not None:
                wholes.append(place)
                yield _name_cell(cell, said_in, *place, asking)
            elif _is_name(cell.value):
                for word in shared:
                    by_word.setdefault(word, []).append(cell)
        yield from _named_by_word(by_word, wholes, said_in, asking)


def _said_whole(cell: _Cell, words: Sequence[str], said_in: SourceText) -> tuple[int, int] | None:
    """Where a message says the field's whole value as a name."""
    mention = next(mentions_of(Leaf(cell.value), said_in), None)
    if mention is None or not _is_telling(cell.value, words, said_in, mention.start, mention.end):
        return None
    return mention.start, mention.end


def _named_by_word(
    by_word: dict[str, list[_Cell]], wholes: list[tuple[int, int]], said_in: SourceText, asking: Asking
) -> Iterator[NamedRecord]:
    """Records of which one word of a name is said; where several share the word, all of them are named.

    The words of a name that is said whole are that name's: "Daniel Roth" names no Daniel Kim.
    """
    for word, sharing in by_word.items():
        places = find_occurrences(said_in.folded, word)
        start = next((at for at in places if not any(first <= at < last for first, last in wholes)), None)
        if start is None or is_reply_word(word) or not _is_capitalised(said_in, start, start + len(word)):
            continue
        for cell in sharing:
            yield _name_cell(cell, said_in, start, start + len(word), asking)


def _is_telling(value: str, words: Sequence[str], said_in: SourceText, start: int, end: int) -> bool:
    """Whether a field's whole value names something where it is said: a code, a quotation, a phrase, a proper name.

    A common word ("blue", "yes") may stand in a field and in a message by chance.
    """
    if kind_of(Leaf(value)) is Kind.CODE or len(words) >= _MIN_WORDS:
        return True
    is_quoted = said_in.folded[start - 1 : start] in ("'", '"', "«")
    opens_sentence = not said_in.folded[:start].rstrip(" \"'(").strip() or said_in.folded[:start].rstrip()[-1:] in ".!?"
    return is_quoted or (_is_capitalised(said_in, start, end) and not opens_sentence and not is_reply_word(words[0]))


def _is_name(value: str) -> bool:
    """Whether the value is written like a name of several words: “Daniel Kim”."""
    words = value.split()
    return _MIN_WORDS <= len(words) <= _MAX_WORDS and all(word[:1].isupper() and word.isalpha() for word in words)


def _is_capitalised(text: SourceText, start: int, end: int) -> bool:
    return end - start >= _MIN_KEY and text.span(start, end).quote[:1].isupper()


def _name_cell(cell: _Cell, said_in: SourceText, start: int, end: int, asking: Asking) -> NamedRecord:
    return NamedRecord(
        cell.text, cell.record, Key(cell.span, _term_of_words(said_in, start, end, asking)), said_in, start, end
    )  # fmt: skip
