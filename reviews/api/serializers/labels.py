"""One label as a line of the export."""

from reviews import models
from reviews.api.schemas import answers
from reviews.api.serializers import actions
from reviews.records import feeds


def label(stored: models.Label) -> answers.Label:
    """One line of the export."""
    action, decision = stored.action, stored.decision
    return answers.Label(
        id=stored.pk,
        cursor=feeds.cursor_of(stored),
        action_id=action.pk,
        trace_id=action.trace.external_id,
        tool=action.tool,
        arguments=action.arguments,
        subtask=action.subtask,
        digest=action.digest,
        source=stored.source,
        aligned=stored.aligned,
        misalignment=stored.misalignment or None,
        relation=stored.relation or None,
        corrected_tool=stored.corrected_tool or None,
        corrected_arguments=stored.corrected_arguments,
        interpretation=actions.interpretation(stored.interpretation) if stored.interpretation else None,
        note=stored.note,
        outcome=decision.outcome if decision else None,
        reviewer=stored.labeller.get_username() if stored.labeller else None,
        decided_at=decision.created_at if decision else None,
        context=answers.LabelContext(
            query=action.trace.query.digest,
            tools=action.tool_set.digest,
            sources=[source["digest"] for source in action.sources],
            trace_revision=action.trace.revision,
            position=action.position,
        ),
    )
