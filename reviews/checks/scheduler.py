"""The scheduler of this process: whose job is next, a check of an action or of a plan."""

from typing import Final

from reviews.checks import plan_gate, run
from reviews.scheduling.fair_scheduler import FairScheduler

SCHEDULER: Final = FairScheduler(checks=run.CHECKS, plans=plan_gate.PLANS)
