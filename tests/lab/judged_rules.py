"""Rules that people have judged."""

from reviews.decisions import decide
from reviews.models import Finding
from tests.cast import Cast, flagged


def judged(cast: Cast, *, upheld: int = 0, overruled: int = 0) -> str:
    """Calls that one rule refuted, of which people approved some; the rule's name."""
    reviews = [flagged(cast, trace_id=f"conv-{number}") for number in range(upheld + overruled)]
    for number, review in enumerate(reviews):
        choice = decide.Reject() if number < upheld else decide.Approve()
        decide.decide_action(action=review.action, choice=choice, membership=cast.reviewer)
    refuting = Finding.objects.filter(check_run__action=reviews[0].action, holds=False).exclude(rule="")
    return refuting.values_list("rule", flat=True)[0]
