"""What a probe can decide at a seam: let the loop go on, ask the model again, or end the turn without it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union


@dataclass(frozen=True, slots=True)
class Proceed:
    """The loop goes on as it would have without the probe.

    Attributes:
        reason: Why, for logs; it doesn't take part in comparisons (nor do those of the other decisions).
    """

    reason: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Retry:
    """The model is asked again within the same turn; this counts as a step.

    At the call seam nothing of the reply runs, and it leaves everything that the scorer will read: the turn's
    responses with their token counts, latency and reasoning. At the halt seam it stays in that record.

    Attributes:
        instruction: A system message that is appended to the chat history.
        drop_reply: Whether the reply leaves the chat history first.
        reason: Why, for logs.
    """

    instruction: str
    drop_reply: bool
    reason: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Abstain:
    """The turn ends and nothing runs: a text of the harness takes the reply's place in the chat history.

    The text is no emission of the model and isn't recorded among the turn's responses. What `Retry` says about the
    record of the reply at each seam holds here too.

    Attributes:
        text: The assistant message that takes the reply's place.
        reason: Why, for logs.
    """

    text: str
    reason: str = field(default="", compare=False)


# Not `X | Y`: an alias is evaluated, and documentation tools of Python 3.10 know this form.
Decision = Union[Proceed, Retry, Abstain]  # noqa: UP007
"""What a hook at a seam returns."""
