"""Scripted agent, user and judge: tau2's tasks played without a model, from nothing but the messages of a request."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibration_probes import NO_CALL_NOTICE
from tau2_runner.errors import RunnerError

if TYPE_CHECKING:
    from collections.abc import Sequence

USER, JUDGE = "scripted-user", "scripted-judge"
"""Model names of the parts that are not the agent's."""

STOP = "###STOP###"
"""With this tau2's user ends a conversation."""

IDLE_TEXT = "That is where things stand."

_TASK = re.compile(r"\[task (.+)\]")
"""How the scripted user tells the scripted agent which task it is."""

_CALL_ID = re.compile(r"offline_(.+)_(\d+)")
"""Ids of the agent's calls name the task and the place: a retry may show it the latest messages only."""

_SCENARIO = ("<scenario>\n", "\n</scenario>")
_EXPECTED = "expectedOutcomes:"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Script:
    """What is needed to play a task.

    Attributes:
        task: The task's id.
        scenario: Its scenario, as tau2 shows it to the user.
        calls: Its reference actions, by name, with arguments.
        facts: What the user has to be told.
    """

    task: str
    scenario: str
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """What an agent goes by.

    Attributes:
        script: The task's script.
        done: How many of its calls have been made.
        told: Whether a probe has just asked again.
        chance: A number from 0 up to 1, fixed for the task and the seed of the trial.
    """

    script: Script
    done: int
    told: bool
    chance: float


Rule = Callable[[Moment], bool]
"""Whether the agent makes the next reference call. Without it, it speaks."""

RULES: Mapping[str, Rule] = {
    "oracle": lambda _: True,
    "null": lambda _: False,
    "halting": lambda moment: moment.told,
}
"""By name: makes every reference call; does nothing; stops before each call until it is told to go on."""

AGENT_NAMES = (*RULES, "flaky:P")


def make_rule(spec: str) -> Rule:
    """The rule of a name, or of ``flaky:P``: an oracle that does nothing in a share P of the simulations.

    Raises:
        RunnerError: There is no such agent.
    """
    if spec in RULES:
        return RULES[spec]
    name, _, share_text = spec.partition(":")
    if name != "flaky":
        message = f"--offline: {spec!r} is none of {', '.join(AGENT_NAMES)}"
        raise RunnerError(message)
    try:
        share = float(share_text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        message = f"--offline: {spec!r}: expected flaky:P, a number from 0 to 1"
        raise RunnerError(message)
    return lambda moment: moment.chance >= share


def chance(task: str, seed: object) -> float:
    """A number from 0 up to 1 that looks random, always the same for a task and a seed."""
    return int(hashlib.sha256(f"{task} {seed}".encode()).hexdigest()[:8], 16) / 2**32


@dataclass(frozen=True, slots=True)
class Cast:
    """The three parts, for the tasks of a run.

    Attributes:
        scripts: By task.
        rule: The agent's.
    """

    scripts: Mapping[str, Script]
    rule: Rule

    def reply(self, request: Json) -> Json:
        """The assistant message that answers a request for a chat completion.

        Raises:
            KeyError, ValueError: The request belongs to no task of the run.
        """
        messages: list[Json] = request["messages"]
        if request["model"] == USER:
            return _text(self._user(messages))
        if request["model"] == JUDGE:
            return _text(_judge(str(messages[-1]["content"])))
        return self._agent(messages, request.get("seed"))

    def _user(self, messages: Sequence[Json]) -> str:
        if any(message["role"] == "assistant" for message in messages):
            return STOP
        opening, closing = _SCENARIO
        scenario = str(messages[0]["content"]).rpartition(opening)[2].rpartition(closing)[0]
        (task,) = [script.task for script in self.scripts.values() if script.scenario.strip() == scenario.strip()]
        return f"Please see to what I have come for. [task {task}]"

    def _agent(self, messages: Sequence[Json], seed: object) -> Json:
        task, done = _place(messages)
        script = self.scripts[task]
        told = messages[-1]["role"] == "user" and NO_CALL_NOTICE in str(messages[-1]["content"])
        if self.rule(Moment(script, done, told, chance(task, seed))):
            if done < len(script.calls):
                return _call(task, done, *script.calls[done])
            return _text(" ".join(["All of it is done.", *script.facts]))
        return _text(" ".join([IDLE_TEXT, *(script.facts if script.calls and done == len(script.calls) else ())]))


def _place(messages: Sequence[Json]) -> tuple[str, int]:
    """The task, and how many of its calls have been made."""
    ids = [str(call["id"]) for message in messages for call in message.get("tool_calls") or ()]
    if places := [place for place in map(_CALL_ID.fullmatch, ids) if place]:
        return places[-1][1], int(places[-1][2]) + 1
    texts = [str(message["content"]) for message in messages if message["role"] == "user"]
    return next(found[1] for found in map(_TASK.search, texts) if found), 0


def _judge(prompt: str) -> str:
    """A yes to everything that was expected."""
    expected = ast.literal_eval(prompt.rpartition(_EXPECTED)[2].strip())
    results = [{"expectedOutcome": text, "reasoning": "scripted", "metExpectation": True} for text in expected]
    return json.dumps({"results": results})


def _text(text: str) -> Json:
    return {"role": "assistant", "content": text}


def _call(task: str, place: int, name: str, arguments: Mapping[str, Any]) -> Json:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"offline_{task}_{place}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}
