"""Store a submission's texts, tools and history by the hash of their content, so that each is stored once."""

import json
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db.models import Max

from reviews import models
from reviews.models import Agent, StepKind, Text, ToolSet, Trace, Workspace
from reviews.provenance.core.canonical import content_digest
from reviews.provenance.core.context import Context, JsonValue, Message, Step, ToolDoc
from reviews.provenance.text.replies import is_agreement
from reviews.records import texts_lock
from reviews.records.stored_past import StoredPast


def store_texts(workspace: Workspace, bodies: Iterable[str]) -> dict[str, Text]:
    """The stored texts of these bodies, by body. Texts that are stored already are found, the others are made."""
    # Before the texts are looked up: what is found must still be there when the transaction refers to it.
    texts_lock.share_lock(workspace.pk)
    digests = {body: content_digest(body) for body in bodies}
    # By digest, so that two submissions that share texts wait for each other in one order: whoever inserts a text makes
    # all others who bring it wait until the transaction ends.
    by_order = sorted(digests.items(), key=itemgetter(1))
    # One statement for all: a conversation of hundreds of steps comes with every call. Conflicts are the usual case.
    Text.objects.bulk_create(
        [Text(workspace=workspace, digest=digest, body=body) for body, digest in by_order],
        ignore_conflicts=True,
    )
    # Read again: rows that conflicted come back from `bulk_create` without their stored keys. Without the bodies, which
    # the caller has.
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
    agent: Agent,
    external_id: str,
    context: Context,
    texts: dict[str, Text],
    *,
    history_given: bool,
    earlier: StoredPast | None = None,
) -> tuple[Trace, int]:
    """The agent's trace whose past is this context's behind the earlier one, and how many of its steps are seen.

    A past that contradicts what was stored opens the next revision; one that continues it is appended.
    """
    query, before = texts[context.query], earlier.digests() if earlier else []
    digests = [*before, *(step_digest(item) for item in context.history)]
    # Locked, so that two submissions of one conversation append to its history one after the other.
    revisions = Trace.objects.select_for_update(no_key=True).filter(
        workspace=agent.workspace_id, agent=agent, external_id=external_id
    )
    trace = revisions.order_by("-revision").first() or _open_revision(agent, external_id, 1, query)
    # A loop: while this revision was locked, another submission may have opened the next one with yet another past.
    while trace.query_id != query.pk or (history_given and not _is_continued(trace, digests)):
        trace = _open_revision(agent, external_id, trace.revision + 1, query)
    stored = trace.steps.count()
    if not history_given:
        return trace, stored
    open_intent(trace, context, earlier)
    keys = {body: text.pk for body, text in texts.items()}
    copies = earlier.copy_steps(trace, after=stored) if earlier else []
    new = (
        step_row(trace, position, item, keys)
        for position, item in enumerate(context.history, start=len(before) + 1)
        if position > stored
    )
    models.Step.objects.bulk_create([*copies, *new])
    # Not how many are stored: an action sees no step that its agent did not submit, even if another one has.
    return trace, len(digests)


def open_intent(trace: Trace, context: Context, earlier: StoredPast | None = None) -> None:
    """Begin the count of rewrites anew where the user has made another request since: each has its own.

    `trace` is locked, or not stored yet.
    """
    user_messages = [item.text for item in context.history if isinstance(item, Message) and item.role == "user"]
    if user_messages and earlier is not None:
        user_messages += earlier.user_messages
    requests = 1 + sum(not is_agreement(text) for text in user_messages)
    if trace._state.adding:
        trace.requests = requests
    elif requests > 1:
        Trace.objects.filter(pk=trace.pk, requests__lt=requests).update(requests=requests, rewrites=0)


def next_position(trace: Trace) -> int:
    """The position of the next step, from 1. The caller holds the trace's lock."""
    last: int | None = trace.steps.aggregate(last=Max("position"))["last"]
    return (last or 0) + 1


def step_digest(item: Step | Message) -> str:
    """The hash by which a history entry that was submitted before is recognised."""
    match item:
        case Step():
            # Without the subtask, which is the agent's comment and not what happened: agents word it anew.
            return content_digest([StepKind.CALL, item.tool, dict(item.arguments), item.outcome])
        case Message():
            return content_digest([kind_of(item), item.text])


def kind_of(message: Message) -> StepKind:
    """The step kind of a message by its role."""
    return StepKind.USER if message.role == "user" else StepKind.ASSISTANT


def bodies_of(context: Context) -> set[str]:
    """Every text of a context that is stored on its own."""
    bodies = {context.query, *(source.text for source in context.extra)}
    for item in context.history:
        text = item.outcome if isinstance(item, Step) else item.text
        if text is not None:
            bodies.add(text)
    return bodies


def text_of_outcome(outcome: JsonValue) -> str:
    """An outcome as the text it is kept as: a string itself, anything else as JSON."""
    return outcome if isinstance(outcome, str) else json.dumps(outcome, ensure_ascii=False)


def _open_revision(agent: Agent, external_id: str, revision: int, query: Text) -> Trace:
    """This revision of the trace, locked; made unless another submission has just made it."""
    # Another past of the same request goes on with the rewrites that were counted for it. Otherwise an agent could
    # begin anew by telling its past differently.
    counted: dict[str, Any] = {}
    if revision > 1:
        same_request = Trace.objects.filter(
            workspace=agent.workspace_id, agent=agent, external_id=external_id, query=query
        )
        counted = dict(same_request.order_by("-revision").values("rewrites", "requests").first() or {})
    trace, _ = Trace.objects.get_or_create(
        workspace_id=agent.workspace_id,
        agent=agent,
        external_id=external_id,
        revision=revision,
        defaults={"query": query} | counted,
    )
    return Trace.objects.select_for_update(no_key=True).get(pk=trace.pk)


def _is_continued(trace: Trace, digests: Sequence[str]) -> bool:
    """Whether one of the stored and the submitted history begins with the other."""
    stored = list(trace.steps.order_by("position").values_list("digest", flat=True))
    shared = min(len(stored), len(digests))
    return stored[:shared] == list(digests[:shared])


def step_row(trace: Trace, position: int, item: Step | Message, texts: Mapping[str, UUID]) -> models.Step:
    """An unsaved row of the trace's history; `texts` are the keys of the stored texts by their body."""
    digest = step_digest(item)
    match item:
        case Step():
            return models.Step(
                trace=trace,
                position=position,
                kind=StepKind.CALL,
                digest=digest,
                tool=item.tool,
                arguments=dict(item.arguments),
                subtask=item.subtask or "",
                text_id=texts[item.outcome] if item.outcome is not None else None,
            )
        case Message():
            return models.Step(
                trace=trace, position=position, kind=kind_of(item), digest=digest, text_id=texts[item.text]
            )
