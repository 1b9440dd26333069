"""The benchmarks that detectors are measured on, by name."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from reviews.evaluation.benchmarks.agentdojo import AgentDojo
from reviews.evaluation.benchmarks.asb import ASB
from reviews.evaluation.benchmarks.base import Benchmark
from reviews.evaluation.benchmarks.bfcl import BFCL
from reviews.evaluation.benchmarks.hotpotqa import HotPotQA
from reviews.evaluation.benchmarks.pairs import Pairs
from reviews.evaluation.benchmarks.schema_guided import SchemaGuided
from reviews.evaluation.benchmarks.taubench import TauBench
from reviews.evaluation.benchmarks.webshop import WebShop
from reviews.evaluation.benchmarks.workbench import Workbench
from reviews.evaluation.benchmarks.workbench_cases import WorkbenchCases
from reviews.evaluation.file_formats.items import Items

BENCHMARKS: Final[Mapping[str, Callable[[Path, Mapping[str, Any]], Benchmark]]] = MappingProxyType(
    {
        "workbench": lambda folder, options: WorkbenchCases(
            Workbench(folder),
            options.get("setting"),
            clock=not options.get("no_clock"),
            published_split=options.get("published_split", False),
        ),
        "webshop": lambda folder, _: WebShop(folder),
        "hotpotqa": lambda folder, _: HotPotQA(folder),
        "asb": lambda folder, _: ASB(folder),
        "agentdojo": lambda folder, options: AgentDojo(folder, every_call=options.get("every_call", False)),
        "taubench": lambda folder, options: TauBench(folder, every_call=options.get("every_call", False)),
        "bfcl": lambda folder, _: BFCL(folder),
        "schema-guided": lambda folder, _: SchemaGuided(folder),
        "pairs": lambda folder, _: Pairs(folder),
        "items": lambda folder, options: Items(folder, options.get("split", "")),
    }
)
"""What reads each from its folder, by what a command was told of it."""
