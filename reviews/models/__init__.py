"""Tables, one file a concept. No workflow lives here."""

from reviews.models.actions import OPEN, Action, Execution, IdempotencyKey, OutcomeStatus, Risk, Status
from reviews.models.audit import AuditEvent
from reviews.models.checks import (
    Check,
    CheckMode,
    CheckStatus,
    Examination,
    Finding,
    Interpretation,
    MisalignmentType,
    Plan,
    PlanAnswer,
    VerdictLabel,
)
from reviews.models.contents import Text, ToolSet
from reviews.models.decisions import RUNNABLE, DecidedBy, Decision, Outcome
from reviews.models.labels import Label, LabelSource
from reviews.models.profiles import GuardProfile, JudgeKind, OnUnknown, ToolPolicy
from reviews.models.reviews import Review
from reviews.models.spending import JudgeSpend
from reviews.models.traces import Step, StepKind, Trace
from reviews.models.workspaces import Agent, AgentKey, Invitation, Membership, Role, Workspace

__all__ = [
    "OPEN",
    "RUNNABLE",
    "Action",
    "Agent",
    "AgentKey",
    "AuditEvent",
    "Check",
    "CheckMode",
    "CheckStatus",
    "DecidedBy",
    "Decision",
    "Examination",
    "Execution",
    "Finding",
    "GuardProfile",
    "IdempotencyKey",
    "Interpretation",
    "Invitation",
    "JudgeKind",
    "JudgeSpend",
    "Label",
    "LabelSource",
    "Membership",
    "MisalignmentType",
    "OnUnknown",
    "Outcome",
    "OutcomeStatus",
    "Plan",
    "PlanAnswer",
    "Review",
    "Risk",
    "Role",
    "Status",
    "Step",
    "StepKind",
    "Text",
    "ToolPolicy",
    "ToolSet",
    "Trace",
    "VerdictLabel",
    "Workspace",
]
