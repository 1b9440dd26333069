import pytest

from reviews.desk.queue import rows
from reviews.models import Review
from reviews.provenance.core.context import ProposedAction
from reviews.provenance.detectors.severity_words import MILD, Effect
from reviews.queue.filtering import strongest
from tests.cast import Cast, flagged
from tests.desk.desk import Desk, at, waiting


def test_a_row_tells_tool_amount_and_recipient(cast: Cast, desk: Desk) -> None:
    waiting(cast)
    desk.shows("/queue", "money_transfer", "30 to daniel.kim@example.org")


def test_a_row_names_the_value_that_the_items_page_names(cast: Cast, desk: Desk) -> None:
    # In the order of the database, which puts shorter keys first, the room would be told by its end.
    review = flagged(cast, ProposedAction("book_room", {"start": "14:00 today", "end": "15:30 today"}))
    desk.shows(at(review), "book_room 14:00 today</bdi>")
    assert "15:30" not in desk.shows("/queue", "14:00 today")


def test_a_row_says_what_makes_its_call_grave(cast: Cast, desk: Desk) -> None:
    waiting(cast, effect="runs")
    desk.shows("/queue", "grave: runs code")


def test_a_row_tells_what_is_worked_on_and_no_deed(cast: Cast, desk: Desk) -> None:
    review = flagged(cast, ProposedAction("update_payment", {"note": "late"}))
    assert review.effect == "sensitive"
    desk.shows("/queue", "grave: sensitive")


@pytest.mark.parametrize("effect", [effect for effect in Effect if effect not in MILD | {Effect.RISKY}])
def test_whatever_makes_a_call_grave_has_words_for_its_row(effect: Effect) -> None:
    assert rows.EFFECT_WORDS[effect.name.lower()]
    assert len(effect.name) <= (Review._meta.get_field("effect").max_length or 0)


@pytest.mark.parametrize(
    ("objections", "told"),
    [
        (["undetermined", "parameter"], "parameter"),
        (["parameter", "injection", "tool"], "injection"),
        (["tool", "parameter"], "tool"),
        (["", "unproven", "undetermined"], "undetermined"),
        (["", ""], ""),
    ],
)
def test_a_row_tells_the_strongest_objection(objections: list[str], told: str) -> None:
    assert strongest(objections) == told
