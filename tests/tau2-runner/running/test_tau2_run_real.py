"""The real tau2, with its environments and evaluator, played without a model: whole domains, kill and resume."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tau2_runner.running.scripted import chance

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Tau2

pytestmark = pytest.mark.slow

TASKS = {"airline": 50, "retail": 114}

FLOOR = {
    "airline": {*map(str, [0, 1, 2, 4, 5, 6, 9, 10, 13, 26, 27, 28, 31, 34, 36, 38, 41, 43, 45, 46, 47, 48, 49])},
    "retail": {*map(str, [10, 12, 24, 25, 50, 57, 62, 65, 67, 68, 105])},
}
"""Tasks that an agent passes by doing nothing, where the judge says yes to all."""


@pytest.mark.parametrize("domain", TASKS)
def test_oracle(tau2: Tau2, domain: str) -> None:
    """Playing the reference actions scores 1.0 on every task."""
    done = tau2.run("--offline", "oracle", "--domain", domain)
    name = f"tau2_{domain}_oracle_baseline"
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"results: {tau2.folder(name) / 'results.json'}"
    assert len(tau2.simulations(name)) == TASKS[domain]
    assert len(tau2.passed(name)) == TASKS[domain]


@pytest.mark.parametrize("domain", TASKS)
def test_null(tau2: Tau2, domain: str) -> None:
    """An agent that does nothing passes these tasks, and no others."""
    done = tau2.run("--offline", "null", "--domain", domain)
    assert done.returncode == 0, done.stderr
    assert len(tau2.simulations(f"tau2_{domain}_null_baseline")) == TASKS[domain]
    assert tau2.passed(f"tau2_{domain}_null_baseline") == FLOOR[domain]


def test_flaky(tau2: Tau2) -> None:
    """It fails where it does nothing and the floor doesn't carry it, in each trial on its own."""
    done = tau2.run("--offline", "flaky:0.5", "--domain", "airline", "--num-trials", "2")
    assert done.returncode == 0, done.stderr
    simulations = tau2.simulations("tau2_airline_flaky-0.5_baseline")
    assert len(simulations) == 100
    passed = {(each["task_id"], each["trial"]) for each in simulations if each["reward_info"]["reward"] == 1}
    assert passed == {
        (each["task_id"], each["trial"])
        for each in simulations
        if chance(each["task_id"], each["seed"]) >= 0.5 or each["task_id"] in FLOOR["airline"]
    }
    by_trial = [{task for task, trial in passed if trial == number} for number in (0, 1)]
    assert by_trial[0] != by_trial[1]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_kill_and_resume(tau2: Tau2) -> None:
    """After kill -9 the same command goes on: what was done stays, nothing is done twice, no run is left out."""
    words = ["--offline", "oracle", "--domain", "airline", "--num-tasks", "16", "--max-concurrency", "2"]
    name = "tau2_airline_oracle_baseline"
    process = subprocess.Popen(
        tau2.command(*words), env=tau2.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    before = _wait_for(tau2.folder(name) / "results.json", 3)
    process.send_signal(signal.SIGKILL)
    assert process.wait(timeout=60) == -signal.SIGKILL
    kept = {each["id"] for each in tau2.simulations(name)}
    assert before <= kept
    assert len(kept) < 16
    record = json.loads((tau2.folder(name) / "run.json").read_text(encoding="utf-8"))
    assert record["finished"] is None
    done = tau2.run(*words)
    assert done.returncode == 0, done.stderr
    simulations = tau2.simulations(name)
    assert kept <= {each["id"] for each in simulations}
    assert sorted(int(each["task_id"]) for each in simulations) == list(range(16))
    assert len(tau2.passed(name)) == 16
    again = json.loads((tau2.folder(name) / "run.json").read_text(encoding="utf-8"))
    assert (again["started"], again["finished"] is None) == (record["started"], False)


def _wait_for(results: Path, count: int) -> set[str]:
    """Ids of simulations, once there are so many."""
    for _ in range(3600):
        with contextlib.suppress(FileNotFoundError, ValueError):
            simulations = json.loads(results.read_bytes())["simulations"]
            if len(simulations) >= count:
                return {each["id"] for each in simulations}
        time.sleep(0.05)
    pytest.fail("no simulations were finished within three minutes")


@pytest.mark.parametrize(("variant", "passes"), [("sri_lite", True), ("ablation_no_state", True), ("baseline", False)])
def test_halting(tau2: Tau2, variant: str, passes: bool) -> None:
    """An agent that stops before each call is told to go on by SRI-lite, and isn't by its baseline."""
    tasks = ["3", "7", "8", "11", "14"]
    words = ["--offline", "halting", "--domain", "airline", "--agent", "sri_lite", "--task-ids", *tasks]
    done = tau2.run(*words, SRI_LITE_VARIANT=variant)
    name = f"tau2_airline_halting_{variant}"
    assert done.returncode == 0, done.stderr
    assert tau2.passed(name) == (set(tasks) if passes else set())
    record = json.loads((tau2.folder(name) / "run.json").read_text(encoding="utf-8"))
    assert record["configuration"]["probe"] == f"sri_lite:{variant}"


def test_another_agent_is_refused(tau2: Tau2) -> None:
    """Results of one agent are not added to those of another; they stay as they are."""
    words = ["--domain", "airline", "--task-ids", "0", "--save-to", "mine"]
    assert tau2.run("--offline", "oracle", *words).returncode == 0
    before = (tau2.folder("mine") / "results.json").read_bytes()
    done = tau2.run("--offline", "null", *words)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        f"tau2-runner: {tau2.folder('mine') / 'results.json'}: was made with another setup "
        '(agent.llm: "openai/oracle" -> "openai/null"; offline: "oracle" -> "null"); give another --save-to'
    )
    assert (tau2.folder("mine") / "results.json").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--offline", "oracle"], "--domain: missing"),
        (["--offline", "oracle", "--domain", "moon"], "invalid choice: 'moon'"),
        (["--offline", "oracle", "--domain", "airline", "--task-ids", "999"], "Not all tasks were found"),
        (
            ["--offline", "oracle", "--domain", "airline", "--num-trials", "0"],
            "trials must be greater than 0",
        ),
        (["--offline", "oracle", "--domain", "telecom"], "No such file or directory"),
        (["--offline", "oracle", "--domain", "airline", "--task-split-name", "none"], "tasks of airline, split none: "),
    ],
)
def test_what_tau2_refuses(tau2: Tau2, words: list[str], complaint: str) -> None:
    """One line and status 2, no traceback."""
    done = tau2.run(*words)
    assert done.returncode == 2
    assert complaint in done.stderr.splitlines()[-1]
    assert done.stderr.splitlines()[-1].startswith("tau2-runner: ")
    assert "Traceback" not in done.stderr
