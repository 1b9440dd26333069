"""The collections that can be imported, each by the reader of its files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from reviews.evaluation.benchmarks.agent_safetybench import AgentSafetyBench
from reviews.evaluation.benchmarks.agentdojo import AgentDojo
from reviews.evaluation.benchmarks.asb import ASB
from reviews.evaluation.benchmarks.assebench import ASSEBench
from reviews.evaluation.benchmarks.base import Benchmark
from reviews.evaluation.benchmarks.bfcl import BFCL
from reviews.evaluation.benchmarks.hotpotqa import HotPotQA
from reviews.evaluation.benchmarks.pairs import Pairs
from reviews.evaluation.benchmarks.taubench import TauBench
from reviews.evaluation.benchmarks.webshop import WebShop
from reviews.evaluation.benchmarks.workbench import Workbench
from reviews.evaluation.benchmarks.workbench_cases import WorkbenchCases
from reviews.evaluation.file_formats.items import Items
from reviews.evaluation.file_formats.mapped_table import ColumnMapping, MappedTable
from reviews.evaluation.file_formats.openai_chats import OpenAIChats
from reviews.evaluation.file_formats.table_rows import RowFormat


@dataclass(frozen=True)
class Collection:
    """One kind of file or folder that can be imported."""

    title: str
    """What a person knows it by."""
    read: Callable[[Path], Benchmark]
    one_file: bool = False
    """A single file of JSON lines, which can be uploaded as it is; others come as a folder, or packed as a zip file."""
    licence: str = ""
    """Under which its authors publish it; empty where only the importer can know."""


COLLECTIONS: Final[Mapping[str, Collection]] = MappingProxyType(
    {
        "items": Collection("Our own JSON lines", Items, one_file=True),
        "openai-chats": Collection("OpenAI chat logs, one conversation a line", OpenAIChats, one_file=True),
        "workbench": Collection("WorkBench", lambda path: WorkbenchCases(Workbench(path)), licence="MIT"),
        "agentdojo": Collection("AgentDojo", AgentDojo, licence="MIT"),
        "asb": Collection("Agent Security Bench", ASB, licence="MIT"),
        "assebench": Collection("ASSEBench, security", ASSEBench, licence="Apache-2.0"),
        "taubench": Collection("τ-bench", TauBench, licence="MIT"),
        "bfcl": Collection("Berkeley Function-Calling Leaderboard", BFCL, licence="Apache-2.0"),
        "webshop": Collection("ReAct in WebShop", WebShop, licence="MIT"),
        "hotpotqa": Collection("ReAct on HotPotQA", HotPotQA, licence="MIT; observations CC BY-SA"),
        "agent-safetybench": Collection("Agent-SafetyBench requests", AgentSafetyBench, licence="MIT"),
        "pairs": Collection("Pairs of a right and a wrong call", Pairs),
    }
)
"""Every collection by the name that the shell and the API use."""

TABLE: Final = "table"
"""A table or JSON of a shape that a person has explained: the job says which column holds what."""
_TABLE_TITLE: Final = "A table (CSV) or JSON of another shape"


def title_of(reader: str) -> str:
    """What a person knows the reader by."""
    return _TABLE_TITLE if reader == TABLE else COLLECTIONS[reader].title


def is_one_file(reader: str) -> bool:
    """Whether it reads a single file, and not a folder packed as a zip archive."""
    return reader == TABLE or COLLECTIONS[reader].one_file


def open_collection(reader: str, path: Path, mapping: Mapping[str, Any]) -> Benchmark:
    """The file or folder as this reader understands it; a table by what the mapping says of its columns."""
    if reader == TABLE:
        return MappedTable(path, RowFormat(mapping["format"]), ColumnMapping.from_json(mapping["fields"]))
    return COLLECTIONS[reader].read(path)
