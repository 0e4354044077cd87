"""Any provider that litellm knows, models named its way, by function calling or in prompting mode."""

from __future__ import annotations

import copy
import os
import time
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bfcl_runner.backends.openai import sampling_parameters
from bfcl_runner.chat import ChatBackend, Completion
from bfcl_runner.errors import ModelUnusableError, RunnerError
from bfcl_runner.model_http import sendable
from bfcl_runner.sdk_failures import meaning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bfcl_runner.backends.base import Message
    from bfcl_runner.options import ModelOptions
    from bfcl_runner.patience import Patience
    from bfcl_runner.tool_schemas import Tools

INSTALL_HINT = "pip install 'bfcl-runner[litellm]'"


@contextmanager
def open_backend(options: ModelOptions, patience: Patience) -> Iterator[ChatBackend]:
    """The model that the options name; keys come from the provider's own environment variables.

    Raises:
        RunnerError: No model is named, litellm is missing, or it doesn't know whose model it is.
    """
    if options.model is None:
        message = "--model: the litellm backend needs one, such as anthropic/claude-sonnet-4-5"
        raise RunnerError(message)
    litellm = _litellm()
    sampling = sampling_parameters(options)
    request = {
        **sampling,
        "model": options.model,
        "timeout": options.timeout,
        # Retrying is ours: litellm's own, and that of the SDKs below it, would hide overloads.
        "num_retries": 0,
        "max_retries": 0,
        **({"api_base": options.base_url} if options.base_url else {}),
    }
    try:
        litellm.get_llm_provider(options.model, api_base=options.base_url)
    except litellm.BadRequestError:
        message = f"--model: litellm knows no provider for {options.model!r}; it names models provider/model"
        raise RunnerError(message) from None

    def complete(_case_id: str, messages: list[Message], tools: Tools) -> Completion:
        said = {"messages": sendable(messages), **({"tools": copy.deepcopy(list(tools))} if tools else {})}

        def attempt() -> Completion:
            started = time.perf_counter()
            try:
                answer = litellm.completion(**said, **request)
            except litellm.UnsupportedParamsError as error:
                message = f"the model takes other parameters: {' '.join(str(error).split())}"
                raise ModelUnusableError(message) from error
            except Exception as error:
                raise meaning(error) from error
            return Completion(answer.model_dump(), latency=time.perf_counter() - started)

        return patience.call(attempt)

    yield ChatBackend(complete, prompting=options.prompting, sampling=sampling)


def _litellm() -> Any:
    """The package, kept from fetching a price list over the network and from printing advice."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        litellm: Any = import_module("litellm")
    except ImportError as error:
        message = f"the litellm backend needs litellm ({error}); run: {INSTALL_HINT}"
        raise RunnerError(message) from None
    litellm.suppress_debug_info = True
    return litellm
