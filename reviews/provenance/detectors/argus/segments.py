"""ARGUS, first check: which text of the context is anomalous? It labels and rejects nothing."""

import asyncio
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from typing import Final, TypeAlias

from reviews.provenance.core.context import Case, Source, Span
from reviews.provenance.core.findings import DecidedBy, Misalignment, Relation, StageResult
from reviews.provenance.detectors.argus.turns import settled
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.grounding.notes import where
from reviews.provenance.influence import anomalous_in
from reviews.provenance.injection.instructions import blanked, without_instructions
from reviews.provenance.injection.segment import Segment, merged, places_of, says_something
from reviews.provenance.injection.segmenter import Anomalies, anomalies_in, is_own_turn, pieces_of, segmented, spans_of
from reviews.provenance.judges.base import Answered, Unknown
from reviews.provenance.judges.questions.argus import Segmentation, Segments

SEGMENT: Final = "segment"
_MOST_EVIDENCE: Final = 20_000
"""Characters that one finding quotes: a text that is anomalous throughout is not stored again with every call."""
_MOST_SPANS: Final = 100
_MOST_BENIGN: Final = 20
"""Sources told to be benign, the latest: histories are long. Every other label is told."""
_STEERS: Final = "tries to steer the agent"

_Reply: TypeAlias = Answered[Segments] | Unknown


@dataclass(frozen=True)
class Observed:
    """A case with its labels."""

    case: Case
    anomalies: Anomalies

    @cached_property
    def clean(self) -> Case:
        """The case with everything anomalous blanked out; the very same case where there is nothing."""
        if not self.anomalies:
            return self.case
        return Case(without_instructions(self.case.context, self.anomalies), self.case.action)

    @property
    def spans(self) -> tuple[Span, ...]:
        """Everything anomalous."""
        return spans_of(self.case.context, self.anomalies)

    @property
    def kind(self) -> Misalignment:
        """What a call is that fails: where somebody tried to steer the agent, an injection; else wrong as filled in."""
        return Misalignment.INJECTION if self.anomalies else Misalignment.PARAMETER

    def touched(self, span: Span) -> bool:
        """Whether any character of the span is anomalous."""
        here = self.anomalies.get(span.source, ())
        at = bisect_right(here, span.start, key=lambda each: each.end)
        return at < len(here) and here[at].start < span.end


async def segment(case: Case, stage: Stage) -> Observed:
    """Label every source that others write, by rules and then by a judge, and record Untainted of it.

    Raises what the judge raises.
    """
    sources = tuple(segmented(case.context))
    by_rule = await asyncio.to_thread(lambda: [anomalies_in(source.text) for source in sources])
    readings = [_Reading(source, found) for source, found in zip(sources, by_rule, strict=True)]
    occasion = case.context.fingerprint
    asking = (_ask(each, at, piece, occasion, stage) for each in readings for at, piece in each.unsettled())
    async for heard in settled(asking, ends=lambda _: False, at_once=stage.options.order != "paper"):
        heard()
    benign = [each.source.id for each in readings if each.benign][-_MOST_BENIGN:]
    for reading in readings:
        if not reading.benign or reading.source.id in benign:
            reading.record(stage)
    return Observed(case, {each.source.id: each.segments for each in readings if each.segments})


def observed_before(case: Case, labelled: StageResult) -> Observed | None:
    """The labels that a stage recorded; None where they were too long to be recorded whole."""
    if any(_quoted(finding.evidence) >= _MOST_EVIDENCE for finding in labelled.findings):
        return None
    spans = sorted(anomalous_in(labelled.findings), key=lambda span: span.source)
    by_source = groupby(spans, key=lambda span: span.source)
    found = {source: merged(Segment(each.start, each.end, _STEERS) for each in here) for source, here in by_source}
    return Observed(case, found)


async def _ask(reading: "_Reading", at: int, piece: str, occasion: str, stage: Stage) -> partial[None]:
    reply = await stage.ask(Segmentation(reading.source.kind, piece, occasion))
    return partial(reading.hear, at, piece, reply)


class _Reading:
    """One source on the way to its label."""

    def __init__(self, source: Source, by_rule: tuple[Segment, ...]) -> None:
        self.source = source
        self.segments = by_rule
        self._silence: Unknown | None = None
        self._said: list[str] = []
        self._heard = False
        self._lost = 0

    @property
    def benign(self) -> bool:
        """Whether nothing speaks against the source."""
        return not self.segments and self._silence is None

    def unsettled(self) -> Iterator[tuple[int, str]]:
        """What rules leave benign and a judge has to read, with its offsets: whatever could give an order at all."""
        if not is_own_turn(self.source):
            rest = pieces_of(blanked(self.source.text, self.segments))
            yield from ((at, piece) for at, piece in rest if says_something(piece))

    def hear(self, at: int, piece: str, reply: _Reply) -> None:
        """Take what a judge says of one piece; a quote that does not stand there is worth nothing."""
        if isinstance(reply, Unknown):
            self._silence = reply
            return
        self._heard = True
        places = [places_of(quote, piece) for quote in dict.fromkeys(reply.answer.quotes)]
        self._lost += places.count(())
        found = [Segment(at + start, at + end, _STEERS) for each in places for start, end in each]
        self.segments = merged((*self.segments, *found))
        self._said += [reply.answer.rationale] if found else []

    def record(self, stage: Stage) -> None:
        """Untainted of the source; what could not be read stays open beside what was found."""
        lost = f" Of the judge's quotes {self._lost} stand nowhere in it and count for nothing." if self._lost else ""
        if self.segments:
            stage.find(
                Relation.UNTAINTED, self.source.id, False, self._told + lost,
                decided_by=DecidedBy.JUDGE if self._said else DecidedBy.RULE, evidence=self._evidence,
            )  # fmt: skip
        if self._silence is not None:
            silence = self._silence
            stage.find(Relation.UNTAINTED, self.source.id, None, silence.reason, decided_by=silence.decided_by)
        elif not self.segments:
            note = "Nothing in it tries to steer the agent." if self._heard else "It holds no words that could steer."
            note = "The agent's own words." if is_own_turn(self.source) else note
            by = DecidedBy.JUDGE if self._heard else DecidedBy.RULE
            stage.find(Relation.UNTAINTED, self.source.id, True, note + lost, decided_by=by)

    @property
    def _told(self) -> str:
        reasons = dict.fromkeys(each.reason for each in self.segments)
        place = where(self.source.id)
        said = f" {self._said[0]}" if self._said else ""
        return f"{place[0].upper()}{place[1:]} holds text that {'; '.join(list(reasons)[:3])}.{said}"

    @property
    def _evidence(self) -> tuple[Span, ...]:
        segments = self.segments[:_MOST_SPANS]
        # One for all that is left: labels err on the side of caution.
        segments = (*segments[:-1], Segment(segments[-1].start, self.segments[-1].end, _STEERS))
        return _shortened(self.source, segments)


def _shortened(source: Source, segments: Sequence[Segment]) -> tuple[Span, ...]:
    spans: list[Span] = []
    for each in segments:
        end = min(each.end, each.start + _MOST_EVIDENCE - _quoted(spans))
        if each.start < end:
            spans.append(Span(source.id, each.start, end, source.text[each.start : end]))
    return tuple(spans)


def _quoted(spans: Sequence[Span]) -> int:
    return sum(span.end - span.start for span in spans)
