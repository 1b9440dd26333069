"""Judge a sample of WorkBench's calls with several detectors and a model, and print the rates and costs side by side.

The model is the configured one (OPENAI_BASE_URL, OPENAI_API_KEY, GUARD_MODEL). Stores nothing but the results files,
one for each detector, from which a stopped run goes on.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from reviews.evaluation.benchmarks.base import LabelledCase, TraceDataError, cases_of
from reviews.evaluation.benchmarks.workbench import Workbench
from reviews.evaluation.benchmarks.workbench_cases import WorkbenchCases
from reviews.evaluation.comparison import Contestant, compare
from reviews.evaluation.reports import comparison
from reviews.evaluation.results import Judged, ResultsError, line_of, read_results
from reviews.evaluation.sampling import sample
from reviews.provenance.detectors import Options, build
from reviews.provenance.judges import Caching, Judge, OpenAIJudge, RulesFirst
from reviews.provenance.judges.caching import MemoryAnswers


def _published(name: str) -> Callable[[Judge], Contestant]:
    """A method as its paper has it: the model alone."""
    options = Options(unknown="pass", order="paper")
    return lambda model: Contestant(name, build(name, options), model)


def _paper(model: Judge) -> Contestant:
    return Contestant(
        "provenance-guard-paper", build("provenance-guard", Options(unknown="pass", order="paper")), model
    )


def _ours(model: Judge) -> Contestant:
    judge = RulesFirst(Caching(model, MemoryAnswers(), scope="compare"))
    return Contestant("provenance-guard", build("provenance-guard", Options(unknown="pass")), judge)


_COMPARATORS: Final = (
    "direct-prompt", "prove-prompt", "token-probability", "token-entropy", "multi-step", "self-consistency",
    "infer-act-verb", "infer-act-prob",
)  # fmt: skip
CONTESTANTS: Final[Mapping[str, Callable[[Judge], Contestant]]] = MappingProxyType(
    {
        "provenance-guard-paper": _paper,
        "provenance-guard": _ours,
        **{name: _published(name) for name in _COMPARATORS},
    }
)
"""Each as it is meant to run: the published ones with the model alone, ours behind rules and a cache.

In this order each prompt begins with what the one before has left in the endpoint's prefix cache.
"""


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="folder with WorkBench's data")
        parser.add_argument("results", type=Path, help="folder for the results, made when missing")
        parser.add_argument("--setting", choices=["domains", "all"], default="domains", help="tools offered")
        parser.add_argument("--sample", type=int, default=40, help="calls judged, half of which should be stopped")
        parser.add_argument("--detectors", nargs="+", choices=sorted(CONTESTANTS), default=list(CONTESTANTS))
        parser.add_argument("--timeout", type=float, default=900.0, help="seconds for one answer of the model")
        parser.add_argument("--max-tokens", type=int, default=800, help="of one answer")
        parser.add_argument("--missed", action="store_true", help="tell each case that some detector got wrong")
        parser.add_argument("--report-only", action="store_true", help="judge nothing, show what the files hold")

    def handle(self, *args: Any, **options: Any) -> None:
        options["results"].mkdir(parents=True, exist_ok=True)
        try:
            cases, contestants = asyncio.run(_compared(options))
        except (TraceDataError, ResultsError) as error:
            raise CommandError(str(error)) from error
        console = Console(soft_wrap=True, highlight=False, markup=False)
        console.print(comparison.report(cases, contestants))
        for told in comparison.missed(cases, contestants) if options["missed"] else ():
            console.print(f"\n{told}")


async def _compared(options: Mapping[str, Any]) -> tuple[Sequence[LabelledCase], Sequence[Contestant]]:
    traces = WorkbenchCases(Workbench(options["folder"]), options["setting"]).traces()
    cases = sample(cases_of(traces), options["sample"], balanced=True)
    folder: Path = options["results"]
    async with _model(options) as model:
        contestants = [CONTESTANTS[name](model) for name in options["detectors"]]
        for each in contestants:
            each.results.update(read_results(_file(folder, each)))
        if not options["report_only"]:
            await compare(cases, contestants, done=lambda each, judged: _keep(folder, each, judged))
    return cases, contestants


def _model(options: Mapping[str, Any]) -> OpenAIJudge:
    guard = settings.GUARD
    return OpenAIJudge(
        model=guard.guard_model,
        api_key=guard.openai_api_key.get_secret_value() if guard.openai_api_key else None,
        base_url=guard.openai_base_url,
        timeout=options["timeout"],
        max_tokens=options["max_tokens"],
    )


def _keep(folder: Path, contestant: Contestant, judged: Judged) -> None:
    with _file(folder, contestant).open("a", encoding="utf-8") as file:
        file.write(line_of(judged))


def _file(folder: Path, contestant: Contestant) -> Path:
    return folder / f"{contestant.name}.jsonl"
