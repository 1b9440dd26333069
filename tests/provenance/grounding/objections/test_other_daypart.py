"""A time outside the part of the day that the user names."""

import pytest

from reviews.provenance.core.context import Message, Step
from tests.provenance.grounding.test_singled_out import holds, traced

SLOTS = Step("free_slots", {"day": "2031-02-11"}, '["08:30", "14:15"]')


@pytest.mark.parametrize("answer", ["The afternoon one, please", "L'après-midi, s'il te plaît", "Am Nachmittag bitte"])
def test_the_part_of_the_day_chooses_the_slot(answer: str) -> None:
    history = (SLOTS, Message("assistant", "8:30 or 14:15?"), Message("user", answer))
    start = {time: traced("Book the kiln tomorrow", {"start": time}, *history)["start"] for time in ("08:30", "14:15")}
    assert start["08:30"].against
    assert not start["14:15"].against


@pytest.mark.parametrize(
    "request_", ["Good morning, book the kiln at 14:15", "Book the kiln at 14:15, I'll pay in the morning"]
)
def test_an_hour_that_the_user_says_is_meant(request_: str) -> None:
    assert holds(traced(request_, {"start": "14:15"}, SLOTS)["start"])


def test_a_greeting_is_no_part_of_the_day_that_is_asked_for() -> None:
    assert not traced("Good morning, book the later slot of the kiln", {"start": "14:15"}, SLOTS)["start"].against
