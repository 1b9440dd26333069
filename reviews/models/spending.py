"""What judging has cost a workspace."""

from datetime import UTC, date, datetime

from django.db import models
from django.db.models import Q

from reviews.models.base import Record
from reviews.models.workspaces import Workspace


class JudgeSpend(Record):
    """One workspace's account of one day (UTC). Calls in flight are in it with what they may cost at most."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="judge_spends")
    day = models.DateField()
    calls = models.PositiveBigIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    # Nine decimals hold the price of one token; a float would not give back exactly what was charged.
    usd = models.DecimalField(max_digits=18, decimal_places=9, default=0)

    class Meta:
        constraints = [
            # All workers charge one row, so that an update on it is the whole budget check.
            models.UniqueConstraint(fields=["workspace", "day"], name="a_workspace_has_one_account_a_day"),
            # Below 0 an estimate was given back twice, and the budget would allow more than was set.
            models.CheckConstraint(condition=Q(usd__gte=0), name="judging_never_earns_money"),
        ]

    def __str__(self) -> str:
        return f"{self.workspace} on {self.day}"

    @staticmethod
    def today() -> date:
        """The current day of every account, in UTC."""
        # One day for all installations and workers, whatever their time zones.
        return datetime.now(UTC).date()

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.prompt_tokens + self.completion_tokens
