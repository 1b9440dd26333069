"""Check this installation as Django does; with --detector, check one submission with one detector.

FILE holds one submission in any of the formats that POST /api/v1/actions takes, and the agent's plan beside it, if
there is one, as POST /api/v1/plans takes it; - is standard input. Nothing is stored, and neither database nor broker
is asked. Prints what each stage found, the evidence in its place, who answered which question at what cost, and the
verdict. Exits with 0 when the call is aligned, with 3 when it is misaligned and with 4 when that could not be
determined; 1 tells that the check could not be made, 2 that the command line is wrong.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import check
from django.utils import timezone

from reviews.errors import InvalidError, ReviewError
from reviews.evaluation.runs.ledger import Ledger, Listening, ListeningRules
from reviews.intake.wire.bounded_json_body import decode_submission, largest_body
from reviews.intake.wire.read_action import read_proposal
from reviews.intake.wire.read_plan import read_steps
from reviews.judging.model_endpoint import build_endpoint
from reviews.lab.arm_options import find_problems
from reviews.management.arguments import positive_seconds, share
from reviews.management.check_report import CheckReport, as_json, make_printable, report_lines
from reviews.models import StepAggregate
from reviews.provenance.core.context import Case, JsonValue
from reviews.provenance.detectors import DETECTORS, Options, build, verdict_of
from reviews.provenance.detectors.critical_actions import CriticalAction
from reviews.provenance.judges import Caching, Judge, JudgeError, RulesFirst
from reviews.provenance.judges.caching import MemoryAnswers
from reviews.provenance.judges.openai import OpenAIJudge

# 1 is Django's for a command that failed, and 2 the parser's for a wrong command line.
EXIT_CODES: Final[Mapping[str, int]] = MappingProxyType({"aligned": 0, "misaligned": 3, "undetermined": 4})
"""Exit code by verdict."""
_STDIN: Final = "-"
_OPTIONS: Final = ("order", "threshold", "unknown", "without_plan", "aggregate", "reconstruct_subtasks")


class Command(check.Command):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        group = parser.add_argument_group("with --detector", "then the argument is FILE, or - for standard input")
        group.add_argument("--detector", choices=sorted(DETECTORS), help="check FILE with this detector")
        group.add_argument("--judge", choices=["rules", "openai"], default="rules", help="who answers questions")
        group.add_argument("--model", help="the openai judge's; GUARD_MODEL by default")
        group.add_argument(
            "--timeout", type=positive_seconds, help="seconds for one answer; JUDGE_TIMEOUT_SECONDS by default"
        )
        group.add_argument("--order", choices=["parallel", "paper"], default=Options.order, help="paper: as published")
        group.add_argument("--threshold", type=share, default=Options.threshold, help="least score, 0 to 1")
        group.add_argument("--unknown", choices=["review", "pass"], default=Options.unknown, help="on no answer")
        group.add_argument(
            "--without-plan", choices=["review", "steps"], default=Options.without_plan, help="on no plan"
        )
        group.add_argument(
            "--aggregate", choices=StepAggregate.values, default=Options.aggregate, help="multi-step's one of several"
        )
        group.add_argument(
            "--reconstruct-subtasks", action="store_true", help="infer the step of a call that names none"
        )
        group.add_argument("--terminal", action="store_true", help="the call ends the task")
        group.add_argument("--trust-annotations", action="store_true", help="believe servers whose tools only read")
        group.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *labels: Any, **options: Any) -> None:
        if options.get("detector") is None:
            # Django's arguments are labels of apps; a path among them is meant for a detector.
            if not all(map(str.isidentifier, labels)):
                raise CommandError("Name the detector that shall check the file: --detector NAME.")
            super().handle(*labels, **options)
            return
        if len(labels) != 1:
            raise CommandError("Name one FILE to check, or - for standard input.")
        _check_options(options)
        try:
            checked = asyncio.run(_check_case(_read_case(labels[0], options), options))
        except JudgeError as error:
            place = settings.GUARD.openai_base_url or "OpenAI"
            raise CommandError(f"The judge at {place} could not be asked: {make_printable(str(error))}") from error
        output = json.dumps(as_json(checked), indent=1) if options["json"] else "\n".join(report_lines(checked))
        self.stdout.write(output)
        if code := EXIT_CODES[checked.verdict.label]:
            sys.exit(code)


def _check_options(options: Mapping[str, Any]) -> None:
    """Refuse what the detector does not read: its report would seem to be of what was asked. Raises `CommandError`."""
    # The order also says how the judge is asked, whatever the detector.
    chosen = {name: options[name] for name in _OPTIONS if name != "order" and options[name] != getattr(Options, name)}
    for problem in find_problems(options["detector"], chosen, ""):
        raise CommandError(problem.message)


def _read_case(name: str, options: Mapping[str, Any]) -> Case:
    """The submission as a worker would see it. Raises CommandError."""
    try:
        body, plan = _read_json(name), None
        if isinstance(body, dict) and "plan" in body:
            # What is left is the submission as agents make it.
            plan = read_steps({"plan": body.pop("plan")})
        proposal = read_proposal(body, trusted=lambda: options["trust_annotations"])
    except InvalidError as error:
        problems = (
            f"{make_printable(problem.pointer) or '/'}: {make_printable(problem.message)}" for problem in error.errors
        )
        raise CommandError("\n".join(problems)) from error
    except ReviewError as error:
        raise CommandError(make_printable(str(error))) from error
    # As submissions are stored: without a time of its own, a request is read at the time it was made.
    context = proposal.context
    return Case(replace(context, now=context.now or timezone.now(), plan=plan), proposal.action)


def _read_json(name: str) -> JsonValue:
    # One byte more than allowed: a file of any size is told from one within the bound, without holding it.
    most = largest_body() + 1
    if name == _STDIN:
        return decode_submission(sys.stdin.buffer.read(most))
    try:
        with Path(name).open("rb") as file:
            return decode_submission(file.read(most))
    except OSError as error:
        raise CommandError(f"{make_printable(name)} cannot be read: {error.strerror}.") from error


async def _check_case(case: Case, options: Mapping[str, Any]) -> CheckReport:
    # Of a call that ends the task the profile knows; here it is said of this very one.
    critical = (CriticalAction(case.action.tool, terminal=True),) if options["terminal"] else ()
    chosen = Options(**{name: options[name] for name in _OPTIONS}, critical=critical)
    detector = build(options["detector"], chosen)
    ledger = Ledger()
    async with _open_judge(options, ledger) as judge:
        verdict = await verdict_of(detector, case, judge)
        return CheckReport(case, f"{detector.name} {detector.version}", judge.name, verdict, ledger)


@asynccontextmanager
async def _open_judge(options: Mapping[str, Any], ledger: Ledger) -> AsyncIterator[Judge]:
    """As workers have it: rules first, then the model; in a paper's own order the model alone."""
    rules = ListeningRules(ledger)
    if options["judge"] == "rules":
        yield rules
        return
    async with _build_model(options) as model:
        # A detector may ask one question several times; the ledger in front counts each, as it was asked.
        listening = Listening(Caching(model, MemoryAnswers(), scope="check"), ledger)
        yield listening if options["order"] == "paper" else RulesFirst(listening, rules)


def _build_model(options: Mapping[str, Any]) -> OpenAIJudge:
    # In a paper's own order, output that cannot be read is what the paper takes it for, and not asked for again.
    readings = 1 if options["order"] == "paper" else 2
    name = options["model"] or settings.GUARD.guard_model
    return build_endpoint(name, timeout=options["timeout"], readings=readings)
