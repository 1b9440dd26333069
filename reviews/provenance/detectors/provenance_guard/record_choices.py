"""Which of several records that answer the request by rule is meant: one question to the judge, if there is one."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from reviews.provenance.core.context import Case, Context, JsonValue, SourceKind, Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.pointers import name_of
from reviews.provenance.detectors.parameter_classes import DerivableParameters
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.support import locate
from reviews.provenance.grounding import Competing, Grounded
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.provenance_guard import RecordChoice

# Records a question lists, the proposed one among them: with more, the request is too open for any of them to be meant.
_MOST_RECORDS: Final = 11
# Characters around a value that are shown on either side: most of a record, and not the whole document again.
_SURROUNDINGS: Final = 150
_POINTS: Final = (SourceKind.USER_QUERY, SourceKind.SYSTEM_PROMPT)
"""Who may single out a record. Data that names itself the one that is meant singles out nothing."""


@dataclass(frozen=True)
class Record:
    """One record that the call could be about, as far as the call's values differ with it."""

    label: str
    """Empty for the record of the proposed call."""
    values: Mapping[str, JsonValue]
    """By JSON Pointer."""
    spans: tuple[Span, ...]
    rivals: Mapping[str, Competing] = field(default_factory=dict)
    """What competes with the proposed call's values, by JSON Pointer; empty for the proposed call's own record."""

    @property
    def is_proposed(self) -> bool:
        """Whether it is the one in the proposed call."""
        return not self.rivals


@dataclass(frozen=True)
class Choice:
    """The record that is meant, by the judge's word and quotes that stand in the context."""

    record: Record
    evidence: tuple[Span, ...]
    rationale: str


class RecordChoices:
    """The judge's choice, asked for once in a check: two stages rest on it."""

    def __init__(self) -> None:
        # Whoever comes second waits for the first one's answer; if the first is cancelled, the second asks.
        self._asking = asyncio.Lock()
        self._choices: dict[tuple[str, ...], Choice | None] = {}

    async def choose(self, case: Case, competing: tuple[Grounded, ...], stage: Stage) -> Choice | None:
        """The record that is meant; None where the context singles out none, or nobody could tell.

        Raises what the judge raises.
        """
        key = tuple(leaf.pointer for leaf in competing)
        async with self._asking:
            if key not in self._choices:
                self._choices[key] = await _ask(case, competing, stage)
            return self._choices[key]


def competing_leaves(case: Case, grounded: tuple[Grounded, ...]) -> tuple[Grounded, ...]:
    """The values that must have a source and share it with others that answer the request equally well."""
    document = case.context.tool(case.action.tool)
    if document is None:
        return ()
    classes = DerivableParameters.by_rule(document)
    competing = (leaf for leaf in grounded if leaf.how is Grounding.COMPETING)
    return tuple(leaf for leaf in competing if classes.derivable(leaf.pointer) is not False)


def rival_records(competing: tuple[Grounded, ...]) -> tuple[Record, ...]:
    """The other records, each with everything it competes for, in the order in which grounding names them."""
    by_label: dict[str, dict[str, Competing]] = {}
    for leaf in competing:
        for rival in leaf.competing:
            by_label.setdefault(rival.label or rival.value, {}).setdefault(leaf.pointer, rival)
    return tuple(
        Record(
            label,
            {pointer: rival.value for pointer, rival in rivals.items()},
            tuple(span for rival in rivals.values() for span in rival.spans),
            rivals,
        )
        for label, rivals in by_label.items()
    )


async def _ask(case: Case, competing: tuple[Grounded, ...], stage: Stage) -> Choice | None:
    spans = tuple(span for leaf in competing for span in leaf.spans)
    # The words that refer to the records are the same for all of them: the record itself stands in data.
    sources = case.context.sources
    spans = tuple(span for span in spans if sources[span.source].kind not in _POINTS) or spans
    own = Record("", {leaf.pointer: leaf.value for leaf in competing}, spans)
    rivals = rival_records(competing)[: _MOST_RECORDS - 1]
    if not rivals:
        return None
    # By where they stand, so that the order does not tell which one is proposed.
    records = sorted((own, *rivals), key=lambda record: [(span.source, span.start) for span in record.spans][:1])
    texts = tuple(_in_words(record, case.context) for record in records)
    reply = await stage.ask(RecordChoice(case.context, texts))
    if isinstance(reply, Unknown) or reply.answer.record is None or not 0 < reply.answer.record <= len(records):
        return None
    evidence = locate(case.context, reply.answer.quotes) or ()
    if not any(case.context.sources[span.source].kind in _POINTS for span in evidence):
        return None
    return Choice(records[reply.answer.record - 1], evidence, reply.answer.rationale)


def _in_words(record: Record, context: Context) -> str:
    """The record's values under their parameters' names, and what stands around the first of them."""
    lines = [f"{name_of(pointer)}: {value}" for pointer, value in record.values.items()]
    for span in record.spans[:1]:
        text = context.sources[span.source].text
        around = text[max(0, span.start - _SURROUNDINGS) : span.end + _SURROUNDINGS]
        lines.append(f"found in {span.source}: … {around} …")
    return "\n".join(lines)
