"""A long conversation is told by its newest part, and with all that the user said."""

import json
import threading
from typing import Any

import pytest

from guardapp.config import Config
from reviews.agents.client.provenanceguard import kept_history
from reviews.agents.client.provenanceguard.conversation import Conversation
from reviews.agents.client.provenanceguard.kept_history import KeptHistory

PAID = "x" * 50


def filled(calls: int, *, query: str = "Pay Ann 30 each month") -> KeptHistory:
    history = KeptHistory(query)
    for number in range(calls):
        history.add_call("read", {"page": number}, PAID)
    return history


def words_of(history: KeptHistory) -> list[Any]:
    return [entry["text"] for entry in history.entries if entry.get("role") == "user"]


def test_it_never_has_more_entries_than_a_guard_takes() -> None:
    history = KeptHistory()
    for number in range(1000):
        history.add_call("read", {"page": number}, PAID)
        assert min(number + 1, 200) <= len(history.entries) < Config.model_fields["max_history"].default
    assert history.entries[-1]["arguments"] == {"page": 999}


def test_it_is_never_larger_than_half_of_a_body(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_history, "MAX_HISTORY_BYTES", 500)
    history = filled(20)
    assert history.entries[-1]["arguments"] == {"page": 19}
    assert len(json.dumps(history.entries)) <= 500


def test_of_an_outcome_that_is_too_much_the_beginning_stays() -> None:
    history = filled(3)
    history.add_call("read", {}, "x" * 1_000_000)
    assert history.entries[-1]["outcome"].startswith("xxx")
    assert len(json.dumps(history.entries)) <= 500_000


def test_a_tool_that_returns_much_makes_no_earlier_call_forgotten() -> None:
    history = KeptHistory("Pay Ann 30")
    paid = history.add_call("pay", {"to": "Ann", "amount": 30}, "paid")
    for number in range(20):
        history.add_call("read", {"page": number}, "x" * 400_000)
    assert history.entries[0] == paid
    assert len(history.entries) == 21
    assert all(entry["outcome"].startswith("xxx") for entry in history.entries[1:])


def test_a_tool_that_is_called_often_makes_no_other_call_forgotten() -> None:
    history = KeptHistory("Pay Ann 30")
    paid = history.add_call("pay", {"to": "Ann", "amount": 30}, "paid")
    for number in range(5000):
        history.add_call("read", {"page": number}, PAID)
    assert history.entries[0] == paid


def test_a_call_that_is_too_much_by_itself_is_left_out() -> None:
    history = filled(3)
    before = history.entries
    history.add_call("write", {"text": "x" * 600_000}, "done")
    assert history.entries == before


def test_what_the_user_took_back_is_told_however_long_ago_it_was() -> None:
    history = filled(5)
    history.add_message("user", "Stop: pay nobody any more.")
    for number in range(5000):
        history.add_call("read", {"page": number}, PAID)
    assert history.query == "Pay Ann 30 each month"
    assert words_of(history) == ["Stop: pay nobody any more."]


def test_no_request_outlives_words_that_came_after_it() -> None:
    history = filled(0, query="Turn 0")
    for number in range(1, 1000):
        history.add_message("user", f"Turn {number}")
        told = [history.query, *words_of(history)]
        assert told == [f"Turn {kept}" for kept in range(number + 1 - len(told), number + 1)]
        assert len(told) >= min(number, 200)


def test_a_user_who_says_much_leaves_room_for_calls() -> None:
    history = filled(0)
    for number in range(2000):
        history.add_message("user", f"Turn {number}")
        history.add_call("read", {"page": number}, PAID)
    calls = [entry for entry in history.entries if "tool" in entry]
    assert len(calls) >= 100
    assert len(words_of(history)) >= 100


def test_what_the_agent_said_goes_with_its_calls() -> None:
    history = KeptHistory("Pay Ann 30")
    for number in range(1000):
        history.add_message("assistant", f"Turn {number}")
    assert history.entries[-1] == {"role": "assistant", "text": "Turn 999"}
    assert len(history.entries) <= 400


def test_threads_that_add_at_once_lose_nothing_new() -> None:
    history = filled(0)

    def add(thread: int) -> None:
        for number in range(500):
            history.add_call("read", {"page": number, "thread": thread}, PAID)
        history.add_message("user", f"Thread {thread}")

    threads = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(words_of(history)) == [f"Thread {number}" for number in range(8)]
    assert len(history.entries) <= 400


def test_a_conversation_of_a_day_is_proposed_with_its_newest_part() -> None:
    talk = Conversation("Pay Ann 30", [{"name": "pay"}])
    for number in range(600):
        talk.add_result(("pay", {"to": "Ann", "amount": number}), "paid")
    with talk.propose(("pay", {"to": "Ann", "amount": 700})) as past:
        assert past["query"] == "Pay Ann 30"
        assert 200 <= len(past["history"]) <= 400
        assert past["history"][-1]["arguments"]["amount"] == 599
