"""Every name, identifier and domain noun of a case under another one, the same everywhere.

What the user says, what tools are called, their parameters, documents, arguments and results change alike; grammar,
verbs, days, amounts and what fields are called in every domain stay. Whoever judges by what stands where, and not by
what words mean to him, judges the same.
"""

from dataclasses import replace
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.perturbations.cipher import Renaming, renaming_of
from reviews.evaluation.perturbations.vocabulary import naming_words
from reviews.provenance.core.context import Case, Context, JsonValue, Message, ProposedAction, Step, ToolDoc

# Members of a JSON schema that hold words of its own language.
_OF_SCHEMAS: Final = frozenset({"type", "format", "pattern", "$ref", "$schema", "$id", "$defs", "definitions"})
# Members that hold values of the domain.
_VALUES: Final = frozenset({"enum", "const", "default", "examples", "example", "required"})


def rename(case: LabelledCase) -> LabelledCase:
    """The case with everything that has a name renamed."""
    renaming = renaming_of(naming_words(case.case), case.case, f"{case.id}/renaming")
    return replace(
        case,
        case=Case(_context(case.case.context, renaming), _call(case.case.action, renaming)),
        right=_call(case.right, renaming) if case.right else None,
        differing=None if case.differing is None else frozenset(map(renaming.text, case.differing)),
    )


def _context(context: Context, renaming: Renaming) -> Context:
    return replace(
        context,
        query=renaming.text(context.query),
        tools=tuple(_document(tool, renaming) for tool in context.tools),
        history=tuple(_item(item, renaming) for item in context.history),
        extra=tuple(replace(named, text=renaming.text(named.text)) for named in context.extra),
        plan=None
        if context.plan is None
        else tuple(
            replace(step, message=renaming.text(step.message), tool_use=tuple(map(renaming.text, step.tool_use)))
            for step in context.plan
        ),
    )


def _document(tool: ToolDoc, renaming: Renaming) -> ToolDoc:
    return replace(
        tool,
        name=renaming.text(tool.name),
        description=renaming.text(tool.description),
        parameters=_schema(dict(tool.parameters), renaming),
    )


def _schema(schema: JsonValue, renaming: Renaming) -> JsonValue:
    """A schema with the names of its properties, its values and its texts renamed, in its own language."""
    match schema:
        case dict():
            return {name: _member(name, value, renaming) for name, value in schema.items()}
        case list():
            return [_schema(item, renaming) for item in schema]
    return schema


def _member(name: str, value: JsonValue, renaming: Renaming) -> JsonValue:
    if name in _OF_SCHEMAS:
        return value
    if name == "properties" and isinstance(value, dict):
        return {renaming.text(key): _schema(item, renaming) for key, item in value.items()}
    if name in _VALUES:
        return renaming.everything(value)
    return renaming.text(value) if isinstance(value, str) else _schema(value, renaming)


def _item(item: Step | Message, renaming: Renaming) -> Step | Message:
    match item:
        case Message():
            return replace(item, text=renaming.text(item.text))
        case Step():
            return replace(
                item,
                tool=renaming.text(item.tool),
                arguments=renaming.everything(dict(item.arguments)),
                outcome=None if item.outcome is None else renaming.text(item.outcome),
                subtask=None if item.subtask is None else renaming.text(item.subtask),
            )


def _call(call: ProposedAction, renaming: Renaming) -> ProposedAction:
    return ProposedAction(
        renaming.text(call.tool),
        renaming.everything(dict(call.arguments)),
        None if call.subtask is None else renaming.text(call.subtask),
    )
