"""How many messages a burst of submissions sends."""

from queue import SimpleQueue
from types import SimpleNamespace

import pytest

from reviews.scheduling import broker


def hints(number: int) -> list[broker._Message]:
    return [broker._Message(broker.RUN_DUE_JOBS, [], 0, 0) for _ in range(number)]


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """How many wait at the broker, each time that it is asked."""
    lengths: list[int | None] = []
    monkeypatch.setattr(broker, "queue_length", lambda: lengths.pop(0))
    return lengths


def test_while_few_wait_each_check_has_its_message(waiting: list[int | None]) -> None:
    waiting.append(0)
    assert broker._drop_spare_hints(hints(3), 0) == (hints(3), broker.MAX_WAITING - 3)


def test_where_enough_wait_none_is_added(waiting: list[int | None]) -> None:
    waiting.append(broker.MAX_WAITING)
    assert broker._drop_spare_hints(hints(3), 0) == ([], 0)


def test_only_as_many_are_added_as_there_is_room_for(waiting: list[int | None]) -> None:
    waiting.append(broker.MAX_WAITING - 2)
    assert broker._drop_spare_hints(hints(3), 1) == (hints(2), 0)


def test_the_broker_is_not_asked_while_there_is_room(waiting: list[int | None]) -> None:
    assert broker._drop_spare_hints(hints(3), 5) == (hints(3), 2)


def test_other_messages_are_always_sent(waiting: list[int | None]) -> None:
    waiting.append(broker.MAX_WAITING)
    settling = broker._Message(broker.SETTLE_ACTION, ["1"], 0, 0)
    assert broker._drop_spare_hints([*hints(2), settling], 0) == ([settling], 0)


def test_a_broker_that_cannot_tell_is_sent_everything(waiting: list[int | None]) -> None:
    waiting.append(None)
    assert broker._drop_spare_hints(hints(3), 0)[0] == hints(3)


def test_what_comes_behind_a_sending_is_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    gathered: SimpleQueue[broker._Message] = SimpleQueue()
    first, *others = [broker._Message(broker.SETTLE_ACTION, [str(number)], 0, 0) for number in range(3)]
    sent: list[list[broker._Message]] = []

    def pause(_seconds: float) -> None:
        if len(sent) > 1:
            raise StopIteration
        for message in others:
            gathered.put(message)

    monkeypatch.setattr(broker, "_send_messages", lambda messages: sent.append([*messages]))
    monkeypatch.setattr(broker, "time", SimpleNamespace(sleep=pause))
    gathered.put(first)
    with pytest.raises(StopIteration):
        broker._send_gathered(gathered)
    assert sent == [[first], others]
