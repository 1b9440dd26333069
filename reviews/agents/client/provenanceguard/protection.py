"""Functions that are decided upon before they run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
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
    """The function as a coroutine function that asks first; `run` is `AsyncGuard.run`. Raises TypeError."""
    require_whole(function)
    name = tool or function.__name__

    @wraps(function)
    async def protected(*args: Any, **kwargs: Any) -> Any:
        bound, given = without_owner(protected, function, args)
        call = (name, arguments_by_name(inspect.signature(bound), given, kwargs))
        try:
            return await run(call, past() if past else None, bound, timeout=timeout)
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
    name = tool or function.__name__

    @wraps(function)
    def protected(*args: Any, **kwargs: Any) -> Any:
        bound, given = without_owner(protected, function, args)
        call = (name, arguments_by_name(inspect.signature(bound), given, kwargs))
        try:
            return run(call, past() if past else None, bound, timeout=timeout)
        except NotRunnableError as error:
            return replace_refusal(error, on_refusal)

    return protected


def require_plain(function: Function | None) -> None:
    """Raises TypeError for a coroutine function: what only begins with its call would be reported before it has run."""
    require_whole(function)
    for func in _functions_of(function):
        if _is_any(func, inspect.iscoroutinefunction):
            raise TypeError(f"{func!r} is a coroutine function, which AsyncGuard runs")


def require_whole(function: Function | None) -> None:
    """Raises TypeError for a function that yields: it has run only when somebody has taken its last piece."""
    for func in _functions_of(function):
        if _is_any(func, inspect.isgeneratorfunction) or _is_any(func, inspect.isasyncgenfunction):
            raise TypeError(f"{func!r} yields its result piece by piece; give a function that returns all of it")


def _functions_of(function: Function | None) -> Iterable[Any]:
    return function.values() if isinstance(function, Mapping) else [function]


def _is_any(function: Any, is_kind: Callable[[Any], bool]) -> bool:
    """Whether the function is of this kind, or what an object does that is called like one."""
    return is_kind(function) or is_kind(getattr(function, "__call__", None))  # noqa: B004  # asked what it is, not whether


def require_pieces_taken(returned: Any) -> Any:
    """What a function returned. Raises TypeError for a generator, which has run no further than it was read."""
    if inspect.isgenerator(returned) or inspect.isasyncgen(returned):
        raise TypeError(f"a {type(returned).__name__} was returned; a call returns all of its result")
    return returned


def require_result(returned: Any) -> Any:
    """What a function returned. Raises TypeError for what would have to be awaited, and ends it."""
    if not inspect.isawaitable(returned):
        return require_pieces_taken(returned)
    # A coroutine is closed, a task cancelled: nobody shall take up later what is reported as failed.
    end = getattr(returned, "close", None) or getattr(returned, "cancel", None)
    if end is not None:
        end()
    raise TypeError(f"a {type(returned).__name__} was returned, which AsyncGuard awaits")


def without_owner(
    protected: Callable[..., Any], function: Callable[..., Any], args: tuple[Any, ...]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """What runs, and its arguments: of a method without the object that it is called on.

    That is no argument of the call, and may hold what nobody is to see, such as a key.
    """
    if not args:
        return function, args
    owner = args[0]
    classes = [*type(owner).__mro__, *(owner.__mro__ if isinstance(owner, type) else ())]
    members = [member for cls in classes for member in vars(cls).values()]
    functions = [member.__func__ if isinstance(member, classmethod) else member for member in members]
    # By what its class really holds: that a function takes `self` says nothing.
    if any(member is protected for member in functions):
        return function.__get__(owner), args[1:]
    return function, args


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
