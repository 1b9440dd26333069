"""The parts of a case as labelled blocks: the same part has the same words in every question."""

import json
from collections.abc import Iterable, Iterator

from reviews.provenance.core.context import Case, Context, Message, ProposedAction, Source, Step, ToolDoc
from reviews.provenance.core.places import history_position
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.prompts.fences import Block
from reviews.provenance.prompts.prompt import Material

Blocks = tuple[Block, ...]


def shared_opening(query: str, tools: tuple[ToolDoc, ...]) -> Blocks:
    """What most questions of a check begin with, in the same words, so that an endpoint reads it once."""
    return (Block("query", query), toolset_block(tools))


def conversation_blocks(context: Context) -> Blocks:
    """Everything of the context, whole documents of tools left out."""
    return (*_opening_blocks(context), *(Block(source.id, source.text) for source in _conversation_sources(context)))


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
    for source in _conversation_sources(context):
        # Positions count from 1 and stay as they are, so that a quote's source is found again.
        position = history_position(source.id)
        if position > len(history):
            continue
        if not position or source.kind is not SourceKind.AGENT_MESSAGE:
            blocks.append(Block(source.id, source.text))
        # A plan or an announcement that nobody answered would only tell what the agent is about to do.
        elif with_claims and position < len(history) and _is_user_message(history[position]):
            blocks.append(Block(f"{source.id}, a claim of the agent", source.text))
    return (*_opening_blocks(context), *blocks)


def _conversation_sources(context: Context) -> Iterator[Source]:
    sources = context.sources.values()
    return (source for source in sources if source.kind is not SourceKind.TOOL_DOC and source.id != "query")


def _opening_blocks(context: Context) -> Blocks:
    """What is shared, then the user's latest message, before the whole dialogue: it is the turn that asks; the time."""
    latest: Blocks = ()
    if context.feedback:
        # A reviewer speaks after the user.
        latest = (Block("latest word, of the person who sent the last try back", context.feedback[-1]),)
    elif len(request_of(context)) > 1:
        latest = (Block("latest message of the user", request_of(context)[-1]),)
    # To the minute: nobody means more, and the same conversation a moment later is the same question.
    clock = (Block("clock", context.now.isoformat(timespec="minutes")),) if context.now else ()
    return (*shared_opening(context.query, context.tools), *latest, *clock)


def _is_settled(item: Step | Message) -> bool:
    """Whether it is past: a finished call, or a message of the user, who does not announce calls."""
    return item.role == "user" if isinstance(item, Message) else item.outcome is not None


def _is_user_message(item: Step | Message) -> bool:
    return isinstance(item, Message) and item.role == "user"


def trajectory_blocks(context: Context) -> Blocks:
    """The tools, then calls and their outcomes: no message of the user or of the agent."""
    calls_and_outcomes = (
        Block(source.id, source.text)
        for source in context.sources.values()
        if source.kind in (SourceKind.TOOL_CALL, SourceKind.TOOL_OUTPUT)
    )
    return (toolset_block(context.tools), *calls_and_outcomes)


def numbered_blocks(label: str, texts: Iterable[str]) -> Blocks:
    """A block for each text, counted from 1."""
    return tuple(Block(f"{label} {number}", text) for number, text in enumerate(texts, start=1))


def later_messages(request: tuple[str, ...]) -> Blocks:
    """What the user said after the query, which stands first in the request."""
    return numbered_blocks("later message", request[1:])


# As JSON in one line: the judge sees exactly what would run.
def proposal_blocks(action: ProposedAction) -> Blocks:
    """The call as the agent wants to make it."""
    call = {"tool": action.tool, "arguments": dict(action.arguments)}
    return (Block("call", json.dumps(call, ensure_ascii=False)),)


def call_in_context(case: Case) -> Material:
    """The conversation, then the step the agent names and the call it proposes for it."""
    return {
        "context": conversation_blocks(case.context),
        "subtask": (Block("subtask", step_of(case)),),
        "call": proposal_blocks(case.action),
    }


def step_of(case: Case) -> str:
    """The step that the call serves, as the agent names it; where it names none, all that the user asked for."""
    # Not the first message alone: what a later one asks for would be held against what was asked before it.
    return case.action.subtask or "\n\n".join(request_of(case.context))


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


def request_of(context: Context) -> tuple[str, ...]:
    """Every message of the user, the query first, then what reviewers said of earlier tries."""
    later_messages = (item.text for item in context.history if isinstance(item, Message) and item.role == "user")
    return (context.query, *later_messages, *context.feedback)
