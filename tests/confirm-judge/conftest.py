"""Small runs of tau2, and a judge on a loopback port."""

from __future__ import annotations

import importlib.util
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import confirm_judge.model_judge
from confirm_judge import WindowMessage, WriteEvent
from confirm_judge.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

CANCEL = {"name": "cancel_reservation", "arguments": {"reservation_id": "EHGLP3"}}
LISTING = "I will cancel reservation EHGLP3. Do you confirm?"


def _said(role: str, content: str | None, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": content, "tool_calls": list(calls) or None}


def _simulation(sim_id: str, messages: Sequence[dict[str, Any]], reward: float | None = 1.0) -> dict[str, Any]:
    reward_info = None if reward is None else {"reward": reward}
    return {"id": sim_id, "task_id": "0", "trial": 0, "messages": list(messages), "reward_info": reward_info}


def _write_run(path: Path, simulations: Sequence[dict[str, Any]], domain: str = "airline") -> Path:
    info = {"environment_info": {"domain_name": domain}, "agent_info": {"llm": "some-model"}}
    path.mkdir(parents=True, exist_ok=True)
    file = path / "results.json"
    file.write_text(json.dumps({"info": info, "simulations": list(simulations)}), encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def said() -> Callable[..., dict[str, Any]]:
    """``said(role, content, *calls)`` is a message."""
    return _said


@pytest.fixture(scope="session")
def simulation() -> Callable[..., dict[str, Any]]:
    """``simulation(id, messages, reward)`` is a simulation."""
    return _simulation


@pytest.fixture(scope="session")
def write_run() -> Callable[..., Path]:
    """``write_run(folder, simulations, domain)`` writes a ``results.json`` and returns its path."""
    return _write_run


@pytest.fixture(scope="session")
def small_run() -> Callable[..., Path]:
    """``small_run(folder, n)`` writes a run of n simulations with one write each; in every other the user says yes."""

    def write(folder: Path, n: int = 4) -> Path:
        simulations = [
            _simulation(
                f"{number:08d}-0000",
                [
                    _said("user", f"Hello, cancel EHGLP3 for me, I am number {number}."),
                    _said("assistant", LISTING),
                    _said("user", "yes" if number % 2 else "who are you?"),
                    _said("assistant", None, CANCEL),
                ],
                reward=number % 4 / 3,
            )
            for number in range(n)
        ]
        return _write_run(folder, simulations)

    return write


@pytest.fixture(scope="session")
def event() -> Callable[..., WriteEvent]:
    """``event((role, content), ..., **changes)`` is a cancellation after these messages."""

    def build(*messages: tuple[str, str | None], **changes: Any) -> WriteEvent:
        fields: dict[str, Any] = {
            "model": "m",
            "domain": "airline",
            "sim_id": "s",
            "message_index": len(messages),
            "call_index": 0,
            "tool": CANCEL["name"],
            "arguments": CANCEL["arguments"],
            "window": tuple(WindowMessage(role, content) for role, content in messages),
            "passed": True,
        }
        return WriteEvent(**{**fields, **changes})

    return build


@pytest.fixture(scope="session")
def loopback_judge() -> ModuleType:
    """The module `judge_server.py` of this folder, whose name is no package's."""
    path = Path(__file__).with_name("judge_server.py")
    spec = importlib.util.spec_from_file_location("judge_server", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["judge_server"] = module  # its dataclasses look there for the names in their annotations
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def server(loopback_judge: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A running `JudgeServer`; waits between tries are short, and no key or address of the environment is used."""
    monkeypatch.setattr(confirm_judge.model_judge, "FIRST_WAIT", 0.01)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with ExitStack() as running:
        yield running.enter_context(loopback_judge.JudgeServer())


@pytest.fixture
def judge(server: Any, tmp_path: Path) -> Callable[..., tuple[int, list[dict[str, Any]]]]:
    """``judge(results, *options)`` runs the command against the server: its status, and the lines of its file."""

    def run(results: Path, *options: str) -> tuple[int, list[dict[str, Any]]]:
        out = tmp_path / "judged.jsonl"
        command = ["run", "--run", "m", "airline", str(results), "--out", str(out), "--base-url", server.base_url]
        status = main([*command, *options])
        return status, [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]

    return run
