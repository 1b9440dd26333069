"""The parts of a case as labelled blocks: the same part has the same words in every question."""

import json

from reviews.provenance.core.context import Case, Context, ProposedAction, SourceKind, ToolDoc
from reviews.provenance.prompts.material import Block, Material

Blocks = tuple[Block, ...]


def opening(query: str, tools: tuple[ToolDoc, ...]) -> Blocks:
    """What most questions of a check begin with, in the same words, so that an endpoint reads it once."""
    return (Block("query", query), toolset(tools))


def conversation(context: Context) -> Blocks:
    """Everything of the context, whole documents of tools left out."""
    # To the minute: nobody means more, and the same conversation a moment later is the same question.
    clock = (Block("clock", context.now.isoformat(timespec="minutes")),) if context.now else ()
    texts = (
        Block(source.id, source.text)
        for source in context.sources.values()
        if source.kind is not SourceKind.TOOL_DOC and source.id != "query"
    )
    return (*opening(context.query, context.tools), *clock, *texts)


def trajectory(context: Context) -> Blocks:
    """The tools, then calls and their outcomes: no message of the user or of the agent."""
    calls_and_outcomes = (
        Block(source.id, source.text)
        for source in context.sources.values()
        if source.kind in (SourceKind.TOOL_CALL, SourceKind.TOOL_OUTPUT)
    )
    return (toolset(context.tools), *calls_and_outcomes)


def later(request: tuple[str, ...]) -> Blocks:
    """What the user said after the query, which stands first in the request."""
    return tuple(Block(f"later message {n}", text) for n, text in enumerate(request[1:], start=1))


# As JSON in one line: the judge sees exactly what would run.
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
    """Every tool in few words; a whole document stands only where it is the one in question."""
    descriptions = []
    for tool in tools:
        effect = "" if tool.environment_changing else " (only reads)"
        lines = [f"{tool.name}{effect}: {' '.join(tool.description.split())}"]
        for name, declared in tool.properties.items():
            # JSON schema allows `true` in place of an object.
            schema = declared if isinstance(declared, dict) else {}
            options = f", one of {json.dumps(schema['enum'], ensure_ascii=False)}" if "enum" in schema else ""
            lines.append(f"- {name} ({schema.get('type', 'any')}{options}): {schema.get('description', '')}")
        descriptions.append("\n".join(lines))
    return Block("tools", "\n\n".join(descriptions))
