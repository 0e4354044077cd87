"""Call strings without `eval`: a function name and literal arguments, or a rejection with upstream's wording.

bfcl-eval hands call strings, which hold what the model wrote, to `eval`. Here a call is parsed, never
evaluated. Two habits of upstream are repeated so that honest calls give the same results:

- white space between a word and ``(`` disappears everywhere in the source, string arguments included;
- errors are worded as Python words them when it evaluates the source ``<string>``.
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bfcl_runner.quiet import parse_expression

if TYPE_CHECKING:
    from collections.abc import Callable, Container

_SPACE_BEFORE_PARENTHESIS = re.compile(r"\b([a-zA-Z_]\w*)\s+(?=\()")

FORBIDDEN_NAMES = frozenset({"kill", "exit", "quit", "remove", "unlink", "popen", "Popen", "run"})
"""Names that upstream refuses before it looks for the function."""


DECIMAL_BITS = 10_000
"""Longer integers are written in hexadecimal; Python refuses to write some 14,000 bits in decimal."""

MOST_BITS = 100_000
MOST_DIGITS = 10_000
"""How large a power and how many digits a model may ask for: beyond, one call can compute for hours."""


class RejectedCallError(ValueError):
    """A call string that is not executed; the message goes to the model after ``Error during execution:``."""


@dataclass(frozen=True, slots=True)
class LiteralCall:
    """A call of a plain function name with literal arguments."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def render(self) -> str:
        """Source that evaluates to exactly this call and nothing else."""
        arguments = [_source(value) for value in self.args]
        arguments += [f"{name}={_source(value)}" for name, value in self.kwargs.items()]
        return f"{self.name}({','.join(arguments)})"


def _source(value: Any) -> str:
    """Source of a literal. Python's own is no source for infinity (``inf``) nor for very long integers (an error)."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_source(key)}:{_source(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_source, value)) + "]"
    if isinstance(value, tuple):
        return "(" + "".join(f"{_source(item)}," for item in value) + ")"
    if isinstance(value, set):
        return "{" + ",".join(map(_source, value)) + "}"
    if isinstance(value, float) and math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    if isinstance(value, int) and value.bit_length() > DECIMAL_BITS:
        return hex(value)
    return repr(value)


def parse_call(source: str, functions: Container[str]) -> LiteralCall:
    """The call that a source string spells.

    Args:
        source: What a model, a file or the ground truth says is a call.
        functions: Names of the functions that exist.

    Raises:
        RejectedCallError: It is no call of one of the functions, by its plain name and with literals only.
    """
    source = _SPACE_BEFORE_PARENTHESIS.sub(r"\1", source)
    _refuse_forbidden_name(source)
    node = _parse_expression(source)
    if not isinstance(node, ast.Call):
        raise _rejection(node, "only function calls are executed")
    if not isinstance(node.func, ast.Name) or node.func.id not in functions:
        raise _rejection(node.func, "only functions called by a plain name are executed")
    # Upstream finds functions by their spelling: neither `(f)(...)` nor a look-alike that Python reads as `f`.
    if not source.lstrip().startswith(f"{node.func.id}("):
        raise _rejection(node.func, "only functions called by a plain name are executed")
    args = tuple(_literal(value) for value in node.args)
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise _rejection(keyword.value, "only literal arguments are executed")
        if keyword.arg in kwargs:
            message = f"keyword argument repeated: {keyword.arg} (<string>, line 1)"
            raise RejectedCallError(message)
        kwargs[keyword.arg] = _literal(keyword.value)
    call = LiteralCall(node.func.id, args, kwargs)
    _refuse_endless_work(call)
    return call


def _refuse_forbidden_name(source: str) -> None:
    """Upstream's own check, on the last part of a dotted name too."""
    name = source.partition("(")[0]
    if "." in name:
        name = name.split(".")[1]
    if name in FORBIDDEN_NAMES:
        message = f"Function call {name} is not allowed."
        raise RejectedCallError(message)


def _refuse_endless_work(call: LiteralCall) -> None:
    """Keeps one call from computing for hours, in C code that nothing can interrupt."""
    is_too_large = _TOO_LARGE.get(call.name)
    if is_too_large is not None and is_too_large(call):
        message = f"the arguments of {call.name} are too large"
        raise RejectedCallError(message)


def _is_large_power(call: LiteralCall) -> bool:
    base, exponent = (_argument(call, name, place) for place, name in enumerate(("base", "exponent")))
    if not isinstance(base, int) or not isinstance(exponent, int):
        return False
    return base.bit_length() * abs(exponent) > MOST_BITS


def _asks_many_digits(place: int) -> Callable[[LiteralCall], bool]:
    def check(call: LiteralCall) -> bool:
        precision = _argument(call, "precision", place)
        return isinstance(precision, (int, float)) and precision > MOST_DIGITS

    return check


def _argument(call: LiteralCall, name: str, place: int) -> Any:
    return call.args[place] if len(call.args) > place else call.kwargs.get(name)


_TOO_LARGE: dict[str, Callable[[LiteralCall], bool]] = {
    "power": _is_large_power,
    "logarithm": _asks_many_digits(2),
    "square_root": _asks_many_digits(1),
}
"""The functions of BFCL's backends whose cost is in the size of a number, and when it is too large."""


def _parse_expression(source: str) -> ast.expr:
    try:
        return parse_expression(source.lstrip(" \t"))  # `eval` drops leading blanks; parsing does not
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise RejectedCallError(str(error)) from None


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except TypeError as error:  # a list as a dictionary key, as `eval` words it
        raise RejectedCallError(str(error)) from None
    except (ValueError, MemoryError, RecursionError):
        raise _rejection(node, "only literal arguments are executed") from None


def _rejection(node: ast.expr, otherwise: str) -> RejectedCallError:
    """What `eval` says of an unknown name where one leads the expression, else our own words."""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return RejectedCallError(f"name {node.id!r} is not defined" if isinstance(node, ast.Name) else otherwise)
