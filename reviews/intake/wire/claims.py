"""What an agent says of its values' sources, held against the submission: each names a value and a place that exist.

Whether the value stands there is for the check to find out.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from reviews.errors import FieldProblem, InvalidSubmissionError
from reviews.intake.actions import NO_SUCH_CALL
from reviews.intake.wire.bounded_json_body import MAX_PROBLEMS
from reviews.intake.wire.schemas.claims import AnyClaim, QuotedWords, ResultOfCall, ResultOfStep
from reviews.provenance.core.context import Claim, Context, leaves
from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.formats import Parsed
from reviews.provenance.formats.continuation import EarlierPast

_NO_LEAF: Final = "The call's arguments have no value at this JSON Pointer; containers have none of their own."
_NO_ID: Final = "No earlier call that has its result has this id. Where calls have no ids, name one by `step`."
_NO_SOURCE: Final = "There is no source of this name."


def read_claims(
    sent: Mapping[str, AnyClaim] | None, parsed: Parsed, earlier: EarlierPast | None = None
) -> tuple[Claim, ...]:
    """The claims by the calls they are about, which are counted from the beginning of what is continued.

    Raises `InvalidSubmissionError` pointing at each wrong field.
    """
    if not sent:
        # The values of a call may be half a million; most calls come without a claim.
        return ()
    pointers = {pointer for pointer, _ in leaves(dict(parsed.case.action.arguments)) if pointer}
    claims, problems = [], []
    for pointer, claimed in sent.items():
        claim = _read_claim(pointer, claimed, parsed, earlier)
        if pointer not in pointers:
            problems.append(FieldProblem(pointer_to("provenance", pointer), _NO_LEAF))
        problems += _claim_problems(claim, claimed, parsed, earlier)
        claims.append(claim)
    if problems:
        raise InvalidSubmissionError(*problems[:MAX_PROBLEMS])
    return tuple(claims)


def _read_claim(pointer: str, claimed: AnyClaim, parsed: Parsed, earlier: EarlierPast | None) -> Claim:
    match claimed:
        case QuotedWords():
            return Claim(pointer, claimed.quote, claimed.source or "")
        case ResultOfStep():
            return Claim(pointer, step=claimed.step, path=claimed.path)
        case ResultOfCall():
            step = parsed.steps.get(str(claimed.tool_call_id))
            before = len(earlier.returned) if earlier else 0
            return Claim(pointer, step=None if step is None else before + step, path=claimed.path)


def _claim_problems(
    claim: Claim, claimed: AnyClaim, parsed: Parsed, earlier: EarlierPast | None
) -> Iterator[FieldProblem]:
    """What the claim names and the submission does not have; of a history that was left out, the store tells."""
    context = parsed.context
    returned = claim.step is not None and _has_result(claim.step, context, earlier)
    match claimed:
        case ResultOfCall() if not returned:
            yield FieldProblem(pointer_to("provenance", claim.pointer, "tool_call_id"), _NO_ID)
        case ResultOfStep() if not returned and parsed.history_given:
            yield FieldProblem(pointer_to("provenance", claim.pointer, "step"), NO_SUCH_CALL)
        case QuotedWords() if claim.source and claim.source not in context.sources:
            # Of what is continued, the entries of the history are not at hand.
            all_sent = parsed.history_given and earlier is None
            if all_sent or not claim.source.startswith("history/"):
                yield FieldProblem(pointer_to("provenance", claim.pointer, "source"), _NO_SOURCE)


def _has_result(step: int, context: Context, earlier: EarlierPast | None) -> bool:
    """Whether this call returned something, in what is continued or in what was sent."""
    returned = earlier.returned if earlier else ()
    return returned[step] if step < len(returned) else context.result_of(step - len(returned)) is not None
