"""One check as a terminal shows it, and as JSON.

Whatever an agent or a model wrote is bounded, on one line, and shows what it hides: it must not steer the terminal.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, Final

from reviews.evaluation.runs.ledger import Ledger, Tally
from reviews.provenance import prompts
from reviews.provenance.core.context import Case, Context, Span, leaves
from reviews.provenance.core.findings import (
    Finding,
    Interpretation,
    Misaligned,
    StageResult,
    Usage,
    Verdict,
    stage_to_json,
)
from reviews.provenance.core.invisible import spelled_out
from reviews.records.verdicts import reason_of

_NAME: Final = 80
_VALUE: Final = 160
_SAID: Final = 500
"""Characters shown of a name, of a value or a quote, of a sentence."""
_AROUND: Final = 40
"""Characters shown on either side of a quote."""
_MOST: Final = 50
"""Items shown of a list that has several lines each."""
_MOST_LINES: Final = 200
_HOLDS: Final = {True: "holds", False: "does not hold", None: "could not be established"}


@dataclass(frozen=True)
class Checked:
    """What one detector made of one submission."""

    case: Case
    detector: str
    """Name and version."""
    judge: str
    verdict: Verdict
    ledger: Ledger
    """The questions that were asked."""


def shown(text: str, most: int = _SAID) -> str:
    """The beginning of a text on one line, with tokens for the characters that an eye would miss."""
    cut = text[:most] + ("…" if len(text) > most else "")
    return spelled_out(cut).replace("\n", "⏎").replace("\t", " ")


def lines(checked: Checked) -> Iterator[str]:
    """The call, what each stage found, the other readings, the questions, the verdict and its cost."""
    verdict, context = checked.verdict, checked.case.context
    yield f"{checked.detector}, judge: {shown(checked.judge, _NAME)}"
    yield from _section(_call(checked.case))
    for stage in verdict.stages:
        yield from _section(_stage(stage, context))
    if verdict.interpretations:
        yield from _section(_readings(verdict.interpretations, context))
    yield from _section(_questions(checked.ledger))
    yield from _section(_conclusion(verdict))


def as_json(checked: Checked) -> dict[str, Any]:
    """The same as plain JSON, each stage as it is stored with a check."""
    verdict, versions = checked.verdict, prompts.versions()
    return {
        "detector": checked.detector,
        "judge": checked.judge,
        "verdict": verdict.label,
        "misalignment": verdict.type if isinstance(verdict, Misaligned) else None,
        "reason": reason_of(verdict),
        "stages": [stage_to_json(stage) for stage in verdict.stages],
        "questions": [
            {"name": name, "prompt": versions.get(name), "answered": dict(tally.answered), "usage": asdict(tally.usage)}
            for name, tally in checked.ledger.by_question.items()
        ],
        "usage": asdict(verdict.usage),
        "seconds": verdict.seconds,
    }


def _section(told: Iterable[str]) -> Iterator[str]:
    yield ""
    yield from told


def _call(case: Case) -> Iterator[str]:
    yield f"call  {shown(case.action.tool, _NAME)}"
    yield from _first(f"  {shown(at, _NAME)} = {_value(value)}" for at, value in leaves(dict(case.action.arguments)))
    if case.action.subtask:
        yield f"  for: {shown(case.action.subtask, _VALUE)}"


def _stage(stage: StageResult, context: Context) -> Iterator[str]:
    yield f"stage {shown(stage.stage, _NAME)}: {_end(stage)} ({stage.seconds:.2f} s)"
    yield from _first(line for finding in stage.findings for line in _finding(finding, context))


def _end(stage: StageResult) -> str:
    if stage.misalignment is not None:
        return f"rejects, {stage.misalignment}"
    if stage.undetermined is not None:
        return f"has no answer: {shown(stage.undetermined)}"
    return "lets it pass, nothing more is asked" if stage.passed else "finds nothing against it"


def _finding(finding: Finding, context: Context) -> Iterator[str]:
    notes = [
        str(finding.decided_by),
        str(finding.grounding or ""),
        "" if finding.score is None else f"score {finding.score:.3g}",
        "from untrusted text only" if finding.untrusted_only else "",
    ]
    noted = ", ".join(filter(None, notes))
    yield f"  {finding.relation} of {shown(finding.subject, _NAME)}: {_HOLDS[finding.holds]} ({noted})"
    yield f"    {shown(finding.rationale)}"
    yield from (f"    {_in_place(span, context)}" for span in finding.evidence[:_MOST])
    if finding.nearest:
        yield f"    nearest: {_in_place(finding.nearest, context)}"


def _in_place(span: Span, context: Context) -> str:
    """The quote between what stands around it."""
    where = f"{shown(span.source, _NAME)} {span.start}-{span.end}"
    if not context.verifies(span):
        return f"{where}: NOT THERE: «{shown(span.quote, _VALUE)}»"
    text = context.sources[span.source].text
    before, after = text[max(0, span.start - _AROUND) : span.start], text[span.end : span.end + _AROUND]
    return f"{where}: {shown(before)}«{shown(span.quote, _VALUE)}»{shown(after)}"


def _readings(readings: Iterable[Interpretation], context: Context) -> Iterator[str]:
    yield "other readings of the request"
    for number, each in enumerate(islice(readings, _MOST), start=1):
        yield f"  {number}. {shown(each.reading, _VALUE)}"
        yield f"     {shown(each.tool, _NAME)} {_value(each.arguments)}"
        yield from (f"     {_in_place(span, context)}" for span in each.evidence[:_MOST])


def _questions(ledger: Ledger) -> Iterator[str]:
    asked = ledger.by_question
    yield "questions" if asked else "no question was asked"
    yield from (f"  {name}: {_answered(tally)}" for name, tally in asked.items())


def _answered(tally: Tally) -> str:
    by = ", ".join(f"{number} × by {shown(judge, _NAME)}" for judge, number in tally.answered.items())
    return f"answered {by}" + (f"; {_cost(tally.usage)}" if tally.usage.calls else "")


def _conclusion(verdict: Verdict) -> Iterator[str]:
    kind = f", {verdict.type}" if isinstance(verdict, Misaligned) else ""
    reason = reason_of(verdict)
    yield f"{verdict.label}{kind}{': ' if reason else ''}{shown(reason)}"
    yield f"{_cost(verdict.usage)}; {verdict.seconds:.2f} s"


def _cost(usage: Usage) -> str:
    return f"{usage.calls} calls, {usage.prompt_tokens} + {usage.completion_tokens} tokens, ${usage.cost_usd:.4f}"


def _value(value: Any) -> str:
    return shown(json.dumps(value, ensure_ascii=False), _VALUE)


def _first(told: Iterable[str]) -> Iterator[str]:
    """As many lines as anybody reads."""
    rest = iter(told)
    yield from islice(rest, _MOST_LINES)
    if more := sum(1 for _ in rest):
        yield f"  … and {more} lines more"
