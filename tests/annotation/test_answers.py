from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone

from reviews.annotation import answers, campaigns
from reviews.annotation.schema import Answer
from reviews.errors import ConflictError, InvalidAnnotationError
from reviews.models import Annotation, Draft
from reviews.provenance.core.context import Span
from reviews.retention import dataset_erasure
from tests.annotation.study import ALIGNED, MISALIGNED, study
from tests.cast import CONTEXT, Cast

ASKED = Span("query", 5, 8, CONTEXT.query[5:8])


def test_an_answer_keeps_everything_that_was_said(cast: Cast) -> None:
    running = study(cast)
    changed = replace(
        MISALIGNED, evidence=(ASKED,), corrected_tool="money_transfer", corrected_arguments={"amount": 30},
        interpretations=("Ask first.",), note="Ten times too much.",
    )  # fmt: skip
    given = running.given(0, changed, flagged=True)
    assert Answer.from_row(Annotation.objects.get(pk=given.pk)) == changed
    assert given.flagged


def test_a_later_answer_supersedes_and_the_earlier_one_stays(cast: Cast) -> None:
    running = study(cast)
    first = running.given(0)
    second = running.gives(0, first.item, MISALIGNED)
    first.refresh_from_db()
    assert (first.judgement, first.in_force, second.in_force) == ("aligned", False, True)


def test_undo_takes_the_answer_back_as_a_draft(cast: Cast) -> None:
    running = study(cast)
    given = running.given(0, MISALIGNED)
    item = answers.undo_latest_answer(campaign=running.campaign, membership=running.people[0])
    assert item == given.item_id == running.next(0).item_id
    assert Draft.objects.get().content["misalignment"] == "parameter"
    assert not running.campaign.annotations.filter(in_force=True).exists()


def test_undo_goes_back_one_answer_at_a_time(cast: Cast) -> None:
    running = study(cast)
    items = [running.given(0).item_id for _ in range(2)]
    undone = [answers.undo_latest_answer(campaign=running.campaign, membership=running.people[0]) for _ in range(3)]
    assert undone == [*reversed(items), None]


def test_undo_passes_over_what_was_erased_since(cast: Cast) -> None:
    running = study(cast, items=2)
    first, second = (running.given(0).item_id for _ in range(2))
    dataset_erasure.erase_items([second], reason="on request")
    assert answers.undo_latest_answer(campaign=running.campaign, membership=running.people[0]) == first
    assert answers.undo_latest_answer(campaign=running.campaign, membership=running.people[0]) is None


def test_a_skip_is_undone_while_the_item_is_free(cast: Cast) -> None:
    running = study(cast, items=1)
    item = running.next(0).item_id
    answers.skip_item(
        campaign=running.campaign, item=item, membership=running.people[0], reason="Unclear", seconds=1, flagged=True
    )
    assert answers.undo_latest_answer(campaign=running.campaign, membership=running.people[0]) == item
    assert running.next(0).item_id == item


def test_a_draft_is_gone_once_the_answer_is_given(cast: Cast) -> None:
    running = study(cast)
    item = running.next(0).item
    answers.save_draft(
        campaign=running.campaign, item=item.pk, membership=running.people[0], content={"note": "x"}, seconds=2
    )
    running.gives(0, item)
    assert not Draft.objects.exists()


def test_a_draft_of_a_page_from_before_the_answer_does_not_bury_it(cast: Cast) -> None:
    running, opened_at = study(cast), timezone.now()
    item = running.next(0).item
    running.gives(0, item)
    draft: dict[str, Any] = {
        "campaign": running.campaign, "item": item.pk, "membership": running.people[0], "seconds": 1
    }  # fmt: skip
    with pytest.raises(ConflictError, match="Open it again"):
        answers.save_draft(content={"note": "late"}, opened_at=opened_at, **draft)
    assert not Draft.objects.exists()
    # Of a page that was opened to change the answer it is kept.
    answers.save_draft(content={"note": "new"}, opened_at=timezone.now(), **draft)
    assert Draft.objects.get().content == {"note": "new"}


def test_what_the_database_cannot_keep_is_refused(cast: Cast) -> None:
    running = study(cast)
    asked: dict[str, Any] = {
        "campaign": running.campaign, "item": running.next(0).item_id, "membership": running.people[0], "seconds": 1
    }  # fmt: skip
    with pytest.raises(InvalidAnnotationError):
        answers.skip_item(reason="a\x00b", **asked)
    for content in ({"note": "a\x00b"}, {"q1": ["fine", "\x00"]}):
        with pytest.raises(InvalidAnnotationError):
            answers.save_draft(content=content, **asked)
    # As text it is no such character.
    assert answers.save_draft(content={"note": "a\\u0000b"}, **asked)


def test_time_is_no_longer_than_the_item_was_out(cast: Cast) -> None:
    assert study(cast).given(0, seconds=99_999).seconds < 60


@pytest.mark.parametrize(
    ("answer", "pointer"),
    [
        (Answer("perhaps"), "/judgement"),
        (Answer("misaligned"), "/misalignment"),
        (replace(MISALIGNED, misalignment="odd"), "/misalignment"),
        (replace(MISALIGNED, relation="Untainted"), "/relation"),
        (replace(MISALIGNED, first_misaligned_step=3), "/first_misaligned_step"),
        (replace(MISALIGNED, first_misaligned_step=0), "/first_misaligned_step"),
        (replace(ALIGNED, misalignment="tool"), "/misalignment"),
        (replace(ALIGNED, evidence=(replace(ASKED, quote="€30"),)), "/evidence"),
        (replace(ALIGNED, evidence=(replace(ASKED, source="elsewhere"),)), "/evidence"),
        (replace(ALIGNED, evidence=(ASKED,) * 61), "/evidence"),
        (replace(ALIGNED, corrected_tool="pay"), "/correction"),
        (replace(ALIGNED, corrected_tool="pay", corrected_arguments={"to": "\x00"}), "/correction/to"),
        # No digest is made of such a label, and a version with it would never be frozen.
        (replace(ALIGNED, corrected_tool="pay", corrected_arguments={"amount": 10**20}), "/correction/amount"),
        (replace(ALIGNED, interpretations=("x",) * 11), "/interpretations"),
        (replace(ALIGNED, note="x" * 8_001), "/note"),
    ],
)
def test_what_cannot_be_stored_is_refused_at_its_field(cast: Cast, answer: Answer, pointer: str) -> None:
    running = study(cast)
    with pytest.raises(InvalidAnnotationError) as refused:
        running.given(0, answer)
    assert pointer in [error.pointer for error in refused.value.errors]
    assert not Annotation.objects.exists()


@pytest.mark.parametrize("reason", ["", "  ", "x" * 301])
def test_a_skip_needs_a_reason(cast: Cast, reason: str) -> None:
    running = study(cast)
    with pytest.raises(InvalidAnnotationError, match="why"):
        answers.skip_item(
            campaign=running.campaign,
            item=running.next().item_id,
            membership=running.people[0],
            reason=reason,
            seconds=1,
        )


@pytest.mark.parametrize(
    "row",
    [
        {"judgement": "aligned", "misalignment": "tool"},
        {"judgement": "", "skip_reason": ""},
        {"judgement": "aligned", "skip_reason": "both"},
        {"judgement": "misaligned", "misalignment": "odd"},
        {"judgement": "aligned", "corrected_tool": "pay"},
        {"judgement": "aligned", "seconds": -1},
    ],
)
def test_the_database_refuses_what_no_use_case_writes(cast: Cast, row: dict[str, Any]) -> None:
    running = study(cast)
    slot = running.next()
    own = {"campaign": running.campaign, "item": slot.item, "annotator": slot.annotator, "seconds": 1}
    with pytest.raises(IntegrityError):
        Annotation.objects.create(**{**own, **row})


def test_progress_counts_the_rows(cast: Cast) -> None:
    running = study(cast, items=3)
    running.given(0)
    running.given(0, MISALIGNED, flagged=True)
    running.given(1)
    answers.skip_item(
        campaign=running.campaign, item=running.next(1).item_id, membership=running.people[1], reason="No", seconds=1
    )
    found = campaigns.measure_progress(running.campaign)
    assert (found.items, found.slots, found.answered, found.finished) == (3, 6, 3, 1)
    assert (found.skipped, found.flagged, found.share) == (1, 1, 0.5)
    assert {person.annotator.user.get_username(): person.answered for person in found.people} == {
        "anna": 2,
        "annotator-1": 1,
    }
    assert found.remaining is None, "three answers are no pace"


def test_the_time_that_is_left_is_told_once_there_is_a_pace(cast: Cast) -> None:
    running = study(cast, items=6)
    annotator = running.campaign.annotators.get(user=running.people[0].user)
    for _ in range(4):
        running.given(0)
    own = campaigns.measure_own_progress(annotator)
    assert (own.seconds is None, own.seconds_left) == (False, None)
    running.given(0)
    own = campaigns.measure_own_progress(annotator)
    assert own.seconds_left == own.seconds
    assert campaigns.measure_progress(running.campaign).remaining
