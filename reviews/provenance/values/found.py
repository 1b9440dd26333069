"""What every reader of values finds: a value and where it stands."""

from typing import Generic, NamedTuple, TypeVar

from reviews.provenance.text.boundaries import Place

ValueT = TypeVar("ValueT")


class Found(NamedTuple, Generic[ValueT]):
    """A value in a folded text; what can be read in two ways is found twice."""

    start: int
    end: int
    value: ValueT

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.start, self.end
