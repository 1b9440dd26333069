"""An action's provenance as W3C PROV-JSON, from its stored rows."""

from datetime import timedelta

from reviews.models import Action, Check, CheckStatus, Decision
from reviews.provenance.core.context import Span, leaves
from reviews.provenance.core.findings import Grounding, stage_from_json
from reviews.provenance.core.verdicts import conclude_stages
from reviews.records import load, prov

MEDIA_TYPE = "application/prov+json"
"""What PROV-JSON is usually called; the W3C submission registered no name."""


def prov_json(action: Action) -> str:
    """The action's provenance so far as PROV-JSON. The same rows give the same bytes."""
    return prov.to_json(prov.build_document(account_of(action)))


def account_of(action: Action) -> prov.Account:
    """The action, its finished checks and every decision, in the order they came."""
    # Agents read it too, who must learn nothing of checks in shadow. By key as well, so that the order never varies.
    checks = action.checks.enforced().filter(status=CheckStatus.DONE).order_by("finished_at", "id")
    # Nor of a decision that may still be taken back, or was, or waits for a second person.
    decisions = action.decisions.filter(held_until__isnull=True, withdrawn_at__isnull=True, awaits_second=False)
    decisions = decisions.select_related("reviewer").order_by("created_at", "id")
    return prov.Account(
        id=action.pk,
        workspace=action.workspace_id,
        case=load.load_case(action),
        agent=prov.Party(action.agent_key_id, action.agent_key.name),
        digest=action.digest,
        proposed_at=action.created_at,
        checks=tuple(_account_of_check(check) for check in checks),
        decisions=tuple(_account_of_decision(decision) for decision in decisions),
    )


def _account_of_check(check: Check) -> prov.Checked:
    return prov.Checked(
        verdict=conclude_stages(tuple(stage_from_json(stage) for stage in check.stages)),
        established=check.established,
        detector=check.detector,
        version=check.detector_version,
        judge=check.judge,
        finished_at=check.finished_at,
    )


def _account_of_decision(decision: Decision) -> prov.Decided:
    """The decision, with when its reviewer began to look, where that was measured."""
    person, seconds = decision.reviewer, decision.seconds_to_decide
    return prov.Decided(
        outcome=decision.outcome,
        decided_by=decision.decided_by,
        tool=decision.tool,
        arguments=decision.arguments,
        digest=decision.digest,
        at=decision.created_at,
        in_force=decision.in_force,
        message=decision.message,
        reviewer=prov.Party(person.pk, person.get_full_name() or person.get_username()) if person else None,
        began_at=decision.created_at - timedelta(seconds=seconds) if seconds is not None else None,
        values=_edited_values(decision),
    )


def _edited_values(decision: Decision) -> tuple[prov.EditedValue, ...]:
    """The values of an edited call with where each comes from; none for any other decision."""
    values = dict(leaves(decision.arguments))
    return tuple(
        prov.EditedValue(
            pointer=stored["pointer"],
            value=values.get(stored["pointer"]),
            grounding=Grounding(stored["grounding"]),
            typed_by_reviewer=stored["typed_by_reviewer"],
            spans=tuple(Span(span["source"], span["start"], span["end"], span["quote"]) for span in stored["evidence"]),
        )
        for stored in decision.provenance
    )
