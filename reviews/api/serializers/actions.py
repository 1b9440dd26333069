"""Stored rows as the API's answers."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from django.db.models import Case, F, Prefetch, QuerySet, When

from reviews import models
from reviews.api.schemas import answers
from reviews.checks import rewrites
from reviews.checks.routing import counted_strictly, is_stopped
from reviews.decisions.executions import executable_until
from reviews.decisions.messages import model_message_of
from reviews.models.key_order import ordered_as

# A call that may be harmful must not hide behind one that merely could not be judged.
_WORST_FIRST = (models.VerdictLabel.MISALIGNED, models.VerdictLabel.UNDETERMINED, models.VerdictLabel.ALIGNED)


# As lists of their own names, so that what was read without the ORM (`serializers.stored`) can stand there as well.
_FOUND = (Prefetch("findings", to_attr="found"), Prefetch("interpretations", to_attr="readings"))


# What costs tables of its own: a verdict its findings, a decision the checks that its advice is made of.
_JUDGED: Final = frozenset({"verdict", "decision"})


def prefetch_readable(
    actions: QuerySet[models.Action], members: Collection[str] | None = None
) -> QuerySet[models.Action]:
    """The same actions with everything `serialize_action` reads of them for these members (all of them without), in a
    fixed number of queries.
    """
    actions = actions.select_related("trace", "profile").annotate(review_reason=F("review__reason"))
    if members is not None and _JUDGED.isdisjoint(members):
        return actions
    # Of all stages, only those are read that the advice to a planner is made of.
    advising = Case(When(rewrites.STOPPED_BY_GATE, then=F("stages")))
    checks = models.Check.objects.enforced().defer("stages").annotate(advising=advising).in_profile_order()
    explanations = _FOUND if members is None or "verdict" in members else ()
    return actions.prefetch_related(
        Prefetch("checks", checks.prefetch_related(*explanations), to_attr="enforced_checks"),
        Prefetch("decisions", models.Decision.objects.filter(in_force=True), to_attr="decisions_in_force"),
    )


def serialize_action(stored: models.Action, members: Collection[str] | None = None) -> answers.Action:
    """An action of `prefetch_readable`, or of `serializers.stored`. Where members are named, those beside them are not
    made of other tables and must not be answered.
    """
    if members is not None and _JUDGED.isdisjoint(members):
        return _serialize_row(stored, verdict=None, decision=None)
    # Prefetched under names of their own (`to_attr`), which are not visible to the type checker.
    checks: list[models.Check] = stored.enforced_checks  # type: ignore[attr-defined]
    decisions: list[models.Decision] = stored.decisions_in_force  # type: ignore[attr-defined]
    # While one detector is still at work, what others found is not the verdict yet.
    has_verdict = stored.status != models.Status.CHECKING and (members is None or "verdict" in members)
    decision = None
    if decisions:
        decision = _serialize_decision(stored, decisions[0], _planner_advice(decisions[0], stored, checks))
    return _serialize_row(
        stored,
        verdict=_serialize_verdict(checks, objections=stored.profile.objections) if has_verdict else None,
        decision=decision,
    )


def serialize_new_action(stored: models.Action) -> answers.Action:
    """An action that was just submitted: nothing can be known about it, so nothing is read."""
    return _serialize_row(stored, verdict=None, decision=None)


def serialize_execution(action: models.Action, stored: models.Execution) -> answers.Execution:
    """An execution of the action, with its decision at hand."""
    return answers.Execution(
        id=stored.pk,
        action_id=stored.action_id,
        decision_id=stored.decision_id,
        tool=stored.decision.tool,
        arguments=ordered_as(stored.decision.arguments, action.arguments),
        digest=stored.decision.digest,
        started_at=stored.created_at,
        status=stored.outcome_status or "started",
        reported_at=stored.reported_at,
        deviates=stored.deviates,
        replaced_characters=stored.replaced_characters,
    )


def serialize_interpretation(stored: models.Interpretation) -> answers.Interpretation:
    """A competing reading."""
    return answers.Interpretation(
        id=stored.pk,
        reading=stored.reading,
        tool=stored.tool,
        arguments=stored.arguments,
        evidence=[answers.Evidence(**span) for span in stored.evidence],
    )


def _serialize_row(
    stored: models.Action, *, verdict: answers.Verdict | None, decision: answers.Decision | None
) -> answers.Action:
    # Written out: with `reverse`, a page of two hundred actions would cost a thousand look-ups.
    path = f"/api/v1/actions/{stored.pk}"
    return answers.Action(
        id=stored.pk,
        status=stored.status,
        digest=stored.digest,
        trace_id=stored.trace.external_id,
        tool=stored.tool,
        arguments=stored.arguments,
        subtask=stored.subtask,
        tool_call_id=stored.tool_call_id,
        risk=stored.risk,
        retry_of=stored.retry_of_id,
        attempt=stored.attempt,
        metadata=stored.metadata,
        is_test=stored.is_test,
        created_at=stored.created_at,
        expires_at=stored.expires_at,
        settled_at=stored.settled_at,
        # Read beside the row: what was just submitted has no review yet.
        waits_because=getattr(stored, "review_reason", None) if stored.status == models.Status.PENDING else None,
        verdict=verdict,
        decision=decision,
        links=answers.Links(
            self=path,
            execution=f"{path}/execution",
            outcome=f"{path}/execution/outcome",
            provenance=f"{path}/provenance",
            cancel=f"{path}/cancel",
            # Nobody is a member of a sandbox.
            review="" if stored.is_test else f"/actions/{stored.pk}",
        ),
    )


def _serialize_verdict(checks: Sequence[models.Check], *, objections: int) -> answers.Verdict | None:
    """The verdict that counts when several detectors looked. None while some of them have not looked, also when the
    action ended before they could.
    """
    if not checks or any(check.status != models.CheckStatus.DONE for check in checks):
        return None
    counting = _counting_check(checks, objections=objections)
    return answers.Verdict(
        aligned=_is_aligned(counting),
        misalignment=counting.misalignment or None,
        reason=counting.reason,
        detector=counting.detector,
        detector_version=counting.detector_version,
        judge=counting.judge,
        prompts=counting.prompts,
        usage=answers.Usage(**counting.usage),
        seconds=counting.seconds,
        score=counting.score,
        findings=[_serialize_finding(stored) for stored in counting.found],  # type: ignore[attr-defined]
        interpretations=[serialize_interpretation(stored) for stored in counting.readings],  # type: ignore[attr-defined]
    )


def _counting_check(checks: Sequence[models.Check], *, objections: int) -> models.Check:
    """The worst check, unless too few object to stop the call: then the best, or one that left something open."""

    def badness(check: models.Check) -> tuple[int, bool]:
        return _WORST_FIRST.index(models.VerdictLabel(check.verdict)), check.established

    labels = [check.verdict for check in checks]
    if is_stopped(labels, objections=objections):
        return min(checks, key=badness)
    if is_stopped(counted_strictly(labels, [check.established for check in checks]), objections=objections):
        # Too few refute the call and too few establish it: what was left open is why it is neither.
        return next(check for check in checks if check.verdict == models.VerdictLabel.ALIGNED and not check.established)
    return max(checks, key=badness)


def _is_aligned(check: models.Check) -> bool | None:
    """True where everything asked for holds, false where something is refuted, null for all between."""
    if check.established:
        return True
    return False if check.verdict == models.VerdictLabel.MISALIGNED else None


def _serialize_finding(stored: models.Finding) -> answers.Finding:
    return answers.Finding(
        relation=stored.relation,
        subject=stored.subject,
        holds=stored.holds,
        rationale=stored.rationale,
        decided_by=stored.decided_by,
        grounding=stored.grounding or None,
        score=stored.score,
        evidence=[answers.Evidence(**span) for span in stored.evidence],
        sources=stored.sources,
        trust=stored.trust,
        untrusted_only=stored.untrusted_only,
        rule=stored.rule,
    )


def _planner_advice(decision: models.Decision, stored: models.Action, checks: Iterable[models.Check]) -> str:
    """What the agent's planner is told beside the decision; empty when the call may run."""
    if decision.outcome in models.RUNNABLE:
        return ""
    for check in checks:
        # Deferred, this field would be fetched row by row.
        check.stages = check.advising or []  # type: ignore[attr-defined]
    return rewrites.advice_of(stored, checks)


def _serialize_decision(decided: models.Action, stored: models.Decision, advice: str) -> answers.Decision:
    return answers.Decision(
        id=stored.pk,
        outcome=stored.outcome,
        decided_by=stored.decided_by,
        tool=stored.tool,
        arguments=ordered_as(stored.arguments, decided.arguments),
        digest=stored.digest,
        message=stored.message,
        interpretation=stored.interpretation_id,
        model_message=model_message_of(stored, advice, is_test=decided.is_test),
        decided_at=stored.created_at,
        executable_until=executable_until(decided, stored),
    )
