"""A call of an experiment as a reviewer would read it, with what one arm found of it."""

from dataclasses import asdict, replace

from reviews.checks.findings import build_findings, build_interpretations
from reviews.desk.actions.page import ESTABLISHED, review_of
from reviews.desk.review.case.reasons import Reason
from reviews.desk.review.page import CaseFile, open_casefile
from reviews.lab.experiment_calls import Subject, action_of
from reviews.lab.experiments import profile_of_arm
from reviews.models import Action, Check, ExperimentVerdict, Review, ToolSet, VerdictLabel
from reviews.provenance.core.context import Case
from reviews.provenance.core.verdicts import Verdict
from reviews.records.verdicts import verdict_columns


def open_arm_file(subject: Subject, row: ExperimentVerdict, case: Case, verdict: Verdict) -> CaseFile:
    """The page's content, read-only; nothing of it is stored."""
    action = action_of(subject) or _imported_action(row, case)
    check = Check(
        action=action,
        detector=row.arm.detector,
        judge=row.arm.configuration.get("judge", ""),
        established=verdict.established,
        **verdict_columns(verdict) | {"usage": row.usage, "seconds": row.seconds},
    )
    # What the page reads as rows; a check that is stored has them by a prefetch.
    vars(check)["_prefetched_objects_cache"] = {
        "findings": build_findings(check, verdict),
        "interpretations": build_interpretations(check, verdict),
    }
    file = open_casefile(_review_of(action), [check], case=case)
    return file if check.verdict != VerdictLabel.ALIGNED else _under_pass(file, row)


def _review_of(action: Action) -> Review:
    """One that is not stored, also where the recorded call had one: its reasons are not this arm's."""
    review = review_of(action)
    return review if review._state.adding else Review(workspace_id=action.workspace_id, action=action)


def _imported_action(row: ExperimentVerdict, case: Case) -> Action:
    """An imported call as an action that is not stored, under the profile in force."""
    workspace = row.arm.experiment.workspace_id
    return Action(
        workspace_id=workspace,
        tool=case.action.tool,
        arguments=dict(case.action.arguments),
        subtask=case.action.subtask or "",
        profile=profile_of_arm(row.arm),
        tool_set=ToolSet(workspace_id=workspace, tools=[asdict(tool) for tool in case.context.tools]),
    )


def _under_pass(file: CaseFile, row: ExperimentVerdict) -> CaseFile:
    """The file of a call that passed, with that in the place of the reason to stop."""
    is_established = not file.panel.is_unproven
    headline = Reason(f"{row.arm.detector} lets it pass", ESTABLISHED if is_established else "")
    further = file.reasons[1:] if is_established else file.reasons
    return replace(file, reasons=[headline, *further], main_reasons=[headline], folded=list(further))
