"""The folder of uploads and exports, tried by each process that uses it: the web server and the default worker."""

import sys
from pathlib import Path
from tempfile import TemporaryFile

from django.conf import settings


def require_files_folder() -> None:
    """Make the folder where it is missing, and write into it; where that fails, end the process with a line."""
    folder = Path(settings.MEDIA_ROOT)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except OSError as error:
        sys.exit(f"FILES_FOLDER cannot be written to: {error.strerror}")
