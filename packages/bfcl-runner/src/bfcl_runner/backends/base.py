"""The interface between the loop and a model: a backend opens one dialogue per case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from bfcl_runner.dataset import Case

Message = dict[str, Any]
"""A chat message with at least ``role`` and ``content``."""

Emission = str | list[dict[str, str]]
"""What a result row keeps of one step: text, or calls ``[{name: "<JSON of the arguments>"}]``."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model returned in one step.

    Attributes:
        emission: What the result row keeps.
        input_tokens: Tokens of the prompt, as the model's server counts them.
        output_tokens: Tokens of the reply.
        latency: Seconds from request to reply.
        reasoning: The model's reasoning, where the server hands it out apart from the reply.
    """

    emission: Emission
    input_tokens: int
    output_tokens: int
    latency: float
    reasoning: str = ""


class Dialogue(Protocol):
    """One case's conversation with a model, history included. Calls come in the order of the methods below."""

    def hand_over(self, functions: list[dict[str, Any]]) -> list[Message]:
        """Offers held-out functions from now on; what is returned announces them to the model."""

    def add_user_turn(self, messages: list[Message]) -> None:
        """Starts the next turn with the user's messages."""

    def query(self) -> Reply:
        """The model's next step, which also enters the history."""

    def decode(self, emission: Emission) -> list[str]:
        """The call strings in a reply.

        Raises:
            DecodeError: It holds none that can be executed.
        """

    def add_results(self, results: list[str]) -> None:
        """Puts the results of the last reply's calls, in their order, into the history."""


class Backend(Protocol):
    """A model in one configuration."""

    def open(self, case: Case) -> Dialogue:
        """A new dialogue about a case, offering the functions that the case starts with."""
