"""A process of the web holds what pages and the API need; what writes files of data is for the worker."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Tens of megabytes each, of every process that the site runs.
FOR_FILES_OF_DATA = {"datasets", "pandas", "pyarrow", "statsmodels"}
# Nothing is asked of either while it starts.
ELSEWHERE = {"SECRET_KEY": "s" * 32, "DATABASE_URL": "postgresql://u:p@h/n", "REDIS_URL": "redis://h:1/0"}
EVERY_VIEW = "import django.urls; django.urls.get_resolver().url_patterns"


def test_it_imports_no_library_for_files_of_data() -> None:
    script = f"import sys; import guardapp.asgi, guardapp.wsgi; {EVERY_VIEW}; print(*sys.modules)"
    finished = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=os.environ | ELSEWHERE | {"DJANGO_SETTINGS_MODULE": "guardapp.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    imported = set(finished.stdout.split())
    assert "reviews.desk.datasets.forms" in imported
    assert imported.isdisjoint(FOR_FILES_OF_DATA)
    # What the gateway speaks is installed where it runs.
    assert "mcp" not in imported
