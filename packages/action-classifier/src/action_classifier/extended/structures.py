"""What a structure carries, by the shapes of APIs and harnesses: calls, text, or nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME_KEYS = ("name", "function", "tool", "tool_name", "function_name", "tool_call", "action", "recipient_name")
ARGUMENT_KEYS = (
    "arguments",
    "parameters",
    "args",
    "input",
    "params",
    "tool_input",
    "tool_arguments",
    "action_input",
    "kwargs",
)
WRAPPED_CALL_KEYS = ("function", "functionCall", "function_call", "toolUse", "tool_call", "executable_code")
CALL_LIST_KEYS = ("tool_calls", "toolCalls", "function_calls", "actions", "tool_uses")
CALL_TYPES = frozenset({"function_call", "tool_use", "tool_call", "custom_tool_call", "mcp_call", "server_tool_use"})
SILENT_TYPES = frozenset({"reasoning", "thinking", "redacted_thinking", "function_call_output", "tool_result"})
"""Parts of a message that are no act of the model towards anyone."""

SILENT_ROLES = frozenset({"user", "tool", "system", "developer", "function", "ipython"})

CONTAINER_KEYS = ("choices", "message", "delta", "candidates", "content", "parts", "output", "messages")
TEXT_KEYS = ("content", "text", "refusal", "message", "reply", "response", "answer", "output_text", "final_answer")
_DATA_NAMES = (
    "result results data response responses output outputs status error errors message messages content answer reply"
    " text metadata usage summary details info user users order orders item items value values config settings schema"
    " properties description parameters arguments report record records payload body headers location address account"
    " profile weather temperature"
)
DATA_NAMES = frozenset(_DATA_NAMES.split())
"""Names under which data stands: ``{"result": {...}}`` calls no function."""

COMMANDS = frozenset(
    [
        "cat",
        "cd",
        "comment",
        "cp",
        "diff",
        "du",
        "echo",
        "find",
        "grep",
        "head",
        "ls",
        "mention",
        "mkdir",
        "mv",
        "pwd",
        "retweet",
        "rm",
        "rmdir",
        "sort",
        "tail",
        "touch",
        "wc",
    ]
)
"""Tools of one plain word; several other words over dicts are more likely data."""

_FUNCTION_NAME = re.compile(r"[A-Za-z_][\w.:/<|>-]{0,200}")
_COMPOUND_NAME = re.compile(r"\w*(?:[a-z0-9][A-Z_.]\w+|_\w+)")


class Content(NamedTuple):
    """What a structure carries.

    Attributes:
        calls: Whether it holds a tool call.
        texts: The texts in it that a model wrote to its reader.
    """

    calls: bool
    texts: tuple[str, ...]


NOTHING = Content(calls=False, texts=())
CALL = Content(calls=True, texts=())


def content_of(value: object) -> Content:
    """The calls and texts in a value that was read from JSON or handed over by a harness, of any type."""
    if isinstance(value, str):
        return Content(calls=False, texts=(value,)) if value.strip() else NOTHING
    if isinstance(value, (list, tuple)):
        return _joined(content_of(part) for part in value)
    if isinstance(value, dict):
        return _content_of_dict(value)
    return NOTHING


def _joined(parts: Iterable[Content]) -> Content:
    contents = list(parts)
    return Content(any(part.calls for part in contents), tuple(text for part in contents for text in part.texts))


def _content_of_dict(value: dict[object, object]) -> Content:
    kind, role = value.get("type"), value.get("role")
    if (isinstance(kind, str) and kind in SILENT_TYPES) or (isinstance(role, str) and role in SILENT_ROLES):
        return NOTHING
    if is_call(value):
        return CALL
    if is_error(value):
        return NOTHING
    for key in CALL_LIST_KEYS:
        calls = value.get(key)
        if isinstance(calls, list) and any(isinstance(call, dict) and is_call(call) for call in calls):
            return CALL
    inner = _joined(content_of(value[key]) for key in CONTAINER_KEYS if isinstance(value.get(key), (dict, list)))
    texts = tuple(text for key in TEXT_KEYS if isinstance(text := value.get(key), str) and text.strip())
    return Content(inner.calls, texts[:1] + inner.texts)


def is_call(value: dict[object, object]) -> bool:
    """Whether a dict is one call, or several under their names."""
    if len(value) == 1:
        return _are_named_calls(value)
    if isinstance(kind := value.get("type"), str) and kind in CALL_TYPES and "name" in value:
        return True
    for key in WRAPPED_CALL_KEYS:
        inner = value.get(key)
        if isinstance(inner, dict) and isinstance(inner.get("name"), str) and "description" not in inner:
            return True
    for name_key in NAME_KEYS:
        name = value.get(name_key)
        if isinstance(name, str) and _FUNCTION_NAME.fullmatch(name):
            return any(_are_arguments(value[key]) for key in ARGUMENT_KEYS if key in value) and (
                "description" not in value
            )
    if isinstance(value.get("tools"), list) and isinstance(value.get("arguments"), dict):
        return all(isinstance(name, str) for name in value["tools"])  # type: ignore[attr-defined]
    return len(value) > 1 and _are_named_calls(value)


def _are_named_calls(value: dict[object, object]) -> bool:
    """Whether every key is a function and every value its arguments: ``{"mv": {"source": "a"}}``."""
    compound = 0
    for name, arguments in value.items():
        if (
            not isinstance(name, str)
            or not _FUNCTION_NAME.fullmatch(name)
            or name.lower() in DATA_NAMES
            or name.isupper()
        ):
            return False
        if isinstance(arguments, str):
            if not arguments.lstrip().startswith("{"):
                return False
            compound += 1
        elif isinstance(arguments, dict):
            compound += name in COMMANDS or _COMPOUND_NAME.match(name) is not None
        else:
            return False
    return len(value) == 1 or compound == len(value)


def _are_arguments(value: object) -> bool:
    if value is None:
        return True
    if isinstance(value, dict):
        return not (isinstance(value.get("properties"), dict) and isinstance(value.get("type"), str))
    return isinstance(value, str) and (not value.strip() or value.lstrip()[0] in "{[")


def is_error(value: object) -> bool:
    """Whether a value is what an API answers instead of a message."""
    if not isinstance(value, dict):
        return False
    error = value.get("error")
    if isinstance(error, dict):
        return "message" in error or "code" in error
    return value.get("type") == "error" or value.get("object") == "error"
