"""Every source of a context with what it says, each reading done once and only when it is asked for."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from decimal import Decimal
from functools import cached_property, partial
from itertools import accumulate, islice
from typing import Any, Final, TypeVar

from reviews.provenance.core.context import Context, Source, SourceId, Span, Step
from reviews.provenance.core.trust import WISHES, SourceKind
from reviews.provenance.core.work_budget import Budget
from reviews.provenance.data.clock import clock_of, presume_clock, zone_of
from reviews.provenance.data.document import CHARACTERS_A_STEP, Document, Pattern
from reviews.provenance.text.boundaries import Occurrence, Place
from reviews.provenance.text.fold import View, folded_view
from reviews.provenance.text.quotations import QUOTATION
from reviews.provenance.text.replies import Sentence, sentences_in
from reviews.provenance.text.short_text_cache import MAX_REMEMBERED, cache_short_texts
from reviews.provenance.values.durations import durations_in
from reviews.provenance.values.identifiers import is_identifier, opaque_in
from reviews.provenance.values.moments import Moment, moments_in
from reviews.provenance.values.money import Amount, amounts_among
from reviews.provenance.values.numbers import readings_in
from reviews.provenance.values.zones import home_clock

T = TypeVar("T")

DATA: Final = (SourceKind.TOOL_OUTPUT, SourceKind.RETRIEVED, SourceKind.MEMORY, SourceKind.SKILL)
"""What tools returned and what else others wrote."""
# Characters that are read for one step of the budget.
_CHARACTERS_A_VIEW_STEP = 64
# To read a number, or the currency beside one: a dozen searches each.
_STEPS_A_NUMBER = 8
# Amounts that are held against a place in one step.
_AMOUNTS_A_STEP = 4
_TOKEN = re.compile(r"[^\s\"'`<>()\[\]{},;|*]+")
# Blanks of any kind, and what else stands between the groups of a code, an account or a telephone number.
_GROUPING = {ord(sign): None for sign in " \t\n\r\f\v\xa0()./-"}
# A number, a day or a code more of one text is not looked at: a listing of a million figures proves nothing.
_MAX_MENTIONS = 50_000
# What people read and write for themselves: its escapes are typed on purpose.
_WRITTEN = frozenset({*WISHES, SourceKind.SYSTEM_PROMPT, SourceKind.AGENT_MESSAGE})


@dataclass(eq=False)
class SourceText:
    """One source; offsets are into its folded text unless a name says `raw`."""

    source: Source
    budget: Budget
    now: datetime | None
    step: Step | None = None
    """The look-up that the source is the outcome of."""
    zone: tzinfo | None = None
    """The zone in which people tell times that name none, where one of them says so."""
    mentions: dict[tuple[str, str, str], tuple[Any, ...]] = field(default_factory=dict)
    """What was looked for before, and where it stands."""

    @cached_property
    def view(self) -> View:
        """The text as it is compared."""
        self.budget.spend(1 + len(self.source.text) // _CHARACTERS_A_VIEW_STEP)
        read = _view_of_written if self.source.kind in _WRITTEN else _view_of_data
        return read(self.source.text)

    @property
    def folded(self) -> str:
        """The text without case and typography, escapes resolved."""
        return self.view.text

    def span(self, start: int, end: int) -> Span:
        """The evidence that a stretch of the folded text is."""
        return self.raw_span(*self.view.raw(start, end))

    def raw_span(self, start: int, end: int) -> Span:
        """The evidence at these offsets of the source itself."""
        return Span(self.source.id, start, end, self.source.text[start:end])

    @property
    def whole(self) -> Span:
        """All of the source as evidence."""
        return self.raw_span(0, len(self.source.text))

    def cell_at(self, span: Span) -> "Cell | None":
        """The field that this evidence lies in."""
        scalar = self.document.scalar_at(span.start, span.end)
        return None if scalar is None else Cell(self, scalar)

    def cells_of(self, record: int) -> "list[Cell]":
        """The fields of a record."""
        return [Cell(self, scalar) for scalar in self.document.fields_of(record)]

    def afford(self, mentions: Iterable[T]) -> Iterator[T]:
        """What is found in the text, as far as it proves anything and the budget goes. Raises `OutOfBudgetError`."""
        for mention in islice(mentions, _MAX_MENTIONS):
            self.budget.spend()
            yield mention

    @cached_property
    def numbers(self) -> Mapping[Decimal, Sequence[Place]]:
        """Where each number stands, and, as `UNREAD`, figures that are none by themselves."""
        places: dict[Decimal, list[Place]] = {}
        # A long text is read no further than the budget goes.
        is_short = len(self.folded) <= MAX_REMEMBERED
        for number in self.afford(_readings_of(self.folded) if is_short else readings_in(self.folded)):
            self.budget.spend(_STEPS_A_NUMBER)
            places.setdefault(number.value, []).append(number.place)
        return places

    @cached_property
    def amounts(self) -> Sequence[Amount]:
        """Every amount of money."""
        read = ((value, places) for value, places in self.numbers.items() if not value.is_nan())
        numbers = (Occurrence(*place, value) for value, places in read for place in places)
        in_order = sorted(numbers, key=lambda number: number.place)
        self.budget.spend(1 + _STEPS_A_NUMBER * len(in_order))
        return tuple(amounts_among(in_order, self.folded))

    def amounts_at(self, start: int, end: int) -> Iterator[Amount]:
        """The amounts that this stretch belongs to, or touches."""
        self.budget.spend(1 + len(self.amounts) // _AMOUNTS_A_STEP)
        return (amount for amount in self.amounts if amount.start <= end and start <= amount.end)

    @cached_property
    def ungrouped(self) -> str:
        """The folded text without the signs by which people group a code's or a telephone number's."""
        self.budget.spend(1 + len(self.folded) // _CHARACTERS_A_VIEW_STEP)
        return self.folded.translate(_GROUPING)

    @cached_property
    def quotations(self) -> Sequence[tuple[int, int]]:
        """Where each quotation stands with its marks, in order."""
        self.budget.spend(1 + len(self.folded) // _CHARACTERS_A_VIEW_STEP)
        return [hit.span() for hit in QUOTATION.finditer(self.folded)]

    @cached_property
    def quotation_ends(self) -> Sequence[int]:
        """Where each quotation ends, in order: asked for once for every value that is said."""
        return [end for _, end in self.quotations]

    @cached_property
    def moments(self) -> Sequence[Moment]:
        """Every day and time of day, an ambiguous one once for each reading."""
        return list(self.afford(moments_in(self.folded, self.now)))

    @cached_property
    def durations(self) -> Sequence[Occurrence[Decimal]]:
        """Every length of time."""
        self.budget.spend(1 + len(self.folded) // _CHARACTERS_A_VIEW_STEP)
        return tuple(durations_in(self.folded))

    @cached_property
    def identifiers(self) -> Sequence[Place]:
        """The tokens that name something, apart from those that are numbers or days."""
        read = [place for places in self.numbers.values() for place in places]
        read = sorted([*read, *(moment.place for moment in self.moments)])
        starts, ends = [start for start, _ in read], list(accumulate((end for _, end in read), max))
        places: list[Place] = []
        for hit in _TOKEN.finditer(self.folded):
            self.budget.spend()
            token = hit.group().rstrip(".:!?")
            start, end = hit.start(), hit.start() + len(token)
            # Of what begins before the token ends, the last end tells whether any of it reaches into the token.
            before = bisect_left(starts, end)
            if is_identifier(token) and not (before and ends[before - 1] > start):
                places.append((start, end))
        return places

    @cached_property
    def opaque(self) -> Sequence[Place]:
        """Where each opaque identifier stands."""
        return list(self.afford(opaque_in(self.folded)))

    @cached_property
    def sentences(self) -> Sequence[Sentence]:
        """What a message consists of."""
        self.budget.spend(1 + len(self.folded) // _CHARACTERS_A_VIEW_STEP)
        return tuple(sentences_in(self.folded))

    def sentence_at(self, start: int) -> Sentence | None:
        """The sentence that a place lies in."""
        return next((sentence for sentence in self.sentences if sentence.start <= start < sentence.end), None)

    @cached_property
    def document(self) -> Document:
        """The records of the raw text."""
        self.budget.spend(len(self.source.text) // CHARACTERS_A_STEP)
        return _document_of(self.source.text)


# What is read of a text depends on the text alone, so that one reading serves every call that follows it. What the
# budget of each is charged stays the same.
_view_of_data = cache_short_texts(partial(folded_view, escaped=True))
_view_of_written = cache_short_texts(partial(folded_view, escaped=False))
_document_of = cache_short_texts(Document)


@cache_short_texts
def _readings_of(folded: str) -> Sequence[Occurrence[Decimal]]:
    return tuple(readings_in(folded))


@dataclass(frozen=True, slots=True)
class Cell:
    """One scalar of a result: a field of a record."""

    text: SourceText
    scalar: int

    @property
    def value(self) -> str:
        """What it says, escapes resolved."""
        return self.text.document.value_of(self.scalar)

    @property
    def field(self) -> Pattern:
        """The keys that lead to it within its record."""
        return self.text.document.field_of(self.scalar)

    @property
    def record(self) -> int:
        """The record that it is a field of."""
        return self.text.document.record_of(self.scalar)

    @property
    def kind(self) -> Pattern:
        """What its record shares with others."""
        return self.text.document.kind_of(self.record)

    @property
    def span(self) -> Span:
        """The evidence that it is."""
        return self.text.raw_span(*self.text.document.place_of(self.scalar))


class Evidence:
    """The sources of one context by what they may prove."""

    def __init__(self, context: Context, budget: Budget | None = None) -> None:
        self.context = context
        self.budget = budget or Budget()
        self.zone = zone_of(context)
        self.now = home_clock(clock_of(context).now, self.zone)
        steps = {f"history/{at}/outcome": item for at, item in enumerate(context.history, 1) if isinstance(item, Step)}
        self._presumed: dict[SourceId, Sequence[Moment]] = {}
        self.texts: Mapping[SourceId, SourceText] = {
            name: SourceText(source, self.budget, self.now, steps.get(name), self.zone)
            for name, source in context.sources.items()
        }

    def of_kind(self, *kinds: SourceKind) -> Iterator[SourceText]:
        """The sources of these kinds, the latest first."""
        return (text for text in reversed(list(self.texts.values())) if text.source.kind in kinds)

    @cached_property
    def user_messages(self) -> tuple[SourceText, ...]:
        """What the user wrote, and who answers for the user in a review, the latest message first."""
        return tuple(self.of_kind(*WISHES))

    @cached_property
    def instructions(self) -> tuple[SourceText, ...]:
        """System prompts: the operator's word."""
        return tuple(self.of_kind(SourceKind.SYSTEM_PROMPT))

    @cached_property
    def data(self) -> tuple[SourceText, ...]:
        """What tools returned and what else others wrote, the latest first."""
        return tuple(self.of_kind(*DATA))

    @cached_property
    def presumed_now(self) -> datetime | None:
        """What time it most likely is; it serves judges, and no proof rests on it.

        What agent and user read counts before a clock that the prompt does not know, such as when the call was sent.
        """
        return presume_clock(text.folded for text in self.instructions) or self.now

    def presumed_moments(self, text: SourceText) -> Sequence[Moment]:
        """Every day and time of day of a text by the presumed clock. Raises `OutOfBudgetError`."""
        if self.presumed_now == self.now:
            return text.moments
        if text.source.id not in self._presumed:
            self._presumed[text.source.id] = list(text.afford(moments_in(text.folded, self.presumed_now)))
        return self._presumed[text.source.id]

    def document_of(self, tool: str) -> SourceText | None:
        """The tool's document as a source."""
        return self.texts.get(f"tool/{tool}")

    def results_of(self, text: SourceText) -> Sequence[SourceText]:
        """Every outcome of the tool that this one is an outcome of, itself among them; else it alone."""
        if text.step is None:
            return (text,)
        name = text.step.tool
        return tuple(result for result in self.data if result.step is not None and result.step.tool == name)
