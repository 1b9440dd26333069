"""Why a call passed, or was stopped, argument by argument."""

from collections.abc import Iterator
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.judged_case import Judged, Traced
from reviews.provenance.terms.derivability import is_derivable, parameter_paths, path_of

# Two lines of a terminal: enough to recognise a request or a note by.
_EXCERPT: Final = 160
# The subject of a finding may be a whole plan; a pointer or a tool's name is shorter.
_SUBJECT: Final = 80
_CLASS_NAMES: Final = {True: "must have a source", False: "composed by the agent", None: "class unknown"}


def describe_case(title: str, case: LabelledCase, judged: Judged, reasons: Iterator[str]) -> str:
    """A case for a person to read: the call, what was asked for, and a line for each reason."""
    context, action = case.case.context, case.case.action
    request = " ".join(context.query.split())[:_EXCERPT]
    verdict = f"{judged.verdict}, {judged.type}" if judged.type else judged.verdict
    heading = f"{title}: {case.id} [{case.label}] {verdict}\n  request: {request}\n  call: {action.tool}"
    return "\n    ".join((heading, *reasons))


def reasons_to_pass(case: LabelledCase, judged: Judged) -> Iterator[str]:
    """What each wrong argument was grounded to, or which class let it pass; where nothing differs, that."""
    if case.differing == frozenset():
        yield "every value is right; the call itself is one too many"
    elif case.differing is None:
        yield "no right call of this tool is known: the tool itself is wrong, or the request asks for nothing"
    document = case.case.context.tool(case.case.action.tool)
    schemas = parameter_paths(document) if document else {}
    for leaf in judged.traced:
        if case.differing is None or leaf.pointer in case.differing:
            path = path_of(leaf.pointer)
            kind = is_derivable(path, schemas.get(path, {}), document) if document else None
            yield f"{leaf.pointer} = {leaf.value!r} ({_CLASS_NAMES[kind]}): {leaf.how}. {leaf.note[:_EXCERPT]}"


def reasons_to_stop(judged: Judged) -> Iterator[str]:
    """Each finding that does not hold."""
    failed = [finding for finding in judged.findings if finding.holds is False]
    for finding in failed:
        yield f"{finding.relation} {finding.subject[:_SUBJECT]}: {finding.rationale[:_EXCERPT]}"
    if not failed:
        yield "no single finding fails: another reading competes, or an answer is missing"


def questioned_arguments(case: LabelledCase, judged: Judged) -> list[Traced]:
    """The arguments that grounding questions: of those that differ from the right call, where one is known."""
    return [leaf for leaf in judged.traced if leaf.is_questioned and leaf.pointer in (case.differing or ())]
