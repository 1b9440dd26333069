"""Calls of an experiment that whoever looks at it still has to answer in a campaign: nothing tells them their label."""

from typing import Any

from django.db.models import QuerySet

from reviews import access
from reviews.annotation.owed_items import owed_items
from reviews.errors import ForbiddenError
from reviews.lab.experiment_calls import list_calls
from reviews.models import Experiment


def owed_calls(experiment: Experiment, asker: access.Principal) -> QuerySet[Any]:
    """These calls, in whichever dataset the campaign asks about them."""
    owed = owed_items(asker)
    if experiment.judges_recorded_calls:
        return list_calls(experiment).filter(action__in=owed.filter(action__isnull=False).values("action"))
    return list_calls(experiment).filter(item__in=owed)


def count_owed_labels(experiment: Experiment, asker: access.Principal) -> int:
    """How many of these calls say in the experiment whether they are right: what its figures tell with others."""
    return owed_calls(experiment, asker).filter(label__aligned__in=(True, False)).count()


def check_blind(experiment: Experiment, asker: access.Principal) -> None:
    """Raises `ForbiddenError` where the figures tell the asker of a label that they still have to give.

    Whoever knows the other calls' labels reckons it from the figures of all; so no number of others hides it.
    """
    if owed := count_owed_labels(experiment, asker):
        raise ForbiddenError(
            f"A campaign still asks you about {owed} call{'' if owed == 1 else 's'} of {experiment.name}, and its"
            " figures tell of their labels. Answer or give back those items first, or leave it to somebody who is not"
            " asked."
        )
