"""Data in text and in memory, taken within limits that are the same on every interpreter.

CPython's parsers and serialisers recurse. Text that is made for it ends the process in a thread with a small stack,
and how deep they go before they give up differs between versions. So whatever they are handed is measured first,
without recursion, and nothing but data reaches the Python parser: no calls, subscripts or sums, which nest without
any bracket.
"""

from __future__ import annotations

import ast
import json
import re
import threading
import warnings
from array import array
from itertools import accumulate, chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_DEPTH = 100
"""How many brackets may be open at once. CPython takes this much on a stack of 256 KB; macOS gives threads 512 KB."""

MAX_LITERAL_CHARS = 64 * 1024
"""A longer text is read as JSON only: Python's literal parser needs tens of seconds for a few megabytes."""

_TOKEN = re.compile(
    r"""
      (?P<space> \s+ | \\(?:\r\n?|\n) | \#[^\r\n]* )
    | (?P<opening> [\[({] )
    | (?P<closing> [\])}] )
    | (?P<separator> [,:] )
    | (?P<sign> [+-] )
    | (?P<operand>
          (?:True|False|None)\b
        | \.\.\.
        | 0[xXoObB][0-9a-fA-F_]+
        | (?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9][0-9_]*)?[jJ]?
        | [rRuUbB]{0,2}
          (?: \"{3}[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*\"{3}
            | '{3}[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'{3}
            | (?!\"{3}|'{3})
              (?: "[^"\\\r\n]*(?:\\(?:\r\n|.)[^"\\\r\n]*)*"
                | '[^'\\\r\n]*(?:\\(?:\r\n|.)[^'\\\r\n]*)*'
              )
          )
      )
    | .  # nothing that a literal holds
    """,
    re.DOTALL | re.VERBOSE,
)
_CHAINS = frozenset(
    {("operand", "opening"), ("closing", "opening"), ("operand", "sign"), ("closing", "sign"), ("sign", "sign")}
)
"""Neighbours in calls, subscripts, sums and repeated signs: all that nests without an open bracket."""
_STEP = {"opening": 1, "closing": -1}

_JSON_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_NO_JSON_BRACKETS = bytes(set(range(256)) - set(b"[{]}"))

_warning_filters = threading.Lock()
"""catch_warnings swaps a list that is global to the process: one of our threads at a time."""


def parse(text: str) -> object:
    """The value of a Python literal or JSON document, or None where the text is neither, or nested too deeply.

    Raises:
        RecursionError: The caller's own frames use up the recursion limit.
    """
    if len(text) <= MAX_LITERAL_CHARS and _is_literal(text):
        # What the parser raises on hostile text: syntax, unhashable keys, numbers too long.
        try:
            # Without this an odd escape in model text warns, and where warnings are errors changes the class.
            with _warning_filters, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, MemoryError):
            pass
    if _json_depth(text) > MAX_DEPTH:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def is_shallow(value: object) -> bool:
    """Whether dicts, lists and tuples are nested at most `MAX_DEPTH` deep in a value. Circular ones never are."""
    level: Iterable[Iterable[object]] = [[value]]
    for _ in range(MAX_DEPTH + 1):
        parts = chain.from_iterable(outer.values() if isinstance(outer, dict) else outer for outer in level)
        # Each once a level: what many paths lead to would else be looked into once a path.
        level = {id(part): part for part in parts if isinstance(part, (dict, list, tuple))}.values()
        if not level:
            return True
    return False


def _is_literal(text: str) -> bool:
    """Whether a text holds only what literals are made of, at most `MAX_DEPTH` brackets open.

    What Python would not parse may pass, if only its parser gives up on it without going deep.
    """
    depth, before = 0, ""
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "space":
            continue
        if kind is None or (before, kind) in _CHAINS:
            return False
        depth += _STEP.get(kind, 0)
        if depth > MAX_DEPTH:
            return False
        before = kind
    return True


def _json_depth(text: str) -> int:
    """How many brackets are open at once outside strings, in a text that is read as JSON.

    All in C, for texts of any length. Where the text stops being JSON the parser stops too, so that it doesn't matter
    what is counted from there on.
    """
    unescaped = text.replace("\\\\", "").replace('\\"', "")
    outside_strings = "".join(unescaped.split('"')[::2])
    steps = outside_strings.encode("utf-8", "surrogatepass").translate(_JSON_STEPS, _NO_JSON_BRACKETS)
    return max(accumulate(array("b", steps)), default=0)
