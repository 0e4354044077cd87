"""The interface between the loop and a model: a backend opens one dialogue per case.

A backend is one module of this package, named as on the command line, with a function

    def open_backend(options: ModelOptions, patience: Patience) -> AbstractContextManager[Backend]

that checks the options, brings up what the model needs and takes it down at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from bfcl_runner.dataset import Case

Message = dict[str, Any]
"""A chat message with at least ``role`` and ``content``."""

Emission = str | list[dict[str, Any]] | None
"""What a result row keeps of one step: text, calls ``[{name: "<JSON of the arguments>"}]``, or nothing."""


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
    """One case's conversation with a model, history included. Used by one thread."""

    @property
    def offered(self) -> list[dict[str, Any]]:
        """The functions that the model is offered now, as far as requests show it."""

    @property
    def last_message(self) -> Any:
        """The last reply's message in the history: a dict, or an object of an SDK."""

    def hand_over(self, functions: list[dict[str, Any]]) -> list[Message]:
        """Offers held-out functions from now on; what is returned announces them to the model."""

    def add_user_turn(self, messages: list[Message]) -> list[Message]:
        """Starts the next turn; returns the messages as they enter the history, a system prompt included."""

    def query(self) -> Reply:
        """The model's next step, which also enters the history.

        Raises:
            InfrastructureError: No reply was to be had.
            ModelUnusableError: No request will get one.
        """

    def decode(self, emission: Emission) -> list[str]:
        """The call strings in a reply.

        Raises:
            DecodeError: It holds none that can be executed.
        """

    def add_results(self, calls: list[str], results: list[str]) -> None:
        """Puts the results of the last reply's calls, in their order, into the history."""

    def drop_reply(self) -> None:
        """Takes the last reply out of the history, before anything else has entered it."""

    def add_message(self, message: Message) -> None:
        """Puts a message of the harness into the history: an instruction, or what stands for a reply."""


class Backend(Protocol):
    """A model in one configuration; dialogues of several threads may be open at the same time."""

    decoder: str
    """Name of the decoder (see `bfcl_runner.decoding.decoder`) by which stored replies are scored later."""

    sampling: dict[str, Any]
    """The request fields that decide what the model says (temperature, seed, effort ...), for the record."""

    def open(self, case: Case) -> Dialogue:
        """A new dialogue about a case, offering the functions that the case starts with."""
