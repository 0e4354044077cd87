"""The backend without a model: an agent that plays each turn by a script, embedded and deterministic."""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bfcl_runner.agents import AGENT_NAMES, make_agent
from bfcl_runner.backends.base import Emission, Message, Reply
from bfcl_runner.benchmark import upstream
from bfcl_runner.decoding import decode_structured
from bfcl_runner.errors import RunnerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bfcl_runner.agents import Agent
    from bfcl_runner.dataset import Case
    from bfcl_runner.options import ModelOptions
    from bfcl_runner.patience import Patience


@contextmanager
def open_backend(options: ModelOptions, patience: Patience) -> Iterator[ScriptedBackend]:  # noqa: ARG001
    """The agent that the options name; it never has to wait.

    Raises:
        RunnerError: There is no such agent.
    """
    if options.agent is None:
        message = f"--agent: the scripted backend needs one of {', '.join(AGENT_NAMES)}"
        raise RunnerError(message)
    yield ScriptedBackend(make_agent(options.agent))


class ScriptedBackend:
    """Answers every case with the script of one agent."""

    decoder = "structured"

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.sampling: dict[str, Any] = {}

    def open(self, case: Case) -> ScriptedDialogue:
        """A dialogue in which the agent plays its script for the case."""
        return ScriptedDialogue(self._agent.script(case))


class ScriptedDialogue:
    """Plays the emissions of each turn in order; nothing is sent, so tokens and latency are zero."""

    def __init__(self, script: list[list[Emission]]) -> None:
        self._turns = iter(script)
        self._emissions: deque[Emission] = deque()

    def hand_over(self, functions: list[dict[str, Any]]) -> list[Message]:  # noqa: ARG002 (the script knows them)
        """The announcement that upstream makes in function-calling mode."""
        prompts = upstream("constants.default_prompts")
        return [{"role": "user", "content": prompts.DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC}]

    def add_user_turn(self, messages: list[Message]) -> list[Message]:
        """Goes on to the script of the next turn."""
        self._emissions = deque(next(self._turns))
        return messages

    def query(self) -> Reply:
        """The next emission of the turn."""
        return Reply(self._emissions.popleft(), input_tokens=0, output_tokens=0, latency=0.0)

    def decode(self, emission: Emission) -> list[str]:
        """Scripted agents make structured calls."""
        return decode_structured(emission)

    def add_results(self, calls: list[str], results: list[str]) -> None:
        """A script goes on whatever came out."""
