"""What beat sends, and how often."""

from typing import Any

from guardapp.config import Config


def beat_schedule(config: Config) -> dict[str, dict[str, Any]]:
    """Celery's `beat_schedule`: each task with its interval in seconds.

    All expire: after an outage one of each is enough. A heartbeat comes several times within the time for which one
    counts (`reviews.scheduling.heartbeat`).
    """
    return {
        "sweep": {"task": "reviews.tasks.sweep", "schedule": config.sweep_seconds, "options": {"expires": 30}},
        # A third of the age that today's figures may have (reviews.lab.day_figures.FRESH).
        "count-days": {"task": "reviews.tasks.count_days", "schedule": 20.0, "options": {"expires": 20}},
        "heartbeat": {"task": "reviews.tasks.heartbeat", "schedule": 5.0, "options": {"expires": 10}},
        # Told at once is told within these seconds.
        "notify": {"task": "reviews.tasks.notify_people", "schedule": 15.0, "options": {"expires": 15}},
        # Hourly: labels come one by one, and a rule is never suspended over one of them.
        "rules": {"task": "reviews.tasks.suspend_rules", "schedule": 3600.0, "options": {"expires": 600}},
        # As old as such a file must be at least.
        "leftover-files": {
            "task": "reviews.tasks.delete_leftover_files",
            "schedule": 3600.0,
            "options": {"expires": 600},
        },
    }
