"""Plans as agents submit them: each shape of the past, and the steps that are to follow."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final

from pydantic import AfterValidator, ConfigDict, Field, RootModel

from reviews.intake.wire.schemas.history import AnthropicPast, ChatPast, McpPast, NativePast, Past, ResponsesPast
from reviews.intake.wire.schemas.parts import Name, Part
from reviews.provenance.formats import Format

# Several times what planning agents write, so that only a runaway is refused. The whole plan is bounded besides, by
# what the gate's judge can read.
MAX_STEPS: Final = 50
# Characters of one step's message.
MAX_MESSAGE_LENGTH: Final = 2000
MAX_TOOLS_OF_A_STEP: Final = 20

_EXAMPLE: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "trace_id": "conv-42",
        "query": "Find Daniel's address and tell him that lunch is on me.",
        "tools": [
            {"name": "search_contacts", "description": "Finds contacts by name."},
            {"name": "send_email", "description": "Sends an e-mail."},
        ],
        "plan": [
            {"message": "Look up Daniel's e-mail address.", "tool_use": ["search_contacts"]},
            {"message": "Write to Daniel that lunch is on the user.", "tool_use": ["send_email"]},
        ],
    }
)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("May not be blank.")
    return text


class PlannedStep(Part):
    """One step of a plan."""

    message: Annotated[
        str, Field(max_length=MAX_MESSAGE_LENGTH, json_schema_extra={"pattern": r"\S"}), AfterValidator(_not_blank)
    ] = Field(description="What the step is to achieve.")
    tool_use: Annotated[list[Name], Field(max_length=MAX_TOOLS_OF_A_STEP)] = Field(
        [], description="Names of the tools it is to use; none for a step that only reasons."
    )


Steps = Annotated[list[PlannedStep], Field(min_length=1, max_length=MAX_STEPS)]


class PlanAlone(Part):
    """The steps without a past."""

    plan: Steps


class Planned(Past):
    """What all shapes of a plan share."""

    plan: Steps = Field(description="The steps the agent means to take, in their order.")


class NativePlan(NativePast, Planned):
    """A plan with its request, tools and history."""

    model_config = ConfigDict(json_schema_extra={"examples": [dict(_EXAMPLE)]})


class ChatPlan(ChatPast, Planned):
    """A plan as an agent on OpenAI's chat API submits it."""


class ResponsesPlan(ResponsesPast, Planned):
    """A plan as an agent on OpenAI's Responses API submits it."""


class AnthropicPlan(AnthropicPast, Planned):
    """A plan as an agent on Anthropic's Messages API submits it."""


class McpPlan(McpPast, Planned):
    """A plan as an agent on MCP servers submits it."""


PLAN_SHAPES: Final[Mapping[Format, type[Planned]]] = MappingProxyType(
    {
        Format.NATIVE: NativePlan,
        Format.CHAT: ChatPlan,
        Format.RESPONSES: ResponsesPlan,
        Format.ANTHROPIC: AnthropicPlan,
        Format.MCP: McpPlan,
    }
)


# A union for the document only, as with proposed calls.
class PlanSubmission(RootModel[NativePlan | ChatPlan | ResponsesPlan | AnthropicPlan | McpPlan]):
    """The past in our own shape, or as the agent holds it already; the plan is told in one way.

    The plan gate reads request and plan: further sources, and what tools returned, cannot speak for a plan.
    """
