"""A mapping that is read only when a cheap test says that it may have the answer."""

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from functools import cached_property
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")
# Keys that are tested one by one. A test looks through the text once, reading costs about as much as this many.
_MOST_TESTS = 24


class Lookup(Mapping[K, V]):
    """What `read` gives, computed at most once.

    `may_have` must be true for every key that the mapping has; for others it should be false.
    """

    def __init__(self, may_have: Callable[[K], bool], read: Callable[[], Mapping[K, V]]) -> None:
        self._may_have = may_have
        self._read = read
        self._tested = 0

    def __getitem__(self, key: K) -> V:
        if "_all" not in self.__dict__ and self._tested < _MOST_TESTS:
            self._tested += 1
            if not self._may_have(key):
                raise KeyError(key)
        return self._all[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def items(self) -> ItemsView[K, V]:
        """Every key with its value. No key is tested: whoever wants all of them has them read."""
        return self._all.items()

    def values(self) -> ValuesView[V]:
        """Every value; no key is tested."""
        return self._all.values()

    @cached_property
    def _all(self) -> Mapping[K, V]:
        return self._read()
