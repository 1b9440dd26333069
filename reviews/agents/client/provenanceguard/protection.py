"""Functions that are decided upon before they run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, TypeAlias

from .errors import NotRunnableError
from .values import Call

Function: TypeAlias = Callable[..., Any] | Mapping[str, Callable[..., Any]]
"""What runs a call, or several by the name of their tool."""

OnRefusal: TypeAlias = 'Callable[[NotRunnableError], Any] | Literal["message"] | None'
"""What takes the place of the result when the call must not run; None raises."""


@dataclass(frozen=True)
class Permit:
    """The permission to run one call, once."""

    action_id: str
    call: Call
    function: Callable[..., Any]
    """What runs it."""


def protected_coroutine(
    run: Callable[..., Any],
    function: Callable[..., Any],
    *,
    tool: str | None,
    past: Callable[[], Any] | None,
    timeout: float | None,
    on_refusal: OnRefusal,
) -> Callable[..., Any]:
    """The function as a coroutine function that asks first; `run` is `AsyncGuard.run`."""
    signature, name = inspect.signature(function), tool or function.__name__

    @wraps(function)
    async def protected(*args: Any, **kwargs: Any) -> Any:
        call = (name, arguments_by_name(signature, args, kwargs))
        try:
            return await run(call, past() if past else None, function, timeout=timeout)
        except NotRunnableError as error:
            return replace_refusal(error, on_refusal)

    return protected


def protected_function(
    run: Callable[..., Any],
    function: Callable[..., Any],
    *,
    tool: str | None,
    past: Callable[[], Any] | None,
    timeout: float | None,
    on_refusal: OnRefusal,
) -> Callable[..., Any]:
    """The function as one that asks first; `run` is `Guard.run`. Raises TypeError for a coroutine function."""
    require_plain(function)
    signature, name = inspect.signature(function), tool or function.__name__

    @wraps(function)
    def protected(*args: Any, **kwargs: Any) -> Any:
        call = (name, arguments_by_name(signature, args, kwargs))
        try:
            return run(call, past() if past else None, function, timeout=timeout)
        except NotRunnableError as error:
            return replace_refusal(error, on_refusal)

    return protected


def require_plain(function: Function | None) -> None:
    """Raises TypeError for a coroutine function: what only begins with its call would be reported before it has run."""
    functions = function.values() if isinstance(function, Mapping) else [function]
    for one in functions:
        if inspect.iscoroutinefunction(one) or inspect.iscoroutinefunction(getattr(one, "__call__", None)):  # noqa: B004  # asked what it is, not whether
            raise TypeError(f"{one!r} is a coroutine function, which AsyncGuard runs")


def require_result(returned: Any) -> Any:
    """What a function returned. Raises TypeError for what would have to be awaited, and ends it."""
    if not inspect.isawaitable(returned):
        return returned
    # A coroutine is closed, a task cancelled: nobody shall take up later what is reported as failed.
    end = getattr(returned, "close", None) or getattr(returned, "cancel", None)
    if end is not None:
        end()
    raise TypeError(f"a {type(returned).__name__} was returned, which AsyncGuard awaits")


def arguments_by_name(signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the function would see them, its defaults among them: what is reviewed is what runs.

    Raises TypeError for a function whose arguments have no names.
    """
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    arguments: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            arguments.update(value)
        elif kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY):
            raise TypeError(f"a protected function takes its arguments by name; {name} has none")
        else:
            arguments[name] = value
    return arguments


def replace_refusal(error: NotRunnableError, on_refusal: OnRefusal) -> Any:
    """What stands for the result of a call that must not run. Raises the error where nothing does."""
    if on_refusal is None:
        raise error
    return error.model_message if on_refusal == "message" else on_refusal(error)
