"""The conditions of a task, derived from the request once and kept with its trace (ARGUS: at init)."""

from collections.abc import Sequence

from reviews.models import Trace
from reviews.provenance.core.canonical import content_digest
from reviews.provenance.core.context import Context
from reviews.provenance.judges.questions.argus import Invariants


def find_stored(trace: Trace, context: Context) -> tuple[str, ...]:
    """The conditions that were derived from this very request; empty where none were: a later turn asks anew."""
    stored = trace.invariants
    if not stored or stored["request"] != _digest_request(context):
        return ()
    return tuple(stored["conditions"])


def store(trace: Trace, context: Context, conditions: Sequence[str]) -> None:
    """Keep the conditions for the task's next call. Of two checks at once the last one's stand: both asked the same."""
    trace.invariants = {"request": _digest_request(context), "conditions": list(conditions)}
    Trace.objects.filter(pk=trace.pk).update(invariants=trace.invariants)


def _digest_request(context: Context) -> str:
    material = Invariants(context).material
    return content_digest([[block.label, block.text] for blocks in material.values() for block in blocks])
