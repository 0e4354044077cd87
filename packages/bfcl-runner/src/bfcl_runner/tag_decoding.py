"""Calls in text, ``{"name": ..., "arguments": {...}}`` between ``<tool_call>`` and ``</tool_call>``."""

from __future__ import annotations

import json
import re
from typing import Any

from bfcl_runner.decoding import call_string
from bfcl_runner.errors import DecodeError

NamedCall = tuple[str, dict[str, Any]]
"""A function's name and its arguments."""

DEEPEST = 100
"""Levels of nesting that are read; no function takes more, and far deeper values break Python's own JSON and repr."""

# JSON has no raw line break inside a string. So a block of three lines ends where its second line does, whatever its
# strings hold, tags included; any other block ends at the nearest tag.
_TAGS = re.compile(r"<tool_call>\n(?P<line>[^\n]*)\n</tool_call>|</?tool_call>")
_OPENING = "<tool_call>"
_TOO_DEEP = f"nested deeper than {DEEPEST} levels"


def decode_tool_call_tags(emission: object) -> list[str]:
    """The call strings in the ``<tool_call>`` blocks of a text.

    Raises:
        DecodeError: There are none.
    """
    calls = tagged_calls(emission) if isinstance(emission, str) else []
    if not calls:
        message = "the reply holds no <tool_call> block with a call"
        raise DecodeError(message)
    return [call_string(name, arguments) for name, arguments in calls]


def tagged_calls(text: str) -> list[NamedCall]:
    """The calls between the tags of a text, in its order; blocks that hold something else are passed over."""
    calls = []
    for block in _blocks(text):
        try:
            call = as_call(json.loads(block))
        except (ValueError, RecursionError):
            continue
        if call:
            calls.append(call)
    return calls


def as_call(value: object) -> NamedCall | None:
    """The call that an object with ``name`` and ``arguments`` (an object, or the JSON of one) is; else None."""
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return None
    try:
        arguments = read_json(value.get("arguments"))
    except ValueError:
        return None
    return (value["name"], arguments) if isinstance(arguments, dict) else None


def read_json(source: object) -> Any:
    """The JSON value that a text spells; what is no text has been read already and comes back as it is.

    Raises:
        ValueError: The text is no JSON, or the value is nested deeper than `DEEPEST`.
    """
    try:
        value = json.loads(source) if isinstance(source, str) else source
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    return check_depth(value)


def check_depth(value: Any) -> Any:
    """The value itself.

    Raises:
        ValueError: It is nested deeper than `DEEPEST`.
    """
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [item for item in level if isinstance(item, (dict, list))]
        if not level:
            return value
        level = [inner for outer in level for inner in (outer.values() if isinstance(outer, dict) else outer)]
    raise ValueError(_TOO_DEEP)


def _blocks(text: str) -> list[str]:
    """What stands between tags. A tag that opens before the last one was closed starts anew."""
    blocks = []
    begin: int | None = None
    for tag in _TAGS.finditer(text):
        if tag["line"] is not None:
            blocks.append(tag["line"])
            begin = None
        elif tag[0] == _OPENING:
            begin = tag.end()
        elif begin is not None:
            blocks.append(text[begin : tag.start()])
            begin = None
    return blocks
