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


@pytest.mark.parametrize("pair", [("कल", "कुल"), ("দিন", "দান"), ("மரம்", "மாரம்")])
def test_words_that_differ_in_a_vowel_are_two_where_its_sign_is_a_mark(pair: tuple[str, str]) -> None:
    assert fold(pair[0]) != fold(pair[1])
    assert all(map(str.isalpha, map(fold, pair)))


@pytest.mark.parametrize(("written", "plain"), [("é", "e"), ("साढ़े", "साढे"), ("مُحَمَّد", "محمد"), ("שָׁלוֹם", "שלום")])
def test_accents_and_points_make_no_other_word(written: str, plain: str) -> None:
    assert fold(written) == fold(plain)


@pytest.mark.parametrize("written", ["№3", "№ 3", "складе №3", "5㎏"])
def test_figures_beside_a_sign_that_is_a_word_are_a_number(written: str) -> None:
    assert [number.value for number in numbers_in(fold(written))] == [5 if "㎏" in written else 3]


def test_letters_in_circles_are_one_word() -> None:
    assert fold("ⓟⓐⓨ") == "pay"
