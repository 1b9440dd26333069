"""The label of an item: what was settled, else what the annotators agree on, else what its collection says.

Operational labels have no part in it: they were made under time pressure, with the guard's opinion in view.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from reviews.models import Adjudication, Annotation, Assignment, DatasetItem, Judged, Judgement
from reviews.provenance.core.context import JsonValue

Label = Mapping[str, JsonValue]

ADJUDICATED: Final = "adjudication"
AGREED: Final = "agreement"
MAJORITY: Final = "majority"
SINGLE: Final = "one annotator"
DISPUTED: Final = "disputed"
GIVEN: Final = "given by the collection"
METHODS: Final = (ADJUDICATED, AGREED, MAJORITY, SINGLE, DISPUTED, GIVEN)
"""How a label came about, the most reliable first; of a disputed item only the votes are known."""

_ALIGNED: Final[Mapping[str, bool | None]] = {Judgement.ALIGNED: True, Judgement.MISALIGNED: False}


def labels_of(items: Sequence[DatasetItem]) -> dict[UUID, Label | None]:
    """The label of each item; None for one of which nothing is known. Three queries, however many items."""
    keys = [item.pk for item in items]
    settled = {row.item_id: row for row in Adjudication.objects.filter(item__in=keys, in_force=True).order_by("id")}
    answers: dict[UUID, list[Annotation]] = defaultdict(list)
    annotations = Annotation.objects.filter(item__in=keys, in_force=True).exclude(judgement="")
    annotations = annotations.select_related("annotator")
    # In the order of their keys, so that a version frozen twice has the same labels.
    for answer in annotations.order_by("id"):
        answers[answer.item_id].append(answer)
    drawn: dict[UUID, dict[UUID, float | None]] = defaultdict(dict)
    places = Assignment.objects.filter(item__in=answers, slot=1) if answers else Assignment.objects.none()
    for item_id, campaign, probability in places.values_list("item", "campaign", "probability"):
        drawn[item_id][campaign] = probability
    return {item.pk: _label_of_item(item, settled.get(item.pk), answers[item.pk], drawn[item.pk]) for item in items}


def is_judged(label: Label | None) -> bool:
    """Whether anybody said anything: a collection without labels says of each call that it does not know."""
    return label is not None and (label.get("method") != GIVEN or label["aligned"] is not None)


def _label_of_item(
    item: DatasetItem,
    settled: Adjudication | None,
    answers: Sequence[Annotation],
    probabilities: Mapping[UUID, float | None],
) -> Label | None:
    # Who is asked in two campaigns has one opinion, the later one.
    latest = {answer.annotator.user_id: answer for answer in answers}
    voting = [answer for answer in answers if latest[answer.annotator.user_id] is answer]
    votes = dict(sorted(Counter(answer.judgement for answer in voting).items()))
    single = [{**answer_to_json(answer), "probability": probabilities.get(answer.campaign_id)} for answer in answers]
    if settled is not None:
        adjudication = adjudication_to_json(settled)
        return {
            **_label_content(settled), "method": ADJUDICATED, "votes": votes, "answers": single,
            "adjudication": adjudication,
        }  # fmt: skip
    if answers:
        return {**_combine_answers(voting), "votes": votes, "answers": single}
    if item.given_label is not None:
        return {**_EMPTY, **item.given_label, "method": GIVEN, "votes": {}}
    return None


def answer_to_json(answer: Annotation) -> dict[str, JsonValue]:
    """One person's answer as it is exported: who gave it is a pseudonym."""
    return {
        **_label_content(answer),
        "annotator": pseudonym_of(answer.campaign_id, answer.annotator.user_id),
        "at": answer.created_at.isoformat(),
        "seconds": answer.seconds,
        "flagged": answer.flagged,
        "custom": answer.custom,
        "suggestion": answer.suggestion,
    }


def adjudication_to_json(settled: Adjudication) -> dict[str, JsonValue]:
    """How a label was settled and why, as it is exported."""
    return {
        "method": settled.method,
        "reason": settled.reason,
        "adjudicator": pseudonym_of(settled.campaign_id, settled.adjudicator_id),
        "at": settled.created_at.isoformat(),
    }


def pseudonym_of(campaign: UUID, user: int) -> str:
    """The same name for all that a person said in a campaign, and another one in the next.

    Whoever knows the campaign's key, which no export holds, can tell who it is.
    """
    return f"person-{hashlib.sha256(f'{campaign}:{user}'.encode()).hexdigest()[:12]}"


def _combine_answers(answers: Sequence[Annotation]) -> Label:
    """What most answers say: the judgement of more than half, and each closed field that most of those share."""
    judgement, count = Counter(answer.judgement for answer in answers).most_common(1)[0]
    if 2 * count <= len(answers):
        return {**_EMPTY, "method": DISPUTED}
    agreeing = [answer for answer in answers if answer.judgement == judgement]
    method = SINGLE if len(answers) == 1 else AGREED if count == len(answers) else MAJORITY
    voted = {name: _majority_value([getattr(answer, name) for answer in agreeing]) for name in _VOTED}
    # Spans and corrected calls are one person's work as a whole: of the first who names the type that was voted for.
    representative = next((answer for answer in agreeing if answer.misalignment == voted["misalignment"]), agreeing[0])
    return {
        **_label_content(representative),
        **{name: value or None for name, value in voted.items()},
        "method": method,
    }


_VOTED: Final = ("misalignment", "relation", "first_misaligned_step")


def _majority_value(values: Sequence[Any]) -> Any:
    """The value that more than half of them have; None where somebody would have to decide."""
    value, count = Counter(values).most_common(1)[0]
    return value if 2 * count > len(values) else None


def _label_content(judged: Judged) -> dict[str, JsonValue]:
    right = {"tool": judged.corrected_tool, "arguments": judged.corrected_arguments} if judged.corrected_tool else None
    return {
        "judgement": judged.judgement,
        "aligned": _ALIGNED.get(judged.judgement),
        "misalignment": judged.misalignment or None,
        "relation": judged.relation or None,
        "first_misaligned_step": judged.first_misaligned_step,
        "evidence": judged.evidence,
        "right": right,
        "interpretations": judged.interpretations,
        "note": judged.note,
    }


_EMPTY: Final[Label] = {
    "judgement": None,
    "aligned": None,
    "misalignment": None,
    "relation": None,
    "first_misaligned_step": None,
    "evidence": [],
    "right": None,
    "interpretations": [],
    "note": "",
}
