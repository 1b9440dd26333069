"""Days, times and numbers in other languages."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.core.findings import Grounding
from reviews.provenance.language.base import Language, languages
from reviews.provenance.values.abroad import moments_abroad, numbers_abroad
from tests.provenance.grounding.checks import grounded

NOW = datetime(2026, 3, 5, 9)  # noqa: DTZ001 - the user's own zone; a Thursday


@pytest.mark.parametrize(
    ("request_", "value"),
    [
        ("Bitte einen Tisch für zwölf Personen am Freitag", 12),
        ("Je voudrais une table pour douze personnes", 12),
        ("Reserva una mesa para doce el viernes", 12),
        ("Quero uma mesa para doze pessoas, por favor", 12),
        ("Vorrei un tavolo per dodici persone", 12),
        ("Ik wil graag een tafel voor twaalf personen", 12),
        ("12名の席を予約してください", 12),
        ("请给我订十二张票", 12),
        ("Bitte den Termin auf morgen um 15 Uhr legen", "2026-03-06 15:00"),
        ("Mets la réunion à demain, à 15h30", "2026-03-06 15:30"),
        ("Pon la cita para mañana a las 16", "2026-03-06 16:00"),
        ("Marca a reunião para amanhã às 16h, por favor", "2026-03-06 16:00"),
        ("Sposta la riunione a domani alle 16", "2026-03-06 16:00"),
        ("Zet de afspraak op morgen om 16 uur", "2026-03-06 16:00"),
        ("明日の15時に会議を入れてください", "2026-03-06 15:00"),
        ("请把会议改到明天下午3点", "2026-03-06 15:00"),
        ("会議を2026年3月12日に移してください", "2026-03-12"),
        ("Verschieb den Termin bitte auf Freitag", "2026-03-06"),
        ("Commande vingt-deux chaises", 22),
        ("Bestelle bitte zweiundvierzig Eier", 42),
        ("Compra treinta y cuatro entradas", 34),
        ("Ordina trentadue sedie", 32),
        ("Bestel vijfentwintig stoelen", 25),
        ("Stell den Wecker auf halb acht", "07:30"),
        ("Zet de wekker op half zeven", "06:30"),
        ("Mueve la cita a mañana a las cinco y media de la tarde", "2026-03-06 17:30"),
        ("Reporte la livraison à demain à 16 h 30", "2026-03-06 16:30"),
        ("把送货时间改到后天下午三点", "2026-03-07 15:00"),
        ("Erinnere mich in drei Tagen um 8 Uhr", "2026-03-08 08:00"),
        ("Trage Urlaub vom 3. bis 14. August ein", "2026-08-03"),
        ("Stell den Wecker auf acht Uhr dreißig", "08:30"),
        ("Cierra la tienda a las ocho menos veinte", "19:40"),
        ("Stell den Wecker auf halb 0 Uhr", "23:30"),
        ("Cierra la tienda a las 0 menos cuarto", "23:45"),
        ("Cierra la tienda a las 0 menos 5", "23:55"),
        ("Commande une demi-douzaine d'œufs", 6),
        ("Ordina una dozzina di uova", 12),
    ],
)
def test_a_message_says_the_value_in_its_own_language(request_: str, value: str | int) -> None:
    assert grounded(value, in_text=request_, now=NOW).how is not Grounding.UNGROUNDED


@pytest.mark.parametrize(
    ("request_", "value"),
    [
        ("The bill is due on Friday and was sent once", 2),
        ("I read it once, the report is due", 11),
        ("请在星期一见", 1),
    ],
)
def test_words_of_another_language_are_no_numbers(request_: str, value: int) -> None:
    assert grounded(value, in_text=request_, now=NOW).how is Grounding.UNGROUNDED


@pytest.mark.parametrize("language", [each for each in languages() if each.spaced], ids=lambda each: each.code)
def test_every_hour_can_be_told_with_every_word_for_a_part_of_it(language: Language) -> None:
    before = ("", *language.half_before, *language.past_before, *language.to_before)
    behind = ("", *language.half_behind, *language.quarter_behind, *language.quarter_less)
    minus = {words.split()[0] for words in language.quarter_less}
    behind += tuple(f"{word} {minutes}" for word in minus for minutes in (0, 1, 10, 29, 30))
    opening, ending = max(language.clock_before, default=""), max(language.clock_behind, default="")
    for hour in range(25):
        texts = [f"{opening} {one} {hour} {ending} {other}" for one in before for other in behind]
        assert all(0 <= each.start < each.end for text in texts for each in moments_abroad(" ".join(text.split()), NOW))


@given(st.text(max_size=300))
def test_no_text_is_an_exception(text: str) -> None:
    assert all(0 <= found.start < found.end <= len(text) for found in moments_abroad(text, NOW))
    assert all(0 <= start < end <= len(text) for start, end, _ in numbers_abroad(text))


@pytest.mark.parametrize(
    ("request_", "value"),
    [
        ("Reserva una mesa a las 8 de la tarde", "08:00"),
        ("Reserveer een tafel om 8 uur 's avonds", "08:00"),
        ("Stell den Wecker auf halb acht", "08:30"),
        ("Commande vingt-deux chaises", 20),
    ],
)
def test_it_does_not_say_another_value(request_: str, value: str | int) -> None:
    assert grounded(value, in_text=request_, now=NOW).how is Grounding.UNGROUNDED


@pytest.mark.parametrize("year", [1, 9999])
@pytest.mark.parametrize(
    "request_", ["Order the same as last month", "Erinnere mich in 9 Wochen", "九千九百周后提醒我"]
)
def test_no_clock_is_an_exception(request_: str, year: int) -> None:
    edge = datetime(year, 1 if year == 1 else 12, 1)  # noqa: DTZ001 - the calendar's own edge
    assert grounded("2026-03-05", in_text=request_, now=edge).how is Grounding.UNGROUNDED
