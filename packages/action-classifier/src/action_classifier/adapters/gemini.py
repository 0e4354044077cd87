"""Emissions of Gemini's contents, spelled in camel case (JSON) or with underscores (Python's client)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from action_classifier.adapters.nodes import Node
from action_classifier.adapters.replies import Call, CallFields, arguments_of, call_in, emissions
from action_classifier.adapters.turns import USER_SPOKE, Speaker, numbered, speaker_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from action_classifier.adapters.replies import Emission, Piece
    from action_classifier.adapters.turns import Emitted

ROLES = {
    "user": Speaker.USER,
    "model": Speaker.MODEL,
    "system": Speaker.OTHER,
    "function": Speaker.OTHER,
    "tool": Speaker.OTHER,
}
RESPONSE_KEYS = ("candidates", "promptFeedback", "prompt_feedback")
FUNCTION_CALL = CallFields("name", "args")


def gemini_contents(document: object, case_id: str = "") -> Iterator[Emitted]:
    """The emissions of a list of contents, of an object with ``contents``, of a response, or of a list of both.

    Of a response with several candidates the first counts. A user's content that only brings function responses
    begins no turn.

    Raises:
        AdapterError: It is something else.
    """
    return numbered(case_id, _moves(document))


def _moves(document: object) -> Iterator[Emission | None]:
    root = Node(document, "" if isinstance(document, dict) else "contents")
    if "contents" in root:
        root = root["contents"]
    for content in iter([root]) if isinstance(root.value, dict) else root.elements():
        if any(key in content for key in RESPONSE_KEYS):
            candidate = next(content["candidates"].optional_elements(), None)
            yield from _said(candidate["content"] if candidate else Node(None, content.path))
            continue
        role = content["role"]
        speaker = Speaker.USER if role.value is None else speaker_of(role, ROLES)
        if speaker is Speaker.MODEL:
            yield from _said(content)
        elif speaker is Speaker.USER and not _only_brings_results(content):
            yield USER_SPOKE


def _said(content: Node) -> Iterator[Emission]:
    """The emissions of a content; a candidate that was cut off or blocked may have none, and says nothing."""
    return emissions(_pieces(content["parts"].optional_elements() if content.value is not None else iter(())))


def _pieces(parts: Iterator[Node]) -> Iterator[Piece]:
    for part in parts:
        function_call = part.first_of("functionCall", "function_call")
        code = part.first_of("executableCode", "executable_code")
        tool_call = part.first_of("toolCall", "tool_call")
        if part["thought"].value:
            continue
        if part["text"].value is not None:
            yield part["text"].text()
        elif function_call.value is not None:
            yield call_in(function_call, FUNCTION_CALL)
        elif code.value is not None:
            yield Call("code_execution", arguments_of(code.value), hosted=True)
        elif tool_call.value is not None:
            name = tool_call.first_of("toolType", "tool_type").text()
            yield Call(name, arguments_of(tool_call["args"].value), hosted=True)


def _only_brings_results(content: Node) -> bool:
    parts = [*content["parts"].elements()]
    return bool(parts) and all(
        part.first_of("functionResponse", "function_response").value is not None for part in parts
    )
