"""Call strings out of a reply in prompting mode, ``[f(x=1), g()]``, read as upstream reads it but without `eval`.

Upstream's reading has habits that decide verdicts, and they are kept: only keyword arguments count; a bare name is
its own text; any unary operator is a minus; a dict of dicts reads as a nested call, and an empty dict fails the whole
reply. What upstream evaluates while decoding, binary operations, is folded here if it is plain arithmetic on
constants; anything else stays source text, which the guarded execution then rejects.
"""

from __future__ import annotations

import ast
import builtins
import operator
from typing import TYPE_CHECKING, Any, TypeVar

from bfcl_runner.errors import DecodeError
from bfcl_runner.quiet import parse_expression

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

LARGEST_BITS = 4096
"""Integers of arithmetic in a reply; `9**9**9` is no number that a model means."""

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


class _Source:
    """An expression that is not evaluated; it renders as it was written."""

    def __init__(self, node: ast.expr) -> None:
        self._text = ast.unparse(node)
        names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
        self.has_unknown_name = not all(hasattr(builtins, name) for name in names)

    def __repr__(self) -> str:
        return self._text


def decode_prompting(emission: object) -> list[str]:
    """The call strings in the text of a reply.

    Raises:
        DecodeError: It is no list of calls.
    """
    return _read(emission, _render_call)


def prompted_calls(emission: object) -> list[dict[str, dict[str | None, Any]]]:
    """The calls in the text of a reply as data, ``[{name: {argument: value}}]``, for the single-turn categories.

    Raises:
        DecodeError: It is no list of calls, or upstream would meet an unknown name as it evaluates an argument.
    """
    return _read(emission, _as_data)


def _read(emission: object, shape: Callable[[str, dict[str | None, Any]], T]) -> list[T]:
    if not isinstance(emission, str):
        message = "the reply is no text"
        raise DecodeError(message)
    text = emission.strip("`\n ")
    text = text if text.startswith("[") else f"[{text}"
    text = text if text.endswith("]") else f"{text}]"
    try:
        return [shape(*_call(node)) for node in _call_nodes(text.strip().strip("'"))]
    except DecodeError:
        raise
    except (SyntaxError, ValueError, TypeError, ArithmeticError, MemoryError, RecursionError) as error:
        message = f"the reply is no list of calls: {error}"
        raise DecodeError(message) from None


def _call_nodes(source: str) -> list[ast.Call]:
    body = parse_expression(source)
    nodes = [body] if isinstance(body, ast.Call) else getattr(body, "elts", [body])
    if not all(isinstance(node, ast.Call) for node in nodes):
        message = "the reply holds something else than calls"
        raise DecodeError(message)
    return list(nodes)


def _call(node: ast.Call) -> tuple[str, dict[str | None, Any]]:
    """Name and keyword arguments; positional ones are dropped, as upstream."""
    parts: list[str] = []
    function = node.func
    while isinstance(function, ast.Attribute):
        parts.append(function.attr)
        function = function.value
    if isinstance(function, ast.Name):
        parts.append(function.id)
    return ".".join(reversed(parts)), {keyword.arg: _value(keyword.value) for keyword in node.keywords}


def _value(node: ast.expr | None) -> Any:
    reader = None if node is None else _READERS.get(type(node))
    if reader is None:
        message = f"arguments of kind {type(node).__name__} are not read"
        raise DecodeError(message)
    return reader(node)


def _negated(node: ast.UnaryOp) -> Any:
    """Minus the operand, whatever the operator is: upstream doesn't look at it."""
    if not isinstance(node.operand, ast.Constant):
        message = "a unary operator before something else than a constant"
        raise DecodeError(message)
    return -node.operand.value  # type: ignore[operator] # a text here is a TypeError, caught above


def _nested_call(node: ast.Call) -> Any:
    if not node.keywords:
        return ast.unparse(node)
    name, arguments = _call(node)
    return {name: arguments}


class UnfoldableError(Exception):
    """An operation that is not worked out here: it calls something, or its result may be huge."""


def _folded(node: ast.BinOp) -> Any:
    try:
        return constant_value(node)
    except UnfoldableError:
        return _Source(node)


def constant_value(node: ast.expr) -> Any:
    """The value of an operation on constants.

    What fails when it is evaluated (a bare name, a text minus a number) fails here too, with a TypeError.
    """
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        message = f"name {node.id!r} is not defined"
        raise TypeError(message)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        operand = constant_value(node.operand)
        return -operand if isinstance(node.op, ast.USub) else +operand
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right = constant_value(node.left), constant_value(node.right)
        if not _is_small(node.op, left, right):
            raise UnfoldableError
        return _ARITHMETIC[type(node.op)](left, right)
    raise UnfoldableError


def _is_small(operation: ast.operator, left: object, right: object) -> bool:
    """Whether the result is sure to be no longer than a model may mean it to be."""
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * max(1, abs(right)) if isinstance(operation, ast.Pow) else left.bit_length()
        return max(bits, right.bit_length()) <= LARGEST_BITS
    # Repeating and formatting texts can make megabytes out of a few characters.
    repeats = isinstance(operation, (ast.Mult, ast.Mod)) and isinstance(left, (str, bytes))
    return not repeats and not (isinstance(operation, ast.Mult) and isinstance(right, (str, bytes)))


def _subscript(node: ast.Subscript) -> str:
    return f"{ast.unparse(node.value)}[{ast.unparse(node.slice)}]"


_READERS: dict[type[ast.AST], Callable[[Any], Any]] = {
    ast.Constant: lambda node: "..." if node.value is Ellipsis else node.value,
    ast.UnaryOp: _negated,
    ast.List: lambda node: [_value(element) for element in node.elts],
    ast.Tuple: lambda node: tuple(_value(element) for element in node.elts),
    ast.Dict: lambda node: {_value(key): _value(value) for key, value in zip(node.keys, node.values, strict=True)},
    ast.BinOp: _folded,
    ast.Name: lambda node: node.id,
    ast.Call: _nested_call,
    ast.Subscript: _subscript,
}
"""How each kind of argument is read."""


def _as_data(name: str, arguments: dict[str | None, Any]) -> dict[str, dict[str | None, Any]]:
    if _has_unknown_name(arguments):
        message = f"arguments of {name}: an operation on a name that is not defined"
        raise DecodeError(message)
    return {name: arguments}


def _has_unknown_name(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_unknown_name(part) for pair in value.items() for part in pair)
    if isinstance(value, (list, tuple)):
        return any(map(_has_unknown_name, value))
    return isinstance(value, _Source) and value.has_unknown_name


def _render_call(name: str, arguments: dict[str | None, Any]) -> str:
    return f"{name}({', '.join(f'{key}={_render(value)}' for key, value in arguments.items())})"


def _render(value: Any) -> str:
    """The source of a value; a dict whose values are all dicts renders as a call of its first key."""
    if not isinstance(value, dict):
        return repr(value)
    if not value:
        message = "an empty dict as an argument"
        raise DecodeError(message)
    if all(isinstance(inner, dict) for inner in value.values()):
        return _render_call(*next(iter(value.items())))
    return "{" + ", ".join(f"'{key}': {_render(inner)}" for key, inner in value.items()) + "}"
