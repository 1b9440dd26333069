"""How often an agent may still be sent back to its plan (IntentGuard paper, Algorithm 1).

The plan gate and the tool gate draw on one budget: R rewrites, then the agent has to stop and tell the user; so it has
at once when a plan is rejected for what it is. It is kept with the request: `Trace.rewrites` counts over all revisions
of a conversation's past, so that an agent which tells its past differently does not start anew, and begins again when
the user makes another request (`records.store`); R + 1 stands for an agent that was told to stop. What a person
overrules is given back.
"""

from django.db.models import F, QuerySet

from reviews.decisions import locking
from reviews.models import Action, Review, Trace
from reviews.provenance.detectors.intent_guard import detector as intent_guard


def count_rewrite(trace: Trace, *, allowed: int) -> bool:
    """Count that the agent is sent back to its plan. False where it was told to stop before, and nothing is counted.

    Belongs into the transaction that makes the answer known. `trace` is brought up to date.
    """
    # Up to one more than allowed, which stands for an agent that was told to stop.
    of_request = locking.lock_revisions(trace).filter(query=trace.query_id)
    counted = of_request.filter(rewrites__lte=allowed).update(rewrites=F("rewrites") + 1)
    trace.refresh_from_db(fields=["rewrites"])
    return counted > 0


def use_up(trace: Trace, *, allowed: int) -> None:
    """Note that the agent has to stop, whatever is left of its budget: rewriting cannot mend a harmful plan.

    Belongs into the transaction that makes the answer known. `trace` is brought up to date.
    """
    of_request = locking.lock_revisions(trace).filter(query=trace.query_id)
    of_request.filter(rewrites__lte=allowed).update(rewrites=allowed + 1)
    trace.refresh_from_db(fields=["rewrites"])


def is_told_to_stop(trace: Trace, *, allowed: int) -> bool:
    """Whether the agent was told to stop for this request. `trace` is brought up to date."""
    trace.refresh_from_db(fields=["rewrites"])
    return trace.rewrites > allowed


def lock_counted(action: Action) -> None:
    """Lock the conversation of a call that costs a rewrite: in the order of `locking`, before the action is locked."""
    if _is_gated(action) and _counted_reviews(action).exists():
        locking.lock_revisions(action.trace)


def give_back(action: Action) -> None:
    """A person lets a call run that the gate stopped: the rewrite it cost was none of the agent's faults.

    Belongs into the transaction that makes the decision known, behind `lock_counted`. Harmless to repeat.
    """
    if not _is_gated(action):
        return
    counted = _counted_reviews(action)
    request = counted.values_list("sent_back_for", flat=True).first()
    if request is None or not counted.update(sent_back_for=None):
        return
    trace = action.trace
    # Of a request that has been followed by another one nothing is counted any more.
    of_request = locking.lock_revisions(trace).filter(query=trace.query_id, requests=request, rewrites__gte=1)
    of_request.update(rewrites=F("rewrites") - 1)


def _counted_reviews(action: Action) -> QuerySet[Review]:
    """The review of the call, if it costs a rewrite."""
    return Review.objects.filter(action=action, sent_back_for__isnull=False)


def _is_gated(action: Action) -> bool:
    """Whether a plan gate is enforced: else no call costs a rewrite, and the ORM words an empty query for nothing."""
    return intent_guard.NAME in action.profile.detectors
