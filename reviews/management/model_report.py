"""What a probe found out about a model, for a terminal and as JSON."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from reviews.judging.probe import ProbeReport
from reviews.management.check_report import make_printable
from reviews.provenance.judges.model_options import ModelOptions


def option_lines(report: ProbeReport) -> Iterator[str]:
    """Each option as it was configured, and as it works where that is another."""
    configured, working = asdict(report.configured), asdict(report.working)
    for name, value in configured.items():
        now = "" if working[name] == value else f"; refused, works with {_word(working[name])}"
        yield f"  {name}: {_word(value)}{now}"


def report_lines(report: ProbeReport) -> Iterator[str]:
    """The whole report for a terminal."""
    yield f"{make_printable(report.model)}: {'can judge' if report.can_judge else 'cannot judge'}"
    yield from option_lines(report)
    yield f"  probabilities of its words: {'reported' if report.reports_probabilities else 'not reported'}"
    for reply in report.replies:
        verdict = {True: "as known", False: "otherwise", None: f"no answer: {make_printable(reply.note)}"}[reply.agrees]
        cost = f"{reply.usage.prompt_tokens} + {reply.usage.completion_tokens} tokens, ${reply.usage.cost_usd:.6f}"
        yield f"{reply.words} {verdict} ({reply.seconds:.1f} s, {cost})"
    questions = max(len(report.replies), 1)
    yield f"Agrees with {report.agreeing} of {len(report.replies)} known answers, {report.answered} could be read."
    yield f"A question takes {report.seconds / questions:.1f} s and costs ${report.usage.cost_usd / questions:.6f}."
    if report.working != report.configured:
        yield f"Set GUARD_MODEL_OPTIONS to {suggested_setting(report)}"


def suggested_setting(report: ProbeReport) -> str:
    """The value of GUARD_MODEL_OPTIONS with which nothing is refused any more."""
    defaults, working = asdict(ModelOptions()), asdict(report.working)
    return json.dumps({report.model: {name: value for name, value in working.items() if value != defaults[name]}})


def as_json(report: ProbeReport) -> dict[str, Any]:
    """The whole report."""
    counts = {"can_judge": report.can_judge, "agreeing": report.agreeing, "answered": report.answered}
    return asdict(report) | counts


def _word(value: object) -> str:
    return "none" if value in (None, "") else str(value)
