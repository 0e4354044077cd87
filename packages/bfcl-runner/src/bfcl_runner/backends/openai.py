"""Any server that speaks OpenAI's chat-completions API, by function calling or in prompting mode."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bfcl_runner.chat import ChatBackend, Completion
from bfcl_runner.errors import RunnerError
from bfcl_runner.model_http import CASE_HEADER, open_client, request_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bfcl_runner.backends.base import Message
    from bfcl_runner.options import ModelOptions
    from bfcl_runner.patience import Patience
    from bfcl_runner.tool_schemas import Tools


@contextmanager
def open_backend(options: ModelOptions, patience: Patience) -> Iterator[ChatBackend]:
    """The model that the options name, on the server that they or the environment name.

    Raises:
        RunnerError: No model is named, or there is no key for a server that needs one.
    """
    if options.model is None:
        message = "--model: the openai backend needs one"
        raise RunnerError(message)
    model = options.model
    sampling = sampling_parameters(options)
    with open_client(options) as client:

        def complete(case_id: str, messages: list[Message], tools: Tools) -> Completion:
            body = {"model": model, "messages": messages, **({"tools": tools} if tools else {}), **sampling}

            def attempt() -> Completion:
                started = time.perf_counter()
                answer = request_json(client, "/chat/completions", body, {CASE_HEADER: case_id}, options.timeout)
                return Completion(answer, latency=time.perf_counter() - started)

            return patience.call(attempt)

        yield ChatBackend(complete, prompting=options.prompting, sampling=sampling)


def sampling_parameters(options: ModelOptions) -> dict[str, Any]:
    """The request fields for how to sample."""
    sampling: dict[str, Any] = {"temperature": options.effective_temperature}
    if options.reasoning_effort:
        sampling["reasoning_effort"] = options.reasoning_effort
    if options.seed is not None:
        sampling["seed"] = options.seed
    return sampling
