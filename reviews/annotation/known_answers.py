"""Items whose answer is known, mixed in among the others; `annotator_figures` tells how people do on them."""

import random
from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from reviews.annotation.sampling import draw_items
from reviews.models import Adjudication, Campaign, DatasetItem, ItemChoice, Judgement


def list_known_answers(items: Iterable[UUID], *, apart_from: Campaign | None = None) -> dict[UUID, Judgement]:
    """The items whose answer is known: settled in an earlier campaign, else given by the collection."""
    wanted = list(items)
    labelled = DatasetItem.objects.filter(pk__in=wanted, given_label__aligned__in=(True, False))
    answers = {
        item: Judgement.ALIGNED if aligned else Judgement.MISALIGNED
        for item, aligned in labelled.values_list("pk", "given_label__aligned")
    }
    # Of several campaigns the latest word counts, as in `gold_labels`.
    settled = Adjudication.objects.filter(item__in=wanted, in_force=True).order_by("id")
    if apart_from is not None:
        settled = settled.exclude(campaign=apart_from)
    answers |= {item: Judgement(judgement) for item, judgement in settled.values_list("item", "judgement")}
    return {item: answer for item, answer in answers.items() if answer != Judgement.CANNOT_TELL}


def draw_with_known(
    items: Sequence[UUID], most: int | None, *, known_items: Collection[UUID], share: float, choice: str, seed: int
) -> list[tuple[UUID, float]]:
    """As `draw_items`, with this share of `known_items`, so that everybody meets them at that rate.

    They are drawn at random and apart from the others, of which there are fewer where too few answers are known.
    """
    total = len(items) if most is None else min(most, len(items))
    unknown = [item for item in items if item not in known_items]
    if not unknown or not share:
        return draw_items(items, most, choice=choice, seed=seed)
    count_known = min(len(known_items), round(total * share))
    count = min(len(unknown), total - count_known)
    if count + count_known < total:
        # Where the others are few, fewer known ones keep the rate.
        count_known = min(count_known, round(count * share / (1 - share)))
    drawn = draw_items(unknown, count, choice=choice, seed=seed)
    if count_known:
        in_order = [item for item in items if item in known_items]
        drawn += draw_items(in_order, count_known, choice=ItemChoice.RANDOM, seed=seed)
    random.Random(seed).shuffle(drawn)  # noqa: S311 - an order that anybody may repeat
    return drawn
