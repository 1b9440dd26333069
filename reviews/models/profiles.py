"""How a workspace guards: immutable versions, the highest is in force."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.base import Record
from reviews.models.workspaces import Workspace

# The one that works without a language model.
DEFAULT_DETECTORS = ("provenance-guard",)
"""What the first profile of a workspace enforces."""


class JudgeKind(models.TextChoices):
    """A kind of judge, which answers what rules cannot."""

    RULES = "rules", "Rules only"
    OPENAI = "openai", "Rules, then an LLM"


class OnUnknown(models.TextChoices):
    """What a call means that nothing speaks against, but that could not be established either."""

    REVIEW = "review", "A person looks"
    REVIEW_GRAVE = "review_grave", "A person looks if it is grave"
    PASS = "pass", "It passes"


class UserConfirms(models.TextChoices):
    """The calls that the acting user may be asked to confirm."""

    NEVER = "never", "Never"
    MILD = "mild", "Calls that are not grave"
    ANY = "any", "Grave calls, too"


class StepAggregate(models.TextChoices):
    """What multi-step evaluation makes of the probabilities of single calls (InferAct paper, appendix F)."""

    PRODUCT = "product", "Their product"
    MIN = "min", "The least"
    MAX = "max", "The greatest"
    MEAN = "mean", "Their mean"


class ToolPolicy(models.TextChoices):
    """A workspace's standing order for one tool."""

    ALWAYS_REVIEW = "always_review", "Always review"
    TWO_PEOPLE = "two_people", "Two people approve"
    ALWAYS_ALLOW = "always_allow", "Always allow"
    DENY = "deny", "Deny"


class GuardProfile(Record):
    """One version of a workspace's choices. Never changed: a verdict names the version it was made under."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="guard_profiles")
    version = models.PositiveIntegerField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    detectors = models.JSONField(default=list)
    """Names of the enforced detectors."""
    # 1 is the strictest choice: a new workspace lets nothing pass that any of its detectors objects to.
    objections = models.PositiveSmallIntegerField(default=1)
    """How many enforced detectors must not find the call aligned before a person looks: 1 is any, 2 of 3 is 2."""
    shadow = models.JSONField(default=list)
    """Names of detectors that run beside them: recorded, never seen by the agent, shown after the decision."""
    thresholds = models.JSONField(default=dict)
    """Name of a detector -> the least score with which it passes a call; 0.5 where none is named."""
    # With a default of the database as well: the release before goes on saving profiles during an upgrade.
    calibrations = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    """Name of a detector -> what makes its scores probabilities for people to read: `method` with its numbers, the
    `version` of the detector and the `judge` that it was learned for, and from how many `labels`. Decides nothing."""
    # Both with a default of the database as well: the release before goes on saving profiles during an upgrade.
    suspicion = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    """The latest model of which findings speak for a wrong call: `intercept` and `weights`, with what it was learned
    from; empty before one was learned."""
    # False: a model that nobody has looked at orders nothing.
    orders_queue = models.BooleanField(default=False, db_default=False)
    """Whether that model orders calls of one priority that expire within the same quarter of an hour."""
    critical_actions = models.JSONField(default=list)
    """What detectors of critical actions look at: `tool`, and if need be `pointer`, `operator` and `value`."""
    # 2 as in the IntentGuard paper.
    rewrites = models.PositiveSmallIntegerField(default=2)
    """R: how often an agent may rewrite its plan in one trace."""
    # 3 as in the InferAct paper. With defaults of the database as well: the release before goes on saving profiles
    # during an upgrade.
    retry_rounds = models.PositiveSmallIntegerField(default=3, db_default=3)
    """How often an agent may try one call again after a person has sent it back."""
    # The product did best of the four (InferAct paper, appendix F).
    aggregate = models.CharField(
        max_length=16, choices=StepAggregate.choices, default=StepAggregate.PRODUCT, db_default=StepAggregate.PRODUCT
    )
    """What multi-step evaluation makes of the probabilities of single calls."""
    # False: it costs a question more, and an agent that names its steps needs none.
    reconstruct_subtasks = models.BooleanField(default=False, db_default=False)
    """Have the judge infer which step a call serves, where the agent names none."""
    # 5 as in the IntentGuard paper.
    window = models.PositiveSmallIntegerField(default=5, db_default=5)
    """h: how many of an agent's latest calls the tool gate judges together, the proposed one included."""
    # False: a person sees what was stopped, and may overrule it.
    sends_back = models.BooleanField(default=False, db_default=False)
    """Where the tool gate alone asks for another plan, send the agent back to it without a person."""
    judge = models.CharField(max_length=16, choices=JudgeKind.choices, default=JudgeKind.RULES)
    model = models.CharField(max_length=120, blank=True)
    """Model of the LLM judge; empty for the configured default."""
    question_models = models.JSONField(default=dict)
    """Name of a question -> the model that answers it instead."""
    daily_tokens = models.PositiveBigIntegerField(null=True)
    """Most tokens the judge may use a day (UTC); null for no limit."""
    daily_usd = models.DecimalField(max_digits=12, decimal_places=2, null=True)
    """Most US dollars the judge may cost a day (UTC); null for no limit."""
    # Fail closed: what nobody could establish goes to a person unless the workspace says otherwise.
    on_unknown = models.CharField(max_length=16, choices=OnUnknown.choices, default=OnUnknown.REVIEW)
    # Never: whoever holds the link answers for the user, and a workspace has to know to whom it would go.
    user_confirms = models.CharField(
        max_length=8, choices=UserConfirms.choices, default=UserConfirms.NEVER, db_default=UserConfirms.NEVER
    )
    """Which calls that wait the acting user may be asked to confirm."""
    # False: the agent's process would hold what approves its own call.
    agents_ask_user = models.BooleanField(default=False, db_default=False)
    """An agent's key may ask for the link, not only a reviewer."""
    # 0: whoever wants a sample of what passed unseen has somebody who looks at it.
    audit_rate = models.FloatField(default=0)
    """Share of the calls that pass without a person which are drawn for audit, 0 to 1."""
    # False: the annotation comes from the server of the tool, which is the party that is guarded against.
    trust_annotations = models.BooleanField(default=False)
    """Believe `readOnlyHint` in the tool documents agents submit."""
    source_trust = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    """Name of a tool, or `source/` and the name of a text -> who can write it (`core.trust.TrustClass`)."""
    # Both with a default of the database as well: the release before goes on saving profiles during an upgrade.
    min_rule_precision = models.FloatField(null=True)
    """The least share of its decisions in which a rule must be upheld, 0 to 1; null asks for none."""
    suspended_rules = models.JSONField(default=list, db_default=[])
    """Names of rules that fell below it: what they decide is open here, until a person switches them on again."""
    tool_policies = models.JSONField(default=dict)
    """Tool name -> `ToolPolicy`, matched exactly."""
    # An hour: a person on duty gets to it, and an approval is not so late that the world has changed under the call.
    expires_in = models.PositiveIntegerField(default=3600)
    """Seconds an action may wait for a person."""
    # An hour, as for the wait before it: an approval is a judgement on the world as it was then.
    execute_within = models.PositiveIntegerField(default=3600)
    """Seconds after its decision within which an approved call may be started, never after the action's expiry."""
    # Two minutes: a reviewer who reads renews the claim, and one who left holds nothing up for long.
    claim_seconds = models.PositiveIntegerField(default=120)
    """Seconds a reviewer holds an item without touching it."""
    # Five seconds: a slip is noticed within two or three, and an agent hardly notices the wait. With a default of the
    # database as well: the release before goes on saving profiles during an upgrade.
    hold_seconds = models.PositiveSmallIntegerField(default=5, db_default=5)
    """Seconds for which a person's approval can be taken back before the agent is told of it; 0 tells at once."""

    # Rules take milliseconds on ordinary calls; what takes half a minute was made to.
    check_seconds = models.PositiveSmallIntegerField(default=30)
    """Seconds after its start at which a check that rules alone decide is stopped, for a person to look."""
    # A handful of questions, each with a retry, and still short enough for an agent to wait.
    check_seconds_judge = models.PositiveSmallIntegerField(default=120)
    """The same for a check that an LLM judges."""

    class Meta:
        constraints = [
            # Two administrators who save at once must not both make the next version.
            models.UniqueConstraint(fields=["workspace", "version"], name="a_workspace_has_one_profile_per_version"),
            models.CheckConstraint(condition=Q(judge__in=JudgeKind.values), name="a_profile_names_a_known_judge"),
            models.CheckConstraint(
                condition=Q(aggregate__in=StepAggregate.values), name="a_profile_names_a_known_aggregate"
            ),
            models.CheckConstraint(
                condition=Q(user_confirms__in=UserConfirms.values), name="a_profile_says_what_users_confirm"
            ),
            models.CheckConstraint(
                condition=Q(on_unknown__in=OnUnknown.values), name="a_profile_says_what_unknown_means"
            ),
            # Counted up by 1 / probability, a sample tells the whole only if its probability is one.
            models.CheckConstraint(
                condition=Q(audit_rate__gte=0, audit_rate__lte=1), name="a_profile_audits_a_share_of_calls"
            ),
            # A minute: whoever needs longer to think must not approve yet.
            models.CheckConstraint(
                condition=Q(hold_seconds__gte=0, hold_seconds__lte=60), name="a_profile_holds_approvals_up_to_a_minute"
            ),
            models.CheckConstraint(
                condition=Q(min_rule_precision__gt=0, min_rule_precision__lte=1),
                name="a_profile_asks_for_a_share_of_upheld_decisions",
            ),
            # With 0 every action would expire before anyone can see it.
            models.CheckConstraint(condition=Q(expires_in__gte=1), name="a_profile_lets_actions_expire"),
            # With 0 no check would ever come to an end but that.
            models.CheckConstraint(
                condition=Q(check_seconds__gte=1, check_seconds_judge__gte=1), name="a_profile_gives_checks_time"
            ),
            # With 0 no approved call could ever run.
            models.CheckConstraint(condition=Q(execute_within__gte=1), name="a_profile_lets_approved_calls_run"),
            # A budget of nothing would look like a limit and stop every check; null stands for no limit.
            models.CheckConstraint(condition=Q(daily_tokens__gte=1), name="a_token_budget_allows_something"),
            models.CheckConstraint(condition=Q(daily_usd__gt=0), name="a_dollar_budget_allows_something"),
            # With 0 no objection would ever bring a call before a person.
            models.CheckConstraint(condition=Q(objections__gte=1), name="a_profile_lets_some_objection_count"),
        ]
        ordering = ["-version"]

    def __str__(self) -> str:
        return f"{self.workspace} v{self.version}"

    @property
    def seconds_of_a_check(self) -> int:
        """How long a check under this version may take, from the start of its first attempt."""
        return self.check_seconds if self.judge == JudgeKind.RULES else self.check_seconds_judge
