"""A scripted agent that tries a call again after a reviewer sent it back (InferAct paper, 3.2 and 5.3).

It learns nothing but what it is told: of a worded answer it takes the one thing that is named; told only that the call
is wrong, it tries the next value that the records of its own look-ups hold in the place of one of its values.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from reviews.evaluation.benchmarks.compare_calls import call_form
from reviews.evaluation.mutants.sibling import siblings_taken
from reviews.provenance.core.context import Case, JsonValue, NamedText, ProposedAction, SourceKind, leaves
from reviews.provenance.core.pointers import name_of, replace_values

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


def word_correction(call: ProposedAction, right: ProposedAction) -> Correction:
    """One thing that is wrong with the call: its tool, else the first value that is not the right one's."""
    if call.tool != right.tool:
        return Correction(f"Use {right.tool} instead.", tool=right.tool)
    given = dict(leaves(dict(call.arguments)))
    for pointer, value in leaves(dict(right.arguments)):
        if pointer not in given or str(given[pointer]) != str(value):
            return Correction(f"The {name_of(pointer)} should be {value}.", pointer=pointer, value=value)
    extra = next((pointer for pointer in given if pointer not in dict(leaves(dict(right.arguments)))), "")
    return Correction(f"Leave out the {name_of(extra)}." if extra else "This is not what was asked for.")


def retry_worded(case: Case, correction: Correction) -> Case:
    """The next try, with the reviewer's words among its sources as the product puts them there."""
    said = NamedText(SourceKind.REVIEWER, f"feedback {len(case.context.feedback) + 1}", correction.message)
    context = replace(case.context, extra=(*case.context.extra, said))
    action = replace(case.action, tool=correction.tool or case.action.tool, subtask=None)
    if correction.pointer:
        arguments = replace_values(action.arguments, {correction.pointer: correction.value})
        action = replace(action, arguments=_with_member(dict(arguments), correction))
    return Case(context, action)


def retry_binary(case: Case, tried: Iterable[ProposedAction]) -> Case:
    """The next try, with one value of another record; the same call once there is none left to try."""
    document = case.context.tool(case.action.tool)
    forms = {call_form(document, call) for call in tried}
    for arguments in siblings_taken(case):
        action = replace(case.action, arguments=dict(arguments))
        if call_form(document, action) not in forms:
            return replace(case, action=action)
    return case


def _with_member(arguments: dict[str, JsonValue], correction: Correction) -> dict[str, JsonValue]:
    """The arguments with a top-level value that they lacked."""
    name = correction.pointer.removeprefix("/")
    return arguments if "/" in name else {**arguments, name: correction.value}
