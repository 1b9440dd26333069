"""What to hand to the agent's model once its action or its plan is answered."""

from typing import Final

from reviews.models import DecidedBy, Decision, Outcome, Plan, PlanAnswer, VerdictLabel
from reviews.provenance.core.shortening import shorten_text

# A judge may write pages, and may quote what an attacker wrote: the agent's model gets the gist and not the material.
MAX_REASON_LENGTH: Final = 500
"""Most characters of a judge's reason in a message to an agent's model."""


def model_message_of(decision: Decision, advice: str = "", *, is_test: bool = False) -> str:
    """The text to hand to the agent's model as the tool call's result; `advice` is the guard's, for its planner.

    A test's decision reads as a reviewer's.
    """
    guard_advice = f" {advice.removesuffix('.')}." if advice else ""
    # What a policy or the guard says is for the people who read the record.
    by_person = is_test or decision.decided_by == DecidedBy.REVIEWER
    reviewer_message = f" The reviewer says: {decision.message}" if decision.message and by_person else ""
    by_user = decision.decided_by == DecidedBy.USER
    match Outcome(decision.outcome):
        case Outcome.APPROVE if by_user:
            return "The user confirmed the call. Execute it exactly as proposed."
        case Outcome.REJECT if by_user:
            return f"The user was asked and refused the call. It must not be executed.{guard_advice}"
        case Outcome.APPROVE:
            return f"The call was approved. Execute it exactly as proposed.{reviewer_message}"
        case Outcome.EDIT:
            # Models tend to repeat their own call, which is the one that the reviewer did not want.
            return (
                "A reviewer edited the call. Execute the edited call exactly as given; "
                f"the original call must not be issued again.{reviewer_message}"
            )
        case Outcome.REJECT:
            by = "a reviewer" if by_person else "the workspace's policy"
            return f"The call was rejected by {by} and must not be executed.{guard_advice}{reviewer_message}"
        case Outcome.RESPOND:
            return f"The call was not executed.{guard_advice} A reviewer answers: {decision.message}"


def plan_message_of(plan: Plan) -> str | None:
    """The text to hand to the model that plans; None while the plan is checked."""
    reason = one_line(plan.reason)
    match plan.answer:
        case PlanAnswer.SAFE:
            return "The plan may be carried out. Each of its calls is still checked on its own."
        case PlanAnswer.REWRITE:
            return (
                "Do not carry this plan out. Make a new plan that serves the user's request and nothing else. "
                f"What was wrong: {reason}"
            )
        case PlanAnswer.REJECT if plan.verdict == VerdictLabel.UNDETERMINED:
            return (
                "Nobody could judge this plan, so it may not be carried out. A person or "
                f"a model has to judge it: tell the user so, and wait for what they say. What is open: {reason}"
            )
        case PlanAnswer.REJECT:
            return (
                "Do not carry this plan out, and make no other one for this request. Stop, and tell the user why: "
                f"{reason}"
            )
    return None


def one_line(text: str) -> str:
    """A model's text as one line of at most `MAX_REASON_LENGTH` characters, without any that hides or turns others."""
    # Four times the bound is read, so that white space which is then collapsed does not use it up.
    printable = "".join(character if character.isprintable() else " " for character in text[: 4 * MAX_REASON_LENGTH])
    line = " ".join(printable.split())
    return shorten_text(line, MAX_REASON_LENGTH)
