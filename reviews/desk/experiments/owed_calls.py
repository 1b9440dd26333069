"""Calls of an experiment that whoever looks at it still has to answer in a campaign: no page tells their label."""

from typing import Any

from django.db.models import QuerySet

from reviews.annotation.owed_items import owed_items
from reviews.lab.experiment_calls import list_calls
from reviews.models import Experiment, Membership


def owed_calls(experiment: Experiment, membership: Membership) -> QuerySet[Any]:
    """These calls, in whichever dataset the campaign asks about them."""
    owed = owed_items(membership)
    if experiment.judges_recorded_calls:
        return list_calls(experiment).filter(action__in=owed.filter(action__isnull=False).values("action"))
    return list_calls(experiment).filter(item__in=owed)
