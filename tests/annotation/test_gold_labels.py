"""Which label an item has: settled before agreed, agreed before given."""

from pathlib import Path
from typing import Any

import pytest

from reviews.annotation import gold_labels
from reviews.models import Adjudication, Annotation, Annotator, Campaign, DatasetItem
from tests.cast import Cast
from tests.datasets.collections import line, load, write_lines


@pytest.fixture
def item(cast: Cast, tmp_path: Path) -> DatasetItem:
    """An imported call that its collection calls misaligned."""
    load(cast, write_lines(tmp_path / "calls.jsonl", [line(0)]))
    return DatasetItem.objects.get()


def campaign(item: DatasetItem) -> Campaign:
    found, _ = Campaign.objects.get_or_create(
        workspace=item.dataset.workspace,
        dataset=item.dataset,
        name="study",
        defaults={"questions": [], "annotators_per_item": 3, "seed": 0, "lease_seconds": 60},
    )
    return found


def answered(cast: Cast, item: DatasetItem, *judgements: str, **more: Any) -> None:
    """The answers of as many people."""
    people = (cast.annotator, cast.admin, cast.reviewer)
    for member, judgement in zip(people, judgements, strict=False):
        annotator = Annotator.objects.create(campaign=campaign(item), user=member.user)
        Annotation.objects.create(
            campaign=campaign(item), item=item, annotator=annotator, judgement=judgement, seconds=1, **more
        )


def label_of(item: DatasetItem) -> Any:
    return gold_labels.labels_of([item])[item.pk]


def test_without_an_answer_it_is_what_the_collection_says(item: DatasetItem) -> None:
    assert (label_of(item)["aligned"], label_of(item)["method"]) == (False, gold_labels.GIVEN)


@pytest.mark.parametrize(
    ("judgements", "aligned", "method"),
    [
        (["aligned"], True, gold_labels.SINGLE),
        (["aligned", "aligned"], True, gold_labels.AGREED),
        (["aligned", "misaligned", "aligned"], True, gold_labels.MAJORITY),
        (["aligned", "misaligned"], None, gold_labels.DISPUTED),
        (["aligned", "misaligned", "cannot_tell"], None, gold_labels.DISPUTED),
        (["cannot_tell", "cannot_tell"], None, gold_labels.AGREED),
    ],
)
def test_answers_count_by_the_majority(
    cast: Cast, item: DatasetItem, judgements: list[str], aligned: bool | None, method: str
) -> None:
    answered(cast, item, *judgements)
    found = label_of(item)
    assert (found["aligned"], found["method"]) == (aligned, method)
    assert sum(found["votes"].values()) == len(judgements)


def test_a_type_on_which_most_do_not_agree_is_left_open(cast: Cast, item: DatasetItem) -> None:
    answered(cast, item, "misaligned", misalignment="tool")
    annotator = Annotator.objects.create(campaign=campaign(item), user=cast.admin.user)
    Annotation.objects.create(
        campaign=campaign(item),
        item=item,
        annotator=annotator,
        judgement="misaligned",
        misalignment="parameter",
        seconds=1,
    )
    found = label_of(item)
    assert (found["aligned"], found["misalignment"], found["method"]) == (False, None, gold_labels.AGREED)


def test_what_was_settled_goes_before_all_answers(cast: Cast, item: DatasetItem) -> None:
    answered(cast, item, "aligned", "aligned")
    Adjudication.objects.create(
        campaign=campaign(item),
        item=item,
        adjudicator=cast.admin.user,
        method="written",
        reason="both overlooked it",
        judgement="misaligned",
        misalignment="parameter",
        corrected_tool="send",
        corrected_arguments={"n": 1},
    )
    found = label_of(item)
    assert (found["aligned"], found["misalignment"], found["method"]) == (False, "parameter", gold_labels.ADJUDICATED)
    assert found["right"] == {"tool": "send", "arguments": {"n": 1}}


def test_an_answer_that_was_withdrawn_does_not_count(cast: Cast, item: DatasetItem) -> None:
    answered(cast, item, "aligned", in_force=False)
    assert label_of(item)["method"] == gold_labels.GIVEN


def test_single_answers_and_the_reason_stand_in_the_label(cast: Cast, item: DatasetItem) -> None:
    answered(cast, item, "aligned", "misaligned")
    Adjudication.objects.create(
        campaign=campaign(item), item=item, adjudicator=cast.admin.user, judgement="aligned", method="written",
        reason="He did owe it.",
    )  # fmt: skip
    label = label_of(item)
    assert label["adjudication"]["reason"] == "He did owe it."
    assert [answer["judgement"] for answer in label["answers"]] == ["aligned", "misaligned"]
    people = {answer["annotator"] for answer in label["answers"]}
    assert len(people) == 2
    assert not any(name in person for person in people for name in ("anna", "ada"))


def test_a_person_who_answers_in_two_campaigns_has_one_vote_the_later_one(cast: Cast, item: DatasetItem) -> None:
    answered(cast, item, "misaligned", "aligned")
    again = Campaign.objects.create(
        workspace=item.dataset.workspace, dataset=item.dataset, name="again", questions=[], annotators_per_item=1,
        seed=0, lease_seconds=60,
    )  # fmt: skip
    annotator = Annotator.objects.create(campaign=again, user=cast.annotator.user)
    Annotation.objects.create(campaign=again, item=item, annotator=annotator, judgement="aligned", seconds=1)
    label = label_of(item)
    assert (label["aligned"], label["method"], label["votes"]) == (True, gold_labels.AGREED, {"aligned": 2})
    assert [answer["judgement"] for answer in label["answers"]] == ["misaligned", "aligned", "aligned"]


def test_one_person_alone_is_one_annotator_however_often_they_were_asked(cast: Cast, item: DatasetItem) -> None:
    for name in ("first", "second"):
        asked = Campaign.objects.create(
            workspace=item.dataset.workspace, dataset=item.dataset, name=name, questions=[], annotators_per_item=1,
            seed=0, lease_seconds=60,
        )  # fmt: skip
        annotator = Annotator.objects.create(campaign=asked, user=cast.annotator.user)
        Annotation.objects.create(campaign=asked, item=item, annotator=annotator, judgement="aligned", seconds=1)
    assert (label_of(item)["method"], label_of(item)["votes"]) == (gold_labels.SINGLE, {"aligned": 1})
