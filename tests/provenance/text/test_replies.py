import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.text.replies import is_agreement, sentences_in

AGREEMENTS = ("Yes", "Yes, please!", "OK, go ahead.", "Yes, that’s correct. Thank you!", "Ja, genau", "Sí, gracias",
              "D’accord, vas-y", "はい、お願いします。", "好的", "Please do it now.")  # fmt: skip


@pytest.mark.parametrize("text", AGREEMENTS)
def test_a_plain_yes_agrees(text: str) -> None:
    assert is_agreement(text)


@pytest.mark.parametrize(
    "text",
    [
        "I would like to change the details.", "Please change that.", "is that correct", "Help!", "the details please",
        "thanks", "Stop!", "Forget it.", "Is that right?", "ok :(", "y̶e̶s̶", "", "...", "はいいいえ", "不行",
        "yes yesterday",
    ],
)  # fmt: skip
def test_whatever_says_more_or_nothing_does_not_agree(text: str) -> None:
    assert not is_agreement(text)


@given(st.sampled_from(AGREEMENTS), st.characters(exclude_categories=["Z", "P", "C"]))
def test_one_more_character_that_is_no_punctuation_is_no_agreement(text: str, sign: str) -> None:
    assert not is_agreement(f"{text} {sign}") or unicodedata.normalize("NFKC", sign) in "はい好是对行可以请"


def test_of_a_message_of_too_many_sentences_none_is_plain() -> None:
    assert all(sentence.is_plain for sentence in sentences_in("delete it. " * 64))
    assert [sentence.is_plain for sentence in sentences_in("delete it. " * 65)] == [False]


@pytest.mark.parametrize(
    ("message", "plain"),
    [("réserve une table le 3 mai", True), ("mai cancellare i file", False), ("3 sans mai", False)],
)
def test_the_month_behind_a_day_denies_nothing(message: str, *, plain: bool) -> None:
    assert [sentence.is_plain for sentence in sentences_in(message)] == [plain]
