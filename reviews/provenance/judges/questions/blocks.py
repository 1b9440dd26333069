"""What a question shows of a case, as labelled blocks: the same words wherever the same thing is shown."""

import json

from reviews.provenance.core.context import Case, Context, ProposedAction, SourceKind, ToolDoc
from reviews.provenance.prompts.material import Block, Material

Blocks = tuple[Block, ...]

_DONE = (SourceKind.TOOL_CALL, SourceKind.TOOL_OUTPUT)


def opening(query: str, tools: tuple[ToolDoc, ...]) -> Blocks:
    """What most questions of a check begin with, in the same words, so that an endpoint reads it once."""
    return (Block("query", query), toolset(tools))


def conversation(context: Context) -> Blocks:
    """Everything of the context, whole documents of tools left out."""
    # To the minute: nobody means more, and the same conversation a moment later is the same question.
    clock = (Block("clock", context.now.isoformat(timespec="minutes")),) if context.now else ()
    texts = (source for source in context.sources.values() if source.kind is not SourceKind.TOOL_DOC)
    said = (Block(source.id, source.text) for source in texts if source.id != "query")
    return (*opening(context.query, context.tools), *clock, *said)


def trajectory(context: Context) -> Blocks:
    """The tools, then calls and what they returned: nothing that anybody said, neither the user nor the agent."""
    done = (source for source in context.sources.values() if source.kind in _DONE)
    return (toolset(context.tools), *(Block(source.id, source.text) for source in done))


def later(request: tuple[str, ...]) -> Blocks:
    """What the user said after the query, which stands first in the request."""
    return tuple(Block(f"later message {n}", text) for n, text in enumerate(request[1:], start=1))


def proposal(action: ProposedAction) -> Blocks:
    """The call as the agent wants to make it."""
    call = {"tool": action.tool, "arguments": dict(action.arguments)}
    return (Block("call", json.dumps(call, ensure_ascii=False)),)


def call_in_context(case: Case) -> Material:
    """The conversation, then the step the agent names and the call it proposes for it."""
    return {
        "context": conversation(case.context),
        "subtask": (Block("subtask", case.action.subtask or case.context.query),),
        "call": proposal(case.action),
    }


def toolset(tools: tuple[ToolDoc, ...]) -> Block:
    """Every tool in few words; a whole document is shown where it is the one in question."""
    return Block("tools", "\n\n".join(map(_described, tools)))


def _described(tool: ToolDoc) -> str:
    effect = "" if tool.environment_changing else " (only reads)"
    lines = [f"{tool.name}{effect}: {' '.join(tool.description.split())}"]
    for name, schema in tool.properties.items():
        told = schema if isinstance(schema, dict) else {}
        options = f", one of {json.dumps(told['enum'], ensure_ascii=False)}" if "enum" in told else ""
        lines.append(f"- {name} ({told.get('type', 'any')}{options}): {told.get('description', '')}")
    return "\n".join(lines)
