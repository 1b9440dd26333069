from typing import Any

import pytest

from reviews.annotation import adjudication
from reviews.annotation.schema import Answer
from reviews.errors import ForbiddenError, InvalidAnnotationError
from reviews.models import Adjudication, Annotation, AuditEvent
from tests.annotation.study import ALIGNED, MISALIGNED, Study, study
from tests.cast import Cast


def split(cast: Cast) -> tuple[Study, list[Annotation]]:
    """Two people, one item, two opinions."""
    running = study(cast, items=1)
    return running, [running.given(0, ALIGNED), running.given(1, MISALIGNED)]


def settle(running: Study, **values: Any) -> Adjudication:
    answers = list(running.campaign.annotations.filter(in_force=True))
    given = {
        "by": running.admin, "method": "written", "answer": ALIGNED, "reason": "The request says so.",
        "sources": [answer.pk for answer in answers], **values,
    }  # fmt: skip
    return adjudication.adjudicate_item(campaign=running.campaign, item=answers[0].item, **given)


def test_items_about_which_people_differ_are_listed_the_unsettled_first(cast: Cast) -> None:
    running = study(cast, items=3)
    for answer in (ALIGNED, MISALIGNED, MISALIGNED):
        running.given(0, answer)
    for answer in (ALIGNED, ALIGNED, Answer("cannot_tell")):
        running.given(1, answer)
    first, second = adjudication.list_disputed_items(running.campaign)
    adjudication.adjudicate_item(
        campaign=running.campaign, item=first.item, by=cast.admin, method="written", answer=ALIGNED,
        reason="Seen.", sources=[answer.pk for answer in first.answers],
    )  # fmt: skip
    assert [(each.item, each.settled) for each in adjudication.list_disputed_items(running.campaign)] == [
        (second.item, False),
        (first.item, True),
    ]


def test_a_chosen_label_is_that_of_its_source(cast: Cast) -> None:
    running, (_, misaligned) = split(cast)
    settled = settle(running, method="chosen", sources=[misaligned.pk])
    assert Answer.from_row(settled) == MISALIGNED
    assert list(settled.sources.all()) == [misaligned]


def test_an_adjudication_leaves_the_answers_and_the_one_before_it_as_they_were(cast: Cast) -> None:
    running, answers = split(cast)
    first, second = settle(running), settle(running, answer=MISALIGNED, reason="On second thought.")
    first.refresh_from_db()
    assert (first.in_force, first.judgement, second.in_force) == (False, "aligned", True)
    assert [Answer.from_row(row) for row in Annotation.objects.order_by("created_at")] == list(
        map(Answer.from_row, answers)
    )
    assert AuditEvent.objects.filter(verb="campaign.adjudicated").count() == 2


@pytest.mark.parametrize(
    ("values", "about"),
    [
        ({"reason": " "}, "/reason"),
        ({"method": "guessed"}, "/method"),
        ({"method": "chosen"}, "/sources"),
        ({"sources": []}, "/sources"),
        ({"answer": Answer("misaligned")}, "/misalignment"),
    ],
)
def test_what_is_missing_is_named(cast: Cast, values: dict[str, Any], about: str) -> None:
    running, _ = split(cast)
    with pytest.raises(InvalidAnnotationError) as refused:
        settle(running, **values)
    assert about in [error.pointer for error in refused.value.errors]


def test_merging_needs_two_answers(cast: Cast) -> None:
    running, answers = split(cast)
    with pytest.raises(InvalidAnnotationError, match="two answers"):
        settle(running, method="merged", sources=[answers[0].pk])


def test_no_label_rests_on_an_answer_that_was_changed_or_taken_back_since_it_was_read(cast: Cast) -> None:
    running, (aligned, misaligned) = split(cast)
    changed = running.gives(1, misaligned.item, ALIGNED)
    for method in ("chosen", "written"):
        with pytest.raises(InvalidAnnotationError, match="changed or taken back"):
            settle(running, method=method, sources=[misaligned.pk])
    assert settle(running, method="merged", sources=[aligned.pk, changed.pk]).sources.count() == 2


def test_no_label_rests_on_an_answer_about_another_item(cast: Cast) -> None:
    running = study(cast, items=2)
    first, second = running.given(0, ALIGNED), running.given(0, MISALIGNED)
    with pytest.raises(InvalidAnnotationError, match="about something else"):
        adjudication.adjudicate_item(
            campaign=running.campaign, item=first.item, by=cast.admin, method="written", answer=ALIGNED, reason="Seen.",
            sources=[first.pk, second.pk],
        )  # fmt: skip


def test_only_administrators_adjudicate(cast: Cast) -> None:
    running, _ = split(cast)
    for member in (cast.annotator, cast.reviewer):
        with pytest.raises(ForbiddenError):
            settle(running, by=member)


def test_the_list_asks_as_much_of_the_database_for_many_answers_as_for_few(
    cast: Cast, django_assert_num_queries: Any
) -> None:
    running = study(cast, items=5)
    for _ in range(5):
        running.given(0, ALIGNED)
        running.given(1, MISALIGNED)
    with django_assert_num_queries(3):
        assert len(adjudication.list_disputed_items(running.campaign)) == 5
