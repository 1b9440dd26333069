"""Numbers in words of other languages are read back as they are spelled."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from reviews.provenance.language.base import languages
from reviews.provenance.text.fold import fold
from reviews.provenance.values.abroad import numbers_abroad
from reviews.provenance.values.numerals import numerals_in

Spell = Callable[[int], str]


def _german(n: int) -> str:
    ones = "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    small = (ones + "siebzehn achtzehn neunzehn").split()
    tens = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
    if n >= 100:
        size, word = (1000, "tausend") if n >= 1000 else (100, "hundert")
        return _german(n // size) + word + (_german(n % size) if n % size else "")
    if n < 20:
        return small[n]
    return f"{small[n % 10]}und{tens[n // 10 - 2]}" if n % 10 else tens[n // 10 - 2]


def _dutch(n: int) -> str:
    small = (
        "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
        "achttien negentien"
    ).split()
    tens = "twintig dertig veertig vijftig zestig zeventig tachtig negentig".split()
    if n >= 100:
        size, word = (1000, "duizend") if n >= 1000 else (100, "honderd")
        return (_dutch(n // size) if n // size > 1 else "") + word + (_dutch(n % size) if n % size else "")
    if n < 20:
        return small[n]
    joint = "ën" if small[n % 10].endswith("e") else "en"
    return f"{small[n % 10]}{joint}{tens[n // 10 - 2]}" if n % 10 else tens[n // 10 - 2]


def _french(n: int) -> str:
    small = (
        "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
        "dix-huit dix-neuf"
    ).split()
    tens = "vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt".split()
    if n >= 1000:
        return (_french(n // 1000) + " " if n >= 2000 else "") + "mille" + (" " + _french(n % 1000) if n % 1000 else "")
    if n >= 100:
        cents = (_french(n // 100) + " cent" + ("s" if n % 100 == 0 else "")) if n >= 200 else "cent"
        return cents + (" " + _french(n % 100) if n % 100 else "")
    if n < 20:
        return small[n]
    ten, one = tens[n // 10 - 2], n % 10 + (10 if n // 10 in (7, 9) else 0)
    if not one:
        return ten + ("s" if n == 80 else "")
    return f"{ten} et {small[one]}" if one in (1, 11) and n < 80 else f"{ten}-{small[one]}"


def _spanish(n: int) -> str:
    small = (
        "cero una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
        "diecisiete dieciocho diecinueve veinte veintiuna veintidós veintitrés veinticuatro veinticinco veintiséis "
        "veintisiete veintiocho veintinueve"
    ).split()
    tens = "treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
    hundreds = (
        "ciento doscientas trescientas cuatrocientas quinientas seiscientas setecientas ochocientas novecientas"
    ).split()
    if n >= 1000:
        return (_spanish(n // 1000) + " " if n >= 2000 else "") + "mil" + (" " + _spanish(n % 1000) if n % 1000 else "")
    if n >= 100:
        return "cien" if n == 100 else hundreds[n // 100 - 1] + (" " + _spanish(n % 100) if n % 100 else "")
    if n < 30:
        return small[n]
    return tens[n // 10 - 3] + (f" y {small[n % 10]}" if n % 10 else "")


def _portuguese(n: int) -> str:
    small = (
        "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezasseis dezassete "
        "dezoito dezanove"
    ).split()
    tens = "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa".split()
    hundreds = "cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos".split()
    if n >= 1000:
        joint = " e " if n % 1000 < 100 or n % 100 == 0 else " "
        return (
            (_portuguese(n // 1000) + " " if n >= 2000 else "")
            + "mil"
            + (joint + _portuguese(n % 1000) if n % 1000 else "")
        )
    if n >= 100:
        return "cem" if n == 100 else hundreds[n // 100 - 1] + (" e " + _portuguese(n % 100) if n % 100 else "")
    if n < 20:
        return small[n]
    return tens[n // 10 - 2] + (f" e {small[n % 10]}" if n % 10 else "")


def _italian(n: int) -> str:
    small = (
        "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
        "diciassette diciotto diciannove"
    ).split()
    tens = "venti trenta quaranta cinquanta sessanta settanta ottanta novanta".split()
    if n >= 1000:
        return (_italian(n // 1000) + "mila" if n >= 2000 else "mille") + (_italian(n % 1000) if n % 1000 else "")
    if n >= 100:
        cento = (small[n // 100] if n >= 200 else "") + "cento"
        rest = _italian(n % 100) if n % 100 else ""
        return (cento[:-1] if rest.startswith("o") else cento) + rest
    if n < 20:
        return small[n]
    ten, one = tens[n // 10 - 2], small[n % 10] if n % 10 else ""
    return (ten[:-1] if one[:1] in ("u", "o") else ten) + one.replace("tre", "tré")


def _chinese(n: int) -> str:
    figures, units = "零一二三四五六七八九", ("千", "百", "十", "")
    said = "".join(
        (figures[int(figure)] + unit) if figure != "0" else "零" for figure, unit in zip(f"{n:04}", units, strict=True)
    ).strip("零")
    while "零零" in said:
        said = said.replace("零零", "零")
    return (said.removeprefix("一") if 10 <= n < 20 else said) + "个"


def _japanese(n: int) -> str:
    figures, units = "〇一二三四五六七八九", ("千", "百", "十", "")
    return (
        "".join(
            ("" if figure == "1" and unit else figures[int(figure)]) + unit
            for figure, unit in zip(f"{n:04}", units, strict=True)
            if figure != "0"
        )
        + "個"
    )


SPACED = [
    pytest.param(code, spell, id=code)
    for code, spell in (
        ("de", _german),
        ("nl", _dutch),
        ("fr", _french),
        ("es", _spanish),
        ("pt", _portuguese),
        ("it", _italian),
    )
]


@pytest.mark.parametrize(("code", "spell"), SPACED)
def test_every_number_is_read_back_as_it_is_spelled(code: str, spell: Spell) -> None:
    language = next(each for each in languages() if each.code == code)
    wrong = {
        n: spell(n)
        for n in range(2, 10_000)
        if {value for _, _, value in numerals_in(fold(spell(n)), language)} != {Decimal(n)}
    }
    assert not wrong


@pytest.mark.parametrize(
    ("spell", "said"),
    [pytest.param(_chinese, "请给我{}苹果", id="zh"), pytest.param(_japanese, "りんごを{}お願いします", id="ja")],
)
def test_every_number_is_read_back_before_what_it_counts(spell: Spell, said: str) -> None:
    wrong = {
        n: spell(n) for n in range(1, 10_000) if {value for *_, value in numbers_abroad(said.format(spell(n)))} != {n}
    }
    assert not wrong


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Ich hätte gerne eintausendzweihundert Flyer", 1200),
        ("Bitte zweieinhalb Kilo Mehl für die Küche", Decimal("2.5")),
        ("Mets deux cent quarante chaises dans la salle", 240),
        ("Je voudrais septante-deux verres pour la fête", 72),
        ("Necesito quinientas una sillas para la boda", 501),
        ("Quero duas mil e trezentas folhas", 2300),
        ("Vorrei ventotto sedie e un tavolo", 28),
        ("Ik wil graag twaalfhonderd stoelen voor de zaal", 1200),
        ("会場に三百二十席を用意してください", 320),
        ("请给我订两千三百份午餐", 2300),
    ],
)
def test_a_number_is_read_in_its_sentence(text: str, value: int | Decimal) -> None:
    assert value in {found for *_, found in numbers_abroad(fold(text))}


@pytest.mark.parametrize("text", ["Ich hätte gerne eine Karte", "Je voudrais une table", "Quiero una mesa, por favor"])
def test_an_article_is_no_number(text: str) -> None:
    assert not list(numbers_abroad(fold(text)))
