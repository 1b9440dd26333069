"""What every reader of a format does with what it cannot take."""

from collections.abc import Callable
from typing import Any

import pytest

from reviews.provenance.formats import FormatError


def check_refused(read: Callable[..., object], pointer: str, *given: Any, **fields: Any) -> None:
    """Reading this raises `FormatError`, and one of its problems is at the pointer."""
    with pytest.raises(FormatError) as error:
        read(*given, **fields)
    assert pointer in [place for place, _ in error.value.problems]
