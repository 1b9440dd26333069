"""What counts as the same character."""

import pytest

from reviews.provenance.text.fold import fold
from reviews.provenance.values.numbers import numbers_in


@pytest.mark.parametrize(
    "written", ["\u0668:\u0660\u0660", "\u096e:\u0966\u0966", "\u09ee:\u09e6\u09e6", "\uff18\uff1a\uff10\uff10"]
)
def test_figures_of_any_script_are_those_of_ours(written: str) -> None:
    assert fold(written) == "8:00"


@pytest.mark.parametrize(
    ("written", "value"),
    [("\u0663\u066c\u0665\u0660\u0660", 3500), ("\u0661\u0662\u066b\u0665", 12.5), ("\u0968\u096b", 25)],
)
def test_a_number_of_another_script_is_read_whole(written: str, value: float) -> None:
    assert [number.value for number in numbers_in(fold(written))] == [value]


@pytest.mark.parametrize("written", ["x\u00b2", "\u2167"])
def test_what_is_raised_or_counts_by_letters_becomes_no_plain_figure(written: str) -> None:
    assert not fold(written).isdecimal()


def test_a_percent_sign_of_another_script_is_one() -> None:
    assert fold("\u06f2\u06f5\u066a") == "25%"
