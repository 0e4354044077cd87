"""What a judge may look at: the messages directly before the one that makes the call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from confirm_judge.reasoning import without_reasoning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gar_metrics.tau2 import Message

WINDOW = 10
"""Number of messages before the write that are judged."""

MODEL_ROLES = ("assistant", "user")
"""Whose messages a model may have written, reasoning included: the user is simulated too."""


@dataclass(frozen=True, slots=True)
class WindowMessage:
    """A message as the judge gets to see it.

    Attributes:
        role: ``assistant``, ``user``, ``tool`` or ``system``.
        content: Its text without reasoning, None without any.
        calls: The names of its tool calls, in order.
    """

    role: str
    content: str | None
    calls: tuple[str, ...] = ()

    def record(self) -> dict[str, object]:
        """The message as a JSON-ready object; ``calls`` is there where there are any."""
        return {"role": self.role, "content": self.content, **({"calls": list(self.calls)} if self.calls else {})}


def window_before(messages: Sequence[Message], place: int, length: int = WINDOW) -> tuple[WindowMessage, ...]:
    """The messages before a place of a conversation, at most so many, oldest first.

    Every message counts, tool results and messages that are nothing but reasoning included. The message at the place
    itself isn't there, whatever calls it makes before the one in question.

    Args:
        messages: The conversation.
        place: Index of the message that makes the call.
        length: The most messages.
    """
    return tuple(_seen(message) for message in messages[max(0, place - length) : place])


def _seen(message: Message) -> WindowMessage:
    content = message.content
    if content is not None and message.role in MODEL_ROLES:
        content = without_reasoning(content)
    return WindowMessage(message.role, content, tuple(call.name for call in message.calls))
