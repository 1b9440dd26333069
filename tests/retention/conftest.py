from pathlib import Path

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def files_of_the_test(settings: Settings, tmp_path: Path) -> None:
    """Uploads and exports lie where the test's other files do."""
    settings.MEDIA_ROOT = tmp_path / "stored"
