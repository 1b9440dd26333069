"""A mapping that is read only where a cheap test says that it may answer."""

from collections.abc import Mapping
from unittest.mock import Mock

import pytest

from reviews.provenance.records.lazy_mapping import Lookup


def _letters() -> Mapping[str, int]:
    return {"a": 1, "b": 2}


def _unread() -> Mapping[str, int]:
    pytest.fail("It was read although no key may be there.")


def test_what_may_be_there_is_read() -> None:
    assert Lookup(lambda _: True, _letters).get("b") == 2


def test_what_cannot_be_there_is_not_looked_for() -> None:
    assert Lookup(lambda _: False, _unread).get("b") is None


def test_whoever_wants_everything_gets_it_untested() -> None:
    assert dict(Lookup(lambda _: False, _letters).items()) == _letters()


def test_what_the_test_lets_through_need_not_be_there() -> None:
    assert "c" not in Lookup(lambda _: True, _letters)


def test_it_is_read_at_once_when_many_keys_are_asked_for() -> None:
    tested = Mock(return_value=False)
    lookup = Lookup(tested, _letters)
    for key in map(str, range(100)):
        lookup.get(key)
    assert tested.call_count < 100
    assert lookup.get("b") == 2
