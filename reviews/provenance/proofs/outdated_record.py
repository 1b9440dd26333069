"""Whether a record has changed since it was looked up, or never stood: then its name may be another one's.

A later result of the same look-up has it under another name, or not at all; a call of another tool since did
more than look something up; one has set the very field that names it, or the one that is asked for; or the
result is an error, whatever else it holds.
"""

from typing import Final

from reviews.provenance.core.context import Step, leaves
from reviews.provenance.core.places import history_position
from reviews.provenance.data.sources import Cell, SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.record_keys import NamedRecord, name_of_field
from reviews.provenance.terms.search import cells_with
from reviews.provenance.text.boundaries import stands_in
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import READING, local_name, stems_of, tokens_of

# How the result of a call that failed begins.
_ERROR: Final = "error"
# What a field of that name has where there is none.
_NONE: Final = frozenset({"", "null", "none", "false", "0"})


def is_outdated(leaf: Leaf, record: NamedRecord, cell: Cell, call: ProposedCall) -> bool:
    """Whether the value, which this field holds, may be no field of what the words name any more."""
    text = record.text
    if is_error(text):
        return True
    at = history_position(text.source.id)
    later = (result for result in call.evidence.results_of(text) if history_position(result.source.id) > at)
    says_otherwise = any(_says_otherwise(result, leaf, record) for result in later)
    return says_otherwise or may_have_changed(text, call) or _is_changed(leaf, record, cell, call)


def may_have_changed(text: SourceText, call: ProposedCall) -> bool:
    """Whether a call of another tool since the look-up did more than look something up: nobody knows what it did."""
    since = call.evidence.context.history[history_position(text.source.id) :]
    call.evidence.budget.spend(1 + len(since))
    tools = {item.tool for item in since if isinstance(item, Step)} - {call.tool}
    documents = {tool: call.evidence.context.tool(tool) for tool in tools}
    return any(
        READING.isdisjoint(tokens_of(local_name(tool))[:1]) and (document is None or document.environment_changing)
        for tool, document in documents.items()
    )


def _says_otherwise(result: SourceText, leaf: Leaf, record: NamedRecord) -> bool:
    """Whether a later result has the value in a record without the name, or, of the same look-up, no such name."""
    result.budget.spend(1 + len(result.folded) // 64)
    step, before = result.step, record.text.step
    if step and before and step.arguments == before.arguments and not stands_in(result.folded, record.words):
        return True
    # What a look-up was made with is no field of its records.
    cells = cells_with(leaf, result) if record.cell else ()
    return any(
        not any(stands_in(fold(sibling.value), record.words) for sibling in result.cells_of(cell.record))
        for cell in cells
    )


def _is_changed(leaf: Leaf, record: NamedRecord, cell: Cell, call: ProposedCall) -> bool:
    """Whether a call since then was given a field of the record, and another value for its name or for this field."""
    names = stems_of(name_of_field(record.cell.field)) if record.cell else frozenset()
    field = stems_of(name_of_field(cell.field))
    record_values = {leaf.folded, record.words, *(fold(part.value) for part in cell.text.cells_of(cell.record))}
    for item in call.evidence.context.history[history_position(record.text.source.id) :]:
        call.evidence.budget.spend()
        if not isinstance(item, Step):
            continue
        arguments = [(stems_of(pointer), fold(str(value))) for pointer, value in leaves(dict(item.arguments))]
        changed = [stems for stems, value in arguments if value not in record_values]
        if len(changed) < len(arguments) and any(names & stems or (field and field <= stems) for stems in changed):
            return True
    return False


def is_error(text: SourceText) -> bool:
    """Whether a result is an error, or has one beside what else it holds: then that is not all there is."""
    own = [cell for record in text.document.records_of_kind(()) for cell in text.cells_of(record)]
    errors = (fold(cell.value) for cell in own if stems_of(name_of_field(cell.field)) == {_ERROR})
    has_error = any(error not in _NONE for error in errors) or any(fold(cell.value) == _ERROR for cell in own)
    return has_error or text.folded.lstrip().startswith(_ERROR)
