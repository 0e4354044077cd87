"""Everything that a run changes inside tau2, each only where it is needed: names in its modules, in this process."""

from __future__ import annotations

import functools
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from gar_metrics import one_line
from tau2_runner.running.coercion import content_calls
from tau2_runner.running.judge import readable_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tau2_runner.running.secrets import Vault

CONFIG = "tau2.config"
EVALUATOR = "tau2.evaluator.evaluator_nl_assertions"
AGENT = "tau2.agent.llm_agent"
MODELS = "tau2.utils.llm_utils"

CONVERSATION = ("messages", "tools")
"""What a request says: whoever speaks in it could name a placeholder, and be told another's key."""


class ModelCallError(Exception):
    """A model's server failed with a message that held a key; this one doesn't."""


def replace_judge(model: str, arguments: Mapping[str, Any]) -> None:
    """Has assertions judged by another model. tau2 binds its own by value in two modules."""
    for name in (CONFIG, EVALUATOR):
        module: Any = import_module(name)
        module.DEFAULT_LLM_NL_ASSERTIONS = model
        module.DEFAULT_LLM_NL_ASSERTIONS_ARGS = dict(arguments)


def read_chatty_judges() -> None:
    """Reads a judge's reply also where JSON stands in a fence or among words: tau2 would run the task again."""

    def read(message: Any) -> Any:
        message.content = readable_reply(message.content)
        return message

    _filter_replies(EVALUATOR, read)


def coerce_calls() -> None:
    """Makes calls of an agent's message whose whole content is calls in JSON."""

    def coerce(message: Any) -> Any:
        if message.is_tool_call():
            return message
        if calls := content_calls(message.content):
            call_class = import_module("tau2.data_model.message").ToolCall
            message.tool_calls = [call_class(id=f"call_{uuid4().hex[:24]}", **call._asdict()) for call in calls]
            message.content = None
        return message

    _filter_replies(AGENT, coerce)


def reveal_keys(vault: Vault) -> None:
    """Puts keys back into requests at the last moment, and keeps them out of errors, which tau2 records."""
    module: Any = import_module(MODELS)
    complete: Callable[..., Any] = module.completion

    @functools.wraps(complete)
    def completion(*arguments: Any, **fields: Any) -> Any:
        failure = None
        settings = {name: value for name, value in fields.items() if name not in CONVERSATION}
        try:
            return complete(*arguments, **fields | vault.reveal(settings))
        except Exception as error:
            # With the errors that led to it: tau2 records them as well.
            text = "".join(traceback.format_exception(error))
            if vault.censor(text) == text:
                raise
            failure = f"{type(error).__name__}: {vault.censor(one_line(str(error)))}"
        raise ModelCallError(failure)

    module.completion = completion


def _filter_replies(name: str, change: Callable[[Any], Any]) -> None:
    """Passes the replies that a module's `generate` gives through a function."""
    module: Any = import_module(name)
    generate: Callable[..., Any] = module.generate

    @functools.wraps(generate)
    def filtered(*arguments: Any, **options: Any) -> Any:
        return change(generate(*arguments, **options))

    module.generate = filtered
