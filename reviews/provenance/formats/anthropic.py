"""What an agent on the Anthropic Messages API holds: `system`, `messages`, `tools`, and the `tool_use` it wants."""

from datetime import datetime

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.content import failure, part_of, returned
from reviews.provenance.formats.conversation import Conversation, Proposed
from reviews.provenance.formats.reading import Node, Parsed, Told, root
from reviews.provenance.formats.tools import read_tools


def parse(body: dict[str, JsonValue], *, trust_annotations: bool = False, now: datetime | None = None) -> Parsed:
    """The submission as a case; the first text of the user is the request. Raises `FormatError`."""
    submission = root(body)
    proposed = _proposed(submission.member("tool_use"))
    return _told(submission).parsed(
        submission.member("messages"),
        proposed,
        subtask=submission.member("subtask").text(),
        tools=read_tools(submission.member("tools"), trust_annotations=trust_annotations),
        now=now,
    )


def parse_context(body: dict[str, JsonValue], *, trust_annotations: bool = False, now: datetime | None = None) -> Told:
    """The conversation alone. Raises `FormatError` naming each wrong field."""
    submission = root(body)
    tools = read_tools(submission.member("tools"), trust_annotations=trust_annotations)
    return _told(submission).told(submission.member("messages"), tools=tools, now=now)


def _told(submission: Node) -> Conversation:
    conversation = Conversation()
    _instruct(submission.member("system"), conversation)
    for message in submission.member("messages").items(required=True):
        _read(message, conversation)
    return conversation


def _proposed(block: Node) -> Proposed:
    block.object(required=True)
    if block.member("type").value not in (None, "tool_use"):
        block.member("type").wrong("Must be “tool_use”.")
    return Proposed(block.member("name").name(), block.member("input").kept(), block.member("id").name(required=False))


def _instruct(prompt: Node, conversation: Conversation) -> None:
    """Every block of a system prompt is a source of its own."""
    if not isinstance(prompt.value, list):
        conversation.instruct(prompt.text())
    for block in prompt.items() if isinstance(prompt.value, list) else ():
        block.object(required=True)
        conversation.instruct(part_of(block) or "")


def _read(message: Node, conversation: Conversation) -> None:
    message.object(required=True)
    if message.member("tool_calls").given:
        message.member("tool_calls").wrong("This is how OpenAI tells calls; here they are blocks of the content.")
    role, content = message.member("role"), message.member("content").needed()
    match role.text(required=True):
        case "system":
            _instruct(content, conversation)
        case "user" | "assistant" as speaker:
            _blocks(content, speaker, conversation)
        case "":
            pass
        case _:
            role.wrong("Must be “user”, “assistant” or “system”.")


def _blocks(content: Node, speaker: str, conversation: Conversation) -> None:
    """The blocks in order; texts that follow each other are one message."""
    speak = conversation.user if speaker == "user" else conversation.say
    if not isinstance(content.value, list):
        speak(content.text())
        return
    texts: list[str] = []
    for block in content.items():
        block.object(required=True)
        if _event(block) is None:
            texts.append(part_of(block) or "")
            continue
        speak("\n".join(filter(None, texts)))
        texts.clear()
        _happen(block, speaker, conversation)
    speak("\n".join(filter(None, texts)))


def _event(block: Node) -> str | None:
    """What kind of event a block is, also for the tools a server runs; None for what is said."""
    kind = block.member("type").value
    endings = ("tool_use", "tool_result", "mid_conv_system")
    return next((ending for ending in endings if isinstance(kind, str) and kind.endswith(ending)), None)


def _happen(block: Node, speaker: str, conversation: Conversation) -> None:
    match _event(block):
        case "tool_use":
            conversation.call(block.member("id").text(), block.member("name").name(), block.member("input").kept())
        case "tool_result":
            text = returned(block.member("content"))
            failed = block.member("is_error").flag(default=False)
            within = speaker == "assistant"
            conversation.result(block.member("tool_use_id"), failure(text) if failed else text, within=within)
        case _:
            _instruct(block.member("content"), conversation)
