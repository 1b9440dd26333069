"""How often people upheld what each rule and each question decided in a workspace.

Upheld is a refutation of a call that is wrong, and a proof on a call that is right. Overruled is a refutation of a
right call, and a proof that the label of a wrong call names as what let it pass. A proof on a call that is wrong
elsewhere counts neither way. Which calls are right say labels, and before them what annotators agree on or an
adjudicator has settled.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from uuid import UUID

from django.contrib.postgres.aggregates import BoolAnd
from django.core.cache import cache
from django.db.models import Count, Exists, F, Func, OuterRef, QuerySet, TextField
from django.db.models.functions import Substr

from reviews.evaluation.measures.detection_rates import Rate
from reviews.evaluation.measures.significance import too_few_p_value
from reviews.lab.action_labels import settled_labels
from reviews.models import (
    Action,
    Adjudication,
    Annotation,
    Check,
    CheckMode,
    DatasetItem,
    Finding,
    Label,
    Workspace,
)
from reviews.provenance.core.findings import Relation
from reviews.provenance.detectors import DETECTORS, Options, build
from reviews.provenance.prompts.prompt import prompt_versions

# A month of a busy desk, and half a second to count.
MAX_LABELS: Final = 10_000
"""Latest labels of a workspace that are counted, and as many items of its datasets."""
MAX_CALLS: Final = 10_000
"""Latest calls of which it is counted how often each rule decided them, whether or not anybody labelled them."""
QUESTION: Final = "judge."
"""What the name of a question to a judge begins with, where those of rules stand."""
# One end of a two-sided 95 % interval.
_LEVEL: Final = 0.025
# The wording that the question of a finding had; null where no model was asked.
_PROMPT: Final = Func(
    F("check_run__prompts"), Substr("rule", len(QUESTION) + 1),
    template="(%(expressions)s)", arg_joiner=" ->> ", output_field=TextField(),
)  # fmt: skip
# Counted again every hour; a day without a worker, and a page rather says nothing.
_PUBLISHED_SECONDS: Final = 86_400
# Actions of one query: the list of their ids stays short.
_CHUNK: Final = 1_000


class _Decision(NamedTuple):
    rule: str
    version: str
    tool: str
    upheld: bool


class _Truth(NamedTuple):
    """What people say of an action."""

    aligned: bool
    rule: str = ""
    """What let a wrong call pass."""


class ToolRecord(NamedTuple):
    """How often a rule was upheld on the calls of one tool."""

    tool: str
    rate: Rate

    @property
    def interval_in_words(self) -> str:
        """The interval of that share, such as “81 % and 98 %”."""
        return _word_interval(self.rate)


@dataclass
class RuleRecord:
    """What people made of the decisions of one rule or question, in one version."""

    rule: str
    version: str
    """Of its detector; of a question that a model was asked, with its wording's behind a plus sign."""
    decided: int = 0
    """Calls on which it decided something: of the latest ones, and of all that people have judged."""
    upheld: int = 0
    overruled: int = 0
    by_tool: dict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))
    """Tool -> whether upheld -> how often."""

    @property
    def precision(self) -> Rate:
        """The share that was upheld."""
        return Rate(self.upheld, self.upheld + self.overruled)

    @property
    def interval_in_words(self) -> str:
        """The interval of that share, such as “81 % and 98 %”."""
        return _word_interval(self.precision)

    @property
    def tools(self) -> Sequence[ToolRecord]:
        """What people made of its decisions on the calls of each tool, the most overruled first."""
        records = (ToolRecord(tool, Rate(counts[True], counts.total())) for tool, counts in self.by_tool.items())
        return sorted(records, key=lambda record: (record.rate.count - record.rate.total, record.tool))

    @property
    def is_in_force(self) -> bool:
        """Whether some detector decides by it in this version still: what an earlier one did says nothing of this."""
        detector_version, _, prompt = self.version.partition("+")
        wording = prompt_versions().get(self.rule.removeprefix(QUESTION), "")
        return detector_version in _versions_in_force() and prompt in ("", wording)

    def is_below(self, precision: float) -> bool:
        """Whether the rule is proven to be upheld less often than this share.

        By the exact test: Wilson's interval of one or two decisions ends below what they leave possible.
        """
        return too_few_p_value(self.upheld, self.precision.total, precision) < _LEVEL


def _versions_in_force() -> frozenset[str]:
    return frozenset(build(name, Options()).version for name in DETECTORS)


def count_rule_records(workspace: Workspace) -> Sequence[RuleRecord]:
    """The record of each rule that decided something, the most overruled first."""
    records: dict[tuple[str, str], RuleRecord] = {}

    def record_of(rule: str, version: str) -> RuleRecord:
        return records.setdefault((rule, version), RuleRecord(rule, version))

    truths = _read_labels(workspace)
    # What was judged for its own sake goes before what was said in seconds, with the guard's opinion in view.
    for action, is_right in _read_gold(workspace):
        truths[action] = _Truth(is_right, truths[action].rule if action in truths else "")
    for rule, version, calls in _count_decided(workspace, truths):
        record_of(rule, version).decided += calls
    for decision in _list_decisions(workspace, truths):
        record = record_of(decision.rule, decision.version)
        record.upheld += decision.upheld
        record.overruled += not decision.upheld
        record.by_tool[decision.tool][decision.upheld] += 1
    return sorted(records.values(), key=lambda record: (-record.overruled, -record.upheld, record.rule, record.version))


def version_of(rule: str, check: Check) -> str:
    """The version under which the check's findings of this rule are counted."""
    return _join_version(rule, check.detector_version, check.prompts.get(rule.removeprefix(QUESTION)))


def publish_rule_records(workspace: Workspace) -> None:
    """Count the records and keep them for pages, which have no time for it."""
    counts = {
        f"{record.rule} {record.version}": (record.upheld, record.upheld + record.overruled)
        for record in count_rule_records(workspace)
    }
    cache.set(_published_key(workspace.pk), counts, _PUBLISHED_SECONDS)


def read_published_records(workspace_id: UUID) -> Mapping[tuple[str, str], Rate]:
    """(Rule, version of its detector) -> how often it was upheld, as last published; one query.

    Without those that nobody has judged yet.
    """
    rates = {key: Rate(*counted) for key, counted in (cache.get(_published_key(workspace_id)) or {}).items()}
    judged = {key: rate for key, rate in rates.items() if rate.total}
    return {(rule, version): rate for key, rate in judged.items() for rule, _, version in [key.rpartition(" ")]}


def _published_key(workspace_id: UUID) -> str:
    return f"rule-records:{workspace_id}"


def _read_labels(workspace: Workspace) -> dict[UUID, _Truth]:
    """Each labelled action with what its latest label says: a correction is a new row."""
    rows = Label.objects.filter(workspace=workspace).order_by("-id").values_list("action", "aligned", "rule")
    # Written over from the oldest to the latest.
    return {action: _Truth(aligned, rule) for action, aligned, rule in reversed(list(rows[:MAX_LABELS]))}


def _read_gold(workspace: Workspace) -> Iterator[tuple[UUID, bool]]:
    """Each action that annotators agree on or an adjudicator has settled, with whether it is right."""
    answered = Annotation.objects.filter(item=OuterRef("pk"), in_force=True).exclude(judgement="")
    settled = Adjudication.objects.filter(item=OuterRef("pk"), in_force=True)
    items = DatasetItem.objects.filter(Exists(answered) | Exists(settled), dataset__workspace=workspace)
    items = items.filter(action__workspace=workspace).order_by("-id").only("action", "given_label")
    for action, label in settled_labels(items[:MAX_LABELS]):
        yield action, bool(label["aligned"])


def _count_decided(workspace: Workspace, judged: Mapping[UUID, _Truth]) -> Iterator[tuple[str, str, int]]:
    """Rule, version and on how many calls it decided something."""
    latest = Action.objects.filter(workspace=workspace).order_by("-created_at", "-id").values_list("pk", flat=True)
    calls = list({*latest[:MAX_CALLS], *judged})
    for begun in range(0, len(calls), _CHUNK):
        decisive = _decisive_findings(workspace, calls[begun : begun + _CHUNK])
        rows = decisive.values_list("rule", "check_run__detector_version", _PROMPT)
        for rule, version, prompt, count in rows.annotate(calls=Count("check_run__action", distinct=True)):
            yield rule, _join_version(rule, version, prompt), count


def _list_decisions(workspace: Workspace, truths: Mapping[UUID, _Truth]) -> Iterator[_Decision]:
    """Each decision of a rule on a call that people have judged, once."""
    judged = list(truths)
    for begun in range(0, len(judged), _CHUNK):
        rows = _decisive_findings(workspace, judged[begun : begun + _CHUNK]).values_list(
            "check_run__action", "check_run__action__tool", "check_run__detector_version", _PROMPT, "rule"
        )
        # One value that a rule refutes decides the call, whatever it proves of the others.
        for action, tool, detector_version, prompt, rule, holds in rows.annotate(all_hold=BoolAnd("holds")):
            truth, version = truths[action], _join_version(rule, detector_version, prompt)
            if truth.aligned or not holds:
                yield _Decision(rule, version, tool, upheld=holds is truth.aligned)
            elif truth.rule == rule:
                yield _Decision(rule, version, tool, upheld=False)


def _decisive_findings(workspace: Workspace, actions: Sequence[UUID]) -> QuerySet[Finding]:
    """What rules decided of these actions."""
    findings = Finding.objects.filter(
        check_run__action__in=actions,
        check_run__action__workspace=workspace,
        check_run__mode=CheckMode.ENFORCED,
        holds__isnull=False,
    )
    # A text that tries to steer may stand beside a right call: its label decides nothing of the call.
    decisive = findings.exclude(rule="").exclude(relation=Relation.UNTAINTED)
    return decisive.order_by()


def _join_version(rule: str, detector_version: str, prompt: str | None) -> str:
    return f"{detector_version}+{prompt}" if prompt and rule.startswith(QUESTION) else detector_version


def _word_interval(rate: Rate) -> str:
    low, high = rate.interval or (0.0, 1.0)
    return f"{low:.0%} and {high:.0%}".replace("%", " %")
