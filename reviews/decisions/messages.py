"""What to hand to the agent's model once its action or its plan is answered."""

from typing import Final

from reviews.models import DecidedBy, Decision, Outcome, Plan, PlanAnswer
from reviews.provenance.core.shortening import shortened

LONGEST_REASON: Final = 500
"""Characters of a reason that an agent's model is told."""


def model_message_of(decision: Decision, advice: str = "") -> str:
    """What to hand to the agent's model as the tool call's result; `advice` is what the guard asks of its planner."""
    advised = f" {advice.removesuffix('.')}." if advice else ""
    said = f" The reviewer says: {decision.message}" if decision.message else ""
    match Outcome(decision.outcome):
        case Outcome.APPROVE:
            return f"The call was approved. Execute it exactly as proposed.{said}"
        case Outcome.EDIT:
            return (
                "A reviewer edited the call. Execute the edited call exactly as given; "
                f"the original call must not be issued again.{said}"
            )
        case Outcome.REJECT:
            by = "the workspace's policy" if decision.decided_by == DecidedBy.POLICY else "a reviewer"
            return f"The call was rejected by {by} and must not be executed.{advised}{said}"
        case Outcome.RESPOND:
            return f"The call was not executed.{advised} A reviewer answers: {decision.message}"


def plan_message_of(plan: Plan) -> str | None:
    """What to hand to the model that plans; None while the plan is checked."""
    reason = one_line(plan.reason)
    match plan.answer:
        case PlanAnswer.SAFE:
            return "The plan may be carried out. Each of its calls is still checked on its own."
        case PlanAnswer.REWRITE:
            return (
                "Do not carry this plan out. Make a new plan that serves the user's request and nothing else. "
                f"What was wrong: {reason}"
            )
        case PlanAnswer.REJECT:
            return (
                "Do not carry this plan out, and make no other one for this request. Stop, and tell the user why: "
                f"{reason}"
            )
    return None


def one_line(text: str) -> str:
    """A model's words as one line of bounded length, without a character that hides or turns others."""
    line = " ".join("".join(each if each.isprintable() else " " for each in text[: 4 * LONGEST_REASON]).split())
    return shortened(line, LONGEST_REASON)
