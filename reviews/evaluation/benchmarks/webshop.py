"""A ReAct agent's episodes in WebShop: the purchase that ends an episode as a case.

Reads the printed log as its author published it, with `labels.jsonl` beside (see the NOTICE). The purchase is the
critical action of the InferAct paper (section 4.1); the shop's own reward says whether it was right.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from reviews.evaluation.benchmarks.base import Benchmark, LabelledCase, LabelledTrace, Outcome, Recorded
from reviews.evaluation.benchmarks.reading import defer_reading, read_json_lines, read_text
from reviews.provenance.core.context import Case, Context, Message, ProposedAction, Step, ToolDoc
from reviews.provenance.detectors.critical_actions import CriticalAction

LOG: Final = "react_webshop_log.txt"
LABELS: Final = "labels.jsonl"

_EPISODE: Final = re.compile(r"^-{17}\n(\d+)\n", re.MULTILINE)
_TURN: Final = re.compile(r"^Action: ", re.MULTILINE)
# The log cuts long lines, so that a thought may lack its closing bracket.
_ACTION: Final = re.compile(r"(?P<name>\w+)(?:\[(?P<given>.*?)\]?)?")
_PURCHASE: Final = ("click", {"element": "Buy Now"})
_OUTCOMES: Final = {"successful": Outcome.SUCCESSFUL, "failed": Outcome.MISALIGNED, "halted": Outcome.HALTED}
# What the log prints before the first action, and that action, which only opens the shop and shows the request.
_OPENING: Final = 2


def _text_schema(parameter: str, description: str) -> Mapping[str, Any]:
    """The schema of a tool that takes one text."""
    return {
        "type": "object",
        "properties": {parameter: {"type": "string", "description": description}},
        "required": [parameter],
    }


# The shop publishes no documents: these say what its pages can do. What the agent thinks is no tool but a message.
TOOLS: Final = (
    ToolDoc(
        "search",
        "Searches the shop for products and shows the first page of what it finds, with names and prices.",
        _text_schema("query", "Words to search for."),
        environment_changing=False,
    ),
    ToolDoc(
        "click",
        "Presses a button of the page shown: opens a product by its number, chooses one of its options, leafs through"
        " pages and descriptions, or buys the opened product with the options chosen (Buy Now), which ends the visit.",
        _text_schema("element", "The button's label, as the page shows it between brackets."),
    ),
)
_PARAMETERS: Final = {tool.name: next(iter(tool.properties)) for tool in TOOLS}


@dataclass(frozen=True)
class WebShop(Benchmark):
    """WebShop's episodes, in a folder with log and labels."""

    folder: Path
    name: str = "webshop"
    terminal: ClassVar[tuple[CriticalAction, ...]] = (
        CriticalAction("click", "/element", "equals", "Buy Now", terminal=True),
    )
    """A purchase ends the visit (InferAct paper, 4.1 and figure 17)."""

    def iter_records(self) -> Iterator[Recorded]:
        """Every episode, not yet read; one without a reward has no case. Raises `TraceDataError`."""
        _, *parts = _EPISODE.split(read_text(self.folder / LOG))
        episodes = dict(zip(parts[::2], parts[1::2], strict=True))
        for number, label in enumerate(read_json_lines(self.folder / LABELS), start=1):
            place = f"{LABELS}, line {number}"
            yield Recorded(place, defer_reading(place, _read_episode, label, episodes))


def _read_episode(label: Mapping[str, Any], episodes: Mapping[str, str]) -> LabelledTrace:
    """The label's episode. Raises `ValueError` and its like where it is not as described."""
    name, outcome = f"webshop/{label['id']}", _OUTCOMES[label["status"]]
    if outcome is Outcome.HALTED:
        return LabelledTrace(name, "webshop", outcome, ())
    *before, last = _read_turns(episodes[str(label["id"])])
    if not isinstance(last, Step) or (last.tool, last.arguments) != _PURCHASE:
        raise ValueError(f"{LOG}: the episode {label['id']} has a reward and does not end with a purchase")
    case = Case(Context(label["instruction"], TOOLS, tuple(before)), ProposedAction(last.tool, last.arguments))
    wrong = outcome is Outcome.MISALIGNED
    labelled = LabelledCase(f"{name}/{len(before) + 1}", label["status"], case, wrong)
    return LabelledTrace(name, "webshop", outcome, (labelled,))


def _read_turns(episode: str) -> Iterator[Step | Message]:
    """What the agent did and thought, with what it observed."""
    for text in _TURN.split(episode)[_OPENING:]:
        done, _, observed = text.partition("\nObservation:")
        action = _ACTION.fullmatch(done.strip())
        if action is None:
            raise ValueError(f"{LOG}: {done!r} is no action")
        name, argument = action["name"], action["given"] or ""
        if name == "think":
            yield Message("assistant", argument)
        else:
            # The log indents what a page shows; no position of a line means anything.
            page = "\n".join(map(str.strip, observed.strip().splitlines()))
            yield Step(name, {_PARAMETERS.get(name, "input"): argument}, page)
