"""Tables, one file a concept. No workflow lives here."""

from reviews.models.actions import (
    OPEN,
    Action,
    Execution,
    IdempotencyKey,
    ModelResponse,
    OutcomeStatus,
    Risk,
    Status,
)
from reviews.models.annotations import Adjudication, AdjudicationMethod, Annotation, Draft, Judged, Judgement
from reviews.models.audit import ROLE_VERBS, AuditEvent
from reviews.models.campaigns import Annotator, Assignment, Campaign, CampaignState, ItemChoice
from reviews.models.canaries import Canary
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
from reviews.models.datasets import Dataset, DatasetItem, DatasetVersion, Origin, Tombstone, VersionEntry
from reviews.models.decisions import RUNNABLE, DecidedBy, Decision, Outcome
from reviews.models.deliveries import DeliveryStatus
from reviews.models.events import ActionEvent, EventType
from reviews.models.experiments import Experiment, ExperimentArm, ExperimentCall, ExperimentKind, ExperimentVerdict
from reviews.models.figures import DayFigures
from reviews.models.jobs import ExportFormat, ExportJob, ImportJob, ImportProblem, Job, JobStatus
from reviews.models.labels import Label, LabelSource
from reviews.models.notifications import Notification, NotificationChannel, NotificationPreference
from reviews.models.profiles import (
    DEFAULT_DETECTORS,
    GuardProfile,
    JudgeKind,
    OnUnknown,
    StepAggregate,
    ToolPolicy,
    UserConfirms,
)
from reviews.models.reviews import Comment, Review, ReviewAssignment
from reviews.models.saved_views import SavedPage, SavedView
from reviews.models.search import ActionText
from reviews.models.spending import JudgeSpend
from reviews.models.timed_orders import OrderedDecision, TimedOrder
from reviews.models.traces import Step, StepKind, Trace
from reviews.models.verdict_sights import VerdictSight
from reviews.models.webhooks import TEST_EVENT, WebhookDelivery, WebhookEndpoint
from reviews.models.workspaces import (
    KEY_PREFIX,
    TEST_KEY_PREFIX,
    Agent,
    AgentKey,
    Invitation,
    Membership,
    Role,
    Workspace,
)

__all__ = [
    "DEFAULT_DETECTORS",
    "KEY_PREFIX",
    "OPEN",
    "ROLE_VERBS",
    "RUNNABLE",
    "TEST_EVENT",
    "TEST_KEY_PREFIX",
    "Action",
    "ActionEvent",
    "ActionText",
    "Adjudication",
    "AdjudicationMethod",
    "Agent",
    "AgentKey",
    "Annotation",
    "Annotator",
    "Assignment",
    "AuditEvent",
    "Campaign",
    "CampaignState",
    "Canary",
    "Check",
    "CheckMode",
    "CheckStatus",
    "Comment",
    "Dataset",
    "DatasetItem",
    "DatasetVersion",
    "DayFigures",
    "DecidedBy",
    "Decision",
    "DeliveryStatus",
    "Draft",
    "EventType",
    "Examination",
    "Execution",
    "Experiment",
    "ExperimentArm",
    "ExperimentCall",
    "ExperimentKind",
    "ExperimentVerdict",
    "ExportFormat",
    "ExportJob",
    "Finding",
    "GuardProfile",
    "IdempotencyKey",
    "ImportJob",
    "ImportProblem",
    "Interpretation",
    "Invitation",
    "ItemChoice",
    "Job",
    "JobStatus",
    "JudgeKind",
    "JudgeSpend",
    "Judged",
    "Judgement",
    "Label",
    "LabelSource",
    "Membership",
    "MisalignmentType",
    "ModelResponse",
    "Notification",
    "NotificationChannel",
    "NotificationPreference",
    "OnUnknown",
    "OrderedDecision",
    "Origin",
    "Outcome",
    "OutcomeStatus",
    "Plan",
    "PlanAnswer",
    "Review",
    "ReviewAssignment",
    "Risk",
    "Role",
    "SavedPage",
    "SavedView",
    "Status",
    "Step",
    "StepAggregate",
    "StepKind",
    "Text",
    "TimedOrder",
    "Tombstone",
    "ToolPolicy",
    "ToolSet",
    "Trace",
    "UserConfirms",
    "VerdictLabel",
    "VerdictSight",
    "VersionEntry",
    "WebhookDelivery",
    "WebhookEndpoint",
    "Workspace",
]
