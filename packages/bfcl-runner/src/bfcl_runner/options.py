"""What a user says about the model: everything that a backend needs, except the key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast, get_args

from bfcl_runner.errors import RunnerError

if TYPE_CHECKING:
    from pathlib import Path

ReasoningEffort = Literal["minimal", "low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """A model in one configuration. Keys are not part of it: backends read them from the environment.

    Attributes:
        backend: Name of a module in `bfcl_runner.backends`.
        model: The model's id, as its server or provider knows it.
        agent: The scripted agent, for backend ``scripted``.
        base_url: Address of the server, for backends that talk HTTP.
        prompting: Whether functions are described in the prompt and calls read from the text.
        reasoning_effort: Sent as it is; see `effective_temperature`.
        temperature: Sampling temperature.
        seed: Sampling seed, if the server takes one.
        max_retries: Tries after the first, per request.
        max_wait: Seconds that one request may spend waiting between its tries.
        timeout: Seconds until a try counts as failed.
        command: Shell-like command line, for backend ``command``.
        model_path: Folder of a checkpoint, for backend ``vllm``.
        served_parser: Name of vLLM's tool-call parser; chosen, the model is used by function calling.
        num_gpus: GPUs that vLLM spreads the model over.
        gpu_memory_utilization: Share of GPU memory that vLLM takes.
        vllm_command: What starts vLLM, in place of ``vllm serve``.
    """

    backend: str
    model: str | None = None
    agent: str | None = None
    base_url: str | None = None
    prompting: bool = False
    reasoning_effort: ReasoningEffort | None = None
    temperature: float | None = None
    seed: int | None = None
    max_retries: int = 6
    max_wait: float = 600.0
    timeout: float = 600.0
    command: str | None = None
    model_path: Path | None = None
    served_parser: str | None = None
    num_gpus: int = 1
    gpu_memory_utilization: float = 0.9
    vllm_command: str = "vllm serve"

    @property
    def effective_temperature(self) -> float:
        """The temperature that is sent: 0 unless the user or the reasoning effort says otherwise.

        Models that are told an effort take no other temperature than 1, except gpt-oss, which takes any.
        """
        if self.temperature is not None:
            return self.temperature
        return 1.0 if self.reasoning_effort and "gpt-oss" not in (self.model or "") else 0.0


@dataclass(frozen=True, slots=True)
class Prices:
    """What tokens cost, per million; None where the user gave no price."""

    input: float | None = None
    output: float | None = None

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """The cost of so many tokens, or None without any price."""
        if self.input is None and self.output is None:
            return None
        return (input_tokens * (self.input or 0) + output_tokens * (self.output or 0)) / 1e6


NO_PRICES = Prices()


def parse_effort(text: str | None) -> ReasoningEffort | None:
    """The reasoning effort of that name.

    Raises:
        RunnerError: There is none.
    """
    if text is not None and text not in get_args(ReasoningEffort):
        message = f"--reasoning-effort: {text!r} is none of {', '.join(get_args(ReasoningEffort))}"
        raise RunnerError(message)
    return cast("ReasoningEffort | None", text)
