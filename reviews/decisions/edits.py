"""An edit is a new call: schema, policy and provenance are checked again before it is released.

The check runs in a process that can be killed, outside any transaction: the tool's schema and the texts of the context
were written by others, and could keep a web process busy for ever.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from reviews.errors import FieldProblem, InvalidEditError
from reviews.models import Action, ToolPolicy
from reviews.provenance.argument_grounding import Grounded
from reviews.provenance.core.bounds import find_unacceptable_parts
from reviews.provenance.core.canonical import NotCanonicalError, call_digest
from reviews.provenance.core.context import Case, JsonValue, leaves
from reviews.records import load
from reviews.scheduling import killable_checks
from reviews.scheduling.killable_pool import StoppedError, shared_pool

# An edit that changes nothing would label an aligned call as misaligned.
UNCHANGED: Final = FieldProblem("/arguments", "Nothing is changed. Approve the call instead.")


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

    action_id: UUID
    """The action in whose context it was checked."""
    errors: list[FieldProblem]
    grounded: tuple[Grounded, ...]
    """Where each value comes from, in the order of the arguments; empty while there are errors."""
    changed: list[Change]
    digest: str = ""
    """Of the edited call; empty while there are errors."""

    def is_of(self, action: Action, tool: str, arguments: Mapping[str, JsonValue]) -> bool:
        """Whether exactly this call was checked in the context of this action, and may be released."""
        try:
            return not self.errors and (self.action_id, self.digest) == (action.pk, call_digest(tool, arguments))
        except NotCanonicalError:
            return False

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
    case = load.load_case_with(action, tool, arguments)
    changed = _list_changes(action.arguments, dict(arguments))
    problem = _problem_at_once(action, case)
    if problem is not None:
        return EditPreview(action.pk, [problem], (), changed)
    guard = settings.GUARD
    try:
        pool = shared_pool(guard.check_megabytes)
        checked = pool.run_within(guard.edit_seconds, killable_checks.checked_call, case)
    except StoppedError as error:
        return EditPreview(action.pk, [FieldProblem("/arguments", f"The edit {error}.")], (), changed)
    errors = [FieldProblem(f"/arguments{at}", message) for at, message in checked.violations]
    # By digest: to Python 1 and true are equal, to a tool they are not.
    if call_digest(tool, arguments) == call_digest(action.tool, action.arguments):
        errors.append(UNCHANGED)
    if errors:
        return EditPreview(action.pk, errors, (), changed)
    return EditPreview(action.pk, [], checked.grounded, changed, call_digest(tool, arguments))


def check_edit(*, action: Action, tool: str, arguments: Mapping[str, JsonValue]) -> EditPreview:
    """The preview of an edit that may be released. Raises `InvalidEditError` naming each field."""
    preview = preview_edit(action=action, tool=tool, arguments=arguments)
    if preview.errors:
        raise InvalidEditError(*preview.errors)
    return preview


def _problem_at_once(action: Action, case: Case) -> FieldProblem | None:
    """What rules the edit out before its arguments are looked at; None where nothing does."""
    name = case.action.tool
    # Not by `context.tool`: what that keeps for the next time cannot be sent to another process.
    if all(document.name != name for document in case.context.tools):
        return FieldProblem("/tool", f"The agent has no tool “{name}”.")
    if action.profile.tool_policies.get(name) == ToolPolicy.DENY:
        return FieldProblem("/tool", f"The workspace's policy denies “{name}”.")
    # Before anything walks through them recursively: a reviewer may type what no agent could have sent.
    unacceptable = find_unacceptable_parts(
        dict(case.action.arguments), max_nesting=settings.GUARD.max_nesting, at="/arguments", exact=True
    )
    for pointer, message in unacceptable:
        return FieldProblem(pointer, message)
    try:
        # What has no canonical form has no digest to bind an approval to.
        call_digest(name, case.action.arguments)
    except NotCanonicalError as error:
        return FieldProblem("/arguments", str(error))
    return None


def _list_changes(before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]) -> list[Change]:
    """The leaves that differ: those of `before` in its order, then those that are new."""
    old, new = dict(leaves(before)), dict(leaves(after))
    # By type too: to Python 1, 1.0 and true are equal, to a tool they are not.
    pointers = [*old, *(pointer for pointer in new if pointer not in old)]
    return [
        Change(at, old.get(at), new.get(at), added=at not in old, removed=at not in new)
        for at in pointers
        if (at in old) != (at in new) or old[at] != new[at] or type(old[at]) is not type(new[at])
    ]
