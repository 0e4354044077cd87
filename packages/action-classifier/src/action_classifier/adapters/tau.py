"""Emissions of tau2-bench results and of tau-bench (v1) results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from action_classifier.adapters.nodes import Node
from action_classifier.adapters.openai import chat_emissions
from action_classifier.adapters.replies import Call, CallFields, arguments_of, call_in, emissions, pieces_of
from action_classifier.adapters.turns import USER_SPOKE, Speaker, moves_of, numbered, repeated, speaker_of
from action_classifier.literals import parse
from action_classifier.stack import with_room

if TYPE_CHECKING:
    from collections.abc import Iterator

    from action_classifier.adapters.replies import Emission, Piece
    from action_classifier.adapters.turns import Emitted

TEXTS = {"text": "text"}
CALL = CallFields("name", "arguments")

TOOL_OUTPUT = "API output: "
"""How tau-bench's text agents are told a tool's result: in a message of the user's."""
ACTION = "Action:"
FORMAT_STARTS = ("Thought:", ACTION)
"""How a message in the format of those agents begins."""
RESPOND = "respond"
"""The action by which those agents talk to the user."""


def tau2_results(document: object) -> Iterator[Emitted]:
    """The emissions of the agent in a tau2-bench ``results.json``, or in one of its simulations.

    Case ids are the tasks' ids, with ``#`` and the number for trials after trial 0. The greeting with which tau2
    opens a conversation is the harness's, not the model's, and is left out.

    Raises:
        AdapterError: The document is something else, or one whose simulations are in files of their own.
    """
    root = Node(document, "")
    if "simulations" in root and not root["simulations"].value:
        root["simulations"].reject("simulations (are they in files of their own?)")
    for simulation in iter([root]) if "messages" in root else root["simulations"].elements():
        messages = [*simulation["messages"].optional_elements()]
        if _opens_with_greeting(messages):
            del messages[0]
        yield from numbered(_case_id(simulation), moves_of(messages, _said))


def tau_bench_results(document: object) -> Iterator[Emitted]:
    """The emissions of the agent in a tau-bench (v1) result file, of its tool-calling and of its text agents.

    Case ids are the tasks' ids, with ``#`` and the number for trials after trial 0.

    Raises:
        AdapterError: The document is something else.
    """
    for row in Node(document, "rows").elements():
        yield from numbered(_case_id(row), _trajectory_moves(row["traj"].elements()))


def _case_id(run: Node) -> str:
    return repeated(run["task_id"].identifier(), run["trial"].whole_number(0), first=0)


def _opens_with_greeting(messages: list[Node]) -> bool:
    """Whether the agent speaks first: without calls, and before the user has said anything, if ever."""
    speakers = [speaker_of(message["role"]) for message in messages[:2]]
    return speakers in ([Speaker.MODEL], [Speaker.MODEL, Speaker.USER]) and not messages[0]["tool_calls"].value


def _said(message: Node) -> Iterator[Emission]:
    return emissions(_pieces(message))


def _pieces(message: Node) -> Iterator[Piece]:
    yield from pieces_of(message["content"], TEXTS)
    for call in message["tool_calls"].optional_elements():
        yield call_in(call, CALL)


def _trajectory_moves(messages: Iterator[Node]) -> Iterator[Emission | None]:
    for message in messages:
        speaker, content = speaker_of(message["role"]), message["content"].value
        if speaker is Speaker.USER and not (isinstance(content, str) and content.startswith(TOOL_OUTPUT)):
            yield USER_SPOKE
        elif speaker is Speaker.MODEL:
            text = content if isinstance(content, str) and not message["tool_calls"].value else ""
            action = _text_action(text) if ACTION in text else None
            yield from chat_emissions(message) if action is None else emissions([action])


def _text_action(content: str) -> Piece | None:
    """What a text agent does: the call after ``Action:``, or what it says there or by ``respond``; else None."""
    written = content.rpartition(ACTION)[2].strip()
    action = with_room(parse, written)
    if not isinstance(action, dict) or not isinstance(action.get("name"), str) or "arguments" not in action:
        # tau-bench tells the user what it can't read as an action, without the thought before it.
        return written if content.lstrip().startswith(FORMAT_STARTS) else None
    arguments = arguments_of(action["arguments"])
    if action["name"] == RESPOND and isinstance(text := arguments.get("content"), str):
        return text
    return Call(action["name"], arguments)
