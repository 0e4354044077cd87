"""Messages and tool calls, as tau2 writes them and as OpenAI's API does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gar_metrics.jsonl import described
from gar_metrics.tau2.fields import checked, objects, optional, required
from gar_metrics.tau2.records import Message, ToolCall

if TYPE_CHECKING:
    from gar_metrics.tau2.fields import Place

UNREAD = ""
"""The key under which arguments stand that are no object: no parameter has this name."""


def read_messages(values: list[object], place: Place) -> tuple[Message, ...]:
    """The messages of a conversation.

    Raises:
        GarError: A message has no role, or a field of another kind than it should.
    """
    return tuple(
        Message(
            index=index,
            role=required(record, "role", str, here),
            content=_content(record.get("content"), here.at("content")),
            calls=_calls(record, here),
            turn=optional(record, "turn_idx", int, here),
        )
        for index, (here, record) in enumerate(objects(values, place))
    )


def read_arguments(value: object) -> dict[str, object]:
    """The arguments of a call: an object, or the text of one; anything else stays as it is under `UNREAD`."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {UNREAD: value}
    if value is None:
        return {}
    return value if isinstance(value, dict) else {UNREAD: value}


def _content(value: object, place: Place) -> str | None:
    """The text of a message; of a list of parts, the texts of those that have one, joined by line ends."""
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, list):
        what = f"expected a string or a list of parts, found {described(value)}"
        raise place.fault(what)
    texts = [part.get("text") for part in value if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _calls(message: dict[str, object], place: Place) -> tuple[ToolCall, ...]:
    values = optional(message, "tool_calls", list, place)
    return tuple(_call(record, here) for here, record in objects(values or [], place.at("tool_calls")))


def _call(record: dict[str, object], place: Place) -> ToolCall:
    function = record.get("function")
    if function is not None:
        record, place = checked(function, dict, place.at("function")), place.at("function")
    return ToolCall(required(record, "name", str, place), read_arguments(record.get("arguments")))
