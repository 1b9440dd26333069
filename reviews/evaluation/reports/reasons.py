"""Why a call passed, or was stopped, argument by argument."""

from collections.abc import Iterator

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.judged import Judged, Traced
from reviews.provenance.core.context import ToolDoc
from reviews.provenance.request.parameter_classes import derivable, parameter_paths, path_of

_QUERY, _NOTE = 160, 160
"""Characters of a request, and of a note, that are shown."""


def heading(case: LabelledCase, judged: Judged) -> str:
    """The call and what was asked for, in two lines."""
    request = " ".join(case.case.context.query.split())[:_QUERY]
    verdict = f"{judged.verdict}, {judged.type}" if judged.type else judged.verdict
    return f"{case.id} [{case.label}] {verdict}\n  request: {request}\n  call: {case.case.action.tool}"


def why_passed(case: LabelledCase, judged: Judged) -> Iterator[str]:
    """What each wrong argument was grounded to, or which class let it pass; where nothing differs, that."""
    wrong = [leaf for leaf in judged.traced if case.differing is None or leaf.pointer in case.differing]
    if case.differing == frozenset():
        yield "every value is right; the call itself is one too many"
    elif case.differing is None:
        yield "no right call of this tool is known: the tool itself is wrong, or the request asks for nothing"
    document = case.case.context.tool(case.case.action.tool)
    yield from (_passed(leaf, document) for leaf in wrong)


def why_stopped(judged: Judged) -> Iterator[str]:
    """Each finding that does not hold."""
    failed = [finding for finding in judged.findings if finding.holds is False]
    yield from (f"{each.relation} {each.subject[:80]}: {each.rationale[:_NOTE]}" for each in failed)
    if not failed:
        yield "no single finding fails: another reading competes, or an answer is missing"


def questioned(case: LabelledCase, judged: Judged) -> list[Traced]:
    """The arguments that grounding questions: of those that differ from the right call, where one is known."""
    return [leaf for leaf in judged.traced if leaf.questioned and leaf.pointer in (case.differing or ())]


def _passed(leaf: Traced, document: ToolDoc | None) -> str:
    kind = _class(leaf.pointer, document)
    return f"{leaf.pointer} = {leaf.value!r} ({kind}): {leaf.how}. {leaf.note[:_NOTE]}"


def _class(pointer: str, document: ToolDoc | None) -> str:
    path = path_of(pointer)
    schema = parameter_paths(document).get(path, {}) if document else {}
    said = derivable(path, schema, document) if document else None
    return {True: "must have a source", False: "composed by the agent", None: "class unknown"}[said]
