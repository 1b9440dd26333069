"""One check as a terminal shows it, and as JSON.

Whatever an agent or a model wrote is bounded, on one line, and has a token in place of every character that an eye
would miss or a terminal would obey.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, Final

from reviews.evaluation.runs.ledger import Ledger
from reviews.provenance.core.context import Case, Context, Span, leaves
from reviews.provenance.core.findings import Finding, Interpretation, StageResult, Usage, stage_to_json
from reviews.provenance.core.invisible import spelled_out
from reviews.provenance.core.reasons import reason_of
from reviews.provenance.core.verdicts import Misaligned, Verdict
from reviews.provenance.prompts.prompt import prompt_versions

# A name fits into a line of a terminal, a value into two. A sentence has room for what judges usually write; the whole
# of it stands in the JSON.
_NAME_LENGTH: Final = 80
_VALUE_LENGTH: Final = 160
_SENTENCE_LENGTH: Final = 500
# Some words on either side let a reader find the quote in its source.
_AROUND: Final = 40
"""Characters on either side of a quote."""
# A terminal keeps some thousand lines; a submission may hold a million arguments.
_MAX_ITEMS: Final = 50
"""Items of a list that has several lines for each."""
_MAX_LINES: Final = 200
"""Lines of a list that has one line for each item."""
_HOLDS: Final = {True: "holds", False: "does not hold", None: "could not be established"}


@dataclass(frozen=True)
class CheckReport:
    """What one detector made of one submission."""

    case: Case
    detector: str
    """Name and version."""
    judge: str
    verdict: Verdict
    ledger: Ledger
    """The questions to the judge, with who answered them."""


def make_printable(text: str, most: int = _SENTENCE_LENGTH) -> str:
    """The beginning of a text on one line, with tokens for the characters that an eye would miss."""
    # Cut before characters are spelled out: a token must not be cut in half.
    cut = text[:most] + ("…" if len(text) > most else "")
    return spelled_out(cut).replace("\n", "⏎").replace("\t", " ")


def report_lines(report: CheckReport) -> Iterator[str]:
    """The call, what each stage found, the other readings, the questions, the verdict and its cost."""
    verdict, context = report.verdict, report.case.context
    yield f"{report.detector}, judge: {make_printable(report.judge, _NAME_LENGTH)}"
    yield from _section_lines(_call_lines(report.case))
    for stage in verdict.stages:
        yield from _section_lines(_stage_lines(stage, context))
    if verdict.interpretations:
        yield from _section_lines(_reading_lines(verdict.interpretations, context))
    yield from _section_lines(_question_lines(report.ledger))
    yield from _section_lines(_conclusion_lines(verdict))


def as_json(report: CheckReport) -> dict[str, Any]:
    """The same as plain JSON, each stage as it is stored with a check."""
    verdict, versions = report.verdict, prompt_versions()
    return {
        "detector": report.detector,
        "judge": report.judge,
        "verdict": verdict.label,
        "established": verdict.established,
        "misalignment": verdict.type if isinstance(verdict, Misaligned) else None,
        "reason": reason_of(verdict),
        "stages": [stage_to_json(stage) for stage in verdict.stages],
        "questions": [
            {"name": name, "prompt": versions.get(name), "answered": dict(tally.answered), "usage": asdict(tally.usage)}
            for name, tally in report.ledger.by_question.items()
        ],
        "usage": asdict(verdict.usage),
        "seconds": verdict.seconds,
    }


def _section_lines(content: Iterable[str]) -> Iterator[str]:
    yield ""
    yield from content


def _call_lines(case: Case) -> Iterator[str]:
    yield f"call  {make_printable(case.action.tool, _NAME_LENGTH)}"
    yield from _indent_first(
        f"  {make_printable(at, _NAME_LENGTH)} = {_print_value(value)}"
        for at, value in leaves(dict(case.action.arguments))
    )
    if case.action.subtask:
        yield f"  for: {make_printable(case.action.subtask, _VALUE_LENGTH)}"


def _stage_lines(stage: StageResult, context: Context) -> Iterator[str]:
    yield f"stage {make_printable(stage.stage, _NAME_LENGTH)}: {_describe_end(stage)} ({stage.seconds:.2f} s)"
    yield from _indent_first(line for finding in stage.findings for line in _finding_lines(finding, context))


def _describe_end(stage: StageResult) -> str:
    if stage.misalignment is not None:
        return f"rejects, {stage.misalignment}"
    if stage.undetermined is not None:
        return f"has no answer: {make_printable(stage.undetermined)}"
    return "lets it pass, nothing more is asked" if stage.passed else "finds nothing against it"


def _finding_lines(finding: Finding, context: Context) -> Iterator[str]:
    notes = [
        str(finding.decided_by),
        str(finding.grounding or ""),
        "" if finding.score is None else f"score {finding.score:.3g}",
        "from untrusted text only" if finding.untrusted_only else "",
        finding.rule,
    ]
    noted = ", ".join(filter(None, notes))
    yield f"  {finding.relation} of {make_printable(finding.subject, _NAME_LENGTH)}: {_HOLDS[finding.holds]} ({noted})"
    yield f"    {make_printable(finding.rationale)}"
    yield from (f"    {_in_place(span, context)}" for span in finding.evidence[:_MAX_ITEMS])
    if finding.nearest:
        yield f"    nearest: {_in_place(finding.nearest, context)}"


def _in_place(span: Span, context: Context) -> str:
    """The quote in the text around it, or that it does not stand where the span says."""
    where = f"{make_printable(span.source, _NAME_LENGTH)} {span.start}-{span.end}"
    if not context.verifies(span):
        return f"{where}: NOT THERE: «{make_printable(span.quote, _VALUE_LENGTH)}»"
    text = context.sources[span.source].text
    before, after = text[max(0, span.start - _AROUND) : span.start], text[span.end : span.end + _AROUND]
    return f"{where}: {make_printable(before)}«{make_printable(span.quote, _VALUE_LENGTH)}»{make_printable(after)}"


def _reading_lines(readings: Iterable[Interpretation], context: Context) -> Iterator[str]:
    yield "other readings of the request"
    for number, reading in enumerate(islice(readings, _MAX_ITEMS), start=1):
        yield f"  {number}. {make_printable(reading.reading, _VALUE_LENGTH)}"
        yield f"     {make_printable(reading.tool, _NAME_LENGTH)} {_print_value(reading.arguments)}"
        yield from (f"     {_in_place(span, context)}" for span in reading.evidence[:_MAX_ITEMS])


def _question_lines(ledger: Ledger) -> Iterator[str]:
    yield "questions" if ledger.by_question else "no question was asked"
    for name, tally in ledger.by_question.items():
        judges = ", ".join(
            f"{number} × by {make_printable(judge, _NAME_LENGTH)}" for judge, number in tally.answered.items()
        )
        # Rules cost nothing, so that their questions need no figures.
        cost = f"; {_describe_cost(tally.usage)}" if tally.usage.calls else ""
        yield f"  {name}: answered {judges}{cost}"


def _conclusion_lines(verdict: Verdict) -> Iterator[str]:
    kind = f", {verdict.type}" if isinstance(verdict, Misaligned) else ""
    reason = reason_of(verdict)
    yield f"{verdict.label}{kind}{': ' if reason else ''}{make_printable(reason)}"
    yield f"{_describe_cost(verdict.usage)}; {verdict.seconds:.2f} s"


def _describe_cost(usage: Usage) -> str:
    return f"{usage.calls} calls, {usage.prompt_tokens} + {usage.completion_tokens} tokens, ${usage.cost_usd:.4f}"


def _print_value(value: Any) -> str:
    return make_printable(json.dumps(value, ensure_ascii=False), _VALUE_LENGTH)


def _indent_first(content: Iterable[str]) -> Iterator[str]:
    """The first `_MAX_LINES` lines, and how many more there are."""
    rest = iter(content)
    yield from islice(rest, _MAX_LINES)
    if more := sum(1 for _ in rest):
        yield f"  … and {more} lines more"
