"""Emissions of Anthropic's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from action_classifier.adapters.nodes import Node
from action_classifier.adapters.replies import CallFields, emissions, pieces_of
from action_classifier.adapters.turns import USER_SPOKE, Speaker, numbered, speaker_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from action_classifier.adapters.replies import Emission
    from action_classifier.adapters.turns import Emitted

TEXTS = {"text": "text"}
CALLS = {
    "tool_use": CallFields("name", "input"),
    "server_tool_use": CallFields("name", "input", hosted=True),
    "mcp_tool_use": CallFields("name", "input", hosted=True),
}


def anthropic_messages(document: object, case_id: str = "") -> Iterator[Emitted]:
    """The emissions of a list of messages, of an object with ``messages``, or of one message, a response say.

    A user's message that only brings tool results begins no turn.

    Args:
        document: The transcript, from JSON or from the client's ``model_dump()``.
        case_id: The id to give it.

    Raises:
        AdapterError: It is something else.
    """
    return numbered(case_id, _moves(document))


def _moves(document: object) -> Iterator[Emission | None]:
    root = Node(document, "" if isinstance(document, dict) else "messages")
    if "messages" in root:
        root = root["messages"]
    for message in iter([root]) if isinstance(root.value, dict) else root.elements():
        speaker = speaker_of(message["role"])
        if speaker is Speaker.MODEL:
            yield from emissions(pieces_of(message["content"], TEXTS, CALLS))
        elif speaker is Speaker.USER and not _only_brings_results(message["content"]):
            yield USER_SPOKE


def _only_brings_results(content: Node) -> bool:
    if isinstance(content.value, str):
        return False
    kinds = {None if isinstance(part.value, str) else part["type"].text() for part in content.elements()}
    return bool(kinds) and all(kind is not None and kind.endswith("tool_result") for kind in kinds)
