"""What an accepted proposal proposes, of the codes that it mentions."""

import pytest

from reviews.provenance.core.context import Context, Message
from reviews.provenance.request.dialogue import proposals_of


def passed_over(proposal: str, answer: str = "Yes, please do.") -> list[str]:
    """The stretches of a proposal that an answer does not agree to."""
    (found,) = proposals_of(Context("Book a berth", (), (Message("assistant", proposal), Message("user", answer))))
    return [proposal[start:end] for start, end in found.passed_over]


@pytest.mark.parametrize(
    ("proposal", "left"),
    [
        ("Thursday (BC-12) or Saturday (BC-15) are free. Shall I take Thursday?", ["BC-15"]),
        ("On Thursday BC-12 is free, on Saturday BC-15. Shall I take the one on Saturday?", ["BC-12"]),
        ("The sheltered berth is BC-12, the sunny one BC-15. Do you want the sheltered one?", ["BC-15"]),
    ],
)
def test_a_question_that_describes_one_of_two_codes_passes_over_the_other(proposal: str, left: list[str]) -> None:
    assert passed_over(proposal) == left


@pytest.mark.parametrize(
    ("proposal", "left"),
    [
        ("BC-12 and BC-15 are free. Shall I take BC-12?", ["BC-15"]),
        # A code of another shape is something else: the receipt, the customer.
        ("BC-12 and BC-15 are free, your pass is P9077. Shall I take BC-12?", ["BC-15"]),
    ],
)
def test_a_question_that_names_one_of_two_codes_passes_over_the_other(proposal: str, left: list[str]) -> None:
    assert passed_over(proposal) == left


@pytest.mark.parametrize(
    "proposal",
    [
        # Nothing in the question tells which.
        "Thursday (BC-12) or Saturday (BC-15) are free. Shall I take it?",
        # It describes both.
        "BC-12 is a sunny berth, BC-15 is sunny, too. Shall I take the sunny one?",
        # There is no question, or only one code.
        "I take BC-12 and BC-15 on Thursday.",
        "On Thursday BC-12 is free. Shall I take Thursday?",
        # Times and amounts are no codes.
        "It opens at 9:30 for $15k, on Saturday for $18k. Shall I take Saturday?",
    ],
)
def test_where_the_question_tells_nothing_apart_nothing_is_passed_over(proposal: str) -> None:
    assert passed_over(proposal) == []
