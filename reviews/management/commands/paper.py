"""Judge a fixed sample of every dataset at hand with every detector and the configured model; write tables and curves.

`tables.md` holds what `compare` prints of each dataset and of all together, `tables.tex` ER and IR of all models that
were run into the same folder, and `DATASET.svg` the trade-off of every detector that gives scores. Runs again, it
judges only what is missing.
"""

import asyncio
import io
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote, unquote

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews.desk.overview.charts import draw_picture
from reviews.evaluation.benchmarks.base import TraceDataError
from reviews.evaluation.reports import comparison, model_tables
from reviews.evaluation.runs.contestants import Round, merge_rounds
from reviews.evaluation.runs.detectors import CONTESTANTS, OURS
from reviews.evaluation.runs.results import ResultsError
from reviews.management.arguments import positive_number, writing_to
from reviews.management.commands.compare import Command as CompareCommand
from reviews.management.rounds import ATTACKED, read_drawn_round

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
        parser.add_argument("--repeats", type=positive_number, default=1, help="R: how often each call is judged")
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
        tables, failures, compared = [], [], list[Mapping[str, Round]]()
        reference = OURS if OURS in options["detectors"] else ""
        for name, folder in present.items():
            arguments = _arguments_of(name, folder, _results_of(guard.guard_model, name, output), options)
            printed, failure = _compare(arguments)
            tables.append(f"## {name}\n\n{printed}")
            failures += [f"{name}: {failure}"] if failure else []
            # What cannot be read has just been told, and ends no night.
            with suppress(TraceDataError, ResultsError):
                compared.append(_read_rounds(arguments, name, output))
                _draw_trade_offs(compared[-1][guard.guard_model], output / f"{name}.svg")
            # After each: a night that ends early has what it has.
            _write_tables(output, tables, compared, reference)
        if compared:
            together = _merge_by_model(compared)
            tables.append(f"## All together\n\n{comparison.render_markdown(together[guard.guard_model])}\n")
            _write_tables(output, tables, (*compared, together), reference)
        self.stdout.write(f"{output / 'tables.md'}: {', '.join(present)}, judged by {guard.guard_model}.")
        if failures:
            raise CommandError("\n".join(failures))


def _write_tables(output: Path, tables: Sequence[str], compared: Sequence[Mapping[str, Round]], reference: str) -> None:
    """Write the tables of measures as they are, and those of every model that has judged the same."""
    (output / "tables.md").write_text("\n".join(tables), encoding="utf-8")
    of_models = (model_tables.render_latex(by_model, reference) for by_model in compared)
    (output / "tables.tex").write_text("\n\n".join(of_models), encoding="utf-8")


def _find_datasets(data: Path) -> list[tuple[str, Path]]:
    """Each dataset that is at hand with its folder."""
    pairs = ((name, data / folder) for name, folders in FOLDERS.items() for folder in folders)
    return [(name, path) for name, path in pairs if path.is_dir()]


def _arguments_of(name: str, folder: Path, results: Path, options: Mapping[str, Any]) -> list[str]:
    """What `compare` is called with for the fixed sample of a dataset."""
    arguments = [name, str(folder), str(results), "--markdown", "--detectors", *options["detectors"]]
    arguments += ["--repeats", str(options["repeats"])]
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


def _results_of(model: str, dataset: str, output: Path) -> Path:
    """The folder of what a model has made of a dataset."""
    # A model's name may hold slashes.
    return output / "results" / quote(model, safe="") / dataset


def _read_rounds(arguments: Sequence[str], dataset: str, output: Path) -> Mapping[str, Round]:
    """What `compare` has just printed with these arguments, and the same of every model of earlier runs, by model."""
    options = vars(CompareCommand().create_parser("manage.py", "compare").parse_args(arguments))
    configured = settings.GUARD.guard_model
    earlier = sorted(unquote(folder.name) for folder in (output / "results").iterdir())
    return {
        model: asyncio.run(read_drawn_round({**options, "results": results}, model=model))
        for model in dict.fromkeys((configured, *earlier))
        for results in [_results_of(model, dataset, output)]
        if results.is_dir()
    }


def _merge_by_model(compared: Sequence[Mapping[str, Round]]) -> Mapping[str, Round]:
    """All datasets as one, for each model that has judged all of them."""
    return {
        model: merge_rounds([by_model[model] for by_model in compared])
        for model in compared[0]
        if all(model in by_model for by_model in compared)
    }


def _draw_trade_offs(compared: Round, path: Path) -> None:
    """The curve of every detector whose results have scores, as a picture that stands alone; none without one."""
    curves = comparison.list_curves(compared)
    if not curves:
        # An earlier sample's picture must not stand beside this one's table.
        path.unlink(missing_ok=True)
        return
    title = f"{compared.name}: calls stopped, and wrong calls passed"
    path.write_bytes(draw_picture(curves, title=title, across="Calls stopped", upwards="Wrong calls passed"))
