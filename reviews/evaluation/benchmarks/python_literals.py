"""Python literals as traces print them, read without running anything."""

import ast
import warnings
from typing import Any, Final, TypeAlias

Value: TypeAlias = Any
"""What JSON can hold; tuples become lists."""

# NumPy's and JSON's words for what Python spells otherwise.
_NAMES: Final = {"nan": None, "NaN": None, "null": None, "true": True, "false": False}
# Calls that only wrap a literal: their first argument stands for them.
_WRAPPERS: Final = frozenset({"array", "list", "tuple", "set", "frozenset", "Timestamp", "datetime64"})


class UnreadableLiteralError(ValueError):
    """The text is not a literal, or holds something that would have to be run."""


def parse_literal(text: str) -> Value:
    """The value of a literal. A call such as `AgentAction(tool=…)` becomes an object of its keywords; nan becomes null.

    Raises `UnreadableLiteralError`.
    """
    try:
        with warnings.catch_warnings():
            # Strings in traces hold escapes that Python would rather see doubled.
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            tree = ast.parse(text.strip(), mode="eval")
        return _fold_node(tree.body)
    # A text of many brackets exhausts the parser's memory or stack: it is no literal that a trace would hold.
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise UnreadableLiteralError(f"This is not a literal: {error}") from error


def _fold_node(node: ast.expr) -> Value:
    match node:
        case ast.Constant(value=None | str() | int() | float() as value):
            return value
        case ast.Constant(value=value):
            raise UnreadableLiteralError(f"{type(value).__name__} has no JSON form")
        case ast.List() | ast.Tuple() | ast.Set():
            return [_fold_node(item) for item in node.elts]
        case ast.Dict():
            keys = [str(key.value) for key in node.keys if isinstance(key, ast.Constant)]
            if len(keys) < len(node.keys):
                raise UnreadableLiteralError("an object has a key that is no constant")
            return dict(zip(keys, map(_fold_node, node.values), strict=True))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Name(id=name) if name in _NAMES:
            return _NAMES[name]
        case ast.Call(func=ast.Name() | ast.Attribute() as function):
            return _fold_call(function.id if isinstance(function, ast.Name) else function.attr, node)
    raise UnreadableLiteralError(f"{type(node).__name__} at column {node.col_offset} would have to be run")


def _fold_call(name: str, node: ast.Call) -> Value:
    if name in _WRAPPERS:
        return _fold_node(node.args[0]) if node.args else []
    if node.args or not all(keyword.arg for keyword in node.keywords):
        raise UnreadableLiteralError(f"{name}(…) at column {node.col_offset} names no fields")
    return {keyword.arg: _fold_node(keyword.value) for keyword in node.keywords}
