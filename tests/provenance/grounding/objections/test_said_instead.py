"""What the user says and no argument takes up: then the value is what the record says now."""

import pytest

from reviews.provenance.core.context import Case, Context, Message, ProposedAction, Step
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import ground_arguments
from tests.provenance.grounding.checks import NOW
from tests.provenance.grounding.test_singled_out import holds
from tests.provenance.grounding.test_told_apart import ACT, ground, listed

LESSON = listed("lessons", {"lesson": "le-3", "pupil": "Ida", "day": "2026-03-09", "starts": "16:30", "fee": 40})


@pytest.mark.parametrize(
    ("request_", "arguments", "quote"),
    [
        ("Move Ida's lesson to 12 March", {"lesson": "le-3", "day": "2026-03-09"}, "12 March"),
        ("Move Ida's lesson to Wednesday", {"lesson": "le-3", "day": "2026-03-09"}, "Wednesday"),
        ("Let Ida's lesson start at 17:15", {"lesson": "le-3", "starts": "16:30"}, "17:15"),
        ("Change the fee of Ida's lesson to 45 euros", {"lesson": "le-3", "fee": 40}, "45"),
    ],
)
def test_what_is_recorded_is_not_what_the_user_asks_for(
    request_: str, arguments: dict[str, str | int], quote: str
) -> None:
    found = ground(ACT, arguments, request_, LESSON)[-1]
    assert found.how is Grounding.UNGROUNDED
    assert [quote in span.quote for span in found.against] == [True]


@pytest.mark.parametrize(
    ("request_", "arguments"),
    [
        ("Move Ida's lesson to 12 March", {"lesson": "le-3", "day": "2026-03-12"}),
        ("Let Ida's lesson start at 17:15", {"lesson": "le-3", "starts": "17:15"}),
        ("Change the fee of Ida's lesson to 45 euros", {"lesson": "le-3", "fee": 45}),
    ],
)
def test_what_the_user_asks_for_is_held(request_: str, arguments: dict[str, str | int]) -> None:
    assert all(map(holds, ground(ACT, arguments, request_, LESSON)))


@pytest.mark.parametrize(
    ("request_", "arguments"),
    [
        # Taken up by another argument.
        ("Move Ida's lesson to 12 March", {"lesson": "le-3", "day": "2026-03-09", "new_day": "2026-03-12"}),
        # Said of the record itself.
        ("Send Ida the day of her lesson at 16:30", {"lesson": "le-3", "day": "2026-03-09"}),
        # Another kind of thing: 3 is no amount of money.
        ("Send the fee of Ida's lesson to 3 people", {"lesson": "le-3", "fee": 40}),
        # A bare hour may say anything.
        ("Write the start of Ida's lesson into slot 7", {"lesson": "le-3", "starts": "16:30"}),
        # Which of two days is meant cannot be told.
        ("Offer Ida 12 March or 13 March for her lesson", {"lesson": "le-3", "day": "2026-03-09"}),
    ],
)
def test_what_is_recorded_stands_where_the_user_says_nothing_in_its_place(
    request_: str, arguments: dict[str, str | int]
) -> None:
    assert not any(leaf.against for leaf in ground(ACT, arguments, request_, LESSON))


def test_what_an_earlier_call_was_made_with_has_been_taken_up() -> None:
    query = "Pay Ida's fee, 45 euros, in crowns"
    exchanged = Step("exchange", {"amount": 45, "to": "SEK"}, '{"crowns": 512}')
    context = Context(query, (ACT,), (exchanged,), now=NOW)
    (found,) = ground_arguments(Case(context, ProposedAction("act", {"amount": 512})))
    assert not found.against


def test_what_was_said_in_an_earlier_message_speaks_against_nothing() -> None:
    later = (LESSON, Message("assistant", "Which lesson?"), Message("user", "Ida's lesson, as it is"))
    found = ground(ACT, {"lesson": "le-3", "day": "2026-03-09"}, "I am away on 12 March", *later)
    assert not any(leaf.against for leaf in found)
