"""The file by which Celery beat shows that it moves: written whenever it sends a task."""

import tempfile
import time
from pathlib import Path
from typing import Final

BEAT_SIGN: Final = Path(tempfile.gettempdir(), "guardapp-beat")


def show_beat() -> None:
    """Leave a sign now."""
    BEAT_SIGN.touch()


def seconds_since_beat() -> float | None:
    """The age of the last sign; None before the first."""
    try:
        return time.time() - BEAT_SIGN.stat().st_mtime
    except FileNotFoundError:
        return None
