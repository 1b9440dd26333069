"""A tool's failure of which its framework has told the model already."""

from __future__ import annotations


class ToldError(Exception):
    """A tool has failed, and its model is told so in these words."""

    def __repr__(self) -> str:
        """What is reported of the call: the words alone, as the next past has them."""
        return str(self)
