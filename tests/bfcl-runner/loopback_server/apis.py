"""How OpenAI's APIs word what is said, and errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from bfcl_runner.backends.base import Emission
    from loopback_server.speech import Speech

MODEL = "oracle"
CREATED = 1_700_000_000
"""The time stamp of every reply: what is said is the same in every run."""

CHAT_PATH = "/v1/chat/completions"
RESPONSES_PATH = "/v1/responses"

REASONING = "The user wants this done, and I have a function for it."


def chat_body(speech: Speech) -> dict[str, Any]:
    """The response of the chat-completions API."""
    calls = speech.calls()
    text = "".join(speech.prose) or None if calls else speech.emission
    message: dict[str, Any] = {"role": "assistant", "content": None if speech.wordless else text}
    if calls:
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for call_id, name, arguments in calls
        ]
    if speech.reasoning_field:
        message[speech.reasoning_field] = REASONING
    body: dict[str, Any] = {
        "id": f"chatcmpl-{speech.key}",
        "object": "chat.completion",
        "created": CREATED,
        "model": MODEL,
        "choices": [
            {"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls" if calls else "stop"}
        ],
    }
    if speech.usage:
        body["usage"] = {
            "prompt_tokens": speech.input_tokens,
            "completion_tokens": speech.output_tokens,
            "total_tokens": speech.input_tokens + speech.output_tokens,
        }
    return body


def responses_body(speech: Speech) -> dict[str, Any]:
    """The response of the Responses API."""
    calls = speech.calls()
    before, after = speech.prose if calls else ("" if speech.wordless else speech.emission, "")
    output: list[dict[str, Any]] = []
    if speech.reasoning_field:
        content = [{"type": "reasoning_text", "text": REASONING}]
        output.append({"type": "reasoning", "id": f"rs_{speech.key}", "summary": [], "content": content})
    output += _message_items(f"msg_{speech.key}", before)
    output += [
        {
            "type": "function_call",
            "id": call_id and f"fc_{call_id}",
            "call_id": call_id,
            "name": name,
            "arguments": arguments,
            "status": "completed",
        }
        for call_id, name, arguments in calls
    ]
    output += _message_items(f"msg_{speech.key}-after", after)
    body: dict[str, Any] = {
        "id": f"resp_{speech.key}",
        "object": "response",
        "created_at": CREATED,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": MODEL,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    if speech.usage:
        body["usage"] = {
            "input_tokens": speech.input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": speech.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": speech.input_tokens + speech.output_tokens,
        }
    return body


def _message_items(item_id: str, text: Emission) -> list[dict[str, Any]]:
    """An output message with the text; none for no text."""
    if not text:
        return []
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return [{"type": "message", "id": item_id, "role": "assistant", "status": "completed", "content": content}]


BODIES: dict[str, Callable[[Speech], dict[str, Any]]] = {CHAT_PATH: chat_body, RESPONSES_PATH: responses_body}
"""How each API writes a reply."""


def error_body(message: str) -> str:
    """An error as OpenAI's APIs word it."""
    return json.dumps({"error": {"message": message, "type": "loopback", "param": None, "code": None}})
