"""Records that the user's words name by a key: a field whose values are all different among records of one kind."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from reviews.provenance.core.context import leaves
from reviews.provenance.core.pointers import keys_of
from reviews.provenance.data.document import ANY, Pattern
from reviews.provenance.data.latest_request import LatestRequest
from reviews.provenance.data.sources import Cell, Evidence, SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.search import term_of_words
from reviews.provenance.terms.terms import Key
from reviews.provenance.terms.value_mentions import CHARACTERS_A_STEP, mentions_of
from reviews.provenance.text.boundaries import Place, find_occurrences, is_glued, overlaps
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.names import root_of, stems_of, tokens_of
from reviews.provenance.text.replies import is_reply_word
from reviews.provenance.values.identifiers import is_identifier, is_opaque

MAX_RECORDS: Final = 5_000
"""Records of one kind that are looked at. Of more nobody could tell which one is meant, and none counts as named."""
# Characters of a field that may be a key; longer ones are prose. Shorter ones than three stand in words by chance.
_MIN_KEY, _MAX_KEY = 3, 80
NAMING: Final = frozenset(
    "name title label id key code number no sku email username login slug handle subject reference ref company".split()
)
"""How fields are called that name their record, at their end."""
# Words before it that say nothing else.
_NEUTRAL: Final = frozenset("full display first last nick short long".split())
# Signs that part the fields of a line, and by which a text says that it goes on.
_PARTING: Final = ",;|\t:"
_MORE: Final = re.compile(r"\.\.\.|…")
# Words of a person's or a thing's name of which one alone may name it.
_MIN_WORDS, _MAX_WORDS = 2, 4


@dataclass(frozen=True, slots=True)
class NamedRecord:
    """A record that the user's words name."""

    text: SourceText
    record: int
    key: Key
    place: Place
    """Where the words stand in the folded text that asks."""

    @property
    def identity(self) -> tuple[str, int]:
        """What tells the record from all others of the context."""
        return self.text.source.id, self.record

    @property
    def words(self) -> str:
        """The words, folded."""
        return fold(self.key.by_span.quote)

    @property
    def cell(self) -> Cell | None:
        """The field that they name it by; None where it is what the record was looked up with."""
        return self.text.cell_at(self.key.span) if self.key.span.source == self.text.source.id else None

    def is_called_by(self, nouns: frozenset[str], wanted: frozenset[str]) -> bool:
        """Whether what holds the words is called as what names a thing is.

        Of a look-up this is a field of the result, else the argument of a code. Under a name as it is `wanted` stands
        another one than the one who was found.
        """
        if self.cell:
            return is_name_of_thing(self.cell.field, nouns)
        self.text.budget.spend(1 + len(self.text.folded) // CHARACTERS_A_STEP)
        places = ((at, at + len(self.words)) for at in find_occurrences(self.text.folded, self.words))
        fields = [cell.field for place in places if (cell := self.text.cell_at(self.text.span(*place)))]
        arguments = leaves(dict(self.text.step.arguments)) if self.text.step else ()
        parameters = (keys_of(pointer) for pointer, value in arguments if Leaf(value).text == self.key.span.quote)
        telling = (field for field in fields or parameters if not stems_of(name_of_field(field)) <= wanted)
        return any(is_name_of_thing(field, nouns) for field in telling)

    @property
    def is_named_by_name(self) -> bool:
        """Whether the key is the one field of the record that is called a name: of two nobody could tell."""
        fields = self.text.cells_of(self.record)
        names = [cell.span.start for cell in fields if "name" in tokens_of(name_of_field(cell.field))]
        return names == [self.key.span.start]

    @property
    def is_named_in_part(self) -> bool:
        """Whether they are some words of the field: “Daniel” of “Daniel Kim”."""
        return self.cell is not None and self.words != fold(self.cell.value)


def named_records(
    text: SourceText, kind: Pattern, latest: LatestRequest, evidence: Evidence
) -> tuple[NamedRecord, ...]:
    """Every record of this kind that a key of its own names, in all results of the tool."""
    records: dict[tuple[str, int], NamedRecord] = {}
    for cells in _key_columns(text, kind, evidence):
        for record in _named_in_column(cells, latest):
            records.setdefault(record.identity, record)
    return tuple(records.values())


def unsaid_arguments(text: SourceText, evidence: Evidence) -> Iterator[Leaf]:
    """What narrowed a look-up that no user said; codes aside, which narrow it to what they identify: whose it is."""
    arguments = [Leaf(value, pointer) for pointer, value in leaves(dict(text.step.arguments) if text.step else {})]
    narrowing = [leaf for leaf in arguments if (leaf.words or leaf.value is True) and kind_of(leaf) is not Kind.CODE]
    messages = evidence.user_messages if narrowing else ()
    evidence.budget.spend(1 + len(arguments) + sum(len(message.folded) for message in messages) // CHARACTERS_A_STEP)
    user_words = {word for message in messages for word in words_of(message.folded)}
    unsaid = (leaf for leaf in narrowing if not leaf.words or not user_words.issuperset(leaf.words))
    # A day may be said as “tomorrow”.
    yield from (leaf for leaf in unsaid if not any(mentions_of(leaf, message) for message in messages))


def looked_up_by(text: SourceText, latest: LatestRequest, evidence: Evidence) -> NamedRecord | None:
    """The result as a record that is named by what it was looked up with, where the user says all of that."""
    if text.step is None:
        return None
    call = evidence.texts[text.source.id.replace("/outcome", "/call")]
    record: NamedRecord | None = None
    for pointer, value in leaves(dict(text.step.arguments)):
        leaf = Leaf(value, pointer)
        if kind_of(leaf) is Kind.NOTHING:
            continue
        mentions = mentions_of(leaf, latest.text)
        # A search may find what is only like the words; what has a code is looked up by it.
        if not mentions or not (is_opaque(leaf.folded) or is_identifier(leaf.folded) or _holds(text, leaf)):
            return None
        at = call.source.text.find(leaf.text)
        if at >= 0:
            words = term_of_words(latest.text.span(*mentions[0].place), latest.text, latest)
            record = NamedRecord(text, 0, Key(call.raw_span(at, at + len(leaf.text)), words), mentions[0].place)
    return record


def _holds(text: SourceText, leaf: Leaf) -> bool:
    """Whether a result says the words that it was looked up with."""
    text.budget.spend(1 + len(text.folded) // CHARACTERS_A_STEP)
    return leaf.folded in text.folded


def name_of_field(field: Pattern) -> str:
    """What a field is called: its innermost key that is no position."""
    return next((key for key in reversed(field) if key not in (ANY, "")), "")


def is_name_of_thing(field: Pattern, nouns: frozenset[str]) -> bool:
    """Whether a field is called as what names its own record is: `name`, `full_name`, the `user` of a `user_id`.

    Whoever reports a user, manages an employee or is the `name` of its `deputy` is somebody else.
    """
    tokens = tokens_of(name_of_field(field))
    if not tokens:
        return True
    rest = tokens[:-1] if tokens[-1] in NAMING else tokens
    groups = (token for key in field[:-1] if key not in (ANY, "") for token in tokens_of(key))
    return all(root_of(token) in nouns or token in _NEUTRAL for token in (*groups, *rest))


def may_be_cut(result: SourceText, asking: SourceText) -> bool:
    """Whether there may be more than a result lists: nobody asked for what narrowed it, or it says more than a list.

    A cursor, a total, a line of another shape: "41 more rows".
    """
    arguments = leaves(dict(result.step.arguments)) if result.step else ()
    filters = (Leaf(value, pointer) for pointer, value in arguments if value not in (None, "", [], {}))
    if not all(mentions_of(leaf, asking) for leaf in filters):
        return True
    text, root = result.source.text.strip(), result.document.records_of_kind(())
    if text.startswith("{"):
        return any(result.document.fields_of(record) for record in root)
    is_list = text.startswith("[") and text.endswith("]")
    return _MORE.search(text) is not None or not (is_list or _is_even(result))


def _is_even(result: SourceText) -> bool:
    """Whether each line of a text has as many signs that part its fields as the others: a table, and nothing beside."""
    result.budget.spend(1 + len(result.folded) // CHARACTERS_A_STEP)
    lines = (line for line in result.folded.splitlines() if line.strip())
    return len({tuple(map(line.count, _PARTING)) for line in lines}) == 1


def _name_cell(cell: Cell, place: Place, latest: LatestRequest) -> NamedRecord:
    words = term_of_words(latest.text.span(*place), latest.text, latest)
    return NamedRecord(cell.text, cell.record, Key(cell.span, words), place)


def _key_columns(text: SourceText, kind: Pattern, evidence: Evidence) -> Iterator[Sequence[Cell]]:
    """The fields that may be keys: of each record at most one value, no two records with the same."""
    columns: dict[Pattern, dict[str, Cell] | None] = {}
    known_rows: set[tuple[str, ...]] = set()
    for result in evidence.results_of(text):
        for record in result.document.records_of_kind(kind):
            cells = result.cells_of(record)
            evidence.budget.spend(1 + len(cells))
            values = tuple(cell.value for cell in cells)
            # One record that was looked up twice is one record.
            if values in known_rows:
                continue
            known_rows.add(values)
            if len(known_rows) > MAX_RECORDS:
                return
            for cell, value in zip(cells, (value.casefold().strip() for value in values), strict=True):
                column = columns.setdefault(cell.field, {})
                if column is None or not _MIN_KEY <= len(value) <= _MAX_KEY:
                    continue
                # Two records share the value: then this field tells nobody apart. What a value is written like takes
                # the longest to tell, so it is asked of such values and of those that the user's words name.
                if column.setdefault(value, cell) is not cell and _is_like_key(value):
                    columns[cell.field] = None
    yield from (tuple(cells.values()) for cells in columns.values() if cells)


def _is_like_key(value: str) -> bool:
    return kind_of(Leaf(value)) in (Kind.TEXT, Kind.CODE)


def _named_in_column(cells: Sequence[Cell], latest: LatestRequest) -> Iterator[NamedRecord]:
    text = latest.text
    said_words = set(words_of(text.folded))
    by_word: dict[str, list[Cell]] = {}
    wholes: list[Place] = []
    for cell in cells:
        words = words_of(cell.value)
        shared = said_words.intersection(words)
        if not shared or not _is_like_key(cell.value.casefold().strip()):
            continue
        mentions = mentions_of(Leaf(cell.value), text)[:1] if shared == set(words) else ()
        if place := next((m.place for m in mentions if _is_telling(cell.value, words, text, *m.place)), None):
            wholes.append(place)
            yield _name_cell(cell, place, latest)
            # "Lee, Ann" and "Ann M. Lee" may be called so as well.
            yield from (_name_cell(namesake, place, latest) for namesake in cells if _is_namesake(namesake, cell))
        elif is_name_like(cell.value):
            for word in shared:
                by_word.setdefault(word, []).append(cell)
    yield from _named_by_word(by_word, wholes, latest)


def _is_namesake(candidate: Cell, cell: Cell) -> bool:
    """Whether another field has the same words in any order, and single letters at most beside them."""
    if candidate is cell or not (words := set(words_of(cell.value))):
        return False
    candidate_words = set(words_of(candidate.value))
    return words <= candidate_words and all(len(word) == 1 for word in candidate_words - words)


def _named_by_word(by_word: dict[str, list[Cell]], wholes: list[Place], latest: LatestRequest) -> Iterator[NamedRecord]:
    """Records of which one word of a name is said; where several share the word, all of them are named.

    The words of a name that is said whole are that name's: "Daniel Roth" names no Daniel Kim.
    """
    for word, cells in by_word.items():
        places = find_occurrences(latest.text.folded, word)
        start = next((at for at in places if not overlaps(wholes, at, at + 1)), None)
        if (
            start is None
            or is_glued(latest.text.folded, start)
            or is_reply_word(word)
            or not _is_capitalised(latest.text, start, start + len(word))
        ):
            continue
        for cell in cells:
            yield _name_cell(cell, (start, start + len(word)), latest)


def _is_telling(value: str, words: Sequence[str], said_in: SourceText, start: int, end: int) -> bool:
    """Whether a field's whole value names something where it is said: a code, a quotation, a phrase, a proper name.

    A common word ("blue", "yes") may stand in a field and in a message by chance.
    """
    is_quoted = any((start - 1, end + 1) == place for place in said_in.quotations)
    if is_glued(said_in.folded, start) and not is_quoted:
        return False
    if kind_of(Leaf(value)) is Kind.CODE or len(words) >= _MIN_WORDS:
        return True
    opens_sentence = not said_in.folded[:start].rstrip(" \"'(").strip() or said_in.folded[:start].rstrip()[-1:] in ".!?"
    return is_quoted or (_is_capitalised(said_in, start, end) and not opens_sentence and not is_reply_word(words[0]))


def is_name_like(value: str) -> bool:
    """Whether the value is written like a name of several words: “Daniel Kim”."""
    words = value.split()
    return _MIN_WORDS <= len(words) <= _MAX_WORDS and all(word[:1].isupper() and word.isalpha() for word in words)


def _is_capitalised(text: SourceText, start: int, end: int) -> bool:
    return end - start >= _MIN_KEY and text.span(start, end).quote[:1].isupper()
