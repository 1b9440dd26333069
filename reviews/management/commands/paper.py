"""Judge a fixed sample of every dataset at hand with every detector and the configured model; write tables and curves.

`tables.md` holds what `compare` prints of each dataset and of all together, `DATASET.svg` the trade-off of every
detector that gives scores. Runs again, it judges only what is missing.
"""

import asyncio
import io
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews.desk.overview.charts import draw_picture
from reviews.evaluation.benchmarks.base import TraceDataError
from reviews.evaluation.reports import comparison
from reviews.evaluation.runs.contestants import Round, merge_rounds
from reviews.evaluation.runs.detectors import CONTESTANTS
from reviews.evaluation.runs.results import ResultsError
from reviews.management.arguments import positive_number, writing_to
from reviews.management.commands.compare import ATTACKED, build_model, read_drawn_round
from reviews.management.commands.compare import Command as CompareCommand

# As the datasets' own repositories are called here; each is left out where it is not at hand.
FOLDERS: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "workbench": ("workbench",),
        "webshop": ("webshop", "webshop_react"),
        "hotpotqa": ("hotpotqa", "hotpotqa_react"),
        "asb": ("asb",),
        "agentdojo": ("agentdojo",),
        "taubench": ("taubench",),
        "bfcl": ("bfcl",),
        "pairs": ("pairs",),
    }
)
# These hold right calls, and hardly a wrong one: some are made of them, as a guard has to tell both apart.
_MUTATED: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {"taubench": ("sibling", "swap"), "bfcl": ("sibling", "swap")}
)
# Of a small model on a processor a night's work; a served one takes more.
_SAMPLE: Final = 16


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("data", type=Path, help="folder with a folder for each dataset")
        parser.add_argument("output", type=Path, help="folder for tables, curves and results, made when missing")
        parser.add_argument("--sample", type=positive_number, default=_SAMPLE, help="calls, or runs of attacks")
        parser.add_argument("--max-tokens", type=positive_number, help="of one answer; the model's options by default")
        parser.add_argument("--detectors", nargs="+", choices=sorted(CONTESTANTS), default=list(CONTESTANTS))

    def handle(self, *args: Any, **options: Any) -> None:
        guard = settings.GUARD
        if guard.openai_base_url is None and guard.openai_api_key is None:
            raise CommandError("There is no model to ask: set OPENAI_BASE_URL (and GUARD_MODEL), or OPENAI_API_KEY.")
        present = dict(_find_datasets(options["data"]))
        if not present:
            raise CommandError(f"{options['data']} has none of the datasets {', '.join(FOLDERS)}.")
        output: Path = options["output"]
        with writing_to(output):
            output.mkdir(parents=True, exist_ok=True)
        for name in FOLDERS.keys() - present.keys():
            self.stderr.write(f"{name} is not at hand, and left out.")
        tables, failures = [], []
        compared: list[Round] = []
        for name, folder in present.items():
            arguments = _arguments_of(name, folder, output / "results" / name, options)
            parsed = vars(CompareCommand().create_parser("manage.py", "compare").parse_args(arguments))
            printed, failure = _compare(arguments)
            tables.append(f"## {name}\n\n{printed}")
            failures += [f"{name}: {failure}"] if failure else []
            # After each: a night that ends early has what it has.
            (output / "tables.md").write_text("\n".join(tables), encoding="utf-8")
            # What cannot be read has just been told, and ends no night.
            with suppress(TraceDataError, ResultsError):
                compared.append(asyncio.run(_read_round(parsed)))
                _draw_trade_offs(compared[-1], output / f"{name}.svg")
        if compared:
            tables.append(f"## All together\n\n{comparison.render_markdown(merge_rounds(compared))}\n")
            (output / "tables.md").write_text("\n".join(tables), encoding="utf-8")
        self.stdout.write(f"{output / 'tables.md'}: {', '.join(present)}, judged by {guard.guard_model}.")
        if failures:
            raise CommandError("\n".join(failures))


def _find_datasets(data: Path) -> list[tuple[str, Path]]:
    """Each dataset that is at hand with its folder."""
    pairs = ((name, data / folder) for name, folders in FOLDERS.items() for folder in folders)
    return [(name, path) for name, path in pairs if path.is_dir()]


def _arguments_of(name: str, folder: Path, results: Path, options: Mapping[str, Any]) -> list[str]:
    """What `compare` is called with for the fixed sample of a dataset."""
    arguments = [name, str(folder), str(results), "--markdown", "--detectors", *options["detectors"]]
    arguments += ["--runs" if name in ATTACKED else "--sample", str(options["sample"])]
    arguments += [] if name in ATTACKED else ["--balanced"]
    arguments += ["--mutate", *_MUTATED[name]] if name in _MUTATED else []
    return [*arguments, *(["--max-tokens", str(options["max_tokens"])] if options["max_tokens"] else [])]


def _compare(arguments: Sequence[str]) -> tuple[str, str]:
    """What `compare` prints of these, and what it could not do."""
    printed, failure = io.StringIO(), ""
    with redirect_stdout(printed):
        try:
            call_command("compare", *arguments)
        except CommandError as error:
            failure = str(error)
    return printed.getvalue(), failure


async def _read_round(options: Mapping[str, Any]) -> Round:
    """The round that `compare` has just printed with these options."""
    async with build_model(options) as model:
        return read_drawn_round(model, options)


def _draw_trade_offs(compared: Round, path: Path) -> None:
    """The curve of every detector whose results have scores, as a picture that stands alone; none without one."""
    curves = comparison.list_curves(compared)
    if not curves:
        # An earlier sample's picture must not stand beside this one's table.
        path.unlink(missing_ok=True)
        return
    title = f"{compared.name}: calls stopped, and wrong calls passed"
    path.write_bytes(draw_picture(curves, title=title, across="Calls stopped", upwards="Wrong calls passed"))
