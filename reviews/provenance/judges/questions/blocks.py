"""The parts of a case as labelled blocks: the same part has the same words in every question."""

import json

from reviews.provenance.core.context import Case, Context, Message, ProposedAction, SourceKind, Step, ToolDoc
from reviews.provenance.prompts.material import Block, Material

Blocks = tuple[Block, ...]


def shared_opening(query: str, tools: tuple[ToolDoc, ...]) -> Blocks:
    """What most questions of a check begin with, in the same words, so that an endpoint reads it once."""
    return (Block("query", query), toolset_block(tools))


def conversation_blocks(context: Context) -> Blocks:
    """Everything of the context, whole documents of tools left out."""
    texts = (
        Block(source.id, source.text)
        for source in context.sources.values()
        if source.kind is not SourceKind.TOOL_DOC and source.id != "query"
    )
    return (*shared_opening(context.query, context.tools), *_latest_message(context), *_clock_block(context), *texts)


def unannounced_blocks(context: Context, *, with_claims: bool = True) -> Blocks:
    """The conversation without what may announce the proposed call, so that candidates are found blind to it.

    `with_claims`: messages of the agent stay where the user answered them, because “the second one” means nothing
    without the question; they are marked as its claims.
    """
    history = list(context.history)
    # An unfinished call at the end may be a sibling of the proposed one, issued in the same breath.
    while history and not _is_settled(history[-1]):
        history.pop()
    blocks = []
    for source in context.sources.values():
        if source.kind is SourceKind.TOOL_DOC or source.id == "query":
            continue
        if not source.id.startswith("history/"):
            blocks.append(Block(source.id, source.text))
            continue
        # Positions count from 1 and stay as they are, so that a quote's source is found again.
        position = int(source.id.split("/")[1])
        if position > len(history):
            continue
        if source.kind is not SourceKind.AGENT_MESSAGE:
            blocks.append(Block(source.id, source.text))
        # A plan or an announcement that nobody answered would only tell what the agent is about to do.
        elif with_claims and position < len(history) and _is_user_message(history[position]):
            blocks.append(Block(f"{source.id}, a claim of the agent", source.text))
    return (*shared_opening(context.query, context.tools), *_latest_message(context), *_clock_block(context), *blocks)


def _is_settled(item: Step | Message) -> bool:
    """Whether it is past: a finished call, or a message of the user, who does not announce calls."""
    return item.role == "user" if isinstance(item, Message) else item.outcome is not None


def _is_user_message(item: Step | Message) -> bool:
    return isinstance(item, Message) and item.role == "user"


def _latest_message(context: Context) -> Blocks:
    """The user's latest message, before the whole dialogue: it is the turn that asks. A reviewer speaks after it."""
    if context.feedback:
        return (Block("latest word, of the person who sent the last try back", context.feedback[-1]),)
    messages = [item for item in context.history if isinstance(item, Message) and item.role == "user"]
    return (Block("latest message of the user", messages[-1].text),) if messages else ()


def _clock_block(context: Context) -> Blocks:
    # To the minute: nobody means more, and the same conversation a moment later is the same question.
    return (Block("clock", context.now.isoformat(timespec="minutes")),) if context.now else ()


def trajectory_blocks(context: Context) -> Blocks:
    """The tools, then calls and their outcomes: no message of the user or of the agent."""
    calls_and_outcomes = (
        Block(source.id, source.text)
        for source in context.sources.values()
        if source.kind in (SourceKind.TOOL_CALL, SourceKind.TOOL_OUTPUT)
    )
    return (toolset_block(context.tools), *calls_and_outcomes)


def later_messages(request: tuple[str, ...]) -> Blocks:
    """What the user said after the query, which stands first in the request."""
    return tuple(Block(f"later message {n}", text) for n, text in enumerate(request[1:], start=1))


# As JSON in one line: the judge sees exactly what would run.
def proposal_blocks(action: ProposedAction) -> Blocks:
    """The call as the agent wants to make it."""
    call = {"tool": action.tool, "arguments": dict(action.arguments)}
    return (Block("call", json.dumps(call, ensure_ascii=False)),)


def call_in_context(case: Case) -> Material:
    """The conversation, then the step the agent names and the call it proposes for it."""
    return {
        "context": conversation_blocks(case.context),
        "subtask": (Block("subtask", case.action.subtask or case.context.query),),
        "call": proposal_blocks(case.action),
    }


def toolset_block(tools: tuple[ToolDoc, ...]) -> Block:
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
