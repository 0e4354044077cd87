"""The backend without a model: an agent that plays each turn by a script, embedded and deterministic."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bfcl_runner.agents import AGENT_NAMES, Moment, make_agent
from bfcl_runner.backends.base import Emission, Message, Reply
from bfcl_runner.benchmark import upstream
from bfcl_runner.decoding import decode_structured
from bfcl_runner.errors import RunnerError
from bfcl_runner.prompt_decoding import decode_prompting
from bfcl_runner.prompting import announcement, with_system_prompt

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
    yield ScriptedBackend(make_agent(options.agent), prompting=options.prompting)


class ScriptedBackend:
    """Lets one agent play every case, by function calling or in prompting mode."""

    def __init__(self, agent: Agent, *, prompting: bool = False) -> None:
        self._agent = agent
        self._dialogue = PromptedScriptedDialogue if prompting else ScriptedDialogue
        self.decoder = "prompting" if prompting else "structured"
        self.sampling: dict[str, Any] = {}

    def open(self, case: Case) -> ScriptedDialogue:
        """A dialogue in which the agent plays the case."""
        return self._dialogue(self._agent, case)


class ScriptedDialogue:
    """Plays the emissions of each turn in order; nothing is sent, so tokens and latency are zero."""

    def __init__(self, agent: Agent, case: Case) -> None:
        self._agent = agent
        self._case = case
        self._turn = -1
        self._ran: Counter[int] = Counter()
        self._emissions: deque[Emission] = deque()
        self.offered = list(case.entry["function"])
        self.last_message: Message = {}

    def hand_over(self, functions: list[dict[str, Any]]) -> list[Message]:
        """The announcement that upstream makes in function-calling mode."""
        self.offered += functions
        prompts = upstream("constants.default_prompts")
        return [{"role": "user", "content": prompts.DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC}]

    def add_user_turn(self, messages: list[Message]) -> list[Message]:
        """The messages as they are; the agent plans its next turn."""
        self._turn += 1
        self._plan(told=False)
        return messages

    def query(self) -> Reply:
        """The next emission of the turn."""
        emission = self._emissions.popleft()
        self.last_message = {"role": "assistant", "content": emission if isinstance(emission, str) else None}
        return Reply(emission, input_tokens=0, output_tokens=0, latency=0.0)

    def decode(self, emission: Emission) -> list[str]:
        """Scripted agents make structured calls."""
        return decode_structured(emission)

    def add_results(self, calls: list[str], results: list[str]) -> None:  # noqa: ARG002 (whatever came out)
        """The agent learns that its calls have run."""
        self._ran[self._turn] += 1

    def drop_reply(self) -> None:
        """An agent goes by what has run, and a dropped reply has not."""

    def add_message(self, message: Message) -> None:
        """An instruction makes the agent plan anew."""
        if message["role"] == "system":
            self._plan(told=True)

    def _plan(self, *, told: bool) -> None:
        self._emissions = deque(self._agent.play(self._case, Moment(self._turn, told, self._ran)))


class PromptedScriptedDialogue(ScriptedDialogue):
    """The same with calls as text in BFCL's format and functions in the prompt, as in the loop for such models."""

    def hand_over(self, functions: list[dict[str, Any]]) -> list[Message]:
        """A user message with the functions' documents; what is offered stays as it was."""
        return [announcement(functions)]

    def add_user_turn(self, messages: list[Message]) -> list[Message]:
        """The messages, in the first turn behind the system prompt."""
        entered = with_system_prompt(messages, self.offered) if self._turn < 0 else messages
        return super().add_user_turn(entered)

    def query(self) -> Reply:
        """The next emission of the turn, as text."""
        reply = super().query()
        if not isinstance(reply.emission, list):
            return reply
        text = f"[{', '.join(decode_structured(reply.emission))}]"
        self.last_message = {"role": "assistant", "content": text}
        return replace(reply, emission=text)

    def decode(self, emission: Emission) -> list[str]:
        """Calls in BFCL's text format."""
        return decode_prompting(emission)
