"""The one assertion of the grounding tests."""

from collections.abc import Mapping
from datetime import datetime

from reviews.provenance.core.context import (
    Case,
    Context,
    JsonValue,
    NamedText,
    ProposedAction,
    SourceKind,
    Step,
    ToolDoc,
)
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import Grounded, ground_arguments

NOW = datetime(2026, 3, 5, 9, 0)  # noqa: DTZ001 - a trace's clock has the user's own zone; a Thursday


def grounded(
    value: JsonValue,
    *,
    in_text: str = "",
    outputs: tuple[str, ...] = (),
    name: str = "value",
    schema: Mapping[str, JsonValue] | None = None,
    required: bool = False,
    now: datetime | None = NOW,
    siblings: Mapping[str, JsonValue] | None = None,
    extra: tuple[NamedText, ...] = (),
    called_with: Mapping[str, JsonValue] | None = None,
) -> Grounded:
    """Ground one argument of a call, the request being `in_text` and the history the `outputs`."""
    parameters = {"type": "object", "properties": {name: dict(schema or {})}, "required": [name] if required else []}
    history = tuple(Step("look_up", called_with or {}, output) for output in outputs)
    context = Context(in_text, (ToolDoc("act", "Does it.", parameters),), history, extra, now)
    results = ground_arguments(Case(context, ProposedAction("act", {name: value, **(siblings or {})})))
    assert all(context.verifies(span) for found in results for span in found.spans)
    assert all(context.verifies(span) for found in results for other in found.competing for span in other.spans)
    assert all(context.verifies(found.nearest) for found in results if found.nearest)
    return results[0]


def check_grounded(
    value: JsonValue,
    *,
    in_text: str = "",
    how: Grounding,
    quotes: tuple[str, ...] | None = None,
    nearest: str | None = None,
    competing: tuple[str, ...] = (),
    **setting: object,
) -> Grounded:
    """The value is traced so, to exactly these quotes."""
    found = grounded(value, in_text=in_text, **setting)  # type: ignore[arg-type]
    assert (found.how, tuple(other.value for other in found.competing)) == (how, competing), found
    assert quotes is None or tuple(span.quote for span in found.spans) == quotes, found
    assert nearest is None or (found.nearest and found.nearest.quote) == nearest, found
    return found


def page(name: str, text: str) -> NamedText:
    """A retrieved document."""
    return NamedText(SourceKind.RETRIEVED, name, text)


def check_against(value: JsonValue, quote: str | None, **setting: object) -> Grounded:
    """The value goes against exactly this stretch of the context; None: against nothing."""
    found = grounded(value, **setting)  # type: ignore[arg-type]
    assert tuple(span.quote for span in found.against) == (() if quote is None else (quote,)), found
    assert quote is None or found.how is Grounding.UNGROUNDED, found
    return found
