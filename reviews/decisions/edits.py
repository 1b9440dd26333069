"""An edit is a new call: schema, policy and provenance are checked again before it is released."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reviews.errors import FieldProblem, InvalidEditError
from reviews.models import Action, ToolPolicy
from reviews.provenance.core.canonical import NotCanonicalError, call_digest
from reviews.provenance.core.context import Case, JsonValue, leaves
from reviews.provenance.detectors import schema_problems
from reviews.provenance.grounding import Grounded, ground_arguments
from reviews.records import load


@dataclass(frozen=True)
class Change:
    """One argument leaf the edit touches; `absent` marks the side on which it does not exist."""

    pointer: str
    before: JsonValue
    after: JsonValue
    added: bool = False
    removed: bool = False


@dataclass(frozen=True)
class EditPreview:
    """What an edited call would be."""

    errors: list[FieldProblem]
    grounded: tuple[Grounded, ...]
    """Where each value comes from, in the order of the arguments; empty while there are errors."""
    changed: list[Change]
    digest: str = ""
    """Of the edited call; empty while there are errors."""

    def provenance_json(self) -> list[dict[str, Any]]:
        """The provenance as the column `Decision.provenance` holds it."""
        typed = {change.pointer for change in self.changed}
        return [
            {
                "pointer": grounded.pointer,
                "grounding": str(grounded.how),
                "typed_by_reviewer": grounded.pointer in typed,
                "note": grounded.note,
                "evidence": [
                    {"source": span.source, "start": span.start, "end": span.end, "quote": span.quote}
                    for span in grounded.spans
                ],
            }
            for grounded in self.grounded
        ]


def preview_edit(*, action: Action, tool: str, arguments: Mapping[str, JsonValue]) -> EditPreview:
    """What releasing this call instead would mean. Raises nothing: whatever is wrong stands in `errors`."""
    case = load.case_with(action, tool, arguments)
    changed = _changes(action.arguments, dict(arguments))
    errors = _problems(action, case)
    if errors:
        # Grounding costs the most, and a call that cannot be released needs none.
        return EditPreview(errors, (), changed)
    return EditPreview([], ground_arguments(case), changed, call_digest(tool, arguments))


def check_edit(*, action: Action, tool: str, arguments: Mapping[str, JsonValue]) -> EditPreview:
    """The preview of an edit that may be released. Raises `InvalidEditError` naming each field."""
    preview = preview_edit(action=action, tool=tool, arguments=arguments)
    if preview.errors:
        raise InvalidEditError(*preview.errors)
    return preview


def _problems(action: Action, case: Case) -> list[FieldProblem]:
    """Why the edited call must not be released; empty when it may be."""
    name, arguments = case.action.tool, case.action.arguments
    # One error at a time where the later checks need the earlier: without a tool there is no schema, and what has no
    # canonical form cannot be compared.
    document = case.context.tool(name)
    if document is None:
        return [FieldProblem("/tool", f"The agent has no tool “{name}”.")]
    if action.profile.tool_policies.get(name) == ToolPolicy.DENY:
        return [FieldProblem("/tool", f"The workspace's policy denies “{name}”.")]
    try:
        call_digest(name, arguments)
    except NotCanonicalError as error:
        return [FieldProblem("/arguments", str(error))]
    problems = [FieldProblem(f"/arguments{at}", message) for at, message in schema_problems(document, arguments)]
    # An edit that changes nothing would label an aligned call as misaligned.
    if name == action.tool and dict(arguments) == action.arguments:
        problems.append(FieldProblem("/arguments", "Nothing is changed. Approve the call instead."))
    return problems


def _changes(before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]) -> list[Change]:
    """The leaves that differ: those of `before` in its order, then those that are new."""
    old, new = dict(leaves(before)), dict(leaves(after))
    # By type too: to Python 1, 1.0 and true are equal, to a tool they are not.
    pointers = [*old, *(pointer for pointer in new if pointer not in old)]
    return [
        Change(at, old.get(at), new.get(at), added=at not in old, removed=at not in new)
        for at in pointers
        if (at in old) != (at in new) or old[at] != new[at] or type(old[at]) is not type(new[at])
    ]
