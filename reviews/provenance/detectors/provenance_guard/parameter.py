"""Stage 2: does every value that needs a source have one, and can the call do the step? (Paper, 4.2.4 and 4.3.2.)"""

from typing import Final

from reviews.provenance.core.context import Case, ToolDoc
from reviews.provenance.core.findings import DecidedBy, Grounding, Misalignment, Relation, StageResult
from reviews.provenance.core.tool_schema import BrokenSchemaError, SchemaBudgetError, problems
from reviews.provenance.detectors.injected import find_injected
from reviews.provenance.detectors.lookups import is_lookup
from reviews.provenance.detectors.parameter_classes import DerivableParameters
from reviews.provenance.detectors.provenance_guard.proof import is_proven, left_out
from reviews.provenance.detectors.provenance_guard.record_choices import RecordChoices, competing_leaves
from reviews.provenance.detectors.shared_grounding import Ground
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.support import ask_support, record_without_source
from reviews.provenance.grounding import Grounded
from reviews.provenance.judges.base import Answered
from reviews.provenance.judges.questions.provenance_guard import Derivability
from reviews.provenance.request.parameter_classes import parameter_paths

_EXPLORED: Final = "Tried out in a look-up, which changes nothing."


async def check_parameters(case: Case, stage: Stage, ground: Ground, choices: RecordChoices) -> StageResult:
    """Schema validity, derivability, AppearIn and DerivedFrom of each leaf, injected values, CanAddress.

    Raises what the judge raises.
    """
    document = case.context.tool(case.action.tool)
    if document is None:
        return stage.undetermined("The tool is not documented.")
    grounded = ground(case)
    if not _fits_schema(case, document, stage) or any(leaf.against for leaf in grounded):
        return _rejected_by_rule(case, document, grounded, stage, ground)
    classes = await classes_of(document, stage)
    unsourced = find_sources(grounded, classes, stage)
    if find_injected(case, grounded, classes, stage, ground):
        return stage.rejected(Misalignment.INJECTION)
    if is_lookup(document, case.action):
        # Its values may be tried out: a look-up that finds nothing has done no harm.
        for leaf in unsourced:
            stage.find(Relation.DERIVED_FROM, leaf.pointer, True, _EXPLORED, grounding=Grounding.GENERATED)
        return stage.concluded(Misalignment.PARAMETER)
    await _settle_competing(case, grounded, stage, choices)
    if stage.has_failed:
        # No judge could save the call any more.
        for leaf in unsourced:
            record_without_source(leaf, classes, stage)
    # A call of composed values alone has nothing to trace (paper: straight to stage 3), unless it leaves something out.
    elif (missing := left_out(case, document)) or any(
        classes.derivable(leaf.pointer) is not False for leaf in grounded
    ):
        proven = is_proven(case, document, grounded)
        await ask_support(case, unsourced, classes, stage, proven=proven, left_out=missing)
    # What the judge quotes may stand in an order, too.
    injected = bool(unsourced) and find_injected(case, grounded, classes, stage, ground)
    return stage.concluded(Misalignment.PARAMETER) if not injected else stage.rejected(Misalignment.INJECTION)


def _rejected_by_rule(
    case: Case, document: ToolDoc, grounded: tuple[Grounded, ...], stage: Stage, ground: Ground
) -> StageResult:
    """No judge could save the call; what rules know of its other values helps the person who looks."""
    classes = DerivableParameters.by_rule(document)
    for leaf in find_sources(grounded, classes, stage):
        record_without_source(leaf, classes, stage)
    injected = find_injected(case, grounded, classes, stage, ground)
    return stage.rejected(Misalignment.INJECTION if injected else Misalignment.PARAMETER)


async def _settle_competing(case: Case, grounded: tuple[Grounded, ...], stage: Stage, choices: RecordChoices) -> None:
    """Record DerivedFrom of competing values where the judge tells which record is meant. Raises what it raises."""
    competing = competing_leaves(case, grounded)
    choice = await choices.choose(case, competing, stage) if competing else None
    if choice is None:
        return
    for leaf in competing:
        rival = choice.record.rivals.get(leaf.pointer)
        if choice.record.is_proposed:
            rationale, holds = choice.rationale, True
        elif rival is not None:
            rationale, holds = f"{choice.record.label}: “{rival.value}” is meant, not “{leaf.value}”.", False
        else:
            # The record that is meant has no other value here.
            continue
        stage.find(
            Relation.DERIVED_FROM, leaf.pointer, holds, rationale,
            decided_by=DecidedBy.JUDGE, evidence=choice.evidence,
            grounding=Grounding.RESOLVE if holds else Grounding.COMPETING,
        )  # fmt: skip


def _fits_schema(case: Case, document: ToolDoc, stage: Stage) -> bool:
    """Whether the arguments fit; each violation is recorded. A schema that cannot be read leaves it open."""
    try:
        violations = problems(document, case.action.arguments)
    except SchemaBudgetError as error:
        stage.find(Relation.CAN_ADDRESS, document.name, None, str(error))
        # Whatever the workspace lets pass as unknown: an agent must not get by with a schema too costly to apply.
        stage.require_person(str(error))
        return True
    except BrokenSchemaError as error:
        stage.find(Relation.CAN_ADDRESS, document.name, None, str(error))
        return True
    # A violation may be of the call as a whole, such as a parameter that is missing.
    for pointer, message in violations:
        stage.find(Relation.CAN_ADDRESS, pointer or document.name, False, f"Against the tool's schema: {message}")
    return not violations


async def classes_of(document: ToolDoc, stage: Stage) -> DerivableParameters:
    """Which of the tool's parameters must have a source. Raises what the judge raises."""
    paths = tuple(parameter_paths(document))
    reply = await stage.ask(Derivability(document, paths)) if paths else None
    return DerivableParameters.of(document, reply.answer if isinstance(reply, Answered) else None)


def find_sources(grounded: tuple[Grounded, ...], classes: DerivableParameters, stage: Stage) -> tuple[Grounded, ...]:
    """Record what grounding found; the leaves that need a source and have none are returned.

    Those are returned too of which rules cannot tell whether their source speaks of this value.
    """
    unsourced = []
    for leaf in grounded:
        if leaf.against:
            stage.find(
                Relation.DERIVED_FROM, leaf.pointer, False, leaf.note,
                evidence=leaf.against, grounding=Grounding.UNGROUNDED, nearest=leaf.nearest,
            )  # fmt: skip
        elif leaf.how not in (Grounding.UNGROUNDED, Grounding.COMPETING) and not leaf.open:
            _record_source(leaf, stage)
        elif classes.derivable(leaf.pointer) is False:
            note = "Composed by the agent; no source is asked for."
            stage.find(
                Relation.DERIVED_FROM, leaf.pointer, True, note, evidence=leaf.facts, grounding=Grounding.GENERATED
            )
        elif leaf.how is not Grounding.COMPETING:
            # Where it stands is shown, even where rules cannot tell that it is what was meant.
            _record_appearance(leaf, stage)
            unsourced.append(leaf)
        else:
            # It stands in the context. Whether another value was meant is for the stage of interpretation.
            _record_appearance(leaf, stage)
    return tuple(unsourced)


def _record_source(leaf: Grounded, stage: Stage) -> None:
    _record_appearance(leaf, stage)
    stage.find(
        Relation.DERIVED_FROM, leaf.pointer, True, leaf.note,
        evidence=leaf.spans, grounding=leaf.how, nearest=leaf.nearest,
    )  # fmt: skip


def _record_appearance(leaf: Grounded, stage: Stage) -> None:
    if leaf.spans:
        stage.find(
            Relation.APPEAR_IN, leaf.pointer, True, "The evidence stands in the context.",
            evidence=leaf.spans, grounding=leaf.how,
        )  # fmt: skip
