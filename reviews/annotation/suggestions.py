"""What the guard found of a recorded call, shown to annotators where a campaign asks for it and kept with each answer.

Whoever sees a suggestion follows it more often than they would have given it: such answers are no blind ones.
"""

from datetime import datetime
from typing import Final

from reviews.models import Assignment, Campaign, DatasetItem, Judgement, VerdictLabel
from reviews.provenance.core.context import JsonValue

# The gravest verdict of several detectors is what the guard acted on.
_GRAVEST_FIRST: Final = (VerdictLabel.MISALIGNED, VerdictLabel.UNDETERMINED, VerdictLabel.ALIGNED)
_JUDGEMENT_OF: Final = {
    VerdictLabel.MISALIGNED: Judgement.MISALIGNED,
    VerdictLabel.UNDETERMINED: Judgement.CANNOT_TELL,
    VerdictLabel.ALIGNED: Judgement.ALIGNED,
}


def suggestion_for(campaign: Campaign, slot: Assignment) -> dict[str, JsonValue] | None:
    """What is shown to whoever holds the slot; None where the campaign shows nothing or the guard never looked.

    The same whenever it is asked for: what the guard found later was not shown.
    """
    if not campaign.shows_suggestions or slot.taken_at is None:
        return None
    return suggest_answer(slot.item, until=slot.taken_at)


def suggest_answer(item: DatasetItem, *, until: datetime) -> dict[str, JsonValue] | None:
    """The judgement and type that the enforced checks of the item's call had come to by then."""
    if item.action is None:
        return None
    checks = item.action.checks.enforced().filter(finished_at__lte=until).exclude(verdict="")
    verdicts = list(checks.in_profile_order().values_list("verdict", "misalignment"))
    for verdict in _GRAVEST_FIRST:
        types = [misalignment for label, misalignment in verdicts if label == verdict]
        if types:
            return {"judgement": str(_JUDGEMENT_OF[verdict]), "misalignment": next(filter(None, types), "")}
    return None
