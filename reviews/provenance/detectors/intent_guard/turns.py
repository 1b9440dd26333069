"""What was said since the user's first message, as far as it bears on a plan or a call."""

from reviews.provenance.core.context import Context, Message


def turns_since_request(context: Context) -> tuple[Message, ...]:
    """Every later turn of user and agent."""
    return tuple(item for item in context.history if isinstance(item, Message))


def turns_of_intent(context: Context) -> tuple[Message, ...]:
    """The later turns up to the user's last one.

    What the agent tells itself behind it changes no intent, and would have the plan judged anew at every step.
    """
    turns = turns_since_request(context)
    users = [number for number, turn in enumerate(turns, start=1) if turn.role == "user"]
    return turns[: users[-1]] if users else ()
