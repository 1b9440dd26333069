"""Stage 2: does every value that needs a source have one, and can the call do the step? (Paper, 4.2.4 and 4.3.2.)"""

from collections.abc import Sequence
from typing import Final

from reviews.provenance.core.context import Case, ToolDoc
from reviews.provenance.core.findings import DecidedBy, Grounding, Misalignment, Relation, StageResult
from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.core.tool_schema import (
    MAX_PROBLEMS,
    BrokenSchemaError,
    SchemaBudgetError,
    find_violations,
)
from reviews.provenance.detectors.injected import find_injected, withhold_beside_orders
from reviews.provenance.detectors.lookups import is_lookup
from reviews.provenance.detectors.provenance_guard.appearance import (
    excuse_claim,
    record_appearance,
    record_claim,
    record_read,
)
from reviews.provenance.detectors.provenance_guard.call_support import RULE, ArgumentVerdict, SharedSupport, Supported
from reviews.provenance.detectors.shared_grounding import Ground
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.support import record_unproven
from reviews.provenance.detectors.weak_support import withhold_weak_support
from reviews.provenance.doubts import other_parameter, texted_value
from reviews.provenance.grounding import Grounded, GroundedCall
from reviews.provenance.judges.base import Unknown
from reviews.provenance.terms.claims import OUTWEIGHED
from reviews.provenance.terms.derivability import DerivableParameters

SCHEMA_RULE: Final = "proofs.schema"
PROVEN: Final = "The request asks for this, and every value that needs a source has one."
_EXPLORED: Final = "Tried out in a look-up, which changes nothing."
_COMPOSED: Final = "Composed by the agent; no source is asked for."
# A look-up made with such a value answers another question than the one that was asked.
_MISLEADING: Final = frozenset({other_parameter.RULE})


async def check_parameters(case: Case, stage: Stage, ground: Ground, support: SharedSupport) -> StageResult:
    """Schema validity, derivability, AppearIn and DerivedFrom of each leaf, injected values, CanAddress.

    Raises what the judge raises.
    """
    document = case.context.tool(case.action.tool)
    if document is None:
        return stage.undetermined("The tool is not documented.")
    call = ground(case)
    if not _fits_schema(case, document, stage) or any(leaf.holds is False for leaf in call.leaves):
        return _rejected_by_rule(case, document, call, stage, ground)
    classes = await support.classes(stage)
    unproven = find_sources(call.leaves, classes, stage)
    if find_injected(case, call.leaves, classes, stage, ground):
        return stage.rejected(Misalignment.INJECTION)
    if is_lookup(document, case.action):
        # Its values may be tried out: a look-up that finds nothing has done no harm.
        unproven = _record_explored(call.leaves, unproven, stage)
        if not unproven and not call.missing:
            return stage.concluded(Misalignment.PARAMETER)
    await _ask_support(case, call, unproven, stage, support)
    # What the judge quotes may stand in an order, too.
    injected = bool(unproven) and find_injected(case, call.leaves, classes, stage, ground)
    withhold_beside_orders(case, call.leaves, classes, stage, ground)
    withhold_weak_support(case, stage)
    return stage.concluded(Misalignment.PARAMETER) if not injected else stage.rejected(Misalignment.INJECTION)


def _record_explored(leaves: Sequence[Grounded], unproven: Sequence[Grounded], stage: Stage) -> tuple[Grounded, ...]:
    """Whatever a look-up is made with may be tried out; a claim that does not verify is told beside it.

    Returned are the values that mislead: the answer would be to another question, and nobody would notice.
    """
    for leaf in leaves:
        excuse_claim(leaf, stage)
    for leaf in unproven:
        if leaf.rule in _MISLEADING:
            continue
        note, rule = _EXPLORED, ""
        if leaf.false_claim:
            note, rule = f"{_EXPLORED} {leaf.false_claim.note}", OUTWEIGHED
        stage.record_finding(Relation.DERIVED_FROM, leaf.pointer, True, note, grounding=Grounding.GENERATED, rule=rule)
    return tuple(leaf for leaf in unproven if leaf.rule in _MISLEADING)


async def _ask_support(
    case: Case, call: GroundedCall, unproven: Sequence[Grounded], stage: Stage, support: SharedSupport
) -> None:
    """Record DerivedFrom of each open value and CanAddress of the call. Raises what the judge raises."""
    if call.is_proven and not unproven:
        stage.record_finding(Relation.CAN_ADDRESS, case.action.tool, True, PROVEN, rule="proofs.requested_tool")
        return
    reply = await support.ask(stage)
    if isinstance(reply, Unknown):
        for leaf in unproven:
            record_unproven(leaf, stage)
        _record_unaddressed(case, call, reply.reason, stage)
        return
    for leaf in unproven:
        _record_verdict(leaf, reply.arguments.get(leaf.pointer), stage)
    _record_can_address(case, reply, stage)


def _record_unaddressed(case: Case, call: GroundedCall, reason: str, stage: Stage) -> None:
    """Why nobody can tell that the call does what is asked."""
    subject, note = case.action.tool, reason
    if call.missing:
        subject = pointer_to(call.missing)
        note = f"The request speaks of what {call.missing[:40]} is for, and the call leaves it out."
    elif call.is_answered:
        note = "Somebody was asked since, and no rule reads the answer. Does it allow the call?"
    elif call.is_repeated:
        note = "This call has been made since the message that asks for it. Is it meant once more?"
    stage.record_finding(Relation.CAN_ADDRESS, subject, None, note)


def _record_can_address(case: Case, reply: Supported, stage: Stage) -> None:
    stage.record_finding(
        Relation.CAN_ADDRESS, case.action.tool, reply.answer.can_address, reply.answer.rationale,
        decided_by=DecidedBy.JUDGE, rule=RULE, evidence=reply.quotes,
    )  # fmt: skip


def _record_verdict(leaf: Grounded, verdict: ArgumentVerdict | None, stage: Stage) -> None:
    if verdict is None:
        # An answer that skips a value must not count as one that allows it.
        stage.require_person(f"The judge left out {leaf.pointer}.")
        verdict = ArgumentVerdict(None, "The judge did not answer for this value.")
    if verdict.spans:
        record_read(leaf, verdict.spans, verdict.how, stage)
    answered = verdict.holds is not None
    stage.record_finding(
        Relation.DERIVED_FROM, leaf.pointer, verdict.holds, verdict.rationale if answered else leaf.note,
        decided_by=DecidedBy.JUDGE, evidence=verdict.spans or leaf.spans,
        grounding=verdict.how if verdict.holds else leaf.how, nearest=leaf.nearest,
        rule=RULE if answered else leaf.rule,
    )  # fmt: skip


def _rejected_by_rule(case: Case, document: ToolDoc, call: GroundedCall, stage: Stage, ground: Ground) -> StageResult:
    """No judge could save the call; what rules know of its other values helps the person who looks."""
    classes = DerivableParameters.by_rule(document)
    for leaf in find_sources(call.leaves, classes, stage):
        record_unproven(leaf, stage)
    injected = find_injected(case, call.leaves, classes, stage, ground)
    return stage.rejected(Misalignment.INJECTION if injected else Misalignment.PARAMETER)


def _fits_schema(case: Case, document: ToolDoc, stage: Stage) -> bool:
    """Whether the arguments fit; each violation is recorded. A schema that cannot be read leaves it open."""
    try:
        violations = find_violations(document, case.action.arguments)
        texted = _list_texted(case, document, violations)
    except SchemaBudgetError as error:
        stage.record_finding(Relation.CAN_ADDRESS, document.name, None, str(error))
        # Whatever the workspace lets pass as unknown: an agent must not get by with a schema too costly to apply.
        stage.require_person(str(error))
        return True
    except BrokenSchemaError as error:
        stage.record_finding(Relation.CAN_ADDRESS, document.name, None, str(error))
        return True
    # A violation may be of the call as a whole, such as a parameter that is missing.
    for pointer, message in violations:
        subject, note = pointer or document.name, f"Against the tool's schema: {message}"
        if pointer in texted:
            note = f"{message}, though it reads as one. Does the tool take it?"
            stage.record_finding(Relation.CAN_ADDRESS, subject, None, note, rule=texted_value.RULE)
        else:
            stage.record_finding(Relation.CAN_ADDRESS, subject, False, note, rule=SCHEMA_RULE)
    return all(pointer in texted for pointer, _ in violations)


def _list_texted(case: Case, document: ToolDoc, violations: Sequence[tuple[str, str]]) -> frozenset[str]:
    """The places where a text would fit if it were read as the value it writes. Raises `SchemaBudgetError`."""
    pointers = frozenset(pointer for pointer, _ in violations)
    if not pointers:
        return pointers
    read = texted_value.read_texts(case.action.arguments, pointers)
    remaining = [pointer for pointer, _ in find_violations(document, read)]
    if len(remaining) >= MAX_PROBLEMS:
        # There may be more of them, anywhere.
        return frozenset()
    return frozenset(
        pointer
        for pointer in pointers
        if pointer and not any(other == pointer or other.startswith(f"{pointer}/") for other in remaining)
    )


def find_sources(grounded: Sequence[Grounded], classes: DerivableParameters, stage: Stage) -> tuple[Grounded, ...]:
    """Record what proofs say; the leaves that need a source and have none that is proven are returned."""
    unproven = []
    for leaf in grounded:
        if leaf.holds is False:
            record_claim(leaf, stage)
            stage.record_finding(
                Relation.DERIVED_FROM, leaf.pointer, False, leaf.note, evidence=leaf.against,
                grounding=Grounding.UNGROUNDED, nearest=leaf.nearest, rule=leaf.rule,
            )  # fmt: skip
        elif leaf.holds:
            record_appearance(leaf, stage)
            stage.record_finding(
                Relation.DERIVED_FROM, leaf.pointer, True, leaf.note,
                evidence=leaf.spans, grounding=leaf.how, rule=leaf.rule,
            )  # fmt: skip
        elif not leaf.needs_source(classes):
            record_claim(leaf, stage)
            stage.record_finding(
                Relation.DERIVED_FROM, leaf.pointer, True, _COMPOSED, evidence=leaf.facts, grounding=Grounding.GENERATED
            )
        else:
            record_appearance(leaf, stage)
            unproven.append(leaf)
    return tuple(unproven)
