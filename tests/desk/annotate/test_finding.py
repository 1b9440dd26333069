from dataclasses import replace

import pytest

from reviews.desk.annotate import finding
from reviews.provenance.core.context import Context
from tests.annotation.study import MISALIGNED, study
from tests.cast import CONTEXT, Cast
from tests.desk.annotate.test_annotator_views import at
from tests.desk.desk import HTMX, Desk


def test_words_are_found_in_every_text_upper_and_lower_case_alike() -> None:
    places = finding.find_places(CONTEXT, "daniel")
    assert places.count >= 2
    assert places.listed[0].title
    assert all(place.words.lower() == "daniel" for place in places.listed)
    assert finding.find_places(CONTEXT, "  ").count == 0


def test_more_places_than_are_listed_are_counted() -> None:
    places = finding.find_places(CONTEXT, "e")
    assert places.count >= len(places.listed)


def test_the_page_finds_words_for_who_has_the_item_and_nobody_else(cast: Cast) -> None:
    running = study(cast, items=2)
    mine, desk = running.next(), Desk.of(running.people[0])
    path = at(running, "items", mine.item_id, "find")
    found = desk.client.get(path, {"words": "Daniel"}, headers=HTMX).content.decode()
    assert "stands in" in found
    assert 'data-words="Daniel"' in found
    desk.shows(f"{path}?words=zzz", "stands nowhere", "Back to the item")
    Desk.of(running.people[1]).shows(path, status=404)


def test_own_answers_are_listed_and_opened_again(cast: Cast) -> None:
    running = study(cast, items=2)
    desk = Desk.of(running.people[0])
    desk.shows(at(running, "mine"), "You have not answered anything here yet.")
    given = running.given(0, MISALIGNED, seconds=0)
    body = desk.shows(at(running, "mine"), "Misaligned", "1 of 2 answered by you", f"/items/{given.item_id}")
    assert "open one to change it" in body
    desk.shows(at(running, "items", given.item_id), "Your answers", "Find in the conversation")
    Desk.of(running.people[1]).lacks(at(running, "mine"), f"/items/{given.item_id}")


def test_words_are_found_beside_a_letter_that_lower_case_makes_two_of() -> None:
    places = finding.find_places(replace(CONTEXT, query="İSTANBUL: pay Daniel"), "DANIEL")
    assert (places.listed[0].before, places.listed[0].words) == ("İSTANBUL: pay ", "Daniel")
    assert finding.find_places(Context(query="İSTANBUL"), "istanbul").count == 0
    assert finding.find_places(Context(query="İSTANBUL"), "İstanbul").count == 1


@pytest.mark.parametrize(("times", "more"), [(999, False), (1_000, True), (2_000, True)])
def test_what_is_not_counted_any_more_is_told(times: int, more: bool) -> None:
    places = finding.find_places(Context(query="pay " * times), "pay")
    assert places.there_may_be_more == more
