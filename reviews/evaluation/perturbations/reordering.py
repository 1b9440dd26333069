"""Look-ups of which none needs another's result, in the opposite order."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.benchmarks.call_kinds import only_reads
from reviews.evaluation.perturbations.base import with_context
from reviews.provenance.core.context import Context, Message, Step, ToolDoc, leaves

# A shorter value stands in most results by chance, and would make every look-up depend on every other.
_TELLING: Final = 2


def reverse_look_ups(case: LabelledCase) -> LabelledCase:
    """The case with each run of independent look-ups reversed."""
    context = case.case.context
    history = tuple(item for run in _split_runs(context) for item in reversed(run))
    return with_context(case, replace(context, history=history))


def is_look_up(context: Context, item: Step | Message) -> bool:
    """Whether the item is a call that only looked something up."""
    return isinstance(item, Step) and only_reads(context.tool(item.tool) or ToolDoc(item.tool))


def _split_runs(context: Context) -> Iterator[list[Step | Message]]:
    """The history in stretches: independent look-ups that follow each other, and every other item by itself."""
    run: list[Step | Message] = []
    for item in context.history:
        if run and not (is_look_up(context, item) and _is_independent(run, item)):
            yield run
            run = []
        run.append(item)
        if not is_look_up(context, item):
            yield run
            run = []
    if run:
        yield run


def _is_independent(run: list[Step | Message], item: Step | Message) -> bool:
    """Whether no argument of the look-up stands in what those before it returned."""
    results = [step.outcome or "" for step in run if isinstance(step, Step)]
    arguments = dict(item.arguments) if isinstance(item, Step) else {}
    values = [str(value) for _, value in leaves(arguments)]
    return not any(value in result for value in values if len(value) >= _TELLING for result in results)
