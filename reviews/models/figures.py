"""What happened in a workspace on one day, counted once for every look at it."""

from django.db import models

from reviews.models.base import Record
from reviews.models.workspaces import Workspace


class DayFigures(Record):
    """One day (UTC) of a workspace. Counted again while the day lasts, and once behind it."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="day_figures")
    day = models.DateField()
    counted_at = models.DateTimeField()
    figures = models.JSONField()
    """As `lab.day_figures.Figures` writes them."""

    class Meta:
        constraints = [
            # Two sweeps that count at once write one row; also the index for a span of days.
            models.UniqueConstraint(fields=["workspace", "day"], name="a_day_of_a_workspace_is_counted_in_one_row"),
        ]

    def __str__(self) -> str:
        return f"{self.workspace_id} on {self.day}"
