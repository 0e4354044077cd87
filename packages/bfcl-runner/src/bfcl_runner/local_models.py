"""Upstream's handlers for local checkpoints, connected to a server that is already there.

Upstream starts its own server, loads the tokenizer to count tokens, and sends finished prompts to the server's
completions API; here the server is ours or the user's, and so is its time-out.
"""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from bfcl_runner.errors import RunnerError
from bfcl_runner.handler_code import INSTALL_HINT
from bfcl_runner.model_http import sendable

if TYPE_CHECKING:
    from openai import OpenAI

    from bfcl_runner.options import ModelOptions


def load_tokenizer(source: str, *, trust_remote_code: bool = False) -> Any:
    """The tokenizer of a checkpoint folder, or of a name on the Hugging Face hub.

    Args:
        source: The folder or the name.
        trust_remote_code: Whether code that comes with the checkpoint may run.

    Raises:
        RunnerError: transformers is missing, or it finds no tokenizer there.
    """
    try:
        transformers = import_module("transformers")
    except ImportError as error:
        message = f"local checkpoints need transformers ({error}); run: {INSTALL_HINT}"
        raise RunnerError(message) from None
    try:
        return transformers.AutoTokenizer.from_pretrained(source, trust_remote_code=trust_remote_code)
    except Exception as error:
        message = f"{source}: no tokenizer: {' '.join(str(error).split())[:300]}"
        raise RunnerError(message) from error


def connect(
    handler: Any,
    client: OpenAI,
    options: ModelOptions,
    tokenizer: Any,
    made_for: int | None = None,
) -> None:
    """Gives a handler what upstream's start of a server would leave on it.

    Args:
        handler: A handler of a local checkpoint.
        client: A client of the server, which is up.
        options: Names the model as the server does.
        tokenizer: The checkpoint's.
        made_for: Tokens that the checkpoint says prompt and reply may have together. What the server says goes
            before it; without either the tokenizer is asked.
    """
    complete: Any = client.completions.create
    extra = {} if options.seed is None else {"seed": options.seed}

    def create(*, prompt: str, timeout: float, **request: Any) -> Any:  # noqa: ARG001 (upstream's is twenty hours)
        return complete(prompt=sendable(prompt), **request, **extra)

    handler.client = SimpleNamespace(completions=SimpleNamespace(create=create))
    handler.tokenizer = tokenizer
    handler.max_context_length = _served_length(client, options.model) or made_for or tokenizer.model_max_length
    handler.model_path_or_id = options.model


def _served_length(client: OpenAI, model: str | None) -> int | None:
    """The context length that vLLM states in its list of models; other servers state none."""
    import openai

    try:
        entries = [entry for entry in client.models.list() if entry.id == model]
    except openai.OpenAIError:
        return None
    length = (entries[0].model_extra or {}).get("max_model_len") if entries else None
    return length if isinstance(length, int) else None
