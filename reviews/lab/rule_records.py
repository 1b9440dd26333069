"""How often people upheld what each rule and each question decided in a workspace.

Upheld is a refutation of a call that was labelled wrong, and a proof on a call that was labelled right. Overruled is a
refutation of a right call, and a proof that the label of a wrong call names as what let it pass. A proof on a call that
is wrong elsewhere counts neither way.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from uuid import UUID

from django.core.cache import cache

from reviews.evaluation.measures.metrics import Rate
from reviews.models import CheckMode, Finding, Label, Workspace

# A month of a busy desk, and half a second to count.
MAX_LABELS: Final = 10_000
"""Latest labels of a workspace that are counted."""
# Counted again every hour; a day without a worker, and a page rather says nothing.
_PUBLISHED_SECONDS: Final = 86_400
# Actions of one query: the list of their ids stays short.
_CHUNK: Final = 1_000


class _Decision(NamedTuple):
    rule: str
    version: str
    """Of the detector that asked it."""
    tool: str
    upheld: bool


class _Latest(NamedTuple):
    """What the latest label says of an action."""

    aligned: bool
    rule: str


@dataclass
class RuleRecord:
    """What people made of the decisions of one rule or question, in one version of its detector."""

    rule: str
    version: str
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
        low, high = self.precision.interval or (0.0, 1.0)
        return f"{low:.0%} and {high:.0%}".replace("%", " %")

    @property
    def overruled_tools(self) -> Sequence[tuple[str, Rate]]:
        """Tools on whose calls it was overruled with the share upheld there, the most overruled first."""
        rates = ((tool, Rate(counts[True], counts.total())) for tool, counts in self.by_tool.items() if counts[False])
        return sorted(rates, key=lambda pair: (pair[1].count - pair[1].total, pair[0]))

    def is_below(self, precision: float) -> bool:
        """Whether the rule is proven to be upheld less often: even the upper end of the interval lies below."""
        interval = self.precision.interval
        return interval is not None and interval[1] < precision


def count_rule_records(workspace: Workspace) -> Sequence[RuleRecord]:
    """The record of each rule that decided a labelled call, the most overruled first."""
    records: dict[tuple[str, str], RuleRecord] = {}
    for decision in _decisions(workspace, _latest_labels(workspace)):
        record = records.setdefault((decision.rule, decision.version), RuleRecord(decision.rule, decision.version))
        record.upheld += decision.upheld
        record.overruled += not decision.upheld
        record.by_tool[decision.tool][decision.upheld] += 1
    return sorted(records.values(), key=lambda record: (-record.overruled, -record.upheld, record.rule))


def publish_rule_records(workspace: Workspace) -> None:
    """Count the records and keep them for pages, which have no time for it."""
    counts = {
        f"{record.rule} {record.version}": (record.upheld, record.upheld + record.overruled)
        for record in count_rule_records(workspace)
    }
    cache.set(_published_key(workspace.pk), counts, _PUBLISHED_SECONDS)


def read_published_records(workspace_id: UUID) -> Mapping[tuple[str, str], Rate]:
    """(Rule, version of its detector) -> how often it was upheld, as last published; one query."""
    counts = cache.get(_published_key(workspace_id)) or {}
    return {(rule, version): Rate(*rate) for key, rate in counts.items() for rule, _, version in [key.rpartition(" ")]}


def _published_key(workspace_id: UUID) -> str:
    return f"rule-records:{workspace_id}"


def _latest_labels(workspace: Workspace) -> Mapping[UUID, _Latest]:
    """Each labelled action with its latest label: a correction is a new row."""
    rows = Label.objects.filter(workspace=workspace).order_by("-id").values_list("action", "aligned", "rule")
    # Written over from the oldest to the latest.
    return {action: _Latest(aligned, rule) for action, aligned, rule in reversed(list(rows[:MAX_LABELS]))}


def _decisions(workspace: Workspace, labels: Mapping[UUID, _Latest]) -> Iterator[_Decision]:
    """Each decision of a rule on a call, once."""
    labelled = list(labels)
    for begun in range(0, len(labelled), _CHUNK):
        rows = (
            Finding.objects.filter(
                check_run__action__in=labelled[begun : begun + _CHUNK],
                check_run__action__workspace=workspace,
                check_run__mode=CheckMode.ENFORCED,
                holds__isnull=False,
            )
            .exclude(rule="")
            .order_by()
            .values_list("check_run__action", "check_run__action__tool", "check_run__detector_version", "rule", "holds")
            .distinct()
        )
        for action, tool, version, rule, holds in rows:
            label = labels[action]
            if label.aligned or not holds:
                yield _Decision(rule, version, tool, upheld=holds is label.aligned)
            elif label.rule == rule:
                yield _Decision(rule, version, tool, upheld=False)
