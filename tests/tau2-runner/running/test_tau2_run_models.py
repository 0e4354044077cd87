"""The real tau2 with models behind a server of the test: what they are asked, with which keys, and what is kept."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from calibration_probes import SRI_RULE
from tau2_runner.running.sri_lite import NO_RESULTS, RECONCILE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Models, Tau2
    from tau2_runner.running.scripted import Script

    TaskOf = Callable[[str, str], Script]
    Json = dict[str, Any]

NAME = "tau2_airline_agent_baseline"


def _judgement(request: Json, met: bool = True) -> str:
    expected = ["One.", "Two."]
    results = [{"expectedOutcome": each, "reasoning": "because", "metExpectation": met} for each in expected]
    return json.dumps({"results": results})


def _reward(simulation: Json) -> float:
    return float(simulation["reward_info"]["reward"])


@pytest.mark.parametrize("dress", ["{}", "```json\n{}\n```", "I have read it all.\n\n{}\n\nThat is my verdict."])
def test_judge(tau2: Tau2, models: Models, task_of: TaskOf, dress: str) -> None:
    """The judge of the variables is asked, once, with the arguments given; however it dresses its reply, it counts."""
    task = task_of("retail", "36")
    models.plays(task, "oracle")
    models.judge = lambda request: dress.format(_judgement(request))
    arguments = json.dumps({"temperature": 0.3, "api_base": models.address, "api_key": "none"})
    variables = {"TAU2_NL_ASSERTIONS_LLM": "openai/judge", "TAU2_NL_ASSERTIONS_ARGS_JSON": arguments}
    done = tau2.run(*models.words(task, "retail"), **variables)
    assert done.returncode == 0, done.stderr
    (simulation,) = tau2.simulations("tau2_retail_agent_baseline")
    assert _reward(simulation) == 1
    assert [each["met"] for each in simulation["reward_info"]["nl_assertions"]] == [True, True]
    (asked,) = models.asked("judge")
    assert asked["temperature"] == 0.3


def test_strict_judge(tau2: Tau2, models: Models, task_of: TaskOf) -> None:
    """A no is a no."""
    task = task_of("retail", "36")
    models.plays(task, "oracle")
    models.judge = lambda request: _judgement(request, met=False)
    arguments = json.dumps({"api_base": models.address, "api_key": "none"})
    variables = {"TAU2_NL_ASSERTIONS_LLM": "openai/judge", "TAU2_NL_ASSERTIONS_ARGS_JSON": arguments}
    assert tau2.run(*models.words(task, "retail"), **variables).returncode == 0
    assert [_reward(each) for each in tau2.simulations("tau2_retail_agent_baseline")] == [0]


def test_keys_stay_out(tau2: Tau2, models: Models, task_of: TaskOf) -> None:
    """Each role's key reaches its model; no file of the run and nothing on the terminal holds any of them."""
    task = task_of("retail", "36")
    models.plays(task, "oracle")
    models.judge = _judgement
    arguments = json.dumps({"api_base": models.address, "api_key": "key-of-judge"})
    variables = {"TAU2_NL_ASSERTIONS_LLM": "openai/judge", "TAU2_NL_ASSERTIONS_ARGS_JSON": arguments}
    words = models.words(task, "retail", agent="key-of-agent", user="key-of-user")
    done = tau2.run(*words, "--verbose-logs", "--llm-log-mode", "all", "--log-level", "DEBUG", **variables)
    assert done.returncode == 0, done.stderr
    assert models.keys == {role: {f"Bearer key-of-{role}"} for role in ("agent", "user", "judge")}
    folder = tau2.folder("tau2_retail_agent_baseline")
    assert any(path.suffix == ".log" for path in folder.rglob("*"))
    assert [path for path in folder.rglob("*") if path.is_file() and b"key-of-" in path.read_bytes()] == []
    assert "key-of-" not in done.stdout + done.stderr
    info = json.loads((folder / "results.json").read_text(encoding="utf-8"))["info"]
    assert info["agent_info"]["llm_args"]["api_key"] == "*** (agent_llm_args.api_key)"


def test_keys_stay_out_of_conversations(tau2: Tau2, models: Models, task_of: TaskOf) -> None:
    """An agent that says a placeholder isn't told the key that it stands for, and doesn't get it told to others."""
    placeholder = "*** (user_llm_args.api_key)"
    models.agent = lambda request: {"role": "assistant", "content": placeholder}
    words = models.words(task_of("airline", "0"), "airline", agent="key-of-agent", user="key-of-user")
    done = tau2.run(*words)
    assert done.returncode == 0, done.stderr
    assert placeholder in json.dumps(models.asked("user"))
    assert "key-of-" not in json.dumps(models.requests)
    assert models.keys == {role: {f"Bearer key-of-{role}"} for role in ("agent", "user")}


def test_keys_stay_out_of_errors(tau2: Tau2, models: Models, task_of: TaskOf) -> None:
    """A server that repeats the key in its refusal doesn't get it into the results; what wasn't scored is said."""
    message = "Incorrect API key provided: key-of-agent and key-of-user"
    unscored = "1 of 1 simulations aren't scored: 1 termination_reason infrastructure_error"
    models.failure = (401, {"error": {"message": message, "type": "invalid_request_error"}})
    words = models.words(task_of("airline", "0"), "airline", agent="key-of-agent", user="key-of-user")
    done = tau2.run(*words, "--verbose-logs")
    assert done.returncode == 0, done.stderr
    folder = tau2.folder(NAME)
    (simulation,) = tau2.simulations(NAME)
    assert "Incorrect API key provided: *** and ***" in simulation["info"]["error"]
    assert f"tau2-runner: warning: {unscored}" in done.stderr.splitlines()
    assert [path for path in folder.rglob("*") if path.is_file() and b"key-of-" in path.read_bytes()] == []
    assert "key-of-" not in done.stdout + done.stderr


def test_keys_of_variables_stay_out_of_errors(tau2: Tau2, models: Models, task_of: TaskOf) -> None:
    """A key that only a variable holds is kept out of what a server's refusal leaves behind, too."""
    models.failure = (401, {"error": {"message": "Not a key: key-of-all", "type": "invalid_request_error"}})
    words = [word.replace(', "api_key": "none"', "") for word in models.words(task_of("airline", "0"), "airline")]
    done = tau2.run(*words, OPENAI_API_KEY="key-of-all")
    assert done.returncode == 0, done.stderr
    assert models.keys == {"user": {"Bearer key-of-all"}}
    (simulation,) = tau2.simulations(NAME)
    assert "Not a key: ***" in simulation["info"]["error"]
    kept = [path for path in tau2.folder(NAME).rglob("*") if path.is_file() and b"key-of-" in path.read_bytes()]
    assert (kept, "key-of-" in done.stdout + done.stderr) == ([], False)


@pytest.mark.parametrize("variant", ["sri_lite", "ablation_no_state"])
def test_retry(tau2: Tau2, models: Models, task_of: TaskOf, variant: str) -> None:
    """A message without calls is dropped and asked for once more, with the variant's instruction at the end."""
    task = task_of("airline", "7")
    models.plays(task, "halting")
    words = [*models.words(task, "airline"), "--agent", "sri_lite"]
    done = tau2.run(*words, SRI_LITE_VARIANT=variant, SRI_LITE_RETRY_MAX_MESSAGES="4")
    assert done.returncode == 0, done.stderr
    (simulation,) = tau2.simulations(f"tau2_airline_agent_{variant}")
    assert _reward(simulation) == 1
    retries = [request for request in models.asked("agent") if RECONCILE in str(request["messages"][-1]["content"])]
    # Once for every call, and once for the last word.
    assert len(retries) == len(task.calls) + 1
    assert len(models.asked("agent")) == 2 * len(retries)
    first, *later = [request["messages"] for request in retries]
    state = f"{NO_RESULTS}\n\n" if variant == "sri_lite" else ""
    assert [message["role"] for message in first] == ["system", "assistant", "user", "user"]
    assert first[-1]["content"] == f"{RECONCILE}\n\n{state}{SRI_RULE}"
    for messages in later:
        assert [message["role"] for message in messages[:2]] == ["system", "assistant"]
        assert len(messages) <= 2 + 4
        assert ("Recent tool results" in messages[-1]["content"]) is (variant == "sri_lite")
    contents = [message["content"] for message in simulation["messages"] if message["role"] == "assistant"]
    # The greeting, the calls, the last word: no dropped reply.
    assert len(contents) == len(task.calls) + 2
    assert not any(RECONCILE in str(message["content"]) for message in simulation["messages"])


@pytest.mark.parametrize("coerced", [True, False])
def test_calls_in_content(tau2: Tau2, models: Models, task_of: TaskOf, coerced: bool) -> None:
    """Calls written as JSON run if that is asked for; otherwise they are text for the user."""
    task = task_of("airline", "7")
    done_so_far: list[int] = []

    def write(request: Json) -> Json:
        """The oracle's next call as text; ids of calls made from text don't say which one it was."""
        if len(done_so_far) == len(task.calls):
            return {"role": "assistant", "content": " ".join(["It is done.", *task.facts])}
        call, arguments = task.calls[len(done_so_far)]
        done_so_far.append(1)
        return {"role": "assistant", "content": json.dumps([{"name": call, "parameters": dict(arguments)}])}

    models.agent = write
    done = tau2.run(*models.words(task, "airline"), **{"TAU2_COERCE_JSON_CONTENT_TOOL_CALLS": "1"} if coerced else {})
    assert done.returncode == 0, done.stderr
    (simulation,) = tau2.simulations(NAME)
    assert _reward(simulation) == (1 if coerced else 0)
    ids = [call["id"] for message in simulation["messages"] for call in message.get("tool_calls") or ()]
    assert len(set(ids)) == (len(task.calls) if coerced else 0)


UNTOUCHED = """
import sys
from importlib import import_module
from tau2_runner.running.run import run

NAMES = {
    "tau2.config": ("DEFAULT_LLM_NL_ASSERTIONS", "DEFAULT_LLM_NL_ASSERTIONS_ARGS"),
    "tau2.evaluator.evaluator_nl_assertions": ("DEFAULT_LLM_NL_ASSERTIONS", "DEFAULT_LLM_NL_ASSERTIONS_ARGS"),
    "tau2.agent.llm_agent": ("generate", "LLMAgent"),
    "tau2.user.user_simulator": ("generate", "UserSimulator"),
    "tau2.utils.llm_utils": ("completion", "generate"),
}

def look():
    found = {(m, n): getattr(import_module(m), n) for m, names in NAMES.items() for n in names}
    methods = vars(import_module("tau2.agent.llm_agent").LLMAgent)
    return found, dict(methods), import_module("tau2.registry").registry.get_info().agents

before = look()
run(sys.argv[1:], None)
after = look()
assert all(after[0][name] is value for name, value in before[0].items()), after
assert after[1:] == before[1:]
print("untouched")
"""


def test_nothing_is_patched(tau2: Tau2, models: Models, task_of: TaskOf, tmp_path: Path) -> None:
    """A run that asks for nothing leaves tau2's models, agents and judge as they are."""
    script = tmp_path / "look.py"
    script.write_text(UNTOUCHED, encoding="utf-8")
    task = task_of("airline", "0")
    words = [word.replace(', "api_key": "none"', "") for word in models.words(task, "airline")]
    done = subprocess.run(
        [sys.executable, str(script), *words],
        env=tau2.environment(OPENAI_API_KEY="none"),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "untouched"
