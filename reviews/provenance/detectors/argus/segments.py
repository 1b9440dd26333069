"""ARGUS, first check: which text of the context is anomalous? It labels and rejects nothing."""

import asyncio
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from reviews.provenance.core.context import Case, Source, SourceId, Span
from reviews.provenance.core.findings import DecidedBy, Finding, Misalignment, Relation, StageResult
from reviews.provenance.core.places import describe_source
from reviews.provenance.detectors.stage import Stage, rule_of
from reviews.provenance.injection.instructions import blank_out, without_instructions
from reviews.provenance.injection.segment import Segment, merge_segments, places_of, says_something
from reviews.provenance.injection.segmenter import (
    Anomalies,
    anomalies_in,
    is_own_turn,
    pieces_of,
    sources_to_segment,
    spans_of,
)
from reviews.provenance.judges.base import Reply, Unknown
from reviews.provenance.judges.questions.argus import Segmentation, Segments

SEGMENT: Final = "segment"
STEERING: Final = "injection.segmenter"
HARMLESS: Final = "injection.harmless_text"
OWN_TURN: Final = "injection.own_turn"
# Characters that one finding quotes: a text that is anomalous throughout is not stored again with every call.
_MAX_EVIDENCE: Final = 20_000
# Spans that one finding lists; the last of them covers all that is left.
_MAX_SPANS: Final = 100
# Sources that get a finding for being benign, the latest: histories are long. Every other label is recorded.
_MAX_BENIGN: Final = 20
# Reasons of rules that one finding names.
_MAX_REASONS: Final = 3
_STEERS: Final = "tries to steer the agent"


@dataclass(frozen=True)
class LabelledCase:
    """A case with its anomalous text labelled."""

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
    def misalignment(self) -> Misalignment:
        """What a call is that fails: where somebody tried to steer the agent, an injection; else wrong as filled in."""
        return Misalignment.INJECTION if self.anomalies else Misalignment.PARAMETER

    def is_anomalous(self, span: Span) -> bool:
        """Whether any character of the span is anomalous."""
        segments = self.anomalies.get(span.source, ())
        # Segments are sorted and do not overlap: the first that ends behind the span's start decides.
        first = bisect_right(segments, span.start, key=lambda segment: segment.end)
        return first < len(segments) and segments[first].start < span.end


async def segment_sources(case: Case, stage: Stage) -> LabelledCase:
    """Label every source that others write, by rules and then by a judge, and record Untainted of it.

    As published the judge alone labels, and reads all of it.
    """
    sources, as_published = tuple(sources_to_segment(case.context)), stage.options.as_published
    by_rule: list[tuple[Segment, ...]] = [()] * len(sources)
    if not as_published:
        # In a thread: long histories take a while, and the loop belongs to all checks of this process.
        by_rule = await asyncio.to_thread(lambda: [anomalies_in(source.text) for source in sources])
    labels = [_Label(source, segments) for source, segments in zip(sources, by_rule, strict=True)]
    questions = (
        ((label, offset, piece), Segmentation(label.source.kind, piece, case.context.fingerprint))
        for label in labels
        for offset, piece in label.unread_pieces(with_harmless=as_published)
    )
    async for (label, offset, piece), reply in stage.ask_each(questions):
        label.take(offset, piece, reply)
    benign = [label for label in labels if label.is_benign]
    for label in labels:
        if not label.is_benign or label in benign[-_MAX_BENIGN:]:
            label.record(stage)
    return LabelledCase(case, {label.source.id: label.segments for label in labels if label.segments})


def anomalous_in(findings: Iterable[Finding]) -> tuple[Span, ...]:
    """The stretches that a ContentSegmenter labelled anomalous."""
    tainted = (finding for finding in findings if finding.relation is Relation.UNTAINTED and finding.holds is False)
    return tuple(span for finding in tainted for span in finding.evidence)


def labelled_before(case: Case, segmentation: StageResult) -> LabelledCase | None:
    """The labels that a stage recorded; None where they were too long to be recorded whole."""
    if any(_quoted_length(finding.evidence) >= _MAX_EVIDENCE for finding in segmentation.findings):
        return None
    by_source: dict[SourceId, list[Segment]] = {}
    for span in anomalous_in(segmentation.findings):
        by_source.setdefault(span.source, []).append(Segment(span.start, span.end, _STEERS))
    return LabelledCase(case, {source: merge_segments(segments) for source, segments in sorted(by_source.items())})


class _Label:
    def __init__(self, source: Source, by_rule: tuple[Segment, ...]) -> None:
        self.source = source
        self.segments = by_rule
        self._unanswered: Unknown | None = None
        self._rationales: list[str] = []
        self._is_read = False
        self._lost_quotes = 0

    @property
    def is_benign(self) -> bool:
        """Whether nothing speaks against the source."""
        return not self.segments and self._unanswered is None

    def unread_pieces(self, *, with_harmless: bool) -> Iterator[tuple[int, str]]:
        """What rules leave benign, for a judge to read, with offsets; `with_harmless`: also what can give no order."""
        pieces = () if is_own_turn(self.source) else pieces_of(blank_out(self.source.text, self.segments))
        return ((offset, piece) for offset, piece in pieces if with_harmless or says_something(piece))

    def take(self, offset: int, piece: str, reply: Reply[Segments]) -> None:
        """Take a judge's answer on one piece; a quote that does not stand there is worth nothing."""
        if isinstance(reply, Unknown):
            self._unanswered = reply
            return
        self._is_read = True
        places = [places_of(quote, piece) for quote in dict.fromkeys(reply.answer.quotes)]
        # A model that quotes what is not there has made it up.
        self._lost_quotes += places.count(())
        quoted = [Segment(offset + start, offset + end, _STEERS) for spans in places for start, end in spans]
        self.segments = merge_segments((*self.segments, *quoted))
        if quoted:
            self._rationales.append(reply.answer.rationale)

    def record(self, stage: Stage) -> None:
        """Record Untainted of the source; what could not be read stays open beside what was found."""
        source, lost = self.source.id, ""
        if self._lost_quotes:
            lost = f" Of the judge's quotes {self._lost_quotes} stand nowhere in it and count for nothing."
        if self.segments:
            place = describe_source(source)
            reasons = list(dict.fromkeys(segment.reason for segment in self.segments))[:_MAX_REASONS]
            rationale = f" {self._rationales[0]}" if self._rationales else ""
            stage.record_finding(
                Relation.UNTAINTED, source, False,
                f"{place[0].upper()}{place[1:]} holds text that {'; '.join(reasons)}.{rationale}{lost}",
                decided_by=DecidedBy.JUDGE if self._rationales else DecidedBy.RULE, evidence=self._anomalous_evidence(),
                rule=rule_of(Segmentation) if self._rationales else STEERING,
            )  # fmt: skip
        if self._unanswered is not None:
            stage.record_answer(Relation.UNTAINTED, source, self._unanswered, rule=rule_of(Segmentation))
        elif not self.segments:
            decided_by = DecidedBy.JUDGE if self._is_read else DecidedBy.RULE
            note = "Nothing in it tries to steer the agent." if self._is_read else "It holds no words that could steer."
            rule = rule_of(Segmentation) if self._is_read else HARMLESS
            if is_own_turn(self.source):
                note, rule = "The agent's own words.", OWN_TURN
            stage.record_finding(Relation.UNTAINTED, source, True, note + lost, decided_by=decided_by, rule=rule)

    def _anomalous_evidence(self) -> tuple[Span, ...]:
        """The anomalous text, as far as one finding may quote it."""
        listed = self.segments[:_MAX_SPANS]
        # One for all that is left: labels err on the side of caution.
        listed = (*listed[:-1], Segment(listed[-1].start, self.segments[-1].end, _STEERS))
        spans: list[Span] = []
        for anomaly in listed:
            end = min(anomaly.end, anomaly.start + _MAX_EVIDENCE - _quoted_length(spans))
            if anomaly.start < end:
                spans.append(Span(self.source.id, anomaly.start, end, self.source.text[anomaly.start : end]))
        return tuple(spans)


def _quoted_length(spans: Sequence[Span]) -> int:
    return sum(span.end - span.start for span in spans)
