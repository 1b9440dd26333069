"""Waiting items that are alike: one tool, one finding, arguments of one shape."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from statistics import median
from typing import Any, Final
from uuid import UUID

from django.db.models import Case, F, Func, IntegerField, JSONField, OuterRef, Subquery, When
from django.db.models.functions import Coalesce, Substr

from reviews.models import Action, Check, Finding, Membership, Step, StepKind
from reviews.provenance.core.pointers import pointer_to
from reviews.queue.filtering import Selection, select_reviews, stopped_by, strongest
from reviews.queue.ordering import QUEUE_ORDER

# Items that are looked at, from the top of the queue: a flood shows in the first hundred.
MAX_GROUPED: Final = 1_000
# Bytes of arguments that are read for it. Larger ones are alike only when they are the same.
MAX_ARGUMENTS_SIZE: Final = 20_000
# Arguments that are compared: a person reads no longer table of them.
MAX_LEAVES: Final = 40
# Characters of a request in the table: a line or two of its column.
MAX_REQUEST: Final = 200
# Characters of a value and of an argument's name in the table; what is longer looks like another that begins like it.
MAX_SHOWN: Final = 160
MAX_NAME_SHOWN: Final = 60
# Of ten items at least eight share a value that counts as the common one.
COMMON_SHARE: Final = 0.8
# A number this many times larger or smaller than the middle one stands out.
FAR_FACTOR: Final = 3


@dataclass(frozen=True)
class GroupedItem:
    """One waiting item of a group."""

    review_id: UUID
    action_id: UUID
    agent: str
    risk: str
    created_at: datetime
    reason: str
    """Why it stopped, in one sentence."""
    values: Mapping[str, Any]
    """Value of each argument, by its JSON Pointer."""

    @cached_property
    def compared_values(self) -> dict[str, Any]:
        """What items are compared by: their arguments, and who proposes them at which risk."""
        return {**self.values, "agent": self.agent, "risk": self.risk}


@dataclass(frozen=True)
class ItemGroup:
    """Items equal in tool, finding and shape of arguments, in the order of the queue."""

    key: str
    tool: str
    stopped_by: str
    """A type of failure, `undetermined`, `unproven`, or empty."""
    shape: str
    """Digest of the names and types of the arguments, and of what does not hold of them."""
    items: list[GroupedItem] = field(default_factory=list)

    @cached_property
    def common_values(self) -> dict[str, Any]:
        """The values that nearly all items share, by JSON Pointer."""
        return {
            pointer: value for pointer, value, count in self._most_common() if count >= COMMON_SHARE * len(self.items)
        }

    @cached_property
    def shared_values(self) -> dict[str, Any]:
        """Those of the common values that all items share, without exception."""
        return {pointer: value for pointer, value, count in self._most_common() if count == len(self.items)}

    @property
    def usual_values(self) -> dict[str, Any]:
        """Those of the common values from which some items differ."""
        return {pointer: value for pointer, value in self.common_values.items() if pointer not in self.shared_values}

    @property
    def varied(self) -> list[str]:
        """The pointers whose values are not the same for nearly all."""
        common = self.common_values
        return [pointer for pointer in self.items[0].values if pointer not in common]

    def _most_common(self) -> Iterable[tuple[str, Any, int]]:
        columns: dict[str, Counter[str]] = defaultdict(Counter)
        for item in self.items:
            for pointer, value in item.compared_values.items():
                columns[pointer][json.dumps(value)] += 1
        for pointer, counter in columns.items():
            value, count = counter.most_common(1)[0]
            yield pointer, json.loads(value), count

    def find_outliers(self) -> dict[UUID, list[str]]:
        """The items that differ from nearly all others, each with the pointers at which they do."""
        common = self.common_values
        middles = _middles_of(self.items, common)
        outliers = {}
        for item in self.items:
            values = item.compared_values
            # As JSON: to Python a list of 1 equals a list of true.
            apart = [at for at, value in common.items() if json.dumps(values.get(at)) != json.dumps(value)]
            apart += [pointer for pointer, middle in middles.items() if _is_far(values.get(pointer), middle)]
            if apart:
                outliers[item.review_id] = apart
        return outliers


def group_items(membership: Membership, selection: Selection) -> list[ItemGroup]:
    """The groups among the first items of the selection, the largest first."""
    rows = _read_items(membership, selection)
    findings = _findings_by_action([row.action_id for row in rows])
    groups: dict[str, ItemGroup] = {}
    for row in rows:
        values = flatten_arguments(row.small)
        stopped, failing = findings.get(row.action_id, ("", ()))
        shape = shape_of(values, failing, row.action__digest)
        key = _digest_parts([row.action__tool, stopped, shape])
        group = groups.setdefault(key, ItemGroup(key, row.action__tool, stopped, shape))
        agent = row.action__agent__name
        risk, at = row.action__risk, row.created_at
        group.items.append(GroupedItem(row.pk, row.action_id, agent, risk, at, row.reason, values or {}))
    return sorted(groups.values(), key=lambda group: -len(group.items))


def requests_behind(actions: Sequence[UUID]) -> dict[UUID, str]:
    """What the user had asked last before each action: the beginning of it."""
    messages = Step.objects.filter(
        trace=OuterRef("trace"), kind=StepKind.USER, position__lte=OuterRef("position")
    ).order_by("-position")
    # In the database: a request may be as long as a whole conversation.
    body = Coalesce(Subquery(messages.values("text__body")[:1]), F("trace__query__body"))
    rows = Action.objects.filter(pk__in=actions).order_by()
    return dict(rows.values_list("pk", Substr(body, 1, MAX_REQUEST)))


def flatten_arguments(arguments: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The leaves of some arguments by their pointers, a list being one; None where they are too many to compare."""
    leaves: dict[str, Any] = {}
    waiting: list[tuple[str, Any]] = [("", arguments)]
    while waiting:
        at, value = waiting.pop()
        # An empty object below the root has no leaf of its own, and is no missing one.
        if isinstance(value, dict) and (value or not at):
            waiting += [(at + pointer_to(name), inner) for name, inner in reversed(value.items())]
        else:
            leaves[at] = value
        if len(leaves) + len(waiting) > MAX_LEAVES:
            return None
    return None if arguments is None else leaves


def is_shown_whole(values: Mapping[str, Any] | None) -> bool:
    """Whether a table of these leaves shows all of each."""
    return values is not None and all(
        len(pointer) <= MAX_NAME_SHOWN and len(json.dumps(value, ensure_ascii=False)) <= MAX_SHOWN
        for pointer, value in values.items()
    )


def shape_of(values: Mapping[str, Any] | None, failing: Sequence[str], digest: str) -> str:
    """Digest of the pointers and types of these leaves, and of the relations that fail, each with its subject.

    What has too many leaves to compare (None) is alike only when it is the same, by its `digest`.
    """
    types = [digest] if values is None else sorted(f"{pointer} {_type_of(value)}" for pointer, value in values.items())
    return _digest_parts([*types, "", *failing])


def failing_relations(actions: Sequence[UUID]) -> dict[UUID, tuple[str, ...]]:
    """The relations that do not hold of each action, each with its subject, for those of which some do not."""
    facts: dict[UUID, set[str]] = defaultdict(set)
    failing = Finding.objects.filter(check_run__action__in=actions, check_run__mode="enforced", holds=False)
    for action, relation, subject in failing.values_list("check_run__action_id", "relation", "subject"):
        facts[action].add(f"{relation} {subject}")
    return {action: tuple(sorted(relations)) for action, relations in facts.items()}


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def _digest_parts(parts: Sequence[str]) -> str:
    # Sixteen digits tell a thousand groups apart.
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _read_items(membership: Membership, selection: Selection) -> list[Any]:
    """The first items of the selection; `small` holds the arguments, unless they are large."""
    size = Func(F("action__arguments"), function="pg_column_size", output_field=IntegerField())
    small = Case(When(size__lte=MAX_ARGUMENTS_SIZE, then=F("action__arguments")), output_field=JSONField())
    items = select_reviews(membership, selection).select_related(None).order_by(*QUEUE_ORDER)
    of_action = ("action_id", "action__tool", "action__digest", "action__agent__name", "action__risk")
    columns = ("pk", *of_action, "created_at", "reason", "small")
    return list(items.annotate(size=size, small=small).values_list(*columns, named=True)[:MAX_GROUPED])


def _findings_by_action(actions: Sequence[UUID]) -> dict[UUID, tuple[str, tuple[str, ...]]]:
    """What stopped each action: the type of the strongest objection, and the relations that do not hold."""
    objections: dict[UUID, list[str]] = defaultdict(list)
    checks = Check.objects.enforced().filter(action__in=actions).in_profile_order()
    for action, verdict, misalignment, established in checks.values_list(
        "action_id", "verdict", "misalignment", "established"
    ):
        objections[action].append(stopped_by(verdict, misalignment, established=established))
    failing = failing_relations(actions)
    return {action: (strongest(types), failing.get(action, ())) for action, types in objections.items()}


def _middles_of(items: Sequence[GroupedItem], common: Mapping[str, Any]) -> dict[str, float]:
    """The middle of each argument that is a number and not the same for nearly all."""
    columns: dict[str, list[float]] = defaultdict(list)
    for item in items:
        for pointer, value in item.values.items():
            if pointer not in common and isinstance(value, int | float) and not isinstance(value, bool):
                columns[pointer].append(value)
    return {pointer: median(numbers) for pointer, numbers in columns.items()}


def _is_far(value: Any, middle: float) -> bool:
    """Whether a number is much larger or smaller than the middle one."""
    if not isinstance(value, int | float) or isinstance(value, bool) or middle <= 0:
        return False
    return not middle / FAR_FACTOR <= value <= middle * FAR_FACTOR
