"""Where each value of the call comes from, as the checks found it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Self

from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.evidence import read_span
from reviews.desk.text.near_misses import look_alike
from reviews.models import Finding
from reviews.provenance.core.context import Context, JsonValue, Span
from reviews.provenance.core.findings import Grounding, Relation
from reviews.provenance.detectors.injected import BESIDE_RULE
from reviews.provenance.doubts import other_field
from reviews.provenance.proofs import order_in_data

# What finds that a value stands in an order, or beside one.
_OF_ORDERS: Final = frozenset((order_in_data.RULE, BESIDE_RULE))
# Values whose look-alikes are searched for: each search reads the whole context.
MAX_SEARCHED: Final = 20


@dataclass(frozen=True)
class ValueOrigin:
    """Where a value comes from, before its row is built."""

    grounding: str
    """An engine `Grounding`, or a `PageOrigin`."""
    holds: bool | None
    spans: tuple[Span, ...] = ()
    """What it rests on, or what it goes against."""
    nearest: Span | None = None
    note: str = ""
    is_anothers_field: bool = False
    """What results call it is another parameter, and `nearest` is what they have for this one."""
    is_look_alike: bool = False
    """It looks like what is nearest to it, and is written with other characters."""
    is_beside_order: bool = False
    """A text that it rests on gives the agent orders: whoever wrote those may have written the value."""

    @property
    def failing(self) -> bool:
        """Whether it is known to be wrong, or another value fits as well."""
        return self.holds is False or self.grounding == Grounding.COMPETING

    @property
    def is_suspect(self) -> bool:
        """Whether something speaks against it, or nothing for it: more than that nobody has proven it yet."""
        origins = vocabulary.PageOrigin
        is_alone = self.grounding in (Grounding.UNGROUNDED, origins.INJECTED, origins.EXCHANGED)
        return self.failing or self.is_beside_order or (not self.holds and (is_alone or self.nearest is not None))

    @property
    def rank(self) -> int:
        """Sorts values by how much a person should look at them, the most first."""
        if self.failing:
            return 0
        if self.nearest:
            return 1
        return 4 if self.holds else 2 if self.is_suspect else 3


@dataclass(frozen=True)
class _Orders:
    """The orders to the agent that were found in what it read."""

    spans: tuple[Span, ...]
    """Those that a detector marked."""
    sources: frozenset[str]
    """The texts with an order that any detector found."""

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> Self:
        """What these findings tell of them."""
        telling = list(findings)
        labels = [finding for finding in telling if finding.relation == Relation.UNTAINTED and finding.holds is False]
        values = [finding for finding in telling if finding.rule in _OF_ORDERS]
        return cls(
            tuple(read_span(stored) for label in labels for stored in label.evidence),
            frozenset(stored["source"] for finding in (*labels, *values) for stored in finding.evidence),
        )


_UNCHECKED: Final = ValueOrigin(vocabulary.PageOrigin.UNCHECKED, None)


def trace_origins(
    context: Context, findings: Iterable[Finding], values: Mapping[str, JsonValue]
) -> Mapping[str, ValueOrigin]:
    """Where each value comes from; unchecked for one that no finding speaks of. Of two findings the later one counts.

    Nothing is traced for a page: what an agent sent may take minutes to trace, and a page has no process to spare.
    """
    findings = list(findings)
    orders = _Orders.of(findings)
    by_pointer = {finding.subject: finding for finding in findings if finding.relation == Relation.DERIVED_FROM}
    origins: dict[str, ValueOrigin] = {}
    for pointer in values:
        # The pointer and every pointer above it, the nearest first: a finding on a list speaks for its items.
        parts = pointer.split("/")
        prefixes = ["/".join(parts[:length]) for length in range(len(parts), 1, -1)]
        finding = next((by_pointer[prefix] for prefix in prefixes if prefix in by_pointer), None)
        origins[pointer] = _read_origin(finding, orders) if finding else _UNCHECKED
    return origins | _find_look_alikes(context, values, origins)


def _read_origin(finding: Finding, orders: _Orders) -> ValueOrigin:
    spans = tuple(map(read_span, finding.evidence))
    grounding = vocabulary.name_origin(finding)
    # What stands in an order alone is no honest copy, whatever else was made of it.
    is_ordered = bool(spans) and all(any(_is_within(span, order) for order in orders.spans) for span in spans)
    return ValueOrigin(
        grounding=vocabulary.PageOrigin.INJECTED if is_ordered else grounding,
        holds=None if is_ordered and finding.holds else finding.holds,
        spans=spans,
        nearest=read_span(finding.nearest) if finding.nearest else None,
        note=finding.rationale,
        is_anothers_field=finding.rule == other_field.RULE,
        is_beside_order=any(span.source in orders.sources for span in spans),
    )


def _is_within(span: Span, order: Span) -> bool:
    return span.source == order.source and order.start <= span.start and span.end <= order.end


def _find_look_alikes(
    context: Context, values: Mapping[str, JsonValue], origins: Mapping[str, ValueOrigin]
) -> dict[str, ValueOrigin]:
    """The values that stand nowhere and look like one that does."""
    nowhere = [
        (pointer, value)
        for pointer, value in values.items()
        if isinstance(value, str) and not origins[pointer].holds and not origins[pointer].nearest
    ]
    alike: dict[str, ValueOrigin] = {}
    for pointer, value in nowhere[:MAX_SEARCHED]:
        twin = look_alike(value, context)
        if twin:
            origin = origins[pointer]
            note = f"It looks like “{twin.quote}” in {vocabulary.name_place(twin.source)}, and is written otherwise."
            alike[pointer] = ValueOrigin(
                Grounding.UNGROUNDED, origin.holds, origin.spans, twin, note, is_look_alike=True
            )
    return alike
