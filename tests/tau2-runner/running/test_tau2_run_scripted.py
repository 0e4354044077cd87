"""The scripted parts, and the server that they speak through, without tau2."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from calibration_probes import NO_CALL_NOTICE
from tau2_runner import RunnerError
from tau2_runner.running.loopback import serving
from tau2_runner.running.offline import script_of
from tau2_runner.running.scripted import IDLE_TEXT, JUDGE, STOP, USER, Cast, Script, chance, make_rule

if TYPE_CHECKING:
    from collections.abc import Callable

    Json = dict[str, Any]

SCRIPT = Script("a_1", "Cancel it.", (("look", {"id": 7}), ("cancel", {"id": 7})), ("42", "blue"))
OTHER = Script("2", "Say hi.")


def _play(agent: str, seed: int = 1, script: Script = SCRIPT) -> list[Json]:
    """The messages of a conversation, as tau2 would lead it."""
    cast = Cast({each.task: each for each in (SCRIPT, OTHER)}, make_rule(agent))
    system = {"role": "system", "content": f"Guidelines\n\n<scenario>\n{script.scenario}\n</scenario>"}
    first = cast.reply({"model": USER, "messages": [system, {"role": "user", "content": "Hi! How can I help?"}]})
    messages: list[Json] = [{"role": "assistant", "content": "Hi!"}, {"role": "user", "content": first["content"]}]
    while True:
        reply = cast.reply({"model": agent, "messages": messages, "seed": seed})
        messages.append(reply)
        if not reply.get("tool_calls"):
            return messages[2:]
        messages.append({"role": "tool", "content": "ok", "tool_call_id": reply["tool_calls"][0]["id"]})


def _called(messages: list[Json]) -> list[tuple[str, Any]]:
    functions = [call["function"] for message in messages for call in message.get("tool_calls") or ()]
    return [(function["name"], json.loads(function["arguments"])) for function in functions]


def test_oracle() -> None:
    """It makes all reference calls in their order, then says what the user has to know."""
    messages = _play("oracle")
    assert _called(messages) == [("look", {"id": 7}), ("cancel", {"id": 7})]
    assert messages[-1]["content"] == "All of it is done. 42 blue"


def test_null() -> None:
    """It does nothing and tells nothing."""
    assert _play("null") == [{"role": "assistant", "content": IDLE_TEXT}]


def test_flaky() -> None:
    """It is an oracle or does nothing, always the same for a seed, and the share is about what was asked for."""
    full = [bool(_called(_play("flaky:0.3", seed))) for seed in range(400)]
    assert full == [chance("a_1", seed) >= 0.3 for seed in range(400)]
    assert 0.6 < sum(full) / 400 < 0.8
    assert _called(_play("flaky:0")) == _called(_play("oracle"))
    assert _called(_play("flaky:1")) == []


def test_halting() -> None:
    """It speaks before each call, and calls once it is told to go on, whatever else has left the history."""
    assert _called(_play("halting")) == []
    cast = Cast({"a_1": SCRIPT}, make_rule("halting"))
    told = {"role": "user", "content": f"{NO_CALL_NOTICE} Go on."}
    first = cast.reply({"model": "m", "messages": [{"role": "user", "content": "x [task a_1]"}, told]})
    assert _called([first]) == [("look", {"id": 7})]
    second = cast.reply({"model": "m", "messages": [first, told]})
    assert _called([second]) == [("cancel", {"id": 7})]
    last = cast.reply({"model": "m", "messages": [first, second, {"role": "tool", "content": "ok"}]})
    assert last["content"] == f"{IDLE_TEXT} 42 blue"


@pytest.mark.parametrize("spec", ["", "oracle:1", "flaky", "flaky:", "flaky:x", "flaky:1.5", "flaky:nan", "noisy:0.1"])
def test_unknown_agents(spec: str) -> None:
    """What isn't an agent is named."""
    with pytest.raises(RunnerError, match="--offline: "):
        make_rule(spec)


def test_user_and_judge() -> None:
    """The user names the task and stops after an answer; the judge says yes to everything."""
    cast = Cast({"a_1": SCRIPT, "2": OTHER}, make_rule("oracle"))
    answered = [{"role": role, "content": "x"} for role in ("system", "user", "assistant")]
    assert cast.reply({"model": USER, "messages": answered})["content"] == STOP
    prompt = 'conversation:\n expectedOutcomes: x\n\n  expectedOutcomes:\n  [\'Agent says "no"\', "It\'s done"]\n '
    reply = cast.reply({"model": JUDGE, "messages": [{"role": "user", "content": prompt}]})
    assert [(each["expectedOutcome"], each["metExpectation"]) for each in json.loads(reply["content"])["results"]] == [
        ('Agent says "no"', True),
        ("It's done", True),
    ]


def _post(address: str, body: Json) -> tuple[int, Json]:
    request = urllib.request.Request(f"{address}/chat/completions", json.dumps(body).encode())  # noqa: S310
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_server() -> None:
    """Over real HTTP: a completion for a request that belongs to a task, a bad request for any other."""
    cast = Cast({"2": OTHER}, make_rule("oracle"))
    with serving(cast.reply) as address:
        status, document = _post(address, {"model": "m", "messages": [{"role": "user", "content": "[task 2]"}]})
        assert (status, document["choices"][0]["finish_reason"]) == (200, "stop")
        assert document["choices"][0]["message"] == {"role": "assistant", "content": "All of it is done."}
        assert _post(address, {"model": "m", "messages": [{"role": "user", "content": "[task 9]"}]})[0] == 400
        assert _post(address, {"model": "m"})[0] == 400
        assert _post(address, {"model": USER, "messages": [{"role": "system", "content": "?"}]})[0] == 400


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda task: setattr(task.evaluation_criteria.actions[0], "requestor", "user"), "the user has to call tools"),
        (lambda task: setattr(task.initial_state, "message_history", ["hi"]), "in the middle of a conversation"),
    ],
)
def test_tasks_that_are_not_played(change: Callable[[Any], None], complaint: str) -> None:
    """A task that the parts can't play is an error, not a failure of the agent."""
    action = SimpleNamespace(name="f", arguments={"a": 1}, requestor="assistant")
    criteria = SimpleNamespace(actions=[action], communicate_info=None)
    state = SimpleNamespace(message_history=None)
    task = SimpleNamespace(id=3, user_scenario="Do f.", evaluation_criteria=criteria, initial_state=state)
    assert script_of(task) == Script("3", "Do f.", (("f", {"a": 1}),), ())
    change(task)
    with pytest.raises(RunnerError, match=f"--offline: task 3: .*{complaint}"):
        script_of(task)
