import contextlib
from pathlib import Path

from django.apps import AppConfig
from django.conf import settings


class ReviewsConfig(AppConfig):
    """The one app."""

    name = "reviews"
    verbose_name = "ProvenanceGuard Review"

    def ready(self) -> None:
        """Make the folder for files under way: a large body is written there before any view sees it."""
        # Where the folder is not ours to make, everything but files works.
        with contextlib.suppress(OSError):
            Path(settings.FILE_UPLOAD_TEMP_DIR).mkdir(parents=True, exist_ok=True)
