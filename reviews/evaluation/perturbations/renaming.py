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


def rename_case(case: LabelledCase) -> LabelledCase:
    """The case with everything that has a name renamed."""
    renaming = renaming_of(naming_words(case.case), case.case, f"{case.id}/renaming")
    return replace(
        case,
        case=Case(_rename_context(case.case.context, renaming), _rename_call(case.case.action, renaming)),
        right=_rename_call(case.right, renaming) if case.right else None,
        differing=None if case.differing is None else frozenset(map(renaming.rename_text, case.differing)),
    )


def _rename_context(context: Context, renaming: Renaming) -> Context:
    return replace(
        context,
        query=renaming.rename_text(context.query),
        tools=tuple(_rename_document(tool, renaming) for tool in context.tools),
        history=tuple(_rename_item(item, renaming) for item in context.history),
        extra=tuple(replace(source, text=renaming.rename_text(source.text)) for source in context.extra),
        plan=context.plan
        and tuple(
            replace(
                step,
                message=renaming.rename_text(step.message),
                tool_use=tuple(map(renaming.rename_text, step.tool_use)),
            )
            for step in context.plan
        ),
    )


def _rename_document(tool: ToolDoc, renaming: Renaming) -> ToolDoc:
    return replace(
        tool,
        name=renaming.rename_text(tool.name),
        description=renaming.rename_text(tool.description),
        parameters=_rename_schema(dict(tool.parameters), renaming),
    )


def _rename_schema(schema: JsonValue, renaming: Renaming) -> JsonValue:
    """A schema with the names of its properties, its values and its texts renamed, in its own language."""
    match schema:
        case dict():
            return {name: _rename_member(name, value, renaming) for name, value in schema.items()}
        case list():
            return [_rename_schema(item, renaming) for item in schema]
    return schema


def _rename_member(name: str, value: JsonValue, renaming: Renaming) -> JsonValue:
    if name in _OF_SCHEMAS:
        return value
    if name == "properties" and isinstance(value, dict):
        return {renaming.rename_text(key): _rename_schema(item, renaming) for key, item in value.items()}
    if name in _VALUES:
        return renaming.rename_value(value, renaming.rename_text)
    return renaming.rename_text(value) if isinstance(value, str) else _rename_schema(value, renaming)


def _rename_item(item: Step | Message, renaming: Renaming) -> Step | Message:
    match item:
        case Message():
            return replace(item, text=renaming.rename_text(item.text))
        case Step():
            return replace(
                item,
                tool=renaming.rename_text(item.tool),
                arguments=renaming.rename_value(dict(item.arguments), renaming.rename_text),
                outcome=None if item.outcome is None else renaming.rename_text(item.outcome),
                subtask=None if item.subtask is None else renaming.rename_text(item.subtask),
            )


def _rename_call(call: ProposedAction, renaming: Renaming) -> ProposedAction:
    return ProposedAction(
        renaming.rename_text(call.tool),
        renaming.rename_value(dict(call.arguments), renaming.rename_text),
        None if call.subtask is None else renaming.rename_text(call.subtask),
    )
