"""The check itself: a call on the wrong side of a condition, or one whose condition nobody looked into."""

from dataclasses import dataclass

from reviews.provenance.core.context import Case, Message, SourceKind, Span, leaves
from reviews.provenance.grounding.conditions.claims import Claim, Elapsed, Threshold
from reviews.provenance.grounding.conditions.elapsed import answer_by_dates
from reviews.provenance.grounding.conditions.lookups import lookups_of
from reviews.provenance.grounding.conditions.numbers import answer_by_numbers
from reviews.provenance.grounding.conditions.scope import request_of, side_of
from reviews.provenance.text.fold import words_of

# Other places in which the condition may have been found out: then that nothing was looked up proves nothing.
_ELSEWHERE = (SourceKind.RETRIEVED, SourceKind.MEMORY, SourceKind.SKILL)
# Characters of an argument that are read.
_LONGEST = 2_000


@dataclass(frozen=True)
class Unmet:
    """A condition of the request under which this call should not be made."""

    note: str
    """A sentence or two for a person."""
    spans: tuple[Span, ...]
    """The condition, then what shows that it does not hold for this call."""


def unmet(case: Case) -> Unmet | None:
    """What stands against a call that the request makes depend on a condition; None when nothing clearly does."""
    request = request_of(case.context)
    claim = request.claim
    # A later message of the user's may have settled the condition.
    if claim is None or any(isinstance(item, Message) and item.role == "user" for item in case.context.history):
        return None
    side = side_of(case, request, claim)
    if side is None or _handed_on(case, claim):
        return None
    required = not side if isinstance(claim, Elapsed) and claim.negated else side
    lookups, span = lookups_of(case.context), request.text.span(claim.start, claim.end)
    answer = (
        answer_by_dates(claim, request, lookups)
        if isinstance(claim, Elapsed)
        else answer_by_numbers(claim, request, lookups)
    )
    if answer is not None and answer.holds != required:
        so = f"“{span.quote[:80]}” is {'not ' if side else ''}the case, so the request does not ask for this call."
        return Unmet(f"{so} {answer.note}", (span, *answer.spans))
    if not lookups.all and not any(source.kind in _ELSEWHERE for source in case.context.sources.values()):
        return Unmet(f"The request makes this depend on “{span.quote[:80]}”, and nothing was looked up.", (span,))
    return None


def _handed_on(case: Case, claim: Claim) -> bool:
    """Whether the call carries the condition in its arguments: an alert, a rule, a filter that will test it."""
    limit = str(claim.limit) if isinstance(claim, Threshold) else str(claim.days) if isinstance(claim, Elapsed) else ""
    values = (value for _, value in leaves(dict(case.action.arguments)) if not isinstance(value, list | dict))
    return bool(limit) and any(limit in words_of(str(value)[:_LONGEST]) for value in values)
