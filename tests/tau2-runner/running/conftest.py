"""The real tau2 where it is installed, a model server that plays its tasks, and a stand-in for its parser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from tau2_runner import RunnerError
from tau2_runner.running.benchmark import require_benchmark
from tau2_runner.running.loopback import completion
from tau2_runner.running.scripted import STOP, Cast, Script, make_rule
from tau2_runner.running.secrets import KEY_ENDINGS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Json = dict[str, Any]


@dataclass(frozen=True)
class Tau2:
    """The command, with a data folder of its own.

    Attributes:
        data: What TAU2_DATA_DIR names.
    """

    data: Path

    def environment(self, **variables: str) -> dict[str, str]:
        """This process's variables, without those that a run goes by, and without keys."""
        own = {name: value for name, value in os.environ.items() if not name.endswith(KEY_ENDINGS)}
        kept = {name: value for name, value in own.items() if not name.startswith(("TAU2_", "SRI_LITE_"))}
        local = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "127.0.0.1", "TAU2_DATA_DIR": str(self.data)}
        return kept | local | variables

    def command(self, *words: str) -> list[str]:
        """The command line of a run."""
        return [sys.executable, "-m", "tau2_runner", "run", *words]

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """A run, to its end."""
        return subprocess.run(
            self.command(*words),
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )

    def folder(self, name: str) -> Path:
        """Where a run of that name is."""
        return self.data / "simulations" / name

    def simulations(self, name: str) -> list[Json]:
        """The simulations of a run."""
        results: Json = json.loads((self.folder(name) / "results.json").read_text(encoding="utf-8"))
        return list(results["simulations"])

    def passed(self, name: str) -> set[str]:
        """The tasks of a run whose reward is 1."""
        return {each["task_id"] for each in self.simulations(name) if each["reward_info"]["reward"] == 1}


@pytest.fixture
def tau2(shared_data: Path, tmp_path: Path) -> Tau2:
    """The real tau2 and its task data; skips, saying why, where either is missing."""
    try:
        require_benchmark()
    except RunnerError as missing:
        pytest.skip(str(missing))
    data = tmp_path / "data"
    data.mkdir()
    (data / "tau2").symlink_to(shared_data / "tau2_data" / "tau2")
    return Tau2(data)


@dataclass
class Models:
    """Models of a test: what was asked, and how each part answers.

    Attributes:
        address: Of the server.
        agent: Gives the agent's message for a request.
        judge: Gives the judge's text for a request.
        failure: A status and text for all requests, in place of answers.
        requests: The bodies so far.
        keys: The keys that came with them, by model.
    """

    address: str = ""
    agent: Callable[[Json], Json] = lambda request: {"role": "assistant", "content": "Well."}
    judge: Callable[[Json], str] = lambda request: json.dumps({"results": []})
    failure: tuple[int, Json] | None = None
    requests: list[Json] = field(default_factory=list)
    keys: dict[str, set[str]] = field(default_factory=dict)

    def words(self, task: Script, domain: str, **keys: str) -> list[str]:
        """Arguments of a run of that task with these models; keys by role."""
        self._task = task.task
        words = ["--domain", domain, "--task-ids", task.task, "--max-retries", "0"]
        for role in ("agent", "user"):
            arguments = {"api_base": self.address, "api_key": keys.get(role, "none")}
            words += [f"--{role}-llm", f"openai/{role}", f"--{role}-llm-args", json.dumps(arguments)]
        return words

    def plays(self, task: Script, agent: str) -> None:
        """Has the agent played by a scripted one."""
        self.agent = Cast({task.task: task}, make_rule(agent)).reply

    def asked(self, model: str) -> list[Json]:
        """The requests that a model got."""
        return [request for request in self.requests if request["model"] == model]

    def answer(self, request: Json) -> Json:
        """The message for a request."""
        if request["model"] == "user":
            spoken = any(message["role"] == "assistant" for message in request["messages"])
            return {"role": "assistant", "content": STOP if spoken else f"Hello. [task {self._task}]"}
        if request["model"] == "judge":
            return {"role": "assistant", "content": self.judge(request)}
        return self.agent(request)


@pytest.fixture
def models() -> Iterator[Models]:
    """A model server on this machine that keeps what it is asked."""
    models = Models()
    with _serving(models) as models.address:
        yield models


@contextmanager
def _serving(models: Models) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            models.requests.append(request)
            models.keys.setdefault(request["model"], set()).add(self.headers["Authorization"])
            status, document = models.failure or (200, completion(request["model"], models.answer(request)))
            payload = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


@pytest.fixture
def task_of(shared_data: Path) -> Callable[[str, str], Script]:
    """Reads the script of a task from tau2's own files."""

    def read(domain: str, task: str) -> Script:
        path = shared_data / "tau2_data" / "tau2" / "domains" / domain / "tasks.json"
        (found,) = [each for each in json.loads(path.read_text(encoding="utf-8")) if each["id"] == task]
        criteria = found["evaluation_criteria"]
        calls = tuple((action["name"], action["arguments"]) for action in criteria["actions"])
        return Script(task, "", calls, tuple(criteria["communicate_info"] or ()))

    return read


@pytest.fixture
def add_run_args() -> Callable[[argparse.ArgumentParser], None]:
    """A stand-in for tau2's function of that name: the options that the runner looks at, with tau2's defaults."""

    def add(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--domain", "-d", choices=["airline", "retail"])
        parser.add_argument("--agent", default="llm_agent", choices=["llm_agent", "llm_agent_gt", "sri_lite"])
        parser.add_argument("--agent-llm", default="gpt-4.1-2025-04-14")
        parser.add_argument("--agent-llm-args", type=json.loads, default={"temperature": 0.0})
        parser.add_argument("--user", default="user_simulator")
        parser.add_argument("--user-llm", default="gpt-4.1-2025-04-14")
        parser.add_argument("--user-llm-args", type=json.loads, default={"temperature": 0.0})
        parser.add_argument("--task-ids", nargs="+")
        parser.add_argument("--save-to")
        parser.add_argument("--audio-native", action="store_true")
        parser.add_argument("--audio-native-model")
        parser.add_argument("--audio-native-provider", default="openai")

    return add
