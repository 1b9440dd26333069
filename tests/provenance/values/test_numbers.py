from decimal import Decimal
from typing import Literal

import pytest
from babel.numbers import format_compact_decimal, format_decimal, format_percent
from hypothesis import example, given
from hypothesis import strategies as st
from num2words import num2words

from reviews.provenance.text.boundaries import Occurrence
from reviews.provenance.text.fold import fold
from reviews.provenance.values import numerals
from reviews.provenance.values.numbers import number_of, numbers_in
from reviews.provenance.values.numerals import numerals_in
from tests.provenance.values.writing import LOCALE, TEXT

CENTS = st.decimals(min_value=0, max_value=10**9, places=2)


def values_in(text: str) -> list[Decimal]:
    return [number.value for number in numbers_in(fold(text))]


@given(CENTS, LOCALE)
@example(Decimal("1250.00"), "de")
@example(Decimal("1250000.50"), "fr")
def test_a_number_is_read_as_each_language_writes_it(value: Decimal, locale: str) -> None:
    assert value in values_in(f"({format_decimal(value, locale=locale)})")


@given(st.integers(min_value=1, max_value=99), LOCALE)
def test_a_percentage_is_read_as_itself_and_as_its_hundredth(value: int, locale: str) -> None:
    written = format_percent(Decimal(value) / 100, locale=locale)
    if not written.startswith("%"):
        assert values_in(written) == [value, Decimal(value) / 100]


@pytest.mark.parametrize("locale", ["en", "de", "fr", "es", "it", "pt", "nl", "ja", "zh"])
@given(value=st.sampled_from([3 * 10**6, 7 * 10**8, 25 * 10**6]))
def test_a_scale_in_words_is_read(locale: str, value: int) -> None:
    length: Literal["short", "long"] = "short" if locale in ("ja", "zh") else "long"
    assert value in values_in(format_compact_decimal(value, format_type=length, locale=locale))


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "pt", "pt_BR", "nl", "fr_BE", "fr_CH"])
@given(value=st.integers(min_value=0, max_value=9999))
def test_a_number_in_words_is_read(language: str, value: int) -> None:
    words = fold(num2words(value, lang=language))
    assert Occurrence(0, len(words), Decimal(value)) in list(numerals_in(words))


@given(st.integers(min_value=0, max_value=99))
def test_an_italian_number_in_words_is_read(value: int) -> None:
    assert value in values_in(num2words(value, lang="it"))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("₹1,00,000", ["100000"]),
        ("up to 5k", ["5000"]),
        ("$5m", ["5000000"]),
        ("5m of cable", ["5"]),
        ("it is -4", ["-4"]),
        ("10-30 people", ["10", "30"]),
        ("a 30-minute call", ["30"]),
        ("x=2.5", ["2.5"]),
        ('{"a":5,"b":[1,20]}', ["5", "1", "20"]),
        ("2½ cups", ["2.5"]),
        ("twenty-five seats", ["25"]),
        ("3万円", ["30000"]),
        ("約30万円を送って", ["300000"]),
        ("5億円", ["500000000"]),
        ("3万", ["30000"]),
        ("5 万円", ["50000"]),
        ("1億2000万円", ["120000000"]),
        ("3万5千円", ["35000"]),
        ("3百万元", ["3000000"]),
        ("3만원", ["30000"]),
        ("5000円を送って", ["5000"]),
        ("1,250元", ["1250"]),
        ("30ドルを", ["30"]),
        ("10パーセント", ["10", "0.1"]),
        ("5時半に3キロメートル", ["3"]),
        ("2万 3", ["20000", "3"]),
        ("three hundred and five seats", ["305"]),
        ("setecientas cincuenta", ["750"]),
        ("\uff11\uff12 of them", ["12"]),
        ("٣ كتب", ["3"]),
    ],
)
def test_numbers_stand_for_their_values(text: str, values: list[str]) -> None:
    assert values_in(text) == [Decimal(value) for value in values]


@pytest.mark.parametrize(
    "text",
    [
        "INV-30", "30abc", "2026-11-30", "30/11/2026", "192.168.1.1", "at 15:00", "3 pm", "v1.30.2", "555-4567", "007",
        "May 5, 2026", "5. März 2026", "2026年3月5日", "a30@b.com", "/tmp/30/x", "the blue one", "the amount due",
        "report.2.txt", "once more", "3個", "2.5万人", "3京都", "3分の一", "3万2円", "三千500円", "3ล้านบาท",
        "1.5億2000万", "5 万軒",
    ],
)  # fmt: skip
def test_a_piece_of_something_else_is_no_number(text: str) -> None:
    assert values_in(text) == []


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("$1,250.00", "1250"), ("1.250,50 EUR", "1250.5"), ("-4", "-4"), ("15%", "15"), (3, "3"), (2.5, "2.5"),
        ("007", None), (True, None), (float("nan"), None), (float("inf"), None), ("abc", None),
        ([], None), (None, None), ("2026-03-05", None),
    ],
)  # fmt: skip
def test_a_value_means_its_number(value: object, number: str | None) -> None:
    assert number_of(value) == (Decimal(number) if number else None)


@given(TEXT)
def test_every_number_lies_in_its_text(text: str) -> None:
    folded = fold(text)
    for number in numbers_in(folded):
        assert 0 <= number.start < number.end <= len(folded)


@given(st.text(max_size=80))
def test_no_value_is_an_exception(value: str) -> None:
    number = number_of(value)
    assert number is None or number.is_finite()


def test_an_integer_too_long_to_write_is_no_number() -> None:
    assert number_of(10**5000) is None


def test_of_a_list_of_sums_only_so_many_are_written_back(monkeypatch: pytest.MonkeyPatch) -> None:
    written: set[int] = set()
    writings_of = numerals._writings_of

    def note(number: int, language: str) -> frozenset[str]:
        written.add(number)
        return writings_of(number, language)

    monkeypatch.setattr(numerals, "_writings_of", note)
    sums = [great + rest for great in range(200, 1000, 100) for rest in range(1, 100)]
    text = fold(", ".join(num2words(number, lang="ru") for number in sums))
    read = [found.value for found in numerals.written_numerals_in(text)]
    assert read[:64] == sums[:64]
    assert len(written) == 64


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("two and a half kilos", 2.5),
        ("2 and a half percent", 2.5),
        ("two and a half million", 2_500_000),
        ("2 and a half thousand euros", 2500),
        ("two and a halfpenny", 2),
        ("half a million", 500_000),
        ("send half a thousand to ann", 500),
        ("half a 20 pack", 20),
    ],
)
def test_a_number_and_a_half_is_one_number(text: str, value: float) -> None:
    assert {number.value for number in numbers_in(fold(text))} == {Decimal(str(value))}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5 тысяч рублей", 5000),
        ("2,5 мільйона", 2_500_000),
        ("10 ألف", 10_000),
        ("3 लाख", 300_000),
        ("10 triệu", 10_000_000),
        ("10 tysięcy złotych", 10_000),
        # Other words begin so, are short, or mean something else where they stand.
        ("5 тысячелетий", 5),
        ("5 χιλιόμετρα", 5),
        ("10 bin bags", 10),
    ],
)
def test_a_full_word_of_any_language_scales_a_number(text: str, value: float) -> None:
    assert {number.value for number in numbers_in(fold(text))} == {Decimal(str(value))}
