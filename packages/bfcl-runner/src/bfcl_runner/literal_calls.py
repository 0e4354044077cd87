"""Call strings without `eval`: a function name and literal arguments, or a rejection with upstream's wording.

bfcl-eval hands call strings, which hold what the model wrote, to `eval`. Here a call is parsed, never
evaluated. Two habits of upstream are repeated so that honest calls give the same results:

- white space between a word and ``(`` disappears everywhere in the source, string arguments included;
- errors are worded as Python words them when it evaluates the source ``<string>``.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container

_SPACE_BEFORE_PARENTHESIS = re.compile(r"\b([a-zA-Z_]\w*)\s+(?=\()")

FORBIDDEN_NAMES = frozenset({"kill", "exit", "quit", "remove", "unlink", "popen", "Popen", "run"})
"""Names that upstream refuses before it looks for the function."""


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
        arguments = [repr(value) for value in self.args]
        arguments += [f"{name}={value!r}" for name, value in self.kwargs.items()]
        return f"{self.name}({','.join(arguments)})"


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
    args = tuple(_literal(value) for value in node.args)
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise _rejection(keyword.value, "only literal arguments are executed")
        if keyword.arg in kwargs:
            message = f"keyword argument repeated: {keyword.arg} (<string>, line 1)"
            raise RejectedCallError(message)
        kwargs[keyword.arg] = _literal(keyword.value)
    return LiteralCall(node.func.id, args, kwargs)


def _refuse_forbidden_name(source: str) -> None:
    """Upstream's own check, on the last part of a dotted name too."""
    name = source.partition("(")[0]
    if "." in name:
        name = name.split(".")[1]
    if name in FORBIDDEN_NAMES:
        message = f"Function call {name} is not allowed."
        raise RejectedCallError(message)


def _parse_expression(source: str) -> ast.expr:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in model text are the model's business
            # `eval` drops leading blanks and names its source <string>; parsing does neither by itself.
            tree = ast.parse(source.lstrip(" \t"), "<string>", "eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise RejectedCallError(str(error)) from None
    return tree.body


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
