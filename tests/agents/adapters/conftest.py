from collections.abc import Iterator

import pytest

from reviews.workspaces import agent_keys
from tests import stack
from tests.cast import make_cast


@pytest.fixture
def running(transactional_db: None) -> Iterator[tuple[str, str]]:
    """The address of a guard, and a test key of it."""
    key = agent_keys.create_key(make_cast().workspace, name="ci", is_test=True).secret
    with stack.worker(pool="threads", processes="2"), stack.web() as url:
        yield url, key
