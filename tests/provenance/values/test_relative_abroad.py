"""Days of a week, times of day and lengths of time, as other languages say them."""

from datetime import date, datetime, time
from decimal import Decimal

import pytest

from reviews.provenance.text.fold import fold
from reviews.provenance.values.duration import durations_in
from reviews.provenance.values.moment import moments_in

NOW = datetime(2026, 3, 4, 10)  # noqa: DTZ001 - the user's own zone; a Wednesday


def days(text: str) -> set[date]:
    return {moment.day for moment in moments_in(fold(text), NOW) if moment.day}


def clocks(text: str) -> set[time]:
    return {moment.clock for moment in moments_in(fold(text), NOW) if moment.clock is not None}


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Urlaub von Montag bis Mittwoch nächster Woche, bitte", "2026-03-09", "2026-03-11"),
        ("Je suis absent de lundi à mercredi la semaine prochaine", "2026-03-09", "2026-03-11"),
        ("Resérvame de lunes a miércoles de la semana que viene", "2026-03-09", "2026-03-11"),
        ("Quero folga de segunda a quarta da próxima semana", "2026-03-09", "2026-03-11"),
        ("Sono via da lunedì a mercoledì della prossima settimana", "2026-03-09", "2026-03-11"),
        ("Ik ben er niet van maandag tot woensdag volgende week", "2026-03-09", "2026-03-11"),
        ("来週月曜から来週の水曜まで休みます", "2026-03-09", "2026-03-11"),
        ("我下周一到下周三请假", "2026-03-09", "2026-03-11"),
    ],
)
def test_weekdays_of_a_named_week_are_that_week_s(text: str, first: str, last: str) -> None:
    assert days(text) == {date.fromisoformat(first), date.fromisoformat(last)}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Die Lieferung von vorgestern ist nicht da", "2026-03-02"),
        ("Die Lieferung ist vor drei Tagen nicht gekommen", "2026-03-01"),
        ("la livraison d'il y a deux jours", "2026-03-02"),
        ("el pedido de hace tres días", "2026-03-01"),
        ("a entrega de há duas semanas", "2026-02-18"),
        ("la consegna di tre giorni fa", "2026-03-01"),
        ("de levering van een week geleden", "2026-02-25"),
        ("三天前的订单", "2026-03-01"),
        ("3日前の注文を見せて", "2026-03-01"),
        ("Erinnere mich in einer Woche daran, bitte", "2026-03-11"),
        ("zet het op morgenochtend om 9 uur", "2026-03-05"),
    ],
)
def test_a_day_is_told_by_its_distance(text: str, day: str) -> None:
    assert days(text) == {date.fromisoformat(day)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("demain de 9h à midi dans la salle", {"09:00", "21:00", "12:00"}),
        ("dans l'après-midi, à 15 h, pour moi", {"15:00"}),
        ("morgen früh um halb acht bitte", {"07:30"}),
        ("heute Abend um acht, für uns", {"20:00"}),
        ("bitte um viertel nach sieben morgens", {"07:15"}),
        ("demain à 8 heures moins le quart du matin, pour moi", {"07:45"}),
        ("mañana a las 7 de la tarde", {"19:00"}),
        ("esta tarde a las cinco menos cuarto, por favor", {"16:45"}),
        ("amanhã ao meio-dia, por favor", {"12:00"}),
        ("hoje à noite às 8 e meia, por favor", {"20:30"}),
        ("domani a mezzogiorno e mezza, per favore", {"12:30"}),
        ("stasera alle otto e un quarto, per me", {"20:15"}),
        ("vanavond om kwart voor negen, voor ons", {"20:45"}),
        ("明日の午後4時にお願いします", {"16:00"}),
        ("明天傍晚六点半", {"18:30"}),
    ],
)
def test_an_hour_is_of_the_half_of_the_day_that_is_said(text: str, told: set[str]) -> None:
    assert clocks(text) == {time.fromisoformat(each) for each in told}


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("Mach bitte anderthalb Stunden daraus", 90),
        ("verlängere es um zweieinhalb Stunden, bitte", 150),
        ("eine Viertelstunde später, bitte, wenn es geht", 15),
        ("noch zwei Nächte für die Familie", 2880),
        ("une semaine plus tard, à la même heure", 10080),
        ("dans un quart d'heure, pour le train", 15),
        ("pendant deux heures et demie avec le groupe", 150),
        ("alarga la reunión media hora", 30),
        ("dos horas y media para el taller", 150),
        ("mais uma hora e meia para a reunião", 90),
        ("un'ora e mezza di più per la sala", 90),
        ("spostala di mezz'ora, per favore", 30),
        ("verleng het met anderhalf uur", 90),
        ("een kwartier later voor de trein", 15),
        ("会議を2時間半に延ばして", 150),
        ("もう二泊お願いします、部屋は同じで", 2880),
        ("把会议延长一个半小时", 90),
        ("请再给我20分钟", 20),
    ],
)
def test_a_length_of_time_is_read_in_its_language(text: str, minutes: int) -> None:
    assert Decimal(60 * minutes) in {length.seconds for length in durations_in(fold(text))}


@pytest.mark.parametrize("text", ["会議は3月5日です", "der Bericht von heute", "pour la ville de Tours"])
def test_a_day_or_a_word_is_no_length(text: str) -> None:
    assert not list(durations_in(fold(text)))
