"""Runs without a model: the real tau2, with scripted parts behind a server on this machine."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gar_metrics import one_line
from tau2_runner.errors import RunnerError
from tau2_runner.running.judge import Judge
from tau2_runner.running.loopback import HOST, serving
from tau2_runner.running.scripted import JUDGE, USER, Cast, Script, make_rule

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, MutableMapping, Sequence

PROVIDER = "openai"
"""litellm's name for any server with OpenAI's API."""

OWN_OPTIONS = ("--agent-llm", "--user-llm")
"""What an offline run says itself: these options, and those that they are the beginning of."""


def prepare(environment: MutableMapping[str, str] = os.environ) -> None:
    """Sets what keeps litellm from the network, before it is imported; no key of the user's is used."""
    environment["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    environment["OPENAI_API_KEY"] = "none"
    for name in ("NO_PROXY", "no_proxy"):
        environment[name] = ",".join(filter(None, [environment.get(name), HOST]))


def model_words(stage: Stage, words: Sequence[str]) -> list[str]:
    """The words for `tau2 run`, with the models of an offline run.

    Raises:
        RunnerError: They name models themselves.
    """
    named = [word for word in words if word.startswith(OWN_OPTIONS)]
    if named:
        message = f"{named[0].partition('=')[0]}: an offline run plays agent, user and judge itself; leave it out"
        raise RunnerError(message)
    arguments = json.dumps(stage.arguments)
    return [
        *words,
        f"--agent-llm={PROVIDER}/{stage.agent}",
        f"--agent-llm-args={arguments}",
        f"--user-llm={PROVIDER}/{USER}",
        f"--user-llm-args={arguments}",
    ]


class Stage:
    """Where scripted parts play: an address, and the scripts once the tasks are known.

    Attributes:
        agent: The scripted agent.
        address: The server's.
    """

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self.address = ""
        self._cast = Cast({}, make_rule(agent))

    @property
    def arguments(self) -> dict[str, Any]:
        """What litellm needs to know of the server."""
        return {"temperature": 0.0, "api_base": self.address}

    @property
    def judge(self) -> Judge:
        """A judge who says yes to everything."""
        return Judge(f"{PROVIDER}/{JUDGE}", self.arguments)

    def learn(self, options: argparse.Namespace) -> None:
        """Takes the tasks that the options select from tau2.

        Raises:
            RunnerError: They can't be loaded, or one of them can't be played by these parts.
        """
        tasks = _tasks(options.task_set_name or options.domain, options.task_split_name)
        self._cast = Cast({str(task.id): script_of(task) for task in tasks}, self._cast.rule)
        _price_at_nothing([f"{PROVIDER}/{part}" for part in (self.agent, USER, JUDGE)])

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """The message that answers a request."""
        return self._cast.reply(request)


@contextmanager
def stage(agent: str) -> Iterator[Stage]:
    """A stage with its server, while it lasts.

    Raises:
        RunnerError: There is no such agent.
    """
    parts = Stage(agent)
    with serving(parts.reply) as parts.address:
        yield parts


def _tasks(task_set: str, split: str) -> list[Any]:
    load = import_module("tau2.runner.helpers").load_tasks
    try:
        return list(load(task_set, split))
    except OSError as error:
        message = f"{error.filename}: {error.strerror}"
    except (KeyError, ValueError) as error:
        message = f"tasks of {task_set}, split {split}: {error}"
    raise RunnerError(one_line(message))


def script_of(task: Any) -> Script:
    """The script of one of tau2's tasks.

    Raises:
        RunnerError: The user has to act in it, or it begins in the middle of a conversation.
    """
    criteria = task.evaluation_criteria
    actions = (criteria.actions if criteria else None) or []
    if any(action.requestor != "assistant" for action in actions):
        message = f"--offline: task {task.id}: the user has to call tools in it, which the scripted user can't"
        raise RunnerError(message)
    if task.initial_state is not None and task.initial_state.message_history:
        message = f"--offline: task {task.id}: begins in the middle of a conversation, which isn't played"
        raise RunnerError(message)
    facts = (criteria.communicate_info if criteria else None) or []
    calls = tuple((action.name, action.arguments) for action in actions)
    return Script(str(task.id), str(task.user_scenario), calls, tuple(facts))


def _price_at_nothing(models: Sequence[str]) -> None:
    """Tells litellm what the parts cost; of a model that it doesn't know it complains at every reply."""
    free = {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0, "litellm_provider": PROVIDER, "mode": "chat"}
    import_module("litellm").register_model(dict.fromkeys(models, free))
