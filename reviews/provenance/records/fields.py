"""What records are made of."""

from array import array
from typing import NamedTuple


class Field(NamedTuple):
    """A scalar of a record and where it stands."""

    key: str
    """Dotted path of keys; empty where the text gives none."""
    start: int
    end: int
    text: str

    @property
    def name(self) -> str:
        """The last part of the key, for a person to read."""
        return self.key.rpartition(".")[2].replace("_", " ")


class Cells(NamedTuple):
    """A row of a table that reads as it stands."""

    names: tuple[str, ...]
    places: "array[int]"
    """The start and the end of each cell."""
