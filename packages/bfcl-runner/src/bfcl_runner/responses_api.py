"""What goes to a Responses API and what comes back: input items, tools, output items, and calls written as text."""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bfcl_runner.tag_decoding import as_call, check_depth, read_json, tagged_calls
from bfcl_runner.tool_schemas import Tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bfcl_runner.backends.base import Message
    from bfcl_runner.tag_decoding import NamedCall

Item = dict[str, Any]
"""An input or output item of the API."""

STATUS = "completed"
"""Of every item of a history."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that a model made; calls written as text have no id."""

    name: str
    arguments: dict[str, Any]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """What a response holds.

    Attributes:
        reasoning: The parts of its reasoning, one a line.
        content: The parts of its text, one a line.
        calls: Its calls; those in the text, where it has no others.
    """

    reasoning: str
    content: str
    calls: tuple[Call, ...]


def input_items(messages: Iterable[Message]) -> list[Item]:
    """The input items of a history of chat messages.

    A call without id is ``call_<n>``, n its place among all calls. A result without id belongs to the oldest call
    that has none yet, and becomes a user message where every call has one. Text beside calls is left out.
    """
    items: list[Item] = []
    unanswered: deque[str] = deque()
    calls = 0
    for message in messages:
        if message["role"] == "tool":
            items.append(_result_item(message, unanswered))
        elif message["role"] != "assistant":
            items.append({"role": message["role"], "content": _text(message)})
        elif message.get("tool_calls"):
            for call in message["tool_calls"]:
                calls += 1
                call_id = call.get("id") or f"call_{calls}"
                unanswered.append(call_id)
                items.append(_call_item(call_id, call["function"]))
        elif text := _text(message):
            items.append(_message_item(len(items) + 1, text))
    return items


def _call_item(call_id: str, function: dict[str, Any]) -> Item:
    arguments = function["arguments"]
    return {
        "type": "function_call",
        "id": f"fc_{call_id}",
        "call_id": call_id,
        "name": _sendable(function["name"]),
        "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
        "status": STATUS,
    }


def _result_item(message: Message, unanswered: deque[str]) -> Item:
    call_id = message.get("tool_call_id") or (unanswered[0] if unanswered else None)
    if call_id is None:
        return {"role": "user", "content": f"<tool_response>\n{_text(message)}\n</tool_response>"}
    if call_id in unanswered:
        unanswered.remove(call_id)
    return {
        "type": "function_call_output",
        "id": f"fco_{call_id}",
        "call_id": call_id,
        "output": _text(message),
        "status": STATUS,
    }


def _message_item(place: int, text: str) -> Item:
    return {
        "type": "message",
        "id": f"msg_{place}",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
        "status": STATUS,
    }


def _text(message: Message) -> str:
    return _sendable(message.get("content") or "")


def _sendable(text: str) -> str:
    """The text with question marks for lone surrogates: a model can write these, and no request can carry them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def response_tools(functions: Iterable[dict[str, Any]]) -> Tools:
    """BFCL's function documents as the API's tools.

    Only the dialect's ``dict`` becomes ``object``; its other types stay, unlike in `tool_schemas.chat_tools`. The API
    takes no dots in names.
    """
    return Tools(
        {**_with_objects(function), "name": function["name"].replace(".", "_"), "type": "function"}
        for function in functions
    )


def _with_objects(schema: Any) -> Any:
    """A copy of a schema in which every type ``dict`` is ``object``."""
    if isinstance(schema, list):
        return [_with_objects(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: "object" if key == "type" and inner == "dict" else _with_objects(inner) for key, inner in schema.items()
    }


def read_output(output: Iterable[Item]) -> Output:
    """What the output items of a response hold; items of other types than reasoning, message and call are ignored."""
    reasoning: list[str] = []
    content: list[str] = []
    calls: list[Call] = []
    for item in output:
        if item.get("type") == "reasoning":
            reasoning += [*_part_texts(item.get("content")), *_part_texts(item.get("summary"))]
        elif item.get("type") == "message":
            content += _part_texts(item.get("content"))
        elif item.get("type") == "function_call":
            calls += _structured_calls(item)
    text = "\n".join(content)
    return Output("\n".join(reasoning), text, tuple(calls) or text_calls(text))


def _part_texts(parts: object) -> list[str]:
    if not isinstance(parts, list):
        return []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return [text for text in texts if isinstance(text, str) and text]


def _structured_calls(item: Item) -> list[Call]:
    """The call of an item, in a list. Arguments that are no JSON count as none; JSON that is no object is no call."""
    name, arguments, call_id = item.get("name"), item.get("arguments"), item.get("call_id")
    try:
        values = read_json("" if arguments is None else arguments)
    except ValueError:
        values = {}
    if not isinstance(name, str) or not isinstance(values, dict):
        return []
    return [Call(name, values, call_id if isinstance(call_id, str) else None)]


def text_calls(text: str) -> tuple[Call, ...]:
    """The calls written in a text: in ``<tool_call>`` blocks, or else in raw harmony messages.

    The blocks come first because stored text is read by them alone: scoring a reply must find what running it found.
    """
    return tuple(Call(name, arguments) for name, arguments in tagged_calls(text) or _harmony_calls(text))


_MESSAGE_ENDS = re.compile(r"<\|(?:start|end|call|return)\|>")
_RECIPIENT = re.compile(r"to=functions\.(?P<name>[\w.-]+)(?P<header>[^{]*)")
_HEADER = re.compile(r"[\w\s<|>]*")
_BODY = "<|message|>"


def _harmony_calls(text: str) -> Iterator[NamedCall]:
    """The calls of harmony messages ``... to=functions.NAME ... <|message|>{JSON}``.

    Servers that drop special tokens leave the recipient, some words and the JSON, which is accepted too. In a message
    with its tokens the recipient stands before the body: one that the body mentions is no recipient.
    """
    for message in _MESSAGE_ENDS.split(text):
        found = _RECIPIENT.search(message)
        if found is None or not _HEADER.fullmatch(found["header"]):
            continue
        if (_BODY in message) != (_BODY in found["header"]):
            continue
        try:
            payload, _ = json.JSONDecoder().raw_decode(message, found.end())
            call = as_call(payload) or (found["name"], check_depth(payload))
        except (ValueError, RecursionError):
            continue
        yield call


def tool_call_text(calls: Iterable[Call]) -> str:
    """The text that a result row keeps of calls; `tag_decoding.tagged_calls` reads it back."""
    return "\n".join(
        f"<tool_call>\n{json.dumps({'name': call.name, 'arguments': call.arguments})}\n</tool_call>" for call in calls
    )
