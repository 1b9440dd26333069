"""Pairs of calls in one context: one is right, the other differs from it in whose value it is or what part it plays.

Reads every JSON file of the folder: a list of submissions in our own shape without their action, each with a right and
a wrong one beside (see the NOTICE).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from reviews.evaluation.benchmarks.base import Benchmark, LabelledCase, LabelledTrace, Outcome, Recorded, digest_of
from reviews.evaluation.benchmarks.compare_calls import differing_leaves
from reviews.evaluation.benchmarks.reading import iter_listed_records
from reviews.provenance.core.context import Case, ProposedAction
from reviews.provenance.formats import native

SIDES: Final[Mapping[str, bool]] = {"right": False, "wrong": True}
"""The two calls of a pair, and whether each should be stopped."""

Data = Mapping[str, Any]


@dataclass(frozen=True)
class Pairs(Benchmark):
    """Pairs of calls, in a folder of JSON files."""

    folder: Path
    name: str = "pairs"

    def iter_records(self) -> Iterator[Recorded]:
        """Every pair, not yet read, as one trace, grouped by its kind. Raises `TraceDataError`."""
        return iter_listed_records(self.folder, "pair", _read_trace)


def _read_trace(pair: Data) -> LabelledTrace:
    name = f"pairs/{pair['kind']}/{digest_of(pair['name'], pair['body'])}"
    cases = tuple(_read_case(name, pair, side) for side in SIDES)
    # Nothing happened: a pair stands for no run, so it counts in no rate per trace.
    return LabelledTrace(name, pair["kind"], Outcome.OTHER, cases)


def _read_case(name: str, pair: Data, side: str) -> LabelledCase:
    body = dict(pair["body"])
    # The clock is no part of a submission: whoever receives it knows the time.
    now = body.pop("now", None)
    parsed = native.parse({**body, "action": pair[side]})
    right = pair["right"]
    document = parsed.context.tool(parsed.action.tool)
    return LabelledCase(
        id=f"{name}/{side}",
        label=side,
        case=Case(replace(parsed.context, now=datetime.fromisoformat(now) if now else None), parsed.action),
        wrong=SIDES[side],
        differing=differing_leaves(pair[side]["arguments"], [right["arguments"]]),
        right=ProposedAction(right["tool"], right["arguments"]),
        look_up=document is not None and not document.environment_changing,
    )
