"""What a judge who never errs names as the source of a right value for which search offers no candidate.

It tries what the question allows, shortest quotes first, and names what code will verify.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from itertools import chain, combinations, islice, permutations, product
from types import MappingProxyType
from typing import Final

from reviews.provenance.core.context import Case, leaves
from reviews.provenance.core.work_budget import OutOfBudgetError
from reviews.provenance.data.sources import Evidence, SourceText
from reviews.provenance.detectors.provenance_guard.answered_terms import ARGUMENT, terms_of
from reviews.provenance.judges.questions.call_support import OwnTerm, Query, Where
from reviews.provenance.judges.questions.question_forms import Quote
from reviews.provenance.terms.argument_leaf import Leaf, leaf_at
from reviews.provenance.terms.expressions import operands_of
from reviews.provenance.terms.formulas import Operand
from reviews.provenance.terms.readings.worded_numbers import quoted_lengths_in, ratios_in
from reviews.provenance.terms.terms import OtherArgument, Term
from reviews.provenance.terms.verify import Verified, verify_term
from reviews.provenance.values.moments import moment_of, zone_of
from reviews.provenance.values.numbers import number_of
from reviews.provenance.values.numerals import lone_numerals_in, written_numerals_in
from reviews.provenance.values.zones import moment_in, zone_named

# Texts of a kind, the latest first: what is asked for now seldom rests on earlier ones.
_MAX_TEXTS: Final = 8
# Words of a quote that says a value without its figures: "half past nine in the evening".
_MAX_WORDS: Final = 6
# Quotes of such words, and of figures, for each value.
_MAX_QUOTES: Final = 600
_MAX_FIGURES: Final = 24
# Terms that are tried for a value: each takes a third of a millisecond, and what gives one is among the first thousand.
_MAX_TRIES: Final = 5_000
# Smaller whole numbers follow from others by chance, but for how many days there are between two that the user says.
_MIN_RESULT: Final = 10
_WORD: Final = re.compile(r"\S+")
# Ideographs, kana and figures among them.
_UNSPACED_RUN: Final = re.compile(r"[0-9]*[\u3040-\u30ff\u3400-\u9fff][0-9\u3040-\u30ff\u3400-\u9fff]*")
_MAX_SIGNS: Final = 8
_PIECE: Final = re.compile(r"[^\W_]+")
# Arguments of which another one is computed.
_MAX_ARGUMENTS: Final = 6
_YEAR: Final = re.compile(r"(?<![\w.,:/-])(?:19|20)[0-9]{2}(?![\w:]|[.,-][0-9])")
# Fields of one result that are looked at.
_MAX_CELLS: Final = 400
# Figures of which three or four are put together.
_MAX_CHOSEN: Final = 14
_CHOSEN: Final = 3
# What people compute of two to four figures, of which one at least is said.
_FORMULAS: Final[Mapping[str, Callable[..., float]]] = {
    "q1 + q2": lambda a, b: a + b,
    "q1 - q2": lambda a, b: a - b,
    "q1 - q2 + 1": lambda a, b: a - b + 1,
    "q1 * q2": lambda a, b: a * b,
    "q1 / q2": lambda a, b: a / b,
    "q2 * (1 - q1 / 100)": lambda a, b: b * (1 - a / 100),
    "q2 * (1 + q1 / 100)": lambda a, b: b * (1 + a / 100),
    "q1 + q2 + q3": lambda a, b, c: a + b + c,
    "q1 + q2 - q3": lambda a, b, c: a + b - c,
    "q1 * q2 * q3": lambda a, b, c: a * b * c,
    "q1 + q2 * q3": lambda a, b, c: a + b * c,
    "q1 - q2 * q3": lambda a, b, c: a - b * c,
    "(q1 + q2) * q3": lambda a, b, c: (a + b) * c,
    "q1 / q2 + q3": lambda a, b, c: a / b + c,
    "(q1 + q2) / q3": lambda a, b, c: (a + b) / c,
    "q1 * q2 / q3": lambda a, b, c: a * b / c,
    "q1 * q2 * (1 - q3 / 100)": lambda a, b, c: a * b * (1 - c / 100),
    "q1 - q2 + (q3 - q4)": lambda a, b, c, d: a - b + (c - d),
    "q1 + q2 + q3 + q4": lambda a, b, c, d: a + b + c + d,
    "q1 * q2 + q3 * q4": lambda a, b, c, d: a * b + c * d,
    "(q1 + q2 * q3) / q4": lambda a, b, c, d: (a + b * c) / d,
}
# And of two figures that a result holds: what is left.
_OF_DATA: Final = ("q1 - q2",)
# A share that a rule of the operator's tells is taken of any figure.
_SHARE: Final = "q1 * q2"
_SCALES: Final = {"{}": 1.0, "({}) * 100": 100.0, "({}) * 1000": 1000.0, "({}) * 60": 60.0, "({}) / 100": 0.01,
                  "({}) / 1000": 0.001, "({}) / 60": 1 / 60}  # fmt: skip
# How far a float may be from the exact result.
_NEAR: Final = 0.0051
_WORDED: Final = ("q1 * q2", "q2 - q1 * q2", "q2 + q1 * q2")
_BY_A_LENGTH: Final = ("time_after", "time_before")


def find_own_term(leaf: Leaf, case: Case) -> OwnTerm | None:
    """A term that gives the leaf's value; None where none does that is looked for here."""
    if alone := _find_alone(leaf, case):
        return alone[0]
    arguments = _other_arguments(leaf, case) if number_of(leaf.value) is not None or moment_of(leaf.value) else {}
    with suppress(OutOfBudgetError):
        tried = _of_arguments(leaf, arguments, Evidence(case.context)) if arguments else ()
        in_time = islice(tried, _MAX_TRIES)
        return next((term for term in in_time if _verified_term(term, leaf, case, arguments)), None)
    return None


def _find_alone(leaf: Leaf, case: Case) -> tuple[OwnTerm, Term] | None:
    """What gives the value without another argument, and the term that it is."""
    evidence, tool = Evidence(case.context), case.action.tool
    messages = list(islice(evidence.user_messages, _MAX_TEXTS))
    tried = chain(
        _quotes(leaf, messages, case, tool), _fields(leaf, evidence), _totals(leaf, evidence, messages),
        _computations(leaf, evidence, messages), _joined(leaf, evidence, messages),
    )  # fmt: skip
    with suppress(OutOfBudgetError):
        verified = ((own_term, _verified_term(own_term, leaf, case)) for own_term in islice(tried, _MAX_TRIES))
        return next(((own_term, term) for own_term, term in verified if term), None)
    return None


def _other_arguments(leaf: Leaf, case: Case) -> dict[str, OtherArgument]:
    """The other numbers and days of the call that the user's words alone give."""
    document = case.context.tool(case.action.tool)
    rest = (leaf_at(value, at, document) for at, value in leaves(dict(case.action.arguments)) if at != leaf.pointer)
    operands = (operand for operand in rest if number_of(operand.value) is not None or moment_of(operand.value))
    terms = ((operand, _find_alone(operand, case)) for operand in islice(operands, _MAX_ARGUMENTS))
    return {operand.pointer: OtherArgument(operand, term[1]) for operand, term in terms if term}


def _of_arguments(leaf: Leaf, arguments: Mapping[str, OtherArgument], evidence: Evidence) -> Iterator[OwnTerm]:
    """Each formula over other arguments and what stands elsewhere."""
    now = evidence.presumed_now
    own_figures = [Quote(source=ARGUMENT, quote=pointer) for pointer in arguments]
    figures = [
        (quote, read) for quote in own_figures for read in operands_of(arguments[quote.quote].leaf.text, leaf, now)
    ]
    texts = (*evidence.user_messages[:_MAX_TEXTS], *evidence.data[:_MAX_TEXTS])
    if not _is_small(leaf):
        quotes = islice(chain.from_iterable(map(_figures, texts)), _MAX_FIGURES)
        figures += [(quote, read) for quote in quotes for read in operands_of(quote.quote, leaf, now)]
    yield from _formulas(leaf, own_figures, figures)
    if moment_of(leaf.value):
        messages = list(islice(evidence.user_messages, _MAX_TEXTS))
        lengths = [*_lengths(messages), *_worded_lengths(messages)]
        for moment, length, by in product(own_figures, lengths, _BY_A_LENGTH):
            yield _own("computation", (moment, length), by)


def _lengths(messages: Sequence[SourceText]) -> list[Quote]:
    """The lengths of time that the user says."""
    return [_quote_at(text, place.start, place.end) for text in messages for place in text.durations]


def _worded_lengths(messages: Sequence[SourceText]) -> list[Quote]:
    """Words of the user that only people read as a length of time."""
    stretches = islice(chain.from_iterable(map(_stretches, messages)), _MAX_QUOTES)
    return list(islice((quote for quote in stretches if quoted_lengths_in(quote.quote)), _MAX_TEXTS))


def _is_verified(own_term: OwnTerm, leaf: Leaf, case: Case, tool: str) -> bool:
    return _verified_term(own_term, leaf, case) is not None


def _verified_term(
    own_term: OwnTerm, leaf: Leaf, case: Case, arguments: Mapping[str, OtherArgument] = MappingProxyType({})
) -> Term | None:
    # Each with a budget of its own, as the answer that names it has.
    evidence = Evidence(case.context)
    terms = terms_of(own_term, case.context, case.action.tool, arguments)
    return next((term for term in terms if isinstance(verify_term(term, leaf, evidence), Verified)), None)


def _own(kind: str, quotes: Iterable[Quote], operation: str | None = None) -> OwnTerm:
    return OwnTerm.model_validate({"kind": kind, "quotes": list(quotes), "operation": operation, "query": None})


def _quotes(leaf: Leaf, messages: Sequence[SourceText], case: Case, tool: str) -> Iterator[OwnTerm]:
    """Words of the user, alone; of a moment also those of its day and those of its time of day."""
    words = list(islice(chain.from_iterable(map(_stretches, messages)), _MAX_QUOTES))
    yield from (_own("quote", [quote]) for quote in words)
    day, clock = moment_of(leaf.value) or (None, None)
    if day and clock and zone_of(leaf.text) is not None:
        yield from _zoned(leaf, words, case, tool)
    if day and clock:
        moment_quotes = _name_parts(datetime.combine(day, clock), words, case, tool)
        yield from [_own("quote", moment_quotes)] if moment_quotes else ()


def _zoned(leaf: Leaf, words: Sequence[Quote], case: Case, tool: str) -> Iterator[OwnTerm]:
    """Words for a day and a time of day, and a zone's name elsewhere by whose clock they are told."""
    stretches = chain(words, chain.from_iterable(map(_stretches, Evidence(case.context).instructions)))
    for quote, zone in islice(((quote, zone) for quote in stretches if (zone := zone_named(quote.quote))), _MAX_TEXTS):
        there = moment_in(zone, leaf.text)
        moment_quotes = _name_parts(there, words, case, tool) if there else ()
        yield from [_own("quote", [*dict.fromkeys(moment_quotes), quote])] if moment_quotes else ()


def _name_parts(moment: datetime, words: Sequence[Quote], case: Case, tool: str) -> Sequence[Quote]:
    """The words for the day and those for the time of day; none where one of them is not said."""
    parts = (Leaf(moment.date().isoformat(), "/moment"), Leaf(moment.time().isoformat(), "/moment"))
    quotes = [next((quote for quote in words if _is_verified(_own("quote", [quote]), part, case, tool)), None)
              for part in parts]  # fmt: skip
    return [quote for quote in quotes if quote] if all(quotes) else ()


def _stretches(text: SourceText) -> Iterator[Quote]:
    """Every few words that stand together, the fewest first; last the whole text."""
    words = [hit.span() for hit in _WORD.finditer(text.source.text)]
    for length in range(1, _MAX_WORDS + 1):
        for first, last in zip(words, words[length - 1 :], strict=False):
            yield Quote(source=text.source.id, quote=text.source.text[first[0] : last[1]])
    # Where spaces do not part words, some signs that stand together are a word.
    for length, run in product(range(1, _MAX_SIGNS + 1), _UNSPACED_RUN.finditer(text.source.text)):
        for start in range(run.start(), run.end() - length + 1):
            yield Quote(source=text.source.id, quote=text.source.text[start : start + length])
    yield Quote(source=text.source.id, quote=text.source.text)


def _fields(leaf: Leaf, evidence: Evidence) -> Iterator[OwnTerm]:
    """Whole fields of results that hold the value among other signs."""
    for text in evidence.data[:_MAX_TEXTS] if leaf.text else ():
        document = text.document
        for scalar in range(min(len(document.starts), _MAX_CELLS)):
            if leaf.text in document.value_of(scalar):
                yield _own("quote", [_quote_at_raw(text, *document.place_of(scalar))])


def _totals(leaf: Leaf, evidence: Evidence, messages: Sequence[SourceText]) -> Iterator[OwnTerm]:
    """How many records of one kind are such as the user says in up to two words of theirs, or the sum of a field."""
    for text in evidence.data[:_MAX_TEXTS] if number_of(leaf.value) is not None else ():
        kinds = {text.document.kind_of(record) for record in range(1, min(len(text.document.parents), _MAX_CELLS))}
        for kind in sorted(kinds):
            records = text.document.records_of_kind(kind)
            cells = [cell for record in records for cell in text.cells_of(record)][:_MAX_CELLS]
            around = {above for record in records[:_MAX_CELLS] for above in text.document.ancestors_of(record)}
            nearby = [*cells, *(cell for record in sorted(around) for cell in text.cells_of(record))][: 2 * _MAX_CELLS]
            facts = {(cell.field, cell.value): quote for cell in nearby for quote in _words_in(cell.value, messages)}
            wheres = [
                [Where(field=".".join(field), comparison="equals", value=value, quote=quote)
                 for (field, value), quote in chosen]
                for count in range(_CHOSEN) for chosen in combinations(list(facts.items())[:_MAX_CHOSEN], count)
            ]  # fmt: skip
            for field, total, where in product(dict.fromkeys(cell.field for cell in cells), ("count", "sum"), wheres):
                query = Query.model_validate({
                    "source": text.source.id, "records": "/" + "/".join(kind), "field": ".".join(field), "where": where,
                    "order_by": None, "descending": False, "take": None, "total": total,
                })  # fmt: skip
                yield OwnTerm(kind="query", quotes=[], operation=None, query=query)


def _words_in(value: str, messages: Sequence[SourceText]) -> Iterator[Quote]:
    quotes = (_whole_word(value, [text]) for text in messages) if value else ()
    yield from islice(filter(None, quotes), 1)


def _computations(leaf: Leaf, evidence: Evidence, messages: Sequence[SourceText]) -> Iterator[OwnTerm]:
    """A length of time that the user says; a formula over figures, one of them the user's at least."""
    now = evidence.presumed_now
    own_figures = list(
        islice(chain.from_iterable((*_figures(text), *_numerals(text)) for text in messages), _MAX_FIGURES)
    )
    texts = (*evidence.data[:_MAX_TEXTS], *evidence.instructions)
    figures = [*own_figures, *islice(chain.from_iterable(map(_figures, texts)), _MAX_FIGURES)]
    if _is_small(leaf):
        figures = [
            quote for quote in own_figures if any(isinstance(day, date) for day in operands_of(quote.quote, leaf, now))
        ]
    elif number_of(leaf.value) is None:
        yield from _moved(leaf, messages, own_figures, figures)
    yield from _formulas(
        leaf, own_figures, [(quote, read) for quote in figures for read in operands_of(quote.quote, leaf, now)]
    )
    yield from (
        _ratios(messages, _own_fields(leaf, evidence))
        if _is_small(leaf)
        else _ratios(messages, [*figures, *_described(leaf, evidence)])
    )


def _is_small(leaf: Leaf) -> bool:
    number = number_of(leaf.value)
    return number is not None and number == int(number) and abs(number) < _MIN_RESULT


def _moved(
    leaf: Leaf, messages: Sequence[SourceText], own_figures: Sequence[Quote], figures: Sequence[Quote]
) -> Iterator[OwnTerm]:
    """A moment that is known, or now, moved by a length of time that the user says."""
    for length, by in product(_lengths(messages)[:_MAX_TEXTS], _BY_A_LENGTH):
        yield _own("computation", (length,), by)
        yield from (_own("computation", (moment, length), by) for moment in figures)
        yield from (_own("computation", (*moment, length), by) for moment in permutations(own_figures, 2))
    if moment_of(leaf.value):
        yield from _moved_by_words(messages, figures)


def _formulas(leaf: Leaf, own_figures: Sequence[Quote], figures: Sequence[tuple[Quote, Operand]]) -> Iterator[OwnTerm]:
    """Each formula that gives the value, as far as floats tell, days as their numbers; the shortest first."""
    day = (moment_of(leaf.value) or (None, None))[0]
    number = number_of(leaf.value) if day is None else Decimal(day.toordinal())
    wanted, is_small = float(number or 0), _is_small(leaf)
    # There are millions of ways to combine the figures of a long result: whatever can be told of one is told before.
    known = [(quote, _as_number(read), isinstance(read, date), quote in own_figures) for quote, read in figures]
    chosen = [figure for figure in known if not figure[2]][:_MAX_CHOSEN]
    for formula, compute in _FORMULAS.items() if number is not None else ():
        count = compute.__code__.co_argcount
        scales = _SCALES if "/" not in formula else {"{}": 1.0}
        for inputs in permutations(chosen if count >= _CHOSEN else known, count):
            quotes, numbers, are_days, are_own = zip(*inputs, strict=True)
            is_share = formula == _SHARE and any("%" in quote.quote for quote in quotes)
            if (is_small and not all(are_days)) or not (is_share or formula in _OF_DATA or any(are_own)):
                continue
            with suppress(ArithmeticError):
                result = compute(*numbers)
                near = (scale for scale, by in scales.items() if abs(result * by - wanted) < _NEAR)
                yield from (_own("computation", quotes, scale.format(formula)) for scale in near)


def _as_number(read: Operand) -> float:
    """A day as its number, a time of day in hours."""
    match read:
        case date():
            return read.toordinal()
        case time():
            return read.hour + read.minute / 60
    return float(read)


def _moved_by_words(messages: Sequence[SourceText], figures: Sequence[Quote]) -> Iterator[OwnTerm]:
    """A moment that is known, or now, moved by a length of time that only people read; its day, too, may be such."""
    stretches = list(islice(chain.from_iterable(map(_stretches, messages)), _MAX_QUOTES))
    lengths = _worded_lengths(messages)
    for length, by in product(lengths, _BY_A_LENGTH):
        yield _own("computation", (length,), by)
        yield from (_own("computation", (moment, length), by) for moment in figures)
    words = [quote for quote in stretches if not any(map(str.isdigit, quote.quote))][:_MAX_FIGURES]
    lengths += _lengths(messages)
    for day, clock, length in product(words, figures, lengths[: 2 * _MAX_TEXTS]):
        yield _own("computation", (day, clock, length), "time_after")


def _ratios(messages: Sequence[SourceText], figures: Sequence[Quote]) -> Iterator[OwnTerm]:
    """Words of the user for a share or a multiple of a number that is known."""
    stretches = chain.from_iterable(map(_stretches, messages))
    words = islice((quote for quote in stretches if ratios_in(quote.quote)), 1)
    for word, base in product(words, figures):
        yield from (_own("computation", (word, base), formula) for formula in _WORDED)


def _described(leaf: Leaf, evidence: Evidence) -> Iterator[Quote]:
    """The figures of the tool's document."""
    document = evidence.document_of(leaf.tool.name) if leaf.tool else None
    return islice(_figures(document), _MAX_FIGURES) if document else iter(())


def _own_fields(leaf: Leaf, evidence: Evidence) -> Sequence[Quote]:
    """What fields hold that are called as the parameter: of nothing else is a small number a share but by chance."""
    texts = evidence.data[:_MAX_TEXTS]
    cells = (cell for text in texts for record in range(1, min(len(text.document.parents), _MAX_CELLS))
             for cell in text.cells_of(record))  # fmt: skip
    spans = (cell.span for cell in cells if cell.field[-1:] == (leaf.name,) and number_of(cell.value) is not None)
    return [Quote(source=span.source, quote=span.quote) for span in islice(spans, _MAX_FIGURES)]


def _figures(text: SourceText) -> Iterator[Quote]:
    """The numbers, days, years and times of day of a text."""
    places = set(chain.from_iterable(text.numbers.values()))
    places |= {year.span() for year in _YEAR.finditer(text.folded)}
    places |= {part for moment in text.moments for part in (moment.place, *moment.parts)}
    return (_quote_at(text, *place) for place in sorted(places))


def _numerals(text: SourceText) -> Iterator[Quote]:
    """Words that are a number in one language alone: dos, one, iki."""
    numerals = chain(lone_numerals_in(text.folded), written_numerals_in(text.folded))
    return (_quote_at(text, *place) for place in dict.fromkeys(numeral.place for numeral in numerals))


def _quote_at_raw(text: SourceText, start: int, end: int) -> Quote:
    return Quote(source=text.source.id, quote=text.source.text[start:end])


def _quote_at(text: SourceText, start: int, end: int) -> Quote:
    span = text.span(start, end)
    return Quote(source=span.source, quote=span.quote)


def _joined(leaf: Leaf, evidence: Evidence, messages: Sequence[SourceText]) -> Iterator[OwnTerm]:
    """A text whose pieces all stand, as whole words, in what the user wrote or a result holds."""
    if not isinstance(leaf.value, str):
        return
    texts = [*messages, *evidence.data[:_MAX_TEXTS]]
    pieces = [_whole_word(piece, texts) for piece in _PIECE.findall(leaf.value)]
    if pieces and all(pieces):
        yield _own("computation", filter(None, pieces), "concatenate")


def _whole_word(piece: str, texts: Iterable[SourceText]) -> Quote | None:
    pattern = re.compile(rf"(?<![^\W_]){re.escape(piece)}(?![^\W_])", re.IGNORECASE)
    matches = ((text, pattern.search(text.source.text)) for text in texts)
    return next((Quote(source=text.source.id, quote=match[0]) for text, match in matches if match), None)
