from collections.abc import Iterator

import pytest

from tests.llm import serve_forms


@pytest.fixture(scope="session")
def llm() -> Iterator[str]:
    """The real endpoint that forms are tried on, one for all tests of a worker: it takes seconds to load."""
    with serve_forms() as base_url:
        yield base_url
