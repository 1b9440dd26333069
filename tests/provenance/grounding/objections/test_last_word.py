"""What an accepted proposal offers goes before what it says is not to be had."""

import pytest

from reviews.provenance.core.context import Message
from tests.provenance.grounding.test_singled_out import holds, traced

TAKEN = (
    Message("assistant", "The kiln is taken at 9:00 on 11 February 2031. It is free at 11:00, shall I book that?"),
    Message("user", "Yes please"),
)
FULL = (
    Message(
        "assistant", "On 3 March 2031 the loft is full, on 4 March 2031 it is free. Shall I book it for 4 March 2031?"
    ),
    Message("user", "Yes, please."),
)


@pytest.mark.parametrize(
    ("request_", "right", "wrong", "history"),
    [
        ("Book the kiln on 11 February 2031 at 9:00", "2031-02-11T11:00", "2031-02-11T09:00", TAKEN),
        ("Book the loft on 3 March 2031", "2031-03-04", "2031-03-03", FULL),
    ],
)
def test_what_the_question_offers_is_agreed_to(
    request_: str, right: str, wrong: str, history: tuple[Message, ...]
) -> None:
    assert not holds(traced(request_, {"start": wrong}, *history)["start"])
    assert holds(traced(request_, {"start": right}, *history)["start"])


def test_a_day_that_no_proposal_speaks_of_is_not_contradicted_by_another() -> None:
    history = (Message("assistant", "Shall I send the bill on 4 March 2031?"), Message("user", "Yes, please."))
    assert holds(traced("Book the loft on 3 March 2031 and send the bill", {"start": "2031-03-03"}, *history)["start"])
