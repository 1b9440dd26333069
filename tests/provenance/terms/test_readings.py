"""What words may say to whoever reads them, and what code still holds against it."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reviews.provenance.core.context import Context, JsonValue, Message, NamedText, Span, Step, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.latest_request import find_latest_request
from reviews.provenance.data.sources import Evidence
from reviews.provenance.terms.argument_leaf import Leaf, leaf_at
from reviews.provenance.terms.search import propose_readings, propose_terms
from reviews.provenance.terms.terms import Computed, Confirmed, DayAndTime, Field, Reading, Stated
from reviews.provenance.terms.verify import Outcome, Verified, verify_term

CLOCK = "Heute ist Montag, der 2. März 2026."


def context(query: str, *history: Message | Step, system: str = CLOCK) -> Context:
    """A request with a system prompt that states the day without a word of English."""
    return Context(query, (), history, (NamedText(SourceKind.SYSTEM_PROMPT, "system", system),))


def read(query: str, value: JsonValue, quote: str = "", *, system: str = CLOCK, **schema: JsonValue) -> Outcome:
    """What becomes of the quote, or of the whole request, as a reading of the value."""
    quote, at = quote or query, query.index(quote)
    term = Reading(Span("query", at, at + len(quote), quote))
    return verify_term(term, Leaf(value, "/value", schema or None), Evidence(context(query, system=system)))


def is_read(*args: str | bool | float, **choices: str) -> bool:
    return isinstance(read(*args, **choices), Verified)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("Resize it to 1200x630.", 630),
        ("Размер баннера 1200\u0445630", 630),
        ("残業2.5時間を登録", 2.5),
        ("渋谷店から新宿店に移動", "渋谷店"),
        ("한빛적금으로 보내줘", "한빛적금"),
        ("서울 마포구에서 3월 5일 오후 2시까지", "서울 마포구"),
        ("서울 마포구에서 3월 5일 오후 2시까지", "3월 5일 오후 2시"),
        ("road trip이라는 목록을 틀어줘", "road trip"),
        ("Send 900 yen.", "JPY"),
        ("Noch 12,50 € an Ana.", "EUR"),
        ("Auf Freitag bitte.", "2026-03-06"),
        ("jeudi à 16h15", "2026-03-05T16:15:00"),
        ("Weg vom 23.12. an.", "2026-12-23"),
        ("Request the 28th.", "2026-03-28"),
        ("Begin on 9/14 2 pm.", "2026-09-14"),
        ("Begin on 14/9 15:00.", "2026-09-14"),
        ("From 4/5 on.", "2026-04-05"),
        ("From 4/5 on.", "2026-05-04"),
        ("Auf Freitag bitte.", "2026-03-06T00:00:00"),
        ("Auf Freitag bitte.", "2026-03-06 23:59:59"),
        ("From 9/14 on.", "2026-09-14T23:59"),
        ("amanhã", "2026-03-03"),
        ("Cancel w/o fee.", False),
        ("new one is 07700 900 811 (uk). change it", "+44 7700 900811"),
        ("Ruf (030) 901820 an.", "+4930901820"),
        ("Chiama 06 1234567.", "+39 06 1234567"),
        ("The hall, 2 till 4.", "14:00"),
        ("The hall, 2 till 4.", "16:00"),
        ("Wake me at six.", "06:00"),
        ("Réserve jeudi 10h-12h.", "12:00"),
        ("午後1時から3時間", "13:00"),
        ("saat 7 buçuk", "19:30"),
        ("om half 10", "09:30"),
        ("half 10", "22:30"),
        ("quarter to 7", "06:45"),
        ("until quarter past one", "13:15"),
        ("Open it for 203.0.113.40 only.", "203.0.113.40/32"),
        ("dalle 15 alle 18,30", "18:30"),
        ("الساعة الخامسة مساءً", "17:00"),
        ("в пять часов вечера", "17:00"),
        ("в половине седьмого вечера", "18:30"),
        ("às duas e meia da tarde", "14:30"),
        ("lördag kl 10.00-11.30", "10:00"),
        ("lördag kl 10.00-11.30", "11:30"),
        ("um 6.30 Uhr abends", "18:30"),
        ("za 2,5 tys. zł", 2_500),
        ("45 bin lira öde", 45_000),
        ("만오천원을 보내줘", 15_000),
        ("삼백오호로 보내줘", 305),
        ("피자 다섯판을 열두명이", 5),
        ("피자 다섯판을 열두명이", 12),
        ("피자 두 판과 콜라", 2),
        ("Offer 30 to 36k.", 30_000),
        ("Offer 2 or 3 million.", 2_000_000),
    ],
)
def test_code_holds_a_reading_against_the_words(query: str, value: JsonValue) -> None:
    outcome = read(query, value)
    assert isinstance(outcome, Verified), outcome
    assert outcome.how is Grounding.DERIVE


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("Resize it to 1200x630.", 63),
        ("Размер баннера 1200\u0445630", 120),
        ("रामू को भेजो", "राम"),
        ("Resize it to 1200x630.", 20),
        ("Scale deployment web-3.", 3),
        ("Pay 5k.", 5),
        ("Prices are 5/6/7.", 6),
        ("On 1 Sept.", 1),
        ("new one is 07700 900 811 (uk). change it", "+44 7700 900118"),
        ("new one is 07700 900 811 (uk). change it", "+44 770 900811"),
        ("The hall, 2 till 4.", "15:00"),
        ("Wake me at 2 am.", "14:00"),
        ("Wake me at 12 pm.", "00:00"),
        ("On 14 March, INV-14, b14, $14, -14 degrees.", "14:00"),
        ("Wake me at 7 pm.", "19:30"),
        ("7 Uhr", "07:30"),
        ("My number is +1 415 555 2671.", "+44 14155552671"),
        ("The hall, 2 till 4.", "04:10"),
        ("Am 2026-03-14, 14% Rabatt, Version 14.2.", "14:00"),
        ("Wake me at six.", "07:00"),
        ("half 10", "11:30"),
        ("quarter to 7", "07:50"),
        ("until quarter past one", "14:30"),
        ("Open it for 203.0.113.40 only.", "203.0.113.40/24"),
        ("Open it for 203.0.113.40 only.", "203.0.113.0/24"),
        ("Open it for 203.0.113.40 only.", "203.0.113.4/32"),
        ("Open it for 203.0.113.40 only.", "0.0.0.0/0"),
        ("um 6.30 Uhr abends", "06:30"),
        ("alle 19,30", "18:30"),
        ("الساعة الخامسة مساءً", "05:00"),
        ("в пять часов вечера", "05:00"),
        ("в пять часов вечера", "18:00"),
        ("в половине седьмого вечера", "06:30"),
        ("to me, at once", "02:00"),
        ("It costs 18.30 EUR, or 18,30 €, since version 1.18.30 of 18.30.2026, 18.30kg.", "18:30"),
        ("на 45 тысяч рублей", 45_000_000),
        ("45 тыкв", 45_000),
        ("Empty 45 m of pipe.", 45_000_000),
        ("만오천원을 보내줘", 5_000),
        ("만오천원을 보내줘", 10_000),
        ("사이에 이사", 42),
        ("나만이라도", 20_000),
        ("두부와 세제", 2),
        ("피자 다섯판을 열두명이", 2),
        ("Offer 30 to 36k.", 36),
        ("Offer 30 to 36.", 30_000),
        ("Offer 30 for now, later on 36k.", 30_000),
        ("It is 2.5 long.", 5),
        ("It is 2.5 long.", 2),
        ("The Westend office.", "end"),
        ("Delete /data/tmp/a.txt", "/data/tmp"),
        ("Stop P-1/P-2.", "P-1"),
        ("At 9h45.", "2026-03-09"),
        ("한빛적금으로 보내줘", "한비"),
        ("서울 마포구에서 보내줘", "서울 마표"),
        ("Send 900 yen.", "EUR"),
        ("Auf Freitag bitte.", "2026-03-07"),
        ("jeudi à 16h15", "2026-03-05T16:45:00"),
        ("jeudi à 16h15", "2026-03-06T16:15:00"),
        ("Weg vom 23.12. an.", "2026-11-23"),
        ("Request the 28th.", "2026-04-28"),
        ("From 4/5/2027 on.", "2026-04-05"),
        ("From 9/14 2027 on.", "2026-09-14"),
        ("From 4.5. on.", "2026-04-05"),
        ("Auf Freitag um 16:00 bitte.", "2026-03-06T23:59:00"),
        ("Auf Freitag bitte.", "2026-03-06T12:00:00"),
        ("amanhã", "2026-03-05"),
        ("dienstag", "2026-03-04"),
        ("2", "2026-03-03"),
        ("…", False),
        ("R-55", False),
    ],
)
def test_words_that_say_something_else_are_no_reading(query: str, value: JsonValue) -> None:
    assert not isinstance(read(query, value), Verified)


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("Del 4 al 6 de mayo, por favor.", "2026-05-04"),
        ("vom 4. bis 6. Mai", "2026-05-04"),
        ("zum nächsten Ersten", "2026-04-01"),
        ("à la fin du mois", "2026-03-31"),
        ("za tydzień", "2026-03-09"),
        ("para dos personas", 2),
        ("Ana Prado, 4050-262 Porto, Portugal", "PT"),
        ("nach Amsterdam, Niederlande", "NL"),
        ("A tour in French, please.", "fr"),
        ("auf Englisch bitte", "en"),
        ("Open an account in US dollars.", "USD"),
        ("un compte en livres sterling", "GBP"),
        ("valid till the end of October", "2026-10-31"),
        ("od początku października, Anfang Oktober", "2026-10-01"),
        ("Set it to 68 F.", 20),
        ("Je pèse 150 livres.", 68.04),
        ("It weighs 150 lb.", 68),
        ("Run 5 miles.", 8.05),
        ("Put in 30 liters.", "7.93"),
        ("It expires 12/25.", "12/2025"),
        ("The report of March 2026", "2026-03"),
        ("el informe de febrero", "2026-02"),
        ("last month", "2026-02"),
        ("der Vormonat", "2026-02"),
    ],
)
def test_days_and_numbers_that_languages_have_words_for_are_read(query: str, value: JsonValue) -> None:
    assert is_read(query, value)


@pytest.mark.parametrize(
    ("query", "quote", "expected"),
    [
        ("book it sat 10-11", "sat", True),
        ("next sat at 10", "next sat", True),
        ("w śr o 10:00", "w śr", False),
        ("토 10:00", "토", True),
        ("book it fri 10-11", "fri", False),
        ("they sat there", "they sat there", False),
    ],
)
def test_a_short_name_of_a_weekday_is_read_where_it_is_quoted(query: str, quote: str, *, expected: bool) -> None:
    # The clock says Monday, 2 March 2026.
    assert is_read(query, "2026-03-07", quote) is expected


def test_two_latin_letters_are_no_weekday() -> None:
    assert not is_read("do it", "2026-03-05")


@pytest.mark.parametrize(
    ("query", "value", "description", "expected"),
    [
        ("tous les jeudis", "TH", "", True),
        ("co czwartek", "Thu", "", True),
        ("von Montag bis Freitag", "WE", "", True),
        ("von Montag bis Freitag", "SA", "", False),
        ("tous les jeudis", "FR", "", False),
        ("tous les jeudis", 4, "ISO weekday, 1 is Monday", True),
        ("tous les jeudis", 5, "ISO weekday, 1 is Monday", False),
        ("tous les jeudis", 3, "1 (Monday) to 7 (Sunday)", False),
        ("every sunday", 0, "0=Sunday, 6=Saturday", True),
        ("every sunday", 7, "Monday = 1", True),
        ("every sunday", 6, "Monday = 1", False),
        # Nobody says which day is the first, or all say another one.
        ("every sunday", 7, "Day of the week", False),
        ("every sunday", 0, "0=Sunday 6=Saturday", False),
    ],
)
def test_a_weekday_is_read_as_its_code_and_as_the_number_that_the_description_gives(
    query: str, value: JsonValue, description: str, *, expected: bool
) -> None:
    assert is_read(query, value, description=description) is expected


def test_the_number_of_a_weekday_in_a_list_is_that_which_the_list_describes() -> None:
    days: JsonValue = {"type": "array", "items": {"type": "integer"}, "description": "Weekdays, 1 is Monday"}
    tool = ToolDoc("enrol", "Enrols a pupil.", {"type": "object", "properties": {"days": days}})
    term, evidence = Reading(Span("query", 0, 6, "jeudis")), Evidence(context("jeudis"))
    assert isinstance(verify_term(term, leaf_at(4, "/days/0", tool), evidence), Verified)
    assert not isinstance(verify_term(term, leaf_at(3, "/days/0", tool), evidence), Verified)


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("Del 4 al 6 de mayo, por favor.", "2026-05-05"),
        ("Del 4 al 6 de mayo, por favor.", "2026-04-04"),
        ("Room 4 is booked until the 20th, and 6 May is free.", "2026-05-04"),
        ("zum nächsten Ersten", "2026-05-01"),
        ("zum nächsten Ersten", "2026-04-02"),
        ("para dos personas", 3),
        ("Ana Prado, 4050-262 Porto, Portugal", "ES"),
        ("It is in the Netherlands.", "IN"),
        ("It is in the Netherlands.", "nl"),
        ("A tour in French, please.", "FR"),
        ("A tour in French, please.", "en"),
        ("Open an account in US dollars.", "CAD"),
        ("valid till the end of October", "2026-10-30"),
        ("valid till 30 October", "2026-10-31"),
        ("valid till the end of October", "2026-11-30"),
        ("Set it to 68 F.", 21),
        ("Set it to 68.", 20),
        ("It weighs 150 lb.", 69),
        ("Run 5 miles.", 8.1),
        ("5 in the morning", 12.7),
        ("It expires 12/25.", "12/2026"),
        ("It expires 12/25.", "11/2025"),
        ("The report of March 2026", "2025-03"),
        ("el informe de febrero", "2025-02"),
        ("der Vormonat", "2025-12"),
        ("im März", "2026-02"),
        ("the adose", 2),
    ],
)
def test_other_days_and_numbers_are_not(query: str, value: JsonValue) -> None:
    assert not is_read(query, value)


@pytest.mark.parametrize(
    ("query", "value", "is_text"),
    [
        ("Count the cameras.", "camera", True),
        ("Count the Archaeological Sites.", "Archaeological Site", True),
        ("On Tuesdays and Thursdays.", "Thursday", True),
        ("By hash comparison.", "hashComparison", True),
        ("Start tomorrow, 9 am.", "9 am tomorrow", True),
        ("With Java, Python, and React.", "Java, Python, React", True),
        ("Invite ann, bo and the cat.", "ann, bo, cat", False),
        ("Invite them and", "Andy, Bo", False),
        ("Invite ann, bo, not cat.", "ann, bo, cat", False),
        ("Paint it black and white.", "black white", False),
        ("Count the cameramen.", "camera", False),
        ("From Bergen to Oslo.", "Oslo to Bergen", False),
        ("Start tomorrow, and not at 9 am.", "9 am tomorrow", False),
        ("Count the sites.", "Archaeological Site", False),
        ("Count hashes. Comparison is next.", "hashComparison", False),
    ],
)
def test_a_short_text_is_read_with_other_endings_and_apart(query: str, value: str, *, is_text: bool) -> None:
    assert is_read(query, value) is is_text


def test_a_choice_is_read_in_another_order_where_it_is_the_only_one_of_its_words() -> None:
    evidence = Evidence(context("For peak morning."))
    for other, is_told in (("evening_peak", True), ("peak_morning", False)):
        choice = Leaf("morning_peak", "/time", {"enum": ["morning_peak", other]})
        assert bool(propose_readings(choice, evidence)) is is_told


@pytest.mark.parametrize(
    ("pointer", "query", "value", "is_told"),
    [
        ("/amount", "计划投资500万美金", 5_000_000, True),
        ("/amount", "计划投资500万美金", 500, False),
        ("/amount", "销售50万和咨询20万", 200_000, True),
        ("/seconds", "预订2小时开会", 7200, True),
        ("/minutes", "预订2小时开会", 120, True),
        ("/minutes", "预订2小时开会", 12, False),
        ("/radius_metres", "范围5公里以内", 5000, True),
        ("/radius_metres", "范围5公里以内", 500, False),
        ("/address", "另一个IP是10.0.0.1\uff0c使用TCP", "10.0.0.1", True),
        ("/address", "另一个IP是10.0.0.12\uff0c使用TCP", "10.0.0.1", False),
        ("/longitude", "纬度34.05\uff0c经度-118.25。", -118.25, True),
        ("/longitude", "3-118.25。", -118.25, False),
        ("/eye_color", "她有金色头发\uff0c蓝色眼睛", "蓝色", True),
        ("/zone", "区域有两个\uff1aA区和B区", "A区", True),
        ("/zone", "区域有两个:AA区和B区", "A区", False),
    ],
)
def test_where_words_are_not_parted_a_number_is_read_with_its_scale_and_unit(
    pointer: str, query: str, value: JsonValue, *, is_told: bool
) -> None:
    proposed = propose_readings(Leaf(value, pointer), Evidence(context(query)))
    assert any(isinstance(term, Reading) for term in proposed) is is_told


@pytest.mark.parametrize(
    ("pointer", "query", "value", "is_told"),
    [
        ("/month", "Report July 2025.", 7, True),
        ("/startMonth", "From March on.", 3, True),
        ("/month", "Report July 2025.", 6, False),
        ("/count", "Report July 2025.", 7, False),
        ("/date", "What happened on April 21st?", "04-21", True),
        ("/date", "What happened on April 21st?", "04-22", False),
        ("/date", "What happened on April 21st?", "21-04", False),
    ],
)
def test_a_month_is_read_as_its_number_and_a_day_without_its_year(
    pointer: str, query: str, value: JsonValue, *, is_told: bool
) -> None:
    proposed = propose_readings(Leaf(value, pointer), Evidence(context(query)))
    assert any(isinstance(term, Reading) for term in proposed) is is_told


@pytest.mark.parametrize(("name", "value"), [("seconds", 60), ("bags", 1)])
def test_what_a_number_counts_is_not_read_without_it(name: str, value: JsonValue) -> None:
    for said in ("Set 40 minutos for 3 bags.", "Set cuarenta minutos for three bags."):
        quotes = [words for words in ("minutos", "bags") if words in said]
        spans = [Span("query", said.index(words), said.index(words) + len(words), words) for words in quotes]
        evidence = Evidence(context(said))
        terms = [Reading(span) for span in spans]
        assert not any(isinstance(verify_term(term, Leaf(value, f"/{name}"), evidence), Verified) for term in terms)


def read_as(name: str, quote: str, value: JsonValue) -> bool:
    """Whether the quote is a reading of the value of this parameter."""
    term = Reading(Span("query", 0, len(quote), quote))
    return isinstance(verify_term(term, Leaf(value, f"/{name}"), Evidence(context(quote))), Verified)


@pytest.mark.parametrize(
    ("name", "quote", "value"),
    [
        ("duration", "eine Stunde", 60),
        ("duration", "une demi-heure", "30"),
        ("duration_minutes", "hora y media", 90),
        ("duration", "на час", 60),
        ("timeout_seconds", "eine Viertelstunde", 900),
        ("duration", "半小时", 30),
        ("quantity", "a long sleeping bag", 1),
        ("guests", "juste moi", 1),
        ("bags", "ohne Gepäck", 0),
        ("seconds", "dwie i pół godziny", 9000),
        ("duration", "2 часа", 120),
        ("duration", "üç saat", 180),
        ("hours", "bir gün sonra", 24),
        ("duration", "45 dakika", 45),
        ("amount_cents", "a $25 credit", 2500),
        ("amount_minor", "900 yen", 900),
        ("from_second", "12:30", 750),
        ("duration_minutes", "1:30", 90),
        ("offset_seconds", "1:00:05", 3605),
        ("limit_mb", "3 GB", 3000),
        ("weight_tonnes", "8,400 kg", 8.4),
        ("dose_mg", "0.5 g", 500),
        ("quantity", "полторы тысячи", 1500),
        ("amount_inr", "ढाई लाख", 250_000),
        ("minutes", "डेढ़ घंटे", 90),
        ("minutes", "দেড় ঘন্টা", 90),
        ("minutes", "نیم ساعت", 30),
        ("hours", "ორი საათი", 2),
        ("amount", "двісті тисяч", 200_000),
        ("amount", "двадцать пять тысяч триста", 25_300),
        ("amount", "پنج هزار تومان", 5000),
        ("amount", "خمسة آلاف", 5000),
        ("amount", "hai mươi lăm nghìn", 25_000),
        ("minutes", "ساعة ونصف", 90),
        ("minutes", "שעתיים", 120),
        ("minutes", "hodinu a půl", 90),
        ("minutes", "ชั่วโมงครึ่ง", 90),
        ("minutes", "20 хв", 20),
        ("minutes", "на два часа", 120),
        ("minutes", "dva a půl hodiny", 150),
        ("minutes", "iki buçuk saat", 150),
        ("minutes", "dva sata", 120),
        ("minutes", "три четверти часа", 45),
        ("ml", "dwa i pół litra", 2500),
        ("kg", "полтонны", 500),
        ("weight_tonnes", "8400 кг", 8.4),
        ("tickets", "une place à l'avant", 1),
    ],
)
def test_a_length_one_and_none_are_said_without_a_figure(name: str, quote: str, value: JsonValue) -> None:
    assert read_as(name, quote, value)


@pytest.mark.parametrize(
    ("name", "quote", "value"),
    [
        ("duration", "eine Stunde", 45.5),
        ("duration", "eine Stunde", 180),
        ("duration", "zwei Stunden", 60),
        ("duration", "an hour", 30),
        ("duration", "часто", 60),
        ("duration", "bald", 60),
        ("duration", "2 часа", 60),
        ("duration", "eine Minute", 45),
        ("duration", "Montag", 30),
        ("duration", "den", 60),
        ("priority", "Open a ticket", 1),
        ("duration", "2 часа 3", 120),
        ("amount", "a $25 credit", 2500),
        ("amount_cents", "a $25 credit", 25000),
        ("amount_cents", "25 credits", 2500),
        ("quantity", "a long sleeping bag", 2),
        ("guests", "zu dritt, drei", 1),
        ("guests", "room 4", 1),
        ("from_second", "12:30", 1230),
        ("room", "12:30", 750),
        ("from_second", "2026-03-04T12:30", 750),
        ("from_second", "version 12:30:4", 750),
        ("limit_mb", "3 GB", 30_000),
        ("order_id", "the lamp", 1),
        ("quantity", "R-55", 1),
        ("tickets", "три билета", 1),
        ("amount", "двісті тисяч", 200),
        ("amount", "двадцать пять тысяч триста", 25_000),
        ("amount", "тысяч пять тысяч", 5_000_000),
        ("amount", "خمسة آلاف", 5_000_000),
        ("minutes", "three times", 180),
        ("minutes", "два часа", 90),
        ("minutes", "три часа", 60),
        ("minutes", "yirmi dakika", 30),
        ("ml", "три литра", 500),
        ("ml", "два литра", 2500),
        ("minutes", "secondary", 1),
        ("hours", "دقيقة ونصف", 1.5),
        ("weight_tonnes", "8400 км", 8.4),
        ("kg", "ми", 0.5),
        ("quantity", "yirmi koli", 0),
        ("amount_inr", "ढाई लाख", 350_000),
        ("amount_inr", "लाखन सिंह", 250_000),
        ("amount", "три миллиона", 1_000_000),
        ("amount", "half a million", 500),
        ("quantity", "some thing that is said at such length that it says anything at all", 1),
    ],
)
def test_words_that_say_no_such_number_are_no_reading(name: str, quote: str, value: JsonValue) -> None:
    assert not read_as(name, quote, value)


@pytest.mark.parametrize(
    ("query", "quote", "value"),
    [
        ("new one is 07700 900 811 (uk)", "07700 900 811", "+44 7700 900811"),
        ("Call 030 901820. Thanks", "030 901820", "+4930901820"),
    ],
)
def test_a_number_is_quoted_without_what_stands_beside_it(query: str, quote: str, value: str) -> None:
    assert is_read(query, value, quote)


def test_the_figure_of_an_hour_alone_says_no_half_hour() -> None:
    assert not is_read("Wake me at 7.", "07:30", "7")
    assert not propose_readings(Leaf("07:30", "/at"), Evidence(context("Wake me at 7.")))


def test_a_listed_choice_may_be_read_but_not_where_another_one_is_said() -> None:
    stages: list[JsonValue] = ["interview", "rejected", "hired"]
    assert isinstance(read("Turn Sam down.", "rejected", enum=stages), Verified)
    assert not isinstance(read("Sam got hired.", "rejected", enum=stages), Verified)
    assert not isinstance(read("Turn Sam down.", "dismissed", enum=stages), Verified)


def test_only_the_word_of_people_is_read() -> None:
    said = context("Go on.", Step("read", {}, '{"note": "without fee"}'), Message("assistant", "Without fee?"))
    for source in ("history/1/outcome", "history/2/message"):
        text = said.sources[source].text
        term = Reading(Span(source, 0, len(text), text))
        assert not isinstance(verify_term(term, Leaf(False), Evidence(said)), Verified)


@pytest.mark.parametrize(
    ("system", "is_told"),
    [
        ("date: 2026-03-02, Monday", True),
        ("Mon 2026-03-02, tz Europe/Dublin", True),
        ("今天是2026年3月2日,星期一。", True),
        ("Now 2026-03-02T22:40:00+02:00", True),
        # A day that may be anything, one beside a weekday that it is not, and two of them.
        ("The contract ends 2026-03-02.", False),
        ("2026-03-02, Tuesday", False),
        ("2026-03-02, Monday to 2026-03-03, Tuesday", False),
    ],
)
def test_a_prompt_tells_the_day_by_its_weekday_or_time_in_any_language(system: str, *, is_told: bool) -> None:
    assert is_read("Auf Freitag bitte.", "2026-03-06", system=system) is is_told


@pytest.mark.parametrize("last", ["9999-12-31", "0001-01-01"])
def test_the_ends_of_the_calendar_are_no_error(last: str) -> None:
    for value in (last, f"{last}T10:00:00", "9999-12-30"):
        read("On the 31st, or on Friday at 10:00.", value, system=f"Now {last}T23:59:59")


def test_no_proof_rests_on_a_presumed_clock() -> None:
    evidence = Evidence(context("Auf Freitag bitte."))
    leaf = Leaf("2026-03-06", "/day")
    assert evidence.now is None
    assert propose_terms(leaf, find_latest_request(evidence), evidence) == ()
    assert [type(term) for term in propose_readings(leaf, evidence)] == [Reading]


def test_the_day_of_the_prompt_counts_before_the_time_of_submission() -> None:
    sent = replace(context("Auf Freitag bitte."), now=datetime(2026, 11, 26, tzinfo=UTC))
    assert propose_readings(Leaf("2026-03-06", "/day"), Evidence(sent))
    assert propose_readings(Leaf("2026-11-27", "/day"), Evidence(sent)) == ()


def test_what_the_user_answered_in_any_words_may_be_read_and_what_nobody_answered_may_not() -> None:
    asked = context(
        "Sell it.", Message("assistant", "For 45?"), Message("user", "jo mach"), Message("assistant", "46?")
    )
    evidence = Evidence(asked)
    assert [type(term) for term in propose_readings(Leaf(45, "/price"), evidence)] == [Confirmed]
    assert propose_readings(Leaf(46, "/price"), evidence) == ()


def test_a_days_time_may_stand_elsewhere() -> None:
    rows = json.dumps([{"id": "e1", "start": "2026-03-05T10:30"}])
    said = context("Auf Freitag, gleiche Uhrzeit.", Step("list", {}, rows))
    leaf, evidence = Leaf("2026-03-06T10:30:00", "/start"), Evidence(said)
    (term,) = propose_readings(leaf, evidence)
    assert isinstance(term, DayAndTime)
    outcome = verify_term(term, leaf, evidence)
    assert isinstance(outcome, Verified)
    assert [span.quote for span in outcome.spans] == ["Freitag", "10:30"]
    other = Leaf("2026-03-06T11:30:00", "/start")
    assert propose_readings(other, evidence) == ()
    assert not isinstance(verify_term(term, other, evidence), Verified)


@pytest.mark.parametrize(
    ("value", "pieces", "holds"),
    [
        ("/Clients/Anholt/offer.pdf", ("/Clients/Anholt", "offer.pdf"), True),
        ("bugfix/88-login-crash", ("bugfix", "88", "login crash"), True),
        ("WEB-12", ("web", "12"), True),
        ("WEB-12", ("12", "web"), False),
        ("WEB-13", ("web", "12"), False),
        ("WEB-12-B", ("web", "12"), False),
        ("", ("/",), False),
    ],
)
def test_pieces_are_put_together_in_their_order_and_nothing_is_added(
    value: str, pieces: tuple[str, ...], *, holds: bool
) -> None:
    query = "A bugfix branch in web for ticket 88: 12 users report a login crash. /Clients/Anholt offer.pdf /"
    spans = [Span("query", query.index(piece), query.index(piece) + len(piece), piece) for piece in pieces]
    term = Computed("concatenate", tuple(map(Stated, spans)))
    assert isinstance(verify_term(term, Leaf(value), Evidence(context(query))), Verified) is holds


def test_fields_of_results_may_be_pieces() -> None:
    said = context("Move it.", Step("list", {}, '[{"folder": "/in", "name": "a.csv"}]'))
    text = said.sources["history/1/outcome"].text
    parts = [
        Field(Span("history/1/outcome", text.index(part), text.index(part) + len(part), part))
        for part in ("/in", "a.csv")
    ]
    assert isinstance(verify_term(Computed("concatenate", tuple(parts)), Leaf("/in/a.csv"), Evidence(said)), Verified)


@pytest.mark.parametrize(
    ("query", "quote", "value"),
    [
        ("给王芳转两千五百元", "两千五百元", 2500),
        ("参加者は十五名です", "十五名", 15),
        ("Yirmi beş kutu sipariş et", "Yirmi beş kutu", 25),
        ("Zamów pięć worków", "pięć", 5),
        ("Нужно триста сорок два кирпича", "триста сорок два", 342),
        ("Üç yüz elli kutu al", "Üç yüz elli", 350),
        ("우유 다섯 병하고 빵 열두 개요", "다섯 병", 5),
        ("우유 다섯 병하고 빵 열두 개요", "열두 개", 12),
        ("Post it to 3512 JE.", "3512 JE", "3512JE"),
        ("Order 5 hectolitres.", "5 hectolitres", 500),
        ("Take one gram of it.", "one gram", 1000),
        ("Feed it a kilo and a half.", "a kilo and a half", 1500),
        ("Bitte einen halben Liter.", "einen halben Liter", 500),
        ("Gilt ab dem nächsten Quartal.", "ab dem nächsten Quartal", "2026-04-01"),
        ("Vale até o fim do ano.", "fim do ano", "2026-12-31"),
    ],
)
def test_a_judge_may_name_numerals_measures_and_turns_of_the_calendar(query: str, quote: str, value: JsonValue) -> None:
    assert is_read(query, value, quote)


@pytest.mark.parametrize(
    ("query", "quote", "value"),
    [
        ("给王芳转两千五百元", "两千", 2000),
        ("给王芳转两千五", "两千五", 2005),
        ("Yirmi beş kutu sipariş et", "Yirmi", 20),
        ("Нужно триста сорок два кирпича", "триста", 300),
        ("Нужно сорок триста кирпичей", "сорок триста", 340),
        ("우유 다섯 병하고 빵 열두 개요", "다섯 병", 6),
        ("Post it to 3512 JEX.", "3512 JEX", "3512JE"),
        ("Take one gram of it.", "one gram", 100),
        ("Take 31 one gram bags.", "one gram", 1000),
        ("Feed it two kilos.", "two kilos", 3000),
        ("Gilt ab dem nächsten Quartal.", "ab dem nächsten Quartal", "2026-05-01"),
        ("Gilt ab dem 3. April.", "ab dem 3. April", "2026-04-01"),
    ],
)
def test_a_part_of_them_says_nothing(query: str, quote: str, value: JsonValue) -> None:
    assert not is_read(query, value, quote)


PROMPT = "Du hilfst der Gemeinde. Alle Zeiten gelten in UTC+2."


@pytest.mark.parametrize(
    ("value", "zone", "holds"),
    [
        ("2026-06-14T18:00:00+02:00", "UTC+2", True),
        ("2026-06-14T16:00:00Z", "UTC+2", True),
        ("2026-06-14T18:00:00Z", "UTC+2", False),
        ("2026-06-14T18:00:00-02:00", "UTC+2", False),
        ("2026-06-14T18:00:00", "UTC+2", False),
        ("2026-06-14T18:00:00+02:00", "in UTC+2", False),
    ],
)
def test_a_zone_that_stands_apart_is_named_with_the_moment(value: str, zone: str, *, holds: bool) -> None:
    asked = Context(
        "Reserve it on 14 June 2026 at 18:00.", (), (), (NamedText(SourceKind.SYSTEM_PROMPT, "system", PROMPT),)
    )
    said = Stated(Span("query", 14, 35, "14 June 2026 at 18:00"))
    term = DayAndTime(said, said, Stated(Span("source/system", at := PROMPT.index(zone), at + len(zone), zone)))
    assert isinstance(verify_term(term, Leaf(value, "/start"), Evidence(asked)), Verified) is holds


@pytest.mark.parametrize(
    ("value", "holds"),
    [
        ("2026-03-20T09:00:00-05:00", True),
        ("2026-03-20T14:00:00Z", True),
        ("2026-03-20T09:00:00", True),
        ("2026-03-20T09:00:00+05:00", False),
        ("2026-03-20T09:00:00Z", False),
    ],
)
def test_where_a_prompt_names_the_zone_no_other_offset_is_said(value: str, *, holds: bool) -> None:
    asked = context("Send it on 2026-03-20 at 9:00.", system="Today is 2026-03-02. The time zone is UTC-05:00.")
    evidence = Evidence(asked)
    terms = [*propose_terms(Leaf(value, "/at"), find_latest_request(evidence), evidence),
             *propose_readings(Leaf(value, "/at"), evidence)]  # fmt: skip
    assert any(isinstance(verify_term(term, Leaf(value, "/at"), evidence), Verified) for term in terms) is holds


@pytest.mark.parametrize(
    ("words", "value", "name"),
    [
        ("two dozen", 24, "quantity"),
        ("nächste Woche Dienstag", "2026-03-10", "day"),
        ("w sobotę", "2026-03-07", "day"),
        ("w przyszłą sobotę", "2026-03-14", "day"),
        ("в пятницу утром", "2026-03-06", "day"),
        ("今週の水曜", "2026-03-04", "day"),
        ("on the fifth of December", "2026-12-05", "day"),
        ("am fünfundzwanzigsten Dezember", "2026-12-25", "day"),
        ("el cinco de diciembre", "2026-12-05", "day"),
        ("двадцать пятого декабря", "2026-12-25", "day"),
        ("szóstego grudnia", "2026-12-06", "day"),
        ("十二月五日", "2026-12-05", "day"),
        ("primo marzo", "2026-03-01", "day"),
        ("下周三", "2026-03-11", "day"),
        ("nyolckor", "08:00", "time"),
        ("háromnegyed nyolcra", "07:45", "time"),
        ("akşam yediye", "19:00", "time"),
        ("বিকেল সাড়ে তিনটায়", "15:30", "time"),
        ("저녁 일곱 시", "19:00", "time"),
        ("в 6 часов вечера", "18:00", "time"),
        ("6 giờ chiều", "18:00", "time"),
        ("6 heures du soir", "18:00", "time"),
        ("6 ore più tardi, alle 18", "18:00", "time"),
        ("thứ Bảy", "2026-03-07", "day"),
        ("до 7 апреля", "2026-04-07", "day"),
        ("3월 20일까지", "2026-03-20", "day"),
        ("à midi", "12:00", "time"),
        ("um Mitternacht", "00:00", "time"),
        ("3 Uhr nachmittags", "15:00", "time"),
    ],
)
def test_whoever_reads_knows_dozens_halves_of_the_day_and_weekdays_of_next_week(
    words: str, value: JsonValue, name: str
) -> None:
    term = Reading(Span("query", 0, len(words), words))
    assert isinstance(verify_term(term, Leaf(value, f"/{name}"), Evidence(context(words))), Verified)


@pytest.mark.parametrize(
    ("words", "value", "name"),
    [
        ("two dozen", 12, "quantity"),
        ("two people", 24, "guests"),
        ("ein Dutzend", 12, "price"),
        ("a few", 4, "quantity"),
        ("Dienstag", "2026-03-10", "day"),
        ("nächste Woche Dienstag", "2026-03-17", "day"),
        ("w sobotę", "2026-03-08", "day"),
        ("w sobotę", "2026-03-14", "day"),
        ("в среду", "2026-03-03", "day"),
        ("до 7 апреля", "2026-03-07", "day"),
        ("3월 20일까지", "2026-04-20", "day"),
        ("at four", "12:00", "time"),
        ("3 Uhr", "15:00", "time"),
        ("8 am", "20:00", "time"),
        ("3 Uhr nachmittags", "16:00", "time"),
        ("3 Uhr nachmittags", "03:00", "time"),
        ("um 8 Uhr morgens", "20:00", "time"),
        ("8:00 in the morning", "20:00", "time"),
        ("8 in the evening", "08:00", "time"),
        ("8 de la mañana", "20:00", "time"),
        ("akşam 8", "08:00", "time"),
        ("в 6 часов утра", "18:00", "time"),
        ("в 6 часов вечера", "06:00", "time"),
        ("6 giờ sáng", "18:00", "time"),
        ("6 heures du soir", "06:00", "time"),
        ("下周三", "2026-03-12", "day"),
        ("am fünften März", "2026-03-03", "day"),
        ("am fünfundzwanzigsten Dezember", "2026-12-20", "day"),
        ("двадцать пятого декабря", "2026-12-05", "day"),
        ("двадцать пятого декабря", "2026-12-20", "day"),
        ("am dreizehnten Mai", "2026-05-10", "day"),
        ("на пятом этаже", "2026-03-05", "day"),
        ("пятого декабря", "2027-12-05", "day"),
        ("周三", "2026-03-11", "day"),
        ("水曜に", "2026-03-11", "day"),
        ("这个星期", "2026-03-11", "day"),
        ("nyolckor", "09:00", "time"),
        ("nyolcvankor", "08:00", "time"),
        ("onsekizde", "08:00", "time"),
        ("สองทุ่ม", "02:00", "time"),
    ],
)
def test_what_such_words_do_not_say_is_no_reading_of_them(words: str, value: JsonValue, name: str) -> None:
    term = Reading(Span("query", 0, len(words), words))
    assert not isinstance(verify_term(term, Leaf(value, f"/{name}"), Evidence(context(words))), Verified)


@pytest.mark.parametrize("words", ["um 8 Uhr", "8 Uhr", "at 8:00", "8:00", "8"])
def test_what_stands_behind_a_quote_tells_the_half_of_the_day_of_it_too(words: str) -> None:
    said = Context(f"{words} {'morgens' if 'Uhr' in words else 'in the morning'}")
    outcome = verify_term(Reading(Span("query", 0, len(words), words)), Leaf("20:00", "/time"), Evidence(said))
    assert not isinstance(outcome, Verified)
