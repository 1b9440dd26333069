"""How each person answers: how far they agree with the others, whether that drifts, how they do where it is known."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from reviews.annotation.known_answers import list_known_answers
from reviews.models import Campaign, Judgement


@dataclass(frozen=True)
class PersonQuality:
    """One person's answers beside those of the others."""

    shared: int
    """Items that somebody else has answered too."""
    agreement: float | None
    """Share of the others' answers to those that are the same; None without any."""
    first_half: float | None
    """The same over the earlier half of the person's shared items, in the order in which they answered."""
    second_half: float | None
    known_items: int
    """Items whose label the collection gives, or that were settled in an earlier campaign."""
    known_right: int
    """Of these, those answered the same."""

    @property
    def drift(self) -> float | None:
        """By how much agreement rose or fell between the halves."""
        if self.first_half is None or self.second_half is None:
            return None
        return self.second_half - self.first_half


def measure_people(campaign: Campaign) -> Mapping[UUID, PersonQuality]:
    """By annotator. Three queries, however many people."""
    answers: dict[UUID, list[tuple[UUID, str]]] = defaultdict(list)
    by_item: dict[UUID, dict[UUID, str]] = defaultdict(dict)
    rows = campaign.annotations.filter(in_force=True).exclude(judgement="").order_by("created_at")
    for annotator, item, judgement in rows.values_list("annotator", "item", "judgement"):
        answers[annotator].append((item, judgement))
        by_item[item][annotator] = judgement
    right_answers = list_known_answers(by_item, apart_from=campaign)
    return {
        person: _measure_person(person, own_answers, by_item, right_answers) for person, own_answers in answers.items()
    }


def _measure_person(
    annotator: UUID,
    answers: Sequence[tuple[UUID, str]],
    by_item: Mapping[UUID, Mapping[UUID, str]],
    right_answers: Mapping[UUID, Judgement],
) -> PersonQuality:
    shares = []
    for item, judgement in answers:
        rest = [answer for person, answer in by_item[item].items() if person != annotator]
        if rest:
            shares.append(rest.count(judgement) / len(rest))
    half = len(shares) // 2
    checked = [(judgement, right_answers[item]) for item, judgement in answers if item in right_answers]
    return PersonQuality(
        shared=len(shares),
        agreement=_mean(shares),
        first_half=_mean(shares[:half]),
        second_half=_mean(shares[half:]) if half else None,
        known_items=len(checked),
        known_right=sum(judgement == right for judgement, right in checked),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
