"""Stage 2: does every value that needs a source have one, and can the call do the step? (Paper, 4.2.4 and 4.3.2.)"""

import re
from collections.abc import Sequence
from typing import Final

from reviews.provenance.argument_grounding import Grounded, GroundedCall
from reviews.provenance.core.context import Step
from reviews.provenance.core.findings import DecidedBy, Grounding, Misalignment, Relation, StageResult
from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.core.schema_keywords import MAX_PROBLEMS, SchemaBudgetError
from reviews.provenance.core.tool_schema import BrokenSchemaError, find_violations
from reviews.provenance.detectors.injected import HiddenOrders
from reviews.provenance.detectors.provenance_guard.shared_call import RULE, ArgumentVerdict, SharedCall
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.untrusted_support import withhold_untrusted_support
from reviews.provenance.detectors.value_findings import (
    excuse_claim,
    find_sources,
    record_read,
    record_traced,
    require_answer,
)
from reviews.provenance.doubts import copied_secret, hidden_characters, other_parameter, texted_value
from reviews.provenance.judges.base import Unknown
from reviews.provenance.proofs.requested_tool import RULE as REQUESTED
from reviews.provenance.terms.claims import OUTWEIGHED
from reviews.provenance.terms.derivability import DerivableParameters

SCHEMA_RULE: Final = "proofs.schema"
EXPLORED: Final = "tools.explored"
MADE_BEFORE: Final = "doubts.made_before"
PROVEN: Final = "The request asks for this, and every value that needs a source has one."
_EXPLORED: Final = "Tried out in a look-up, which changes nothing."
# A look-up made with such a value answers another question than the one that was asked, or hands on what was read.
_NOT_TRIED_OUT: Final = frozenset(
    {other_parameter.RULE, other_parameter.EXCHANGED, copied_secret.RULE, hidden_characters.RULE}
)
# An address on a network: with its scheme, or a host that is asked something. Bounded, so that a text is read once.
_LINK: Final = re.compile(r"//[\w\[]|(?<![\w.-])[\w-]+(?:\.[\w-]+)+(?:/[^\s?]{0,200})?\?\S")


async def check_parameters(call: SharedCall, stage: Stage) -> StageResult:
    """Schema validity, derivability, AppearIn and DerivedFrom of each leaf, injected values, CanAddress."""
    case, leaves = call.case, call.grounded.leaves
    if not _fits_schema(call, stage) or any(leaf.holds is False for leaf in leaves):
        # No judge could save the call; what rules know of its other values helps the person who looks.
        classes = DerivableParameters.by_rule(call.document)
        for leaf in find_sources(leaves, classes, stage):
            record_traced(leaf, stage)
        injected = HiddenOrders(case, leaves, classes, stage).find_injected()
        return stage.rejected(Misalignment.INJECTION if injected else Misalignment.PARAMETER)
    classes = await call.classes(stage)
    unproven = find_sources(leaves, classes, stage)
    orders = HiddenOrders(case, leaves, classes, stage)
    if orders.find_injected():
        return stage.rejected(Misalignment.INJECTION)
    if call.is_lookup:
        # Its values may be tried out: a look-up that finds nothing has done no harm.
        unproven = _record_explored(leaves, unproven, stage)
        if not unproven and not call.grounded.missing:
            # Whatever it asks may go to whoever wrote the order.
            orders.withhold_doubtful_orders()
            return stage.concluded(Misalignment.PARAMETER)
    await _ask_support(call, unproven, stage)
    # What the judge quotes may stand in an order, too.
    injected = bool(unproven) and orders.find_injected()
    # The order itself says more of a value than that it stands beside one, and is what the queue tells.
    orders.withhold_doubtful_orders()
    orders.withhold_beside_orders()
    withhold_untrusted_support(case, stage)
    return stage.concluded(Misalignment.PARAMETER) if not injected else stage.rejected(Misalignment.INJECTION)


def _record_explored(leaves: Sequence[Grounded], unproven: Sequence[Grounded], stage: Stage) -> tuple[Grounded, ...]:
    """Whatever a look-up is made with may be tried out; a claim that does not verify is told beside it.

    Returned are the values that may not: nobody would notice that the answer is to another question, or who is told.
    """
    for leaf in leaves:
        excuse_claim(leaf, stage)
    held_back: list[Grounded] = []
    for leaf in unproven:
        if leaf.rule in _NOT_TRIED_OUT or _is_unknown_link(leaf):
            held_back.append(leaf)
            continue
        note, rule = _EXPLORED, EXPLORED
        if leaf.false_claim:
            note, rule = f"{_EXPLORED} {leaf.false_claim.note}", OUTWEIGHED
        stage.record_finding(Relation.DERIVED_FROM, leaf.pointer, True, note, grounding=Grounding.GENERATED, rule=rule)
    return tuple(held_back)


def _is_unknown_link(leaf: Grounded) -> bool:
    """Whether the value names a host that nothing gives: whoever is there is told what the link holds."""
    return not leaf.terms and not leaf.spans and isinstance(leaf.value, str) and _LINK.search(leaf.value) is not None


async def _ask_support(call: SharedCall, unproven: Sequence[Grounded], stage: Stage) -> None:
    """Record DerivedFrom of each open value and CanAddress of the call."""
    tool = call.case.action.tool
    if call.grounded.is_proven and not unproven:
        stage.record_finding(Relation.CAN_ADDRESS, tool, True, PROVEN, rule=REQUESTED)
        return
    reply = await call.support(stage)
    if isinstance(reply, Unknown):
        for leaf in unproven:
            record_traced(leaf, stage)
        missing, unsaid = call.grounded.missing, call.grounded.unsaid
        subject = pointer_to(missing) if missing else unsaid[0] if unsaid else tool
        why = _why_unaddressed(call.grounded)
        rule = REQUESTED if why else RULE
        if call.grounded.is_repeated and (position := _position_of_same(call)) is not None:
            subject, rule = tool, MADE_BEFORE
            why = f"The same call stands in history {position}. Is it meant once more?"
        stage.record_finding(Relation.CAN_ADDRESS, subject, None, why or reply.reason, rule=rule)
        return
    for leaf in unproven:
        _record_verdict(leaf, reply.arguments.get(leaf.pointer), stage)
    stage.record_finding(
        Relation.CAN_ADDRESS, tool, reply.answer.can_address, reply.answer.rationale,
        decided_by=DecidedBy.JUDGE, rule=RULE, evidence=reply.quotes,
    )  # fmt: skip


def _position_of_same(call: SharedCall) -> int | None:
    """Where the history has this very call, counted from 1."""
    tool, arguments = call.case.action.tool, dict(call.case.action.arguments)
    steps = ((at, item) for at, item in enumerate(call.case.context.history, start=1) if isinstance(item, Step))
    return max((at for at, step in steps if step.tool == tool and dict(step.arguments) == arguments), default=None)


def _why_unaddressed(call: GroundedCall) -> str:
    """Why nobody can tell that the call does what is asked; empty where only a judge could."""
    if call.missing:
        return f"The call leaves {call.missing[:40]} out. Does the request say anything for it?"
    if call.unsaid:
        return "The agent words this itself. Does it say what is wanted?"
    if call.is_repeated:
        return "This call may have been made since the message that asks for it. Is it meant once more?"
    if call.is_overtaken:
        return "Other calls were made since the request. Does what came of them still allow this one?"
    return ""


def _record_verdict(leaf: Grounded, verdict: ArgumentVerdict | None, stage: Stage) -> None:
    if verdict is None:
        verdict = ArgumentVerdict(None, require_answer(leaf.pointer, stage))
    if verdict.spans:
        record_read(leaf, verdict.spans, verdict.how, stage)
    answered = verdict.holds is not None
    stage.record_finding(
        Relation.DERIVED_FROM, leaf.pointer, verdict.holds, verdict.rationale if answered else leaf.note,
        decided_by=DecidedBy.JUDGE, evidence=verdict.spans or leaf.spans,
        grounding=verdict.how if verdict.holds else leaf.how, nearest=leaf.nearest,
        rule=RULE if answered else leaf.rule,
    )  # fmt: skip


def _fits_schema(call: SharedCall, stage: Stage) -> bool:
    """Whether the arguments fit; each violation is recorded. A schema that cannot be read leaves it open."""
    document = call.document
    try:
        violations = find_violations(document, call.case.action.arguments)
        texted = _list_texted(call, violations)
    except (SchemaBudgetError, BrokenSchemaError) as error:
        stage.record_finding(Relation.CAN_ADDRESS, document.name, None, str(error), rule=SCHEMA_RULE)
        if isinstance(error, SchemaBudgetError):
            # Whatever the workspace lets pass as unknown: an agent must not get by with a schema too costly to apply.
            stage.require_person(str(error))
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


def _list_texted(call: SharedCall, violations: Sequence[tuple[str, str]]) -> frozenset[str]:
    """The places where a text would fit if it were read as the value it writes. Raises `SchemaBudgetError`."""
    pointers = frozenset(pointer for pointer, _ in violations)
    if not pointers:
        return pointers
    read = texted_value.read_texts(call.case.action.arguments, pointers)
    remaining = [pointer for pointer, _ in find_violations(call.document, read)]
    if len(remaining) >= MAX_PROBLEMS:
        # There may be more of them, anywhere.
        return frozenset()
    return frozenset(
        pointer
        for pointer in pointers
        if pointer and not any(violated == pointer or violated.startswith(f"{pointer}/") for violated in remaining)
    )
