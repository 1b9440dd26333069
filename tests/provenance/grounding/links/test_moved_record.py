"""A record's day or time, moved by the length of time that the user names."""

import pytest

from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import grounded

STAY = '{"guest": "Ott", "arrival": "2026-03-06", "departure": "2026-03-09"}'
LESSON = '{"pupil": "Ott", "begins": "2026-03-10T16:30:00"}'
SHOW = '{"show": "News", "start": "12:00"}'


@pytest.mark.parametrize(
    ("request_", "output", "value"),
    [
        ("Häng bei Familie Ott noch zwei Nächte dran", STAY, "2026-03-11"),
        ("prolonge le séjour de M. Ott de deux nuits", STAY, "2026-03-11"),
        ("Verschieb die Stunde um eine Woche nach hinten", LESSON, "2026-03-17T16:30:00"),
        ("repousse le cours d'une semaine, même heure", LESSON, "2026-03-17T16:30:00"),
        ("retrasa la clase media hora", LESSON, "2026-03-10T17:00:00"),
        ("anticipa la lezione di un'ora e mezza", LESSON, "2026-03-10T15:00:00"),
        ("zet de les van Ott anderhalf uur later, het is druk", LESSON, "2026-03-10T18:00:00"),
        ("mets-le un quart d'heure plus tard aujourd'hui", SHOW, "12:15"),
        ("push the show back by 20 minutes", SHOW, "12:20"),
        ("レッスンを1時間遅らせてください", LESSON, "2026-03-10T17:30:00"),
        ("把课推迟一个半小时", LESSON, "2026-03-10T18:00:00"),
    ],
)
def test_a_time_is_moved_by_what_the_user_says(request_: str, output: str, value: str) -> None:
    assert grounded(value, in_text=request_, outputs=(output,)).how is Grounding.DERIVE


@pytest.mark.parametrize(
    ("request_", "output", "value"),
    [
        ("mets-le un quart d'heure plus tard aujourd'hui", SHOW, "11:45"),
        ("anticipa la lezione di un'ora e mezza", LESSON, "2026-03-10T18:00:00"),
        ("retrasa la clase media hora", LESSON, "2026-03-10T16:00:00"),
        ("Häng bei Familie Ott noch zwei Nächte dran", STAY, "2026-03-10"),
        ("make the show 20 minutes later", SHOW, "11:40"),
    ],
)
def test_a_time_is_not_moved_the_other_way_or_by_another_length(request_: str, output: str, value: str) -> None:
    assert grounded(value, in_text=request_, outputs=(output,)).how is not Grounding.DERIVE
