"""How far the annotators of a campaign agree: overall, by question, pair of people and tool, and about which items."""

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final
from uuid import UUID

from reviews.evaluation.measures.interrater_agreement import (
    Agreement,
    Answers,
    Coefficient,
    ConfusionTable,
    confusion_table,
    interrater_agreement,
    item_agreement,
)
from reviews.models import Campaign

__all__ = ["Agreement", "AgreementReport", "Coefficient", "HardItem", "Pair", "measure_agreement"]

# An interval over fewer items spans half the axis: such tools are measured together.
MIN_TOOL_ITEMS: Final = 10
POOLED: Final = "all other tools"
# Pairs and tools with too few common items say nothing, and long tables are not read; the rest is counted.
MAX_PAIRS: Final = 45
MAX_TOOLS: Final = 20
MAX_HARD: Final = 25
_WORD: Final = re.compile(r"\w+")
# By question, in the order of the page. A type, a relation or a step is compared where each person names one.
FIELDS: Final = (
    ("judgement", "Judgement"),
    ("misalignment", "Type"),
    ("relation", "Failing relation"),
    ("first_misaligned_step", "First misaligned step"),
)


@dataclass(frozen=True)
class Pair:
    """Two people's judgements of the items they share."""

    first: str
    second: str
    agreement: Agreement
    table: ConfusionTable


@dataclass(frozen=True)
class HardItem:
    """An item that people do not agree about, or found hard to tell."""

    item: UUID
    tool: str
    agreement: float | None
    """Share of pairs of answers that are the same."""
    answers: tuple[tuple[str, int], ...]
    """Each judgement with how many gave it."""
    flags: int
    seconds: float
    """Median time of an answer."""


@dataclass(frozen=True)
class AgreementReport:
    """Everything the manager's page says about agreement."""

    fields: tuple[tuple[str, Agreement], ...]
    pairs: tuple[Pair, ...]
    """Those who share most items."""
    tools: tuple[tuple[str, Agreement], ...]
    """Those with most items."""
    hard: tuple[HardItem, ...]
    """The hardest first."""
    confusion: ConfusionTable
    """Which answers meet on one item: judgements, with types in place of “misaligned” where one is named."""
    evidence: float | None
    """Mean F1 over the words that two people marked, of pairs of whom at least one marked any; None without a pair."""
    evidence_pairs: int

    @property
    def overall(self) -> Agreement:
        """Of the judgement."""
        return self.fields[0][1]


@dataclass(frozen=True)
class _Answer:
    """What one person said of one item."""

    values: Mapping[str, Hashable | None]
    flagged: bool
    seconds: float
    marked: frozenset[tuple[str, int]]
    """The words that were marked as evidence, each by its source and place."""

    @property
    def category(self) -> str:
        """The judgement, or the type of failure where one is named."""
        return str(self.values["misalignment"] or self.values["judgement"])


def measure_agreement(campaign: Campaign) -> AgreementReport:
    """How far the answers in force agree."""
    names = dict(campaign.annotators.values_list("pk", "user__username"))
    by_item: dict[UUID, dict[UUID, _Answer]] = defaultdict(dict)
    tools: dict[UUID, str] = {}
    rows = campaign.annotations.filter(in_force=True).exclude(judgement="").order_by("created_at")
    columns = [name for name, _ in FIELDS]
    erased: set[UUID] = set()
    for item, annotator, tool, erased_at, flagged, seconds, evidence, *values in rows.values_list(
        "item", "annotator", "item__tool", "item__erased_at", "flagged", "seconds", "evidence", *columns
    ):
        # An empty text stands for a question that was not answered.
        values_by_field = dict(zip(columns, (None if value == "" else value for value in values), strict=True))
        by_item[item][annotator] = _Answer(values_by_field, flagged, seconds, marked_words(evidence))
        tools[item] = tool
        if erased_at is not None:
            erased.add(item)
    people = sorted(names, key=names.__getitem__)
    shares = [
        overlap_of(first.marked, second.marked)
        for answers in by_item.values()
        for first, second in combinations(answers.values(), 2)
        if first.marked or second.marked
    ]
    return AgreementReport(
        fields=tuple(
            (label, interrater_agreement(_answer_rows(by_item.values(), people, name))) for name, label in FIELDS
        ),
        pairs=tuple(_agreement_by_pair(by_item, people, names)),
        tools=tuple(
            (tool, interrater_agreement(_answer_rows((by_item[item] for item in items), people, "judgement")))
            for tool, items in _pool_tools(tools)
        ),
        # What was judged of an erased item counts; nobody can look at it any more.
        hard=tuple(_list_hard_items({item: by_item[item] for item in by_item if item not in erased}, tools)),
        confusion=_confuse_all(by_item.values()),
        evidence=sum(shares) / len(shares) if shares else None,
        evidence_pairs=len(shares),
    )


def marked_words(evidence: Iterable[Mapping[str, Any]]) -> frozenset[tuple[str, int]]:
    """Every word of the marked stretches, by its source and the place where it begins."""
    return frozenset(
        (str(span["source"]), int(span["start"]) + word.start())
        for span in evidence
        for word in _WORD.finditer(str(span["quote"]))
    )


def overlap_of(first: AbstractSet[tuple[str, int]], second: AbstractSet[tuple[str, int]]) -> float:
    """F1 of two sets of words: twice the common ones over all of both; 1 for two empty sets."""
    return 2 * len(first & second) / (len(first) + len(second)) if first or second else 1.0


def _pool_tools(tools: Mapping[UUID, str]) -> list[tuple[str, list[UUID]]]:
    """The items of each tool that has enough of them, the most frequent first; those of all other tools as one."""
    by_tool: dict[str, list[UUID]] = defaultdict(list)
    for item, tool in tools.items():
        by_tool[tool].append(item)
    in_order = sorted(by_tool.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    listed = [(tool, items) for tool, items in in_order if len(items) >= MIN_TOOL_ITEMS][:MAX_TOOLS]
    rest = [item for _, items in in_order[len(listed) :] for item in items]
    return [*listed, (POOLED, rest)] if rest else listed


def _confuse_all(items: Iterable[Mapping[UUID, _Answer]]) -> ConfusionTable:
    """Every pair of answers to one item, whoever gave them, in both orders: the table is symmetric."""
    pairs = [
        (first.category, second.category)
        for answers in items
        for one_way in combinations(answers.values(), 2)
        for first, second in (one_way, one_way[::-1])
    ]
    return confusion_table([first for first, _ in pairs], [second for _, second in pairs])


def _answer_rows(items: Iterable[Mapping[UUID, _Answer]], people: Iterable[UUID], name: str) -> Answers:
    """One row an item, one place a person."""
    order = list(people)
    return [[answers[person].values[name] if person in answers else None for person in order] for answers in items]


def _agreement_by_pair(
    by_item: Mapping[UUID, Mapping[UUID, _Answer]], people: Iterable[UUID], names: Mapping[UUID, str]
) -> Iterable[Pair]:
    shared: Counter[tuple[UUID, UUID]] = Counter()
    order = {person: place for place, person in enumerate(people)}
    for answers_of_item in by_item.values():
        shared.update(combinations(sorted(answers_of_item, key=order.__getitem__), 2))
    for (first, second), _ in shared.most_common(MAX_PAIRS):
        both = [
            answers_of_item
            for answers_of_item in by_item.values()
            if first in answers_of_item and second in answers_of_item
        ]
        answers = _answer_rows(both, (first, second), "judgement")
        table = confusion_table([row[0] for row in answers], [row[1] for row in answers])
        yield Pair(names[first], names[second], interrater_agreement(answers), table)


def _list_hard_items(by_item: Mapping[UUID, Mapping[UUID, _Answer]], tools: Mapping[UUID, str]) -> list[HardItem]:
    hard_items = []
    for item, answers in by_item.items():
        judgements = [str(answer.values["judgement"]) for answer in answers.values()]
        share = item_agreement(judgements)
        flags = sum(answer.flagged for answer in answers.values())
        if flags or "cannot_tell" in judgements or (share is not None and share < 1):
            seconds = statistics.median(answer.seconds for answer in answers.values())
            counts = tuple(sorted(Counter(judgements).items()))
            hard_items.append(HardItem(item, tools[item], share, counts, flags, seconds))
    # The least agreement first, then what people wanted to talk about, then what took longest.
    hard_items.sort(
        key=lambda answer: (1.0 if answer.agreement is None else answer.agreement, -answer.flags, -answer.seconds)
    )
    return hard_items[:MAX_HARD]
