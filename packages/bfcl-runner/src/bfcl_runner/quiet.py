"""Python's parser and checks on what a model wrote, without warnings and safe beside other threads."""

from __future__ import annotations

import ast
import threading
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PARSER_TRIES = 20

_one_at_a_time = threading.Lock()
"""`catch_warnings` swaps a list that is global to the process."""


@contextmanager
def no_warnings() -> Iterator[None]:
    """A context without warnings: an odd escape in model text is the model's business."""
    with _one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def parse_expression(source: str) -> ast.expr:
    """The syntax tree of an expression; errors are worded as for the source ``<string>``.

    Raises:
        SyntaxError: It is none.
        ValueError: It holds characters that no source may hold.
        MemoryError, RecursionError: It is nested too deeply.
    """
    for _ in range(PARSER_TRIES - 1):
        try:
            with no_warnings():
                return ast.parse(source, "<string>", "eval").body
        except SystemError:
            continue
    with no_warnings():
        return ast.parse(source, "<string>", "eval").body
