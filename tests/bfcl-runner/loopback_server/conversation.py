"""What a request's history says: its user turns, the step it asks for, the results so far."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import Any

RESULT_LIST_START = "[{'role': 'tool'"
RESULT_STARTS = (RESULT_LIST_START, "<tool_response>")
"""How user messages begin that bring results: in prompting mode, and in Responses without ids."""

_HISTORY = re.compile(rb'"(?:messages|input)":\s*(?=\[)')
_ANY_TOOLS = re.compile(rb'"tools":\s*\[\s*\{')


@dataclass(slots=True)
class Conversation:
    """The history in a request.

    Attributes:
        structured: Whether tools are offered.
        users: The text of each user turn so far.
        step: How many steps of the last turn have their results.
        results: The results of calls; in prompting mode the messages that hold them.
        body: The request's body.
    """

    structured: bool
    users: tuple[str, ...]
    step: int
    results: list[str]
    body: bytes

    @property
    def turn(self) -> int:
        """Place of the turn asked for, from 0."""
        return len(self.users) - 1

    def offered(self) -> list[str] | str:
        """The names of the tools, or without tools the first message, which describes the functions."""
        request = json.loads(self.body)
        if self.structured:
            return [tool.get("function", tool)["name"] for tool in request["tools"]]
        history = request.get("messages") or request["input"]
        return _text(history[0]["content"])

    def result_texts(self) -> list[str]:
        """Every result so far."""
        texts: list[str] = []
        for result in self.results:
            is_list = result.startswith(RESULT_LIST_START)
            texts += [entry["content"] for entry in ast.literal_eval(result)] if is_list else [result]
        return texts


def read_conversation(body: bytes) -> Conversation:
    """The history in a request of either API.

    Tool schemas are most of a request, and reading them takes twenty times as long as all else that the server
    does: where the history stands before them, as the SDK writes it, only the history is read.

    Raises:
        ValueError: The body holds no history, or is no JSON.
    """
    tools = _ANY_TOOLS.search(body)
    history = _HISTORY.search(body, 0, tools.start() if tools else len(body))
    if history:
        items, _ = json.JSONDecoder().raw_decode(body[history.end() :].decode())
    else:
        request = json.loads(body)
        items = request.get("messages") or request.get("input")
        if isinstance(items, str):
            items = [{"role": "user", "content": items}]
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        message = "neither messages nor input is a list of objects"
        raise ValueError(message)
    return _conversation(items, body, structured=tools is not None)


def _conversation(items: list[dict[str, Any]], body: bytes, *, structured: bool) -> Conversation:
    conversation = Conversation(structured, (), 0, [], body)
    after_result = False
    for item in items:
        text = _text(item.get("output", item.get("content")))
        is_result = _is_result(item, text)
        if is_result:
            conversation.results.append(text)
            conversation.step += not after_result  # the results of one step stand together
        elif item.get("role") == "user":
            conversation.users += (text,)
            conversation.step = 0
        after_result = is_result
    return conversation


def _is_result(item: dict[str, Any], text: str) -> bool:
    if item.get("role") == "user":
        return text.startswith(RESULT_STARTS)
    return item.get("role") == "tool" or item.get("type") == "function_call_output"


def _text(content: object) -> str:
    """The text of a message's content, a text or a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
