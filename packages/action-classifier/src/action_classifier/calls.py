"""Recognising tool calls: in text by its shape, in structures by their keys, and their one canonical form."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from action_classifier.literals import is_shallow, parse
from action_classifier.stack import with_room

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME_KEY = r"""["']name["']\s*:"""
_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]*"

CALL_TEXT_PATTERNS: tuple[tuple[str, Callable[[str], re.Match[str] | None]], ...] = (
    ("bracketed_call", re.compile(rf"\s*\[\s*{_IDENTIFIER}\s*\(").match),
    ("tool_call_tag", re.compile(r"<tool_call(?!\w)", re.IGNORECASE).search),
    ("json_call_list", re.compile(rf"\s*\[\s*\{{\s*{_NAME_KEY}").match),
    (
        "json_call_object",
        re.compile(
            rf"""\s*\{{\s*{_NAME_KEY}\s*["']{_IDENTIFIER}["']\s*,.*?["'](?:arguments|parameters)["']\s*:""",
            re.DOTALL,
        ).match,
    ),
)
"""Rule name and where it looks: `match` at the start of the text, `search` anywhere.

Every pattern is linear in the text: no repeat stands inside another or beside one of the same characters.
"""

CALL_KEY_PAIRS = (
    ("name", "arguments"),
    ("name", "parameters"),
    ("tool_call", "arguments"),
    ("action", "arguments"),
)
"""Key of the function name and key of the arguments, in dictionaries that hold exactly these two keys."""

FENCE = "```"

_Call = tuple[str, dict[object, object]]


def find_call_text(text: str) -> tuple[str, tuple[int, int]] | None:
    """Rule name and character span of what makes a text tool-call text, or None if nothing does."""
    for rule, look in CALL_TEXT_PATTERNS:
        if found := look(text):
            return rule, found.span()
    return None


def is_tool_call_text(text: str) -> bool:
    """Whether a text is a tool call by its shape: `[f(`, a `<tool_call` tag, or JSON with name and arguments."""
    return find_call_text(text) is not None


def normalize(emission: object) -> object:
    """The emission with tool calls that it holds as data put into one canonical text, else unchanged.

    The canonical form is compact ASCII JSON, ``[{"name":...,"arguments":{...}}]``. Structures (a list or a
    dict) are read by their keys; a text is read if its body, or the body of the code fence that it opens
    with, starts with ``[{`` or ``{`` and is a Python literal or JSON. Text that already is tool-call text,
    and everything else, data nested more than 100 deep included, comes back as it was given. Never raises;
    ``normalize(normalize(x)) == normalize(x)``.
    """
    if not isinstance(emission, str):
        return (is_shallow(emission) and with_room(_canonical, emission)) or emission
    if is_tool_call_text(emission):
        return emission
    body = unfenced(emission)
    if not body.startswith(("[{", "{")):
        return emission
    return with_room(_canonical_of_text, body) or emission


def unfenced(text: str) -> str:
    """The body of the code fence that opens the text (a missing closing fence is fine), else the stripped text."""
    stripped = text.strip()
    if not stripped.startswith(FENCE):
        return stripped
    _, _, body = stripped.partition("\n")
    before, _, last = body.rpartition("\n")
    if last.lstrip().startswith(FENCE):
        body = before
    return body.strip()


def _canonical_of_text(body: str) -> str | None:
    return _canonical(parse(body))


def _canonical(value: object) -> str | None:
    """The canonical text of the calls in a structure, or None where it does not hold calls and nothing else."""
    calls = _calls(value)
    if not calls:
        return None
    try:
        return json.dumps([{"name": name, "arguments": arguments} for name, arguments in calls], separators=(",", ":"))
    except (TypeError, ValueError):  # sets, bytes, odd keys
        return None


def _calls(value: object) -> list[_Call] | None:
    """The calls of a structure, or None if one element is no call."""
    if isinstance(value, dict):
        return _calls_by_tool_list(value) or _calls([value])
    if not isinstance(value, list):
        return None
    calls = [_call(element) for element in value]
    return None if None in calls else [call for call in calls if call is not None]


def _calls_by_tool_list(value: dict[object, object]) -> list[_Call] | None:
    """The calls of ``{"tools": [names], "arguments": {name: {...}}}``, or None if the dict is not of that form."""
    if value.keys() != {"tools", "arguments"}:
        return None
    names, arguments_by_name = value["tools"], value["arguments"]
    if not isinstance(names, list) or not isinstance(arguments_by_name, dict):
        return None
    calls: list[_Call] = []
    for name in names:
        arguments = arguments_by_name.get(name) if isinstance(name, str) else None
        if not isinstance(arguments, dict):
            return None
        calls.append((name, arguments))
    return calls


def _call(element: object) -> _Call | None:
    """The call in a dict of one of the accepted key sets, or None."""
    if not isinstance(element, dict):
        return None
    for name_key, arguments_key in CALL_KEY_PAIRS:
        if element.keys() == {name_key, arguments_key}:
            return _checked_call(element[name_key], element[arguments_key])
    if len(element) == 1:
        return _checked_call(*next(iter(element.items())))
    return None


def _checked_call(name: object, arguments: object) -> _Call | None:
    return (name, arguments) if isinstance(name, str) and isinstance(arguments, dict) else None
