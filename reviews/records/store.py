"""Keep a submission's texts, tools and history once each, by the hash of their content."""

import json
from collections.abc import Iterable, Sequence

from django.db.models import Max

from reviews.models import Step, StepKind, Text, ToolSet, Trace, Workspace
from reviews.provenance.core.canonical import content_digest
from reviews.provenance.core.context import Context, JsonValue, Message, ToolDoc
from reviews.provenance.core.context import Step as Call


def store_texts(workspace: Workspace, bodies: Iterable[str]) -> dict[str, Text]:
    """The stored text of each body, by body."""
    digests = {body: content_digest(body) for body in bodies}
    Text.objects.bulk_create(
        [Text(workspace=workspace, digest=digest, body=body) for body, digest in digests.items()],
        ignore_conflicts=True,
    )
    stored = Text.objects.filter(workspace=workspace, digest__in=digests.values()).defer("body").in_bulk
    by_digest = {text.digest: text for text in stored().values()}
    return {body: by_digest[digest] for body, digest in digests.items()}


def store_tools(workspace: Workspace, tools: Sequence[ToolDoc]) -> ToolSet:
    """The stored tool set with exactly these documents in this order."""
    documents = [tool_to_json(tool) for tool in tools]
    tool_set, _ = ToolSet.objects.get_or_create(
        workspace=workspace, digest=content_digest(documents), defaults={"tools": documents}
    )
    return tool_set


def tool_to_json(tool: ToolDoc) -> dict[str, JsonValue]:
    """A tool document in our own shape."""
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "environment_changing": tool.environment_changing,
    }


def store_trace(
    workspace: Workspace, external_id: str, context: Context, texts: dict[str, Text], *, history_given: bool
) -> tuple[Trace, int]:
    """The trace whose past is this context's, and how many of its steps the context sees.

    A past that contradicts what was stored opens the next revision; one that continues it is appended.
    """
    query, digests = texts[context.query], [step_digest(item) for item in context.history]
    trace = _latest(workspace, external_id) or _open(workspace, external_id, 1, query)
    # Again and again: the next one may have been opened, with yet another past, while this one was locked.
    while trace.query_id != query.pk or (history_given and not _continues(trace, digests)):
        rewrites = _rewrites(workspace, external_id, query)
        trace = _open(workspace, external_id, trace.revision + 1, query, rewrites=rewrites)
    known = trace.steps.count()
    if not history_given:
        return trace, known
    _append(trace, context.history, known, texts)
    return trace, len(digests)


def next_position(trace: Trace) -> int:
    """Where the next step goes; the caller holds the trace's lock."""
    last: int | None = trace.steps.aggregate(last=Max("position"))["last"]
    return (last or 0) + 1


def step_digest(item: Call | Message) -> str:
    """Recognises a history entry that was submitted before. The subtask is the agent's comment, not the event."""
    match item:
        case Call():
            return content_digest([StepKind.CALL, item.tool, dict(item.arguments), item.outcome])
        case Message():
            return content_digest([kind_of(item), item.text])


def kind_of(message: Message) -> StepKind:
    """The step kind of a message by its role."""
    return StepKind.USER if message.role == "user" else StepKind.ASSISTANT


def bodies_of(context: Context) -> set[str]:
    """Every text of a context that is stored on its own."""
    bodies = {context.query, *(named.text for named in context.extra)}
    for item in context.history:
        text = item.outcome if isinstance(item, Call) else item.text
        if text is not None:
            bodies.add(text)
    return bodies


def text_of_outcome(outcome: JsonValue) -> str:
    """An outcome as the text it is kept as: a string itself, anything else as JSON."""
    return outcome if isinstance(outcome, str) else json.dumps(outcome, ensure_ascii=False)


def _latest(workspace: Workspace, external_id: str) -> Trace | None:
    # Locked, so that two submissions of one conversation append to its history one after the other.
    locked = Trace.objects.select_for_update().filter(workspace=workspace, external_id=external_id)
    return locked.order_by("-revision").first()


def _open(workspace: Workspace, external_id: str, revision: int, query: Text, *, rewrites: int = 0) -> Trace:
    trace, _ = Trace.objects.get_or_create(
        workspace=workspace,
        external_id=external_id,
        revision=revision,
        defaults={"query": query, "rewrites": rewrites},
    )
    return Trace.objects.select_for_update().get(pk=trace.pk)


def _rewrites(workspace: Workspace, external_id: str, query: Text) -> int:
    """Another past of the same request goes on with what was counted for it."""
    told = Trace.objects.filter(workspace=workspace, external_id=external_id, query=query)
    most: int | None = told.aggregate(most=Max("rewrites"))["most"]
    return most or 0


def _continues(trace: Trace, digests: Sequence[str]) -> bool:
    stored = list(trace.steps.order_by("position").values_list("digest", flat=True))
    shared = min(len(stored), len(digests))
    return stored[:shared] == list(digests[:shared])


def _append(trace: Trace, history: Sequence[Call | Message], known: int, texts: dict[str, Text]) -> None:
    Step.objects.bulk_create(
        [_step(trace, position, item, texts) for position, item in enumerate(history, start=1) if position > known]
    )


def _step(trace: Trace, position: int, item: Call | Message, texts: dict[str, Text]) -> Step:
    match item:
        case Call():
            return Step(
                trace=trace,
                position=position,
                kind=StepKind.CALL,
                digest=step_digest(item),
                tool=item.tool,
                arguments=dict(item.arguments),
                subtask=item.subtask or "",
                text=texts[item.outcome] if item.outcome is not None else None,
            )
        case Message():
            return Step(
                trace=trace,
                position=position,
                kind=kind_of(item),
                digest=step_digest(item),
                text=texts[item.text],
            )
