"""Emissions of LangChain message dumps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from action_classifier.adapters.nodes import Node
from action_classifier.adapters.openai import chat_pieces
from action_classifier.adapters.replies import Call, CallFields, call_in, emissions, pieces_of
from action_classifier.adapters.turns import USER_SPOKE, Speaker, numbered, speaker_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from action_classifier.adapters.replies import Emission, Piece
    from action_classifier.adapters.turns import Emitted

TYPES = {
    "human": Speaker.USER,
    "ai": Speaker.MODEL,
    "system": Speaker.OTHER,
    "tool": Speaker.OTHER,
    "function": Speaker.OTHER,
    "remove": Speaker.OTHER,
}
CHUNK = "MessageChunk"
BY_ROLE = {"user": Speaker.USER, "human": Speaker.USER, "assistant": Speaker.MODEL, "ai": Speaker.MODEL}
"""Messages of type ``chat`` carry a role of the caller's own; others than these are nobody's turn."""

TEXTS = {"text": "text", "output_text": "text", "refusal": "refusal"}
CONTENT_CALLS = {
    "tool_use": CallFields("name", "input"),
    "tool_call": CallFields("name", "args"),
    "invalid_tool_call": CallFields("name", "args"),
    "function_call": CallFields("name", "arguments"),
    "server_tool_use": CallFields("name", "input", hosted=True),
    "server_tool_call": CallFields("name", "args", hosted=True),
}
CALL = CallFields("name", "args")


def langchain_messages(document: object, case_id: str = "") -> Iterator[Emitted]:
    """The emissions of messages dumped with ``dumpd``, ``messages_to_dict`` or ``model_dump``.

    Args:
        document: A list of dumped messages, an object with ``messages`` (a graph's state), or one message.
        case_id: The id to give it.

    Raises:
        AdapterError: It is something else.
    """
    return numbered(case_id, _moves(document))


def _moves(document: object) -> Iterator[Emission | None]:
    root = Node(document, "" if isinstance(document, dict) else "messages")
    if "messages" in root:
        root = root["messages"]
    for dumped in iter([root]) if isinstance(root.value, dict) else root.elements():
        # `dumpd` wraps the fields into "kwargs", `messages_to_dict` into "data".
        message = next((dumped[key] for key in ("kwargs", "data") if key in dumped), dumped)
        speaker = _speaker(message)
        if speaker is Speaker.USER:
            yield USER_SPOKE
        elif speaker is Speaker.MODEL:
            yield from emissions(_pieces(message))


def _speaker(message: Node) -> Speaker:
    kind = message["type"]
    name = kind.text()
    if name in ("chat", "Chat" + CHUNK):
        return BY_ROLE.get(message["role"].text().lower(), Speaker.OTHER)
    return speaker_of(Node(name.removesuffix(CHUNK).lower(), kind.path), TYPES)


def _pieces(message: Node) -> Iterator[Piece]:
    """The texts and calls of a message, each call once: most providers' content repeats what stands in its list."""
    content = [*pieces_of(message["content"], TEXTS, CONTENT_CALLS)]
    listed = [
        call_in(call, CALL) for key in ("tool_calls", "invalid_tool_calls") for call in message[key].optional_elements()
    ]
    raw = message["additional_kwargs"]
    if not listed and raw.value is not None:  # OpenAI's own form: the calls of older versions, refusals of all
        kept = [*chat_pieces(raw)]
        listed = [piece for piece in kept if isinstance(piece, Call)]
        if not any(isinstance(piece, str) and piece.strip() for piece in content):
            content += [piece for piece in kept if isinstance(piece, str)]
    yield from (piece for piece in content if not (listed and isinstance(piece, Call) and not piece.hosted))
    yield from listed
