"""A run's directory is its own: one run at a time, no secret in it, and nothing counted twice."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

from bfcl_runner import ModelOptions, RunnerError, RunPlan, Selection, Silent, chosen_probes, run
from bfcl_runner.secrets import safe_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("benchmark")


def _scripted(folder: Path, agent: str = "oracle", limit: int = 2, **how: Any) -> RunPlan:
    return RunPlan(ModelOptions("scripted", agent=agent), folder, Selection(("base",), limit), **how)


def test_one_run_at_a_time(tmp_path: Path) -> None:
    """A second run in the same directory is refused, and may begin once the first is over."""
    with FileLock(tmp_path / ".lock"), pytest.raises(RunnerError, match="another run is working in this directory"):
        run(_scripted(tmp_path), Silent())
    assert run(_scripted(tmp_path), Silent()).done == 2


def test_no_secret_in_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what stands in an address, nor in a command line, nor a key that a server repeats."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-key-of-mine")
    words = ["--base-url", "http://me:pw@host:1/v1?key=q", "--base-url=https://a@b/", "sk-key-of-mine"]
    assert safe_arguments(words) == [
        "--base-url",
        "http://host:1/v1",
        "--base-url=https://b/",
        "***",
    ]
    line = f'{sys.executable} -c \'print("hidden-word" and "Which?")\''
    options = ModelOptions("command", command=line)
    argv = ("run", "--command", line, "--base-url", "http://me:hidden-word@host/")
    run(RunPlan(options, tmp_path, Selection(("base",), 1), argv=argv), Silent())
    for path in tmp_path.rglob("*"):
        assert "hidden-word" not in path.name
        assert path.is_dir() or b"hidden-word" not in path.read_bytes()
    assert json.loads((tmp_path / "run.json").read_bytes())["model"].startswith("python")


def test_another_wording_is_another_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows under two templates, or two limits, of one probe don't belong together."""
    wordings = [tmp_path / name for name in ("one.txt", "two.txt")]
    for path in wordings:
        path.write_text(f"{path.name}: {{state}}", encoding="utf-8")
    first, second = (chosen_probes(["sri"], None, [str(path)]) for path in wordings)
    run(_scripted(tmp_path / "run", probes=first), Silent())
    with pytest.raises(RunnerError, match=r"probe_settings\.templates\.sri"):
        run(_scripted(tmp_path / "run", limit=3, probes=second), Silent())
    monkeypatch.setenv("SRI_MAX_STATE_CHARS", "5")
    limited = chosen_probes(["sri"], None, [str(wordings[0])])
    with pytest.raises(RunnerError, match=r"probe_settings\.state_chars: 2400 -> 5"):
        run(_scripted(tmp_path / "run", limit=3, probes=limited), Silent())


def test_events_count_once(tmp_path: Path) -> None:
    """Cases that run again, after an interruption or with --overwrite, leave the events of their last time only."""
    plan = _scripted(tmp_path, "halting", limit=3, probes=chosen_probes(["sri"], None, []))
    log = tmp_path / "sri_event_log.jsonl"
    layout = run(plan, Silent()).layout
    events = sorted(log.read_bytes().splitlines())
    rows = layout.result("base").read_bytes().splitlines(keepends=True)
    layout.result("base").write_bytes(b"".join(rows[:1]))
    run(plan, Silent())
    assert events == sorted(log.read_bytes().splitlines())
    run(_scripted(tmp_path, "halting", limit=3, probes=plan.probes, overwrite=True), Silent())
    assert events == sorted(log.read_bytes().splitlines())


def test_status_counts_what_was_selected(tmp_path: Path) -> None:
    """A few cases of one category, then of another: each against its own number."""
    run(_scripted(tmp_path, limit=4), Silent())
    model = ModelOptions("scripted", agent="oracle")
    run(RunPlan(model, tmp_path, Selection(("miss_func",), 2)), Silent())
    record = json.loads((tmp_path / "run.json").read_bytes())
    assert (record["selected"], record["cases"]) == ({"base": 4, "miss_func": 2}, 6)
    command = [sys.executable, "-m", "bfcl_runner", "status", str(tmp_path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines[1:] == ["  base: 4/4 cases, Acc 100.0%", "  miss_func: 2/2 cases, Acc 100.0%"]


def test_a_name_too_long_for_a_folder(tmp_path: Path) -> None:
    """It is refused before anything is asked of the model."""
    with pytest.raises(RunnerError, match="is too long"):
        run(RunPlan(ModelOptions("openai", model="é" * 60, base_url="http://127.0.0.1:9/v1"), tmp_path), Silent())
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def dribbling() -> Iterator[str]:
    """The address of a server that sends a byte of its answer every tenth of a second, for ever."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        stop = threading.Event()

        def serve() -> None:
            while not stop.is_set():
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=dribble, args=(connection,), daemon=True).start()

        def dribble(connection: socket.socket) -> None:
            with connection:
                connection.recv(65536)
                try:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")
                    while not stop.wait(0.1):
                        connection.sendall(b" ")
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        stop.set()


def test_the_timeout_bounds_the_whole_try(tmp_path: Path, dribbling: str) -> None:
    """A server that keeps sending doesn't hold a conversation for ever."""
    options = ModelOptions("openai", model="m", base_url=dribbling, timeout=0.5, max_retries=1, max_wait=5)
    started = time.monotonic()
    layout = run(RunPlan(options, tmp_path, Selection(("base",), 1)), Silent()).layout
    assert time.monotonic() - started < 15
    (row,) = map(json.loads, layout.result("base").read_bytes().splitlines())
    assert (row["error"]["kind"], row["error"]["tries"]) == ("timeout", 2)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"id": [1]}, "is no case of this file"),
        ({"input_token_count": {"a": 1}, "latency": "x"}, None),
        ({"inference_log": 5}, None),
    ],
)
def test_odd_rows_of_others(tmp_path: Path, changes: dict[str, Any], complaint: str | None) -> None:
    """They are refused in one line, or what can't be counted in them counts as nothing; nothing ends in a traceback."""
    layout = run(_scripted(tmp_path, limit=1), Silent()).layout
    row = json.loads(layout.result("base").read_bytes())
    layout.result("base").write_text(json.dumps(row | changes) + "\n", encoding="utf-8")
    if complaint:
        with pytest.raises(RunnerError, match=complaint):
            run(_scripted(tmp_path, limit=2), Silent())
        return
    run(_scripted(tmp_path, limit=2), Silent())
    for words in (["show", str(tmp_path), "multi_turn_base_0"], ["status", str(tmp_path)]):
        command = [sys.executable, "-m", "bfcl_runner", *words]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0
