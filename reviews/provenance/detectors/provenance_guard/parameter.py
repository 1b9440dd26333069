"""Stage 2: does every value that needs a source have one, and can the call do the step? (Paper, 4.2.4 and 4.3.2.)"""

from reviews.provenance.core.context import Case, ToolDoc
from reviews.provenance.core.findings import Grounding, Misalignment, Relation, StageResult
from reviews.provenance.core.tool_schema import BrokenSchemaError, problems
from reviews.provenance.detectors.injected import find_injected
from reviews.provenance.detectors.parameter_classes import Classes
from reviews.provenance.detectors.shared_grounding import Ground
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.support import ask_support, left_open
from reviews.provenance.grounding import Grounded
from reviews.provenance.judges.base import Answered
from reviews.provenance.judges.questions.provenance_guard import Derivability
from reviews.provenance.request.parameter_classes import parameter_paths


async def check_parameters(case: Case, stage: Stage, ground: Ground) -> StageResult:
    """Schema validity, derivability, AppearIn and DerivedFrom of each leaf, injected values, CanAddress."""
    document = case.context.tool(case.action.tool)
    if document is None:
        return stage.undetermined("The tool is not documented.")
    grounded = ground(case)
    if not _fits_schema(case, document, stage) or any(leaf.against for leaf in grounded):
        return _rejected_by_rule(case, document, grounded, stage, ground)
    classes = await classes_of(document, stage)
    open_leaves = find_sources(grounded, classes, stage)
    if find_injected(case, grounded, classes, stage, ground):
        return stage.rejected(Misalignment.INJECTION)
    if any(classes.derivable(leaf.pointer) is not False for leaf in grounded):
        await ask_support(case, open_leaves, classes, stage)
    # What the judge quotes may stand in an order, too.
    if open_leaves and find_injected(case, grounded, classes, stage, ground):
        return stage.rejected(Misalignment.INJECTION)
    return stage.concluded(Misalignment.PARAMETER)


def _rejected_by_rule(
    case: Case, document: ToolDoc, grounded: tuple[Grounded, ...], stage: Stage, ground: Ground
) -> StageResult:
    """No judge could save the call; what rules know of its other values is told all the same."""
    classes = Classes.by_rule(document)
    for leaf in find_sources(grounded, classes, stage):
        left_open(leaf, classes, stage)
    injected = find_injected(case, grounded, classes, stage, ground)
    return stage.rejected(Misalignment.INJECTION if injected else Misalignment.PARAMETER)


def _fits_schema(case: Case, document: ToolDoc, stage: Stage) -> bool:
    try:
        violations = problems(document, case.action.arguments)
    except BrokenSchemaError as error:
        stage.find(Relation.CAN_ADDRESS, document.name, None, str(error))
        return True
    for pointer, message in violations:
        stage.find(Relation.CAN_ADDRESS, pointer or document.name, False, f"Against the tool's schema: {message}")
    return not violations


async def classes_of(document: ToolDoc, stage: Stage) -> Classes:
    """Which of the tool's parameters must have a source. Raises what the judge raises."""
    question = _question(document)
    reply = await stage.ask(question) if question.paths else None
    return Classes.of(document, reply.answer if isinstance(reply, Answered) else None)


def _question(document: ToolDoc) -> Derivability:
    return Derivability(document, tuple(parameter_paths(document)))


def find_sources(grounded: tuple[Grounded, ...], classes: Classes, stage: Stage) -> tuple[Grounded, ...]:
    """Record what grounding found; the leaves that need a source and have none are returned."""
    unsettled = []
    for leaf in grounded:
        if leaf.against:
            _contradicted(leaf, stage)
        elif _is_unsettled(leaf) and classes.derivable(leaf.pointer) is not False:
            unsettled.append(leaf)
            _appears(leaf, stage)
        else:
            _record(leaf, classes, stage)
    return tuple(unsettled)


def _is_unsettled(leaf: Grounded) -> bool:
    """Whether rules found no source, or one of which they cannot tell that it is the one that is meant."""
    return leaf.how is Grounding.UNGROUNDED or (leaf.open and leaf.how is not Grounding.COMPETING)


def _contradicted(leaf: Grounded, stage: Stage) -> None:
    stage.find(
        Relation.DERIVED_FROM, leaf.pointer, False, leaf.note,
        evidence=leaf.against, grounding=Grounding.UNGROUNDED, nearest=leaf.nearest,
    )  # fmt: skip


def _record(leaf: Grounded, classes: Classes, stage: Stage) -> None:
    if classes.derivable(leaf.pointer) is False and (
        leaf.open or leaf.how in (Grounding.UNGROUNDED, Grounding.COMPETING)
    ):
        note = "Composed by the agent; no source is asked for."
        stage.find(Relation.DERIVED_FROM, leaf.pointer, True, note, grounding=Grounding.GENERATED)
        return
    _appears(leaf, stage)
    if leaf.how is not Grounding.COMPETING:
        stage.find(
            Relation.DERIVED_FROM, leaf.pointer, True, leaf.note,
            evidence=leaf.spans, grounding=leaf.how, nearest=leaf.nearest,
        )  # fmt: skip


def _appears(leaf: Grounded, stage: Stage) -> None:
    if leaf.spans:
        stage.find(
            Relation.APPEAR_IN, leaf.pointer, True, "The evidence stands in the context.",
            evidence=leaf.spans, grounding=leaf.how,
        )  # fmt: skip
