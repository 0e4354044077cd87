"""A checkpoint folder on a `vllm serve` that is started for the run and stopped after it.

How the model is asked depends on the options, and else on its family (see `bfcl_runner.checkpoints`): with
``--served-parser`` by function calling, with ``--prompting`` through its own chat template, gpt-oss through the
Responses API, the other families through upstream's handlers, which make the prompts themselves.

Unproven here, for want of a GPU: a real vLLM and real checkpoints. The server's part is tested against a program
with vLLM's command line and HTTP interface, the handlers against upstream's own loop with the same replies.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from bfcl_runner.backends import openai, responses
from bfcl_runner.checkpoints import GPT_OSS, Checkpoint, read_checkpoint
from bfcl_runner.errors import RunnerError
from bfcl_runner.handler_dialogue import HandlerBackend
from bfcl_runner.handlers import of_family
from bfcl_runner.local_models import connect, load_tokenizer
from bfcl_runner.model_http import open_client
from bfcl_runner.unsent import refuse
from bfcl_runner.vllm_server import extra_arguments, free_port, parser_arguments, running, serve_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from bfcl_runner.backends.base import Backend
    from bfcl_runner.options import ModelOptions
    from bfcl_runner.patience import Patience

    Open = Callable[[ModelOptions, Patience], AbstractContextManager[Backend]]

TRUST_ARGUMENT = "--trust-remote-code"
"""Given to the server, it holds for the tokenizer too."""


@contextmanager
def open_backend(options: ModelOptions, patience: Patience) -> Iterator[Backend]:
    """The checkpoint of the options, on a server that lives as long as the context.

    Raises:
        BenchmarkMissingError: bfcl-eval is absent or of another version, and its handlers are needed.
        RunnerError: The folder holds no supported checkpoint, something is missing, or the server didn't start.
    """
    if options.model_path is None:
        message = "--model-path: the vllm backend needs the folder of a checkpoint"
        raise RunnerError(message)
    checkpoint = read_checkpoint(options.model_path)
    name = options.model or checkpoint.path.name
    port = free_port()
    command = serve_command(options, checkpoint.path, name, port)
    open_model = _way_to_ask(checkpoint, options)  # what is missing shows now, not when the server is up
    with running(command, port) as url, open_model(replace(options, model=name, base_url=url), patience) as backend:
        # What the server was told decides about the replies, too.
        if told := [*parser_arguments(options), *extra_arguments()]:
            backend.sampling = {**backend.sampling, "served_with": told}
        yield backend


def _way_to_ask(checkpoint: Checkpoint, options: ModelOptions) -> Open:
    if options.served_parser or options.prompting:
        return openai.open_backend
    family = checkpoint.family
    if family == GPT_OSS:
        return responses.open_backend
    refuse(options, ("reasoning_effort",))
    choice = of_family(family, options.model or checkpoint.path.name)
    handler = choice.make(options.effective_temperature)
    tokenizer = load_tokenizer(str(checkpoint.path), trust_remote_code=TRUST_ARGUMENT in extra_arguments())

    @contextmanager
    def open_family(served: ModelOptions, patience: Patience) -> Iterator[HandlerBackend]:
        with open_client(served) as client:
            connect(handler, client, served, tokenizer, checkpoint.context_length)
            yield HandlerBackend(handler, choice.decoder, patience, served.seed)

    return open_family
