"""The label a campaign arrives at for each item, with where it comes from: what versions of a dataset freeze."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from reviews.labels.schema import Answer
from reviews.models import Annotation, Campaign


class Basis(StrEnum):
    """What a settled label rests on, the strongest first."""

    ADJUDICATED = "adjudicated"
    UNANIMOUS = "unanimous"
    MAJORITY = "majority"


@dataclass(frozen=True)
class Settled:
    """The label of one item."""

    item: UUID
    answer: Answer
    basis: Basis
    sources: tuple[UUID, ...]
    """The annotations it rests on; for an adjudication those it cites."""
    asked: int
    """How many people answered."""


def settled_labels(campaign: Campaign) -> Iterator[Settled]:
    """One label for each item that has one, in the order of the items' keys. An item without a majority has none."""
    given: dict[UUID, list[Annotation]] = defaultdict(list)
    for row in campaign.annotations.filter(in_force=True).exclude(judgement="").order_by("created_at", "id"):
        given[row.item_id].append(row)
    adjudications = campaign.adjudications.filter(in_force=True).prefetch_related("sources")
    adjudicated = {row.item_id: row for row in adjudications}
    for item in sorted({*given, *adjudicated}):
        if item in adjudicated:
            settled = adjudicated[item]
            sources = tuple(source.pk for source in settled.sources.all())
            yield Settled(item, Answer.of(settled), Basis.ADJUDICATED, sources, len(given[item]))
        elif agreed := _majority(given[item]):
            basis = Basis.UNANIMOUS if len(agreed) == len(given[item]) else Basis.MAJORITY
            sources = tuple(row.pk for row in agreed)
            yield Settled(item, Answer.of(agreed[0]), basis, sources, len(given[item]))


def _majority(answers: Sequence[Annotation]) -> list[Annotation]:
    """The answers that more than half of the people gave, the earliest first; empty where no answer has that many."""
    # By what is compared in the agreement as well; the rest of the label is that of the first who gave it.
    votes = Counter((row.judgement, row.misalignment) for row in answers)
    (winner, count), *_ = votes.most_common(1)
    # More than half: with a tie, or a third each, somebody has to decide.
    if 2 * count <= len(answers):
        return []
    return [row for row in answers if (row.judgement, row.misalignment) == winner]
