"""Emissions of a conversation, numbered by user turn and by step within the turn."""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from action_classifier.adapters.nodes import Node
    from action_classifier.adapters.replies import Emission


class Emitted(NamedTuple):
    """One emission with its place.

    Attributes:
        case_id: The conversation.
        turn: User turns before it, less one: 0 for what answers the first, and for what is said before that.
        step: Emissions before it in the same turn.
        emission: The calls, ``[{"name": ..., "arguments": {...}}]``, else the text; ``""`` for a reply that says
            nothing.
    """

    case_id: str
    turn: int
    step: int
    emission: Emission


class Speaker(Enum):
    """Whose message it is."""

    USER = "user"
    MODEL = "model"
    OTHER = "other"


ROLES: Mapping[str, Speaker] = MappingProxyType(
    {
        "user": Speaker.USER,
        "assistant": Speaker.MODEL,
        "system": Speaker.OTHER,
        "developer": Speaker.OTHER,
        "tool": Speaker.OTHER,
        "function": Speaker.OTHER,
    }
)
"""The roles of chat messages as OpenAI names them, and many harnesses after it."""

USER_SPOKE = None
"""The move of a user among a model's emissions."""


def speaker_of(role: Node, roles: Mapping[str, Speaker] = ROLES) -> Speaker:
    """Whose message it is. Raises AdapterError for a role that isn't known: skipped, it would shift the turns."""
    speaker = roles.get(role.text())
    if speaker is None:
        role.reject(f"one of {', '.join(roles)}")
    return speaker


def moves_of(messages: Iterable[Node], say: Callable[[Node], Iterator[Emission]]) -> Iterator[Emission | None]:
    """The emissions of chat messages, read by `say`, with `USER_SPOKE` for each message of the user."""
    for message in messages:
        speaker = speaker_of(message["role"])
        if speaker is Speaker.USER:
            yield USER_SPOKE
        elif speaker is Speaker.MODEL:
            yield from say(message)


def numbered(case_id: str, moves: Iterable[Emission | None]) -> Iterator[Emitted]:
    """The emissions among the moves with their places. User messages in a row are one turn."""
    user_turns = step = 0
    user_spoke_last = False
    for move in moves:
        if move is USER_SPOKE:
            if not user_spoke_last:
                # What was said before the user's first turn is numbered with it, and so are its steps.
                step = 0 if user_turns else step
                user_turns += 1
            user_spoke_last = True
        else:
            yield Emitted(case_id, max(user_turns - 1, 0), step, move)
            step += 1
            user_spoke_last = False


def repeated(name: str, number: int, first: int) -> str:
    """The case id of one of several runs of a case: its name, for all but the first with ``#`` and their number."""
    return name if number == first else f"{name}#{number}"
