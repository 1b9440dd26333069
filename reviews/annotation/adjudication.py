"""Where answers differ, a manager settles one label: chosen, merged or written, with the reason and its sources."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from reviews import access, audit
from reviews.annotation.owed_items import owed_among
from reviews.annotation.schema import Answer, check_answer
from reviews.errors import ConflictError, FieldProblem, ForbiddenError, InvalidAnnotationError
from reviews.models import Adjudication, AdjudicationMethod, Annotation, Campaign, DatasetItem, Membership
from reviews.records.dataset_items import case_of_item, lock_item
from reviews.records.transactions import retry_on_conflict


@dataclass(frozen=True)
class DisputedItem:
    """An item whose answers are not all the same."""

    item: DatasetItem
    answers: tuple[Annotation, ...]
    settled: bool


def list_disputed_items(campaign: Campaign, *, every_column: bool = False) -> list[DisputedItem]:
    """Items about whose judgement or type people differ, the unsettled first, then by how many answers they have.

    `every_column` reads every column of the answers, in place of those that tell them apart.
    """
    answers: dict[UUID, list[Annotation]] = defaultdict(list)
    rows = campaign.annotations.filter(in_force=True).exclude(judgement="")
    # Without the long columns: only what tells answers apart is compared here. With the campaign, which the relation
    # would otherwise fetch for each row.
    columns = (
        rows.select_related("annotator") if every_column else rows.only("campaign", "item", "judgement", "misalignment")
    )
    for row in columns.order_by("created_at"):
        answers[row.item_id].append(row)
    differing = {
        item: answers_of_item
        for item, answers_of_item in answers.items()
        if len({(answer.judgement, answer.misalignment) for answer in answers_of_item}) > 1
    }
    items = DatasetItem.objects.filter(pk__in=differing, erased_at__isnull=True).defer("case").in_bulk()
    settled = set(campaign.adjudications.filter(in_force=True, item__in=differing).values_list("item", flat=True))
    disputes = [
        DisputedItem(items[item], tuple(answers_of_item), item in settled)
        for item, answers_of_item in differing.items()
        if item in items
    ]
    return sorted(disputes, key=lambda dispute: (dispute.settled, -len(dispute.answers), str(dispute.item.pk)))


@retry_on_conflict
@transaction.atomic
def adjudicate_item(
    *,
    campaign: Campaign,
    item: DatasetItem,
    by: access.Principal,
    method: str,
    answer: Answer,
    reason: str,
    sources: Collection[UUID],
    seen_key: str | None = None,
) -> Adjudication:
    """Settle the label of an item, in place of an earlier adjudication, which stays; the answers are not touched.

    `sources` are the keys of answers in force. A chosen label is that of its one source, whatever `answer` says. A key
    settles in the name of who issued it. `seen_key` is the key of the adjudication that they have read, empty for none:
    in place of one that somebody else wrote since nothing is settled. Raises `ForbiddenError`, `ConflictError` and
    `InvalidAnnotationError`.
    """
    access.require_curator(by)
    adjudicator = by.user if isinstance(by, Membership) else by.created_by
    if adjudicator is None:
        raise ForbiddenError("Whoever issued this key has no account any more: a label is settled by somebody.")
    # Of two managers who settle one item the second supersedes the first; nobody changes an answer meanwhile.
    item = lock_item(item.pk)
    earlier = campaign.adjudications.filter(item=item, in_force=True)
    if seen_key is not None:
        _check_seen(seen_key, earlier.exclude(adjudicator=adjudicator).first())
    cited = _read_sources(campaign, item, sources)
    if owed_among(by, [item.pk]):
        raise ForbiddenError("Whoever settles this item has to answer it first: its answers are not blind to them.")
    has_answers = campaign.annotations.filter(item=item, in_force=True).exclude(judgement="").exists()
    _check_sources(method, reason, cited, has_answers=has_answers)
    if method == AdjudicationMethod.CHOSEN:
        answer = Answer.from_row(cited[0])
    check_answer(answer, case_of_item(item))
    earlier.update(in_force=False)
    settled = Adjudication.objects.create(
        campaign=campaign,
        item=item,
        adjudicator=adjudicator,
        method=method,
        reason=reason.strip(),
        **answer.to_columns(),
    )
    settled.sources.set(cited)
    audit.record(
        workspace=by.workspace, verb="campaign.adjudicated", subject=str(campaign.pk), by=by,
        details={"item": str(item.pk), "method": method}, name=campaign.name,
    )  # fmt: skip
    return settled


def _check_seen(seen_key: str, rival: Adjudication | None) -> None:
    """Raises `ConflictError` for what somebody else has settled and they have not read."""
    if rival is not None and seen_key != str(rival.pk):
        raise ConflictError(
            f"{rival.adjudicator.get_username()} settled this item meanwhile. What they say stands above; send yours"
            " again to put it in the place of theirs."
        )


def _read_sources(campaign: Campaign, item: DatasetItem, keys: Collection[UUID]) -> list[Annotation]:
    """The answers of these keys. Raises `InvalidAnnotationError` where one is not in force, or not about the item."""
    cited = list(campaign.annotations.filter(item=item, in_force=True, pk__in=keys))
    if len(cited) < len(set(keys)):
        problem = "An answer that is named here was changed or taken back since, or is about something else."
        raise InvalidAnnotationError(FieldProblem("/sources", problem))
    return cited


def _check_sources(method: str, reason: str, cited: Sequence[Annotation], *, has_answers: bool) -> None:
    problems = []
    if not reason.strip():
        problems.append(FieldProblem("/reason", "Say why: whoever disagrees later has to find what was thought."))
    if method not in AdjudicationMethod.values:
        problems.append(FieldProblem("/method", "A label is chosen, merged or written."))
    elif method == AdjudicationMethod.CHOSEN and len(cited) != 1:
        problems.append(FieldProblem("/sources", "Choose exactly one of the answers."))
    elif method == AdjudicationMethod.MERGED and len(cited) <= 1:
        problems.append(FieldProblem("/sources", "Name at least two answers that are merged."))
    elif not cited and has_answers:
        problems.append(FieldProblem("/sources", "Name the answers that were read."))
    if any(not source.judgement for source in cited):
        problems.append(FieldProblem("/sources", "A skipped item has no answer to rest on."))
    if problems:
        raise InvalidAnnotationError(*problems)
