"""A ReAct agent's episodes in WebShop: the purchase that ends an episode as a case.

Reads the printed log as its author published it, with `labels.jsonl` beside (see the NOTICE). The purchase is the
critical action of the InferAct paper (section 4.1); the shop's own reward says whether it was right.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome, TraceDataError
from reviews.provenance.core.context import Case, Context, Message, ProposedAction, Step, ToolDoc

LOG: Final = "react_webshop_log.txt"
LABELS: Final = "labels.jsonl"

_EPISODE: Final = re.compile(r"^-{17}\n(\d+)\n", re.MULTILINE)
_TURN: Final = re.compile(r"^Action: ", re.MULTILINE)
_ACTION: Final = re.compile(r"(?P<name>\w+)(?:\[(?P<given>.*?)\]?)?")
"""The log cuts long lines, so that a thought may lack its closing bracket."""
_PURCHASE: Final = ("click", {"element": "Buy Now"})
_OUTCOMES: Final = {"successful": Outcome.SUCCESSFUL, "failed": Outcome.MISALIGNED, "halted": Outcome.OTHER}


def _text_of(parameter: str, told: str) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {parameter: {"type": "string", "description": told}},
        "required": [parameter],
    }


TOOLS: Final = (
    ToolDoc(
        "search",
        "Searches the shop for products and shows the first page of what it finds, with names and prices.",
        _text_of("query", "Words to search for."),
        environment_changing=False,
    ),
    ToolDoc(
        "click",
        "Presses a button of the page shown: opens a product by its number, chooses one of its options, leafs through"
        " pages and descriptions, or buys the opened product with the options chosen (Buy Now), which ends the visit.",
        _text_of("element", "The button's label, as the page shows it between brackets."),
    ),
)
"""The shop publishes no documents: these say what its pages can do. What the agent thinks is no tool but a message."""
_PARAMETERS: Final = {tool.name: next(iter(tool.properties)) for tool in TOOLS}

Turn = tuple[str, str, str]
"""An action's name, what stands between its brackets, and what was observed."""


@dataclass(frozen=True)
class WebShop:
    """The folder."""

    folder: Path
    name: str = "webshop"

    def traces(self) -> Iterator[LabelledTrace]:
        """Every episode; one without a reward has no case. Raises `TraceDataError`."""
        episodes = self._episodes()
        for number, line in enumerate(self._text(LABELS).splitlines(), start=1):
            try:
                told = json.loads(line)
                yield _labelled(told, episodes[str(told["id"])])
            except (KeyError, TypeError, ValueError) as error:
                raise TraceDataError(f"{LABELS}, line {number}: {error!r}") from error

    def _episodes(self) -> Mapping[str, str]:
        """The text of each episode by its number."""
        parts = _EPISODE.split(self._text(LOG))[1:]
        return dict(zip(parts[::2], parts[1::2], strict=True))

    def _text(self, name: str) -> str:
        try:
            return (self.folder / name).read_text(encoding="utf-8")
        except OSError as error:
            raise TraceDataError(f"{name} cannot be read: {error}") from error


def _labelled(told: Mapping[str, Any], episode: str) -> LabelledTrace:
    named, outcome = f"webshop/{told['id']}", _OUTCOMES[told["status"]]
    cases = () if outcome is Outcome.OTHER else (_case(named, told, tuple(_turns(episode))),)
    return LabelledTrace(named, "webshop", outcome, cases)


def _case(named: str, told: Mapping[str, Any], turns: Sequence[Turn]) -> LabelledCase:
    *before, last = map(_item, turns)
    if not isinstance(last, Step) or (last.tool, last.arguments) != _PURCHASE:
        raise ValueError(f"{LOG}: the episode {told['id']} has a reward and does not end with a purchase")
    context = Context(told["instruction"], TOOLS, tuple(before))
    case = Case(context, ProposedAction(last.tool, last.arguments))
    return LabelledCase(f"{named}/{len(turns)}", told["status"], case, wrong=told["status"] == "failed")


def _turns(episode: str) -> Iterator[Turn]:
    """The turns behind the first one, which only opens the shop and shows the request."""
    for text in _TURN.split(episode)[2:]:
        done, _, observed = text.partition("\nObservation:")
        read = _ACTION.fullmatch(done.strip())
        if read is None:
            raise ValueError(f"{LOG}: {done!r} is no action")
        yield read["name"], read["given"] or "", "\n".join(map(str.strip, observed.strip().splitlines()))


def _item(turn: Turn) -> Step | Message:
    name, given, observed = turn
    if name == "think":
        return Message("assistant", given)
    return Step(name, {_PARAMETERS.get(name, "input"): given}, observed)
