"""A scripted agent that tries a call again after a reviewer sent it back (InferAct paper, 3.2 and 5.3).

It learns nothing but what it is told: of a worded answer it takes the one thing that is named; told only that the call
is wrong, it tries the next value that the records of its own look-ups hold in the place of one of its values.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from reviews.evaluation.benchmarks.compare_calls import call_form
from reviews.evaluation.mutants.sibling import take_siblings
from reviews.provenance.core.context import Case, JsonValue, NamedText, ProposedAction, leaves
from reviews.provenance.core.pointers import name_of, replace_values
from reviews.provenance.core.trust import SourceKind

FeedbackKind: TypeAlias = Literal["binary", "worded"]


@dataclass(frozen=True)
class Correction:
    """What the scripted reviewer, who knows the right call, says of a wrong one."""

    message: str
    tool: str = ""
    """The tool that is named; empty: it is the right one."""
    pointer: str = ""
    """The argument whose value is named; empty: none is."""
    value: JsonValue = None
    is_too_much: bool = False
    """Whether the argument is to be left out."""


def word_correction(call: ProposedAction, right: ProposedAction) -> Correction:
    """One thing that is wrong with the call: its tool, else the first value that is not the right one's."""
    if call.tool != right.tool:
        return Correction(f"Use {right.tool} instead.", tool=right.tool)
    arguments = dict(leaves(dict(call.arguments)))
    for pointer, value in leaves(dict(right.arguments)):
        if pointer not in arguments or str(arguments[pointer]) != str(value):
            return Correction(f"The {name_of(pointer)} should be {value}.", pointer=pointer, value=value)
    extra = next((pointer for pointer in arguments if pointer not in dict(leaves(dict(right.arguments)))), "")
    if not extra:
        return Correction("This is not what was asked for.")
    return Correction(f"Leave out the {name_of(extra)}.", pointer=extra, is_too_much=True)


def retry_worded(case: Case, correction: Correction) -> Case:
    """The next try, with the reviewer's words among its sources as the product puts them there."""
    feedback = NamedText(SourceKind.REVIEWER, f"feedback {len(case.context.feedback) + 1}", correction.message)
    context = replace(case.context, extra=(*case.context.extra, feedback))
    action = replace(case.action, tool=correction.tool or case.action.tool, subtask=None)
    return Case(context, replace(action, arguments=_correct_argument(dict(action.arguments), correction)))


def retry_binary(case: Case, tried: Iterable[ProposedAction]) -> Case:
    """The next try, with one value of another record; the same call once there is none left to try."""
    document = case.context.tool(case.action.tool)
    forms = {call_form(document, call) for call in tried}
    for arguments in take_siblings(case):
        action = replace(case.action, arguments=dict(arguments))
        if call_form(document, action) not in forms:
            return replace(case, action=action)
    return case


def _correct_argument(arguments: dict[str, JsonValue], correction: Correction) -> dict[str, JsonValue]:
    """The arguments with the one value that is named, or without the one that is too much."""
    name = correction.pointer.removeprefix("/")
    if correction.is_too_much:
        return {parameter: value for parameter, value in arguments.items() if parameter != name}
    if not name:
        return arguments
    # A value that the call lacked is added where it is no part of another one.
    added = arguments if "/" in name else {**arguments, name: correction.value}
    return dict(replace_values(added, {correction.pointer: correction.value}))
