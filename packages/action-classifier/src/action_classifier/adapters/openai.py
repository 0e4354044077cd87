"""Emissions of OpenAI's chat completions and Responses, and of every server and harness that speaks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from action_classifier.adapters.nodes import Node
from action_classifier.adapters.replies import Call, CallFields, arguments_of, call_in, emissions, pieces_of
from action_classifier.adapters.turns import USER_SPOKE, Speaker, moves_of, numbered, speaker_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from action_classifier.adapters.replies import Emission, Piece
    from action_classifier.adapters.turns import Emitted

CHAT_TEXTS = {"text": "text", "output_text": "text", "input_text": "text", "refusal": "refusal"}
WRAPPED_CALLS = {"function": CallFields("name", "arguments"), "custom": CallFields("name", "input")}
"""Key of the object that holds a call in a chat message -> its fields."""

ITEM_CALLS = {
    "function_call": CallFields("name", "arguments"),
    "custom_tool_call": CallFields("name", "input"),
    "mcp_approval_request": CallFields("name", "arguments"),
    "mcp_call": CallFields("name", "arguments", hosted=True),
}
HOSTED_TOOLS = frozenset({"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"})
"""Items of tools that OpenAI's server runs; other ``..._call`` items wait for the client's ``..._call_output``."""

ARGUMENT_FIELDS = ("action", "operation", "code", "queries", "arguments")
"""Where the items of OpenAI's own tools keep what they are called with."""

_CALL = "_call"


def openai_chat(document: object, case_id: str = "") -> Iterator[Emitted]:
    """The emissions of a chat: a list of messages, an object with ``messages``, a completion, or a list of both.

    Of a completion with several choices the first counts.

    Args:
        document: The transcript, from JSON or from the client's ``model_dump()``.
        case_id: The id to give it.

    Raises:
        AdapterError: It is something else.
    """
    return numbered(case_id, moves_of(_messages(document), chat_emissions))


def openai_responses(document: object, case_id: str = "") -> Iterator[Emitted]:
    """The emissions of Responses: a response, a list of input and output items, or a list of both.

    In a flat list, what stands between two items of the user or of a tool is taken for one reply.

    Raises:
        AdapterError: It is something else.
    """
    root = Node(document, "" if isinstance(document, dict) else "items")
    items = iter([root]) if isinstance(document, dict) else root.elements()
    return numbered(case_id, _item_moves(items))


def chat_emissions(message: Node) -> Iterator[Emission]:
    """What an assistant's chat message emits: its calls, else its text, else its refusal."""
    return emissions(chat_pieces(message))


def chat_pieces(message: Node) -> Iterator[Piece]:
    """The texts and calls of an assistant's chat message."""
    texts = [*pieces_of(message["content"], CHAT_TEXTS)]
    if not any(isinstance(text, str) and text.strip() for text in texts) and message["refusal"].value is not None:
        texts.append(message["refusal"].text())
    yield from texts
    for call in message["tool_calls"].optional_elements():
        key = next((key for key in WRAPPED_CALLS if call[key].value is not None), "function")
        yield call_in(call[key], WRAPPED_CALLS[key])
    if message["function_call"].value is not None:
        yield call_in(message["function_call"], WRAPPED_CALLS["function"])


def _messages(document: object) -> Iterator[Node]:
    root = Node(document, "" if isinstance(document, dict) else "messages")
    if "messages" in root:
        root = root["messages"]
    for message in iter([root]) if isinstance(root.value, dict) else root.elements():
        yield _chosen(message) if "choices" in message else message


def _chosen(completion: Node) -> Node:
    """The message of a completion's first choice; of a completion without any, a message that says nothing."""
    choice = next(completion["choices"].elements(), None)
    message = choice["message"] if choice else Node({}, f"{completion.path}.choices")
    if not isinstance(message.value, dict):
        message.reject("an object")
    return Node({"role": "assistant", **message.value}, message.path)


def _item_moves(items: Iterator[Node]) -> Iterator[Emission | None]:
    reply: list[Node] = []
    for item in items:
        is_response = "output" in item and "type" not in item  # the outputs of tools have a type
        speaker = Speaker.MODEL if is_response else _speaker_of_item(item)
        if speaker is Speaker.MODEL and not is_response:
            reply.append(item)
        elif speaker is not None:
            yield from _replied(reply)
            reply = []
            if is_response:
                yield from emissions(_item_pieces(item["output"].elements()))
            elif speaker is Speaker.USER:
                yield USER_SPOKE
    yield from _replied(reply)


def _replied(items: list[Node]) -> Iterator[Emission]:
    return emissions(_item_pieces(iter(items))) if items else iter(())


def _speaker_of_item(item: Node) -> Speaker | None:
    """Whose item it is; None for kinds that neither make nor end a reply, new ones among them."""
    kind = "message" if item["type"].value is None else item["type"].text()
    if kind == "message":
        return speaker_of(item["role"])
    if kind in ITEM_CALLS or kind == "reasoning" or kind.endswith(_CALL):
        return Speaker.MODEL
    return Speaker.OTHER if kind.endswith(("_output", "_response")) else None


def _item_pieces(items: Iterator[Node]) -> Iterator[Piece]:
    for item in items:
        kind = "message" if item["type"].value is None else item["type"].text()
        if kind == "message":
            yield from pieces_of(item["content"], CHAT_TEXTS)
        elif kind in ITEM_CALLS:
            yield call_in(item, ITEM_CALLS[kind])
        elif kind.endswith(_CALL):
            arguments = arguments_of(item.first_of(*ARGUMENT_FIELDS).value)
            yield Call(kind.removesuffix(_CALL), arguments, kind in HOSTED_TOOLS)
