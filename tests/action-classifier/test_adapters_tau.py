"""Results of tau2-bench, real ones, and of tau-bench by their shape."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from action_classifier import adapters, classify
from action_classifier.cli import main

if TYPE_CHECKING:
    from pathlib import Path

RUNS = (
    "tau2_airline_gpt-oss-120b_baseline",
    "tau2_airline_gpt-5.4_baseline",
    "tau2_retail_ft-gpt-4.1_baseline",
)


@pytest.fixture(params=RUNS)
def results(request: pytest.FixtureRequest, shared_data: Path) -> Path:
    """A real result file."""
    return shared_data / "tau2_runs" / request.param / "results.json"


def test_real_tau2_runs(results: Path) -> None:
    """Every message of the agent but the harness's greeting is one emission, a call exactly where it has calls."""
    document: Any = json.loads(results.read_bytes())
    expected = []
    for simulation in document["simulations"]:
        greeting, *messages = simulation["messages"]
        assert greeting["content"] == "Hi! How can I help you today?"
        turn = -1
        for message in messages:
            turn += message["role"] == "user"
            if message["role"] == "assistant":
                expected.append((str(simulation["task_id"]), turn, bool(message["tool_calls"]), message["content"]))
    emitted = [*adapters.tau2_results(document)]
    assert [(e.case_id, e.turn) for e in emitted] == [place[:2] for place in expected]
    assert len({(e.case_id, e.turn, e.step) for e in emitted}) == len(emitted)
    for e, (_, _, calls, content) in zip(emitted, expected, strict=True):
        if calls:
            assert classify(e.emission, "paper") == classify(e.emission, "extended") == "tool_call"
        else:
            assert e.emission == content


def test_real_tau2_run_on_the_command_line(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints one row an emission, with its place."""
    assert main(["classify", "--from", "tau2", "--ruleset", "extended", str(results)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    emitted = [*adapters.tau2_results(json.loads(results.read_bytes()))]
    assert [(row["id"], row["turn"], row["step"]) for row in rows] == [e[:3] for e in emitted]
    assert [row["action"] for row in rows] == [classify(e.emission, "extended") for e in emitted]


def test_tau2_trials_and_user_tools() -> None:
    """Later trials get a number; a user who works with tools of their own begins one turn; no greeting, none cut."""
    call = {"id": "1", "name": "mv", "arguments": {}, "requestor": "user"}
    messages = [
        {"role": "assistant", "content": "Hi!", "tool_calls": None},
        {"role": "user", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "ok", "requestor": "user"},
        {"role": "user", "content": "I moved it."},
        {"role": "assistant", "content": None, "tool_calls": [{**call, "requestor": "assistant"}]},
        {"role": "tool", "content": "ok"},
        {"role": "assistant", "content": "All done."},
        {"role": "user", "content": "Thanks."},
        {"role": "assistant", "content": "Bye."},
    ]
    trials = [
        {"task_id": "a", "trial": 0, "messages": messages},
        {"task_id": "a", "trial": 1, "messages": messages[3:5]},
        {"task_id": "a", "trial": 2, "messages": messages[4:7]},
        {"task_id": "a", "trial": 3, "messages": None},
        {"task_id": "a", "trial": 4, "messages": messages[:1]},
    ]
    moved = [{"name": "mv", "arguments": {}}]
    assert [*adapters.tau2_results({"simulations": trials})] == [
        ("a", 0, 0, moved),
        ("a", 0, 1, "All done."),
        ("a", 1, 0, "Bye."),
        ("a#1", 0, 0, moved),
        ("a#2", 0, 0, moved),
        ("a#2", 0, 1, "All done."),
    ]
    assert [*adapters.tau2_results(trials[1])] == [("a#1", 0, 0, moved)]


def test_tau_bench_tool_calling_agent() -> None:
    """Its trajectory is a chat of OpenAI's."""
    call = {"id": "1", "type": "function", "function": {"name": "mv", "arguments": '{"a": 1}'}}
    trajectory = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Move it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "name": "mv", "content": "ok"},
        {"role": "assistant", "content": "All done."},
        {"role": "user", "content": "###STOP###"},
    ]
    rows = [{"task_id": 3, "trial": trial, "reward": 1.0, "info": {}, "traj": trajectory} for trial in (0, 1)]
    said = [(0, 0, [{"name": "mv", "arguments": {"a": 1}}]), (0, 1, "All done.")]
    assert [*adapters.tau_bench_results(rows)] == [(case, *each) for case in ("3", "3#1") for each in said]


def test_tau_bench_text_agent() -> None:
    """What it gives to `respond`, or what is no action, is its text without the thought; results begin no turn."""
    asked = {"name": "respond", "arguments": {"content": "Which file?"}}
    acted = {"name": "mv", "arguments": {"a": 1}}
    trajectory = [
        {"role": "system", "content": "Thought: ... Action: ..."},
        {"role": "user", "content": "Move it."},
        {"role": "assistant", "content": f"Thought:\nIt isn't clear.\nAction:\n{json.dumps(asked)}"},
        {"role": "user", "content": "a.txt"},
        {"role": "assistant", "content": f"Thought:\nNow.\nAction:\n{json.dumps(acted)}"},
        {"role": "user", "content": "API output: ok"},
        {"role": "assistant", "content": "Thought:\nWhich JSON?\nAction:\nI can't put that into JSON."},
        {"role": "user", "content": "Hm."},
        {"role": "assistant", "content": "The next steps. Action: wait."},
        {"role": "user", "content": "###STOP###"},
    ]
    assert [*adapters.tau_bench_results([{"task_id": 0, "traj": trajectory}])] == [
        ("0", 0, 0, "Which file?"),
        ("0", 1, 0, [acted]),
        ("0", 1, 1, "I can't put that into JSON."),
        ("0", 2, 0, "The next steps. Action: wait."),
    ]
