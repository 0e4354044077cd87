"""Calls that a model wrote as its message's whole content, in JSON, as some open checkpoints do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "TAU2_COERCE_JSON_CONTENT_TOOL_CALLS"

_ARGUMENT_KEYS = ("arguments", "parameters")


class ContentCall(NamedTuple):
    """A call, by name, with its arguments."""

    name: str
    arguments: dict[str, Any]


def is_asked_for(environment: Mapping[str, str]) -> bool:
    """Whether the variable asks for it."""
    return environment.get(VARIABLE, "").strip().lower() in {"1", "true", "yes", "on"}


def content_calls(content: str | None) -> list[ContentCall]:
    """The calls that a content is: one ``{name, arguments | parameters}``, or a list of them and nothing else.

    Arguments are an object, or a string that holds one. Any other content gives no call.
    """
    if content is None or not content.lstrip().startswith(("{", "[")):
        return []
    try:
        value: object = json.loads(content)
    except (ValueError, RecursionError):
        return []
    entries = value if isinstance(value, list) else [value]
    calls = [_call(entry) for entry in entries]
    return [] if None in calls else [call for call in calls if call is not None]


def _call(entry: object) -> ContentCall | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or not entry["name"]:
        return None
    given = [entry[key] for key in _ARGUMENT_KEYS if key in entry]
    if len(given) != 1 or entry.keys() - {"name", "id", "type", *_ARGUMENT_KEYS}:
        return None
    arguments = _decoded(given[0]) if isinstance(given[0], str) else given[0]
    return ContentCall(entry["name"], arguments) if isinstance(arguments, dict) else None


def _decoded(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
