"""Wrong calls made of the right ones of any benchmark, the same ones in every run."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome, digest_of
from reviews.evaluation.benchmarks.compare_calls import call_form
from reviews.evaluation.mutants.digit import change_digit
from reviews.evaluation.mutants.drop import drop_argument
from reviews.evaluation.mutants.sibling import take_siblings
from reviews.evaluation.mutants.swap import swap_arguments
from reviews.provenance.core.context import Case, JsonValue, leaves

MUTATORS: Final[Mapping[str, Callable[[Case], Iterator[Mapping[str, JsonValue]]]]] = MappingProxyType(
    {
        "digit": change_digit,
        "sibling": take_siblings,
        "swap": swap_arguments,
        "drop": drop_argument,
    }
)
"""What makes each kind of mutant: the right arguments become wrong ones."""

# Behind the id of a trace, of the mutants that are made of its calls.
_SUFFIX: Final = "/mutants"
# A call with fifty arguments would otherwise count as much as all calls with one.
_MAX_OF_A_CALL: Final = 3


def mutants_of(
    traces: Iterable[LabelledTrace], kinds: Sequence[str], drawn: Collection[str] | None = None
) -> Iterator[LabelledTrace]:
    """Each trace with the mutants of its right calls instead of its calls; traces without any are left out.

    `drawn` holds the keys of the cases to make mutants of; None: of all.
    """
    for trace in traces:
        right = [case for case in trace.cases if case.wrong is False and (drawn is None or case.key in drawn)]
        mutants = [mutant for case in right for mutant in _mutate_call(case, trace, kinds)]
        if mutants:
            yield LabelledTrace(f"{trace.id}{_SUFFIX}", trace.group, Outcome.OTHER, tuple(mutants), trace.truth)


def conversation_of(trace: LabelledTrace) -> str:
    """The conversation that the trace's calls stand in: that of mutants is the one whose calls they are made of."""
    return trace.id.removesuffix(_SUFFIX)


def _mutate_call(case: LabelledCase, trace: LabelledTrace, kinds: Sequence[str]) -> Iterator[LabelledCase]:
    """The mutants of one call that mean what no right call of the task does, a few of each kind."""
    document = case.case.context.tool(case.case.action.tool)
    right = [*trace.truth, *(sibling.case.action for sibling in trace.cases if sibling.wrong is False)]
    # Another call of the task that is right, too, is no mutant: “cancel both orders”.
    right_forms = {call_form(document, call) for call in right if call.tool == case.case.action.tool}
    for kind in kinds:
        mutants: dict[Hashable, Mapping[str, JsonValue]] = {}
        for arguments in MUTATORS[kind](case.case):
            form = call_form(document, replace(case.case.action, arguments=arguments))
            # Two mutants that mean the same are one.
            if form not in right_forms:
                mutants.setdefault(form, arguments)
        # By hash: the first leaves of a call would always be of the same parameters.
        ordered = sorted(mutants.values(), key=lambda arguments: digest_of(case.id, kind, arguments))  # used at once
        for number, arguments in enumerate(ordered[:_MAX_OF_A_CALL], start=1):
            yield LabelledCase(
                id=f"{case.id}/{kind}/{number}",
                label=kind,
                case=replace(case.case, action=replace(case.case.action, arguments=dict(arguments))),
                wrong=True,
                differing=_differing_leaves(case.case.action.arguments, arguments),
                right=case.case.action,
                look_up=case.look_up,
            )


def _differing_leaves(right: Mapping[str, JsonValue], wrong: Mapping[str, JsonValue]) -> frozenset[str]:
    """JSON Pointers of the leaves in which two calls differ, those that only one of them has too."""
    before, after = dict(leaves(dict(right))), dict(leaves(dict(wrong)))
    differing = {pointer for pointer in before.keys() | after.keys() if before.get(pointer) != after.get(pointer)}
    # Arguments of which the only one was dropped are a leaf of their own: an empty object.
    return frozenset(differing - {""})
