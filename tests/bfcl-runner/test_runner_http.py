"""Runs over real HTTP: the whole oracle run, servers that fail in every way, stopping, killing and going on."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from bfcl_runner import (
    CATEGORIES,
    ModelOptions,
    RunLayout,
    RunnerError,
    RunPlan,
    Selection,
    Silent,
    load_cases,
    run,
)
from gar_metrics import load_runs

if TYPE_CHECKING:
    from pathlib import Path

FEW = Selection(("base", "miss_func"), limit=4)


def _plan(server: Any, folder: Path, selection: Selection = FEW, **how: Any) -> RunPlan:
    """A plan of a run on a server; what is no field of the plan is an option of the model."""
    options = {name: how.pop(name) for name in list(how) if name in ModelOptions.__slots__}
    model = ModelOptions("openai", base_url=server.base_url, **{"model": "oracle", "max_wait": 30.0, **options})
    return RunPlan(model, folder, selection, **{"concurrency": 4, **how})


def _rows(layout: RunLayout, category: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in layout.result(category).read_bytes().splitlines()]


def _accuracies(folder: Path) -> list[float | None]:
    (found,) = load_runs([folder])
    return [cell.acc for cell in found.cells]


@pytest.mark.slow
@pytest.mark.parametrize(("prompting", "limit"), [(False, None), (True, 50)])
def test_oracle_scores_100(loopbacks: Any, tmp_path: Path, prompting: bool, limit: int | None) -> None:
    """All 800 cases by function calling, and 200 in prompting mode, GAR and Acc 100.0 in four categories."""
    server = loopbacks.start_process()
    selection = Selection(CATEGORIES, limit)
    run(_plan(server, tmp_path, selection, prompting=prompting, concurrency=8), Silent())
    (found,) = load_runs([tmp_path])
    assert [(cell.gar, cell.acc, cell.n) for cell in found.cells] == [(100.0, 100.0, limit or 200)] * 4
    summary = json.loads((tmp_path / "summary.json").read_bytes())
    assert summary["infrastructure_errors"] == 0
    assert summary["input_tokens"] > 0
    assert summary["categories"]["base"]["latency_seconds"]["p50"] > 0


@pytest.mark.parametrize(
    "fault", ["429", "500", "503", "empty", "malformed", "truncated", "closed", "reset", "body", "no-usage"]
)
def test_passing_failures_leave_no_trace(loopbacks: Any, tmp_path: Path, fault: str) -> None:
    """A server that fails at the first try of every fifth request gives the same rows as one that never does."""
    plan = [loopbacks.rule(fault, attempts=[1], probability=0.2, seed=1, body='{"choices": []}')]
    server = loopbacks.start(*plan)
    layout = run(_plan(server, tmp_path / "failing"), Silent()).layout
    server.plan = ()
    smooth = run(_plan(server, tmp_path / "smooth"), Silent()).layout
    for category in FEW.categories:
        assert [row["result"] for row in _rows(smooth, category)] == [row["result"] for row in _rows(layout, category)]
    assert _accuracies(tmp_path / "failing") == [100.0, 100.0]


def test_rows_come_in_case_order(loopbacks: Any, tmp_path: Path) -> None:
    """The first case is by far the slowest and still the first in the file."""
    server = loopbacks.start(loopbacks.rule("slow", cases=["multi_turn_base_0"], seconds=0.3))
    layout = run(_plan(server, tmp_path, Selection(("base",), 12)), Silent()).layout
    assert [f"multi_turn_base_{number}" for number in range(12)] == [row["id"] for row in _rows(layout, "base")]


def test_a_case_without_reply_is_an_error_row(loopbacks: Any, tmp_path: Path) -> None:
    """Never an answer: the row says what happened, is counted wrong and apart, and is tried again by the next run."""
    broken = "multi_turn_base_2"
    server = loopbacks.start(loopbacks.rule("500", cases=[broken]))
    layout = run(_plan(server, tmp_path, max_retries=2), Silent()).layout
    row = _rows(layout, "base")[2]
    assert row["id"] == broken
    assert row["result"].startswith("Error during inference: server_error: HTTP 500")
    assert (row["error"]["kind"], row["error"]["tries"]) == ("server_error", 3)
    (found,) = load_runs([tmp_path])
    assert (found.cells[0].acc, found.cells[0].error_rows) == (75.0, 1)
    assert json.loads(layout.summary.read_bytes())["infrastructure_errors"] == 1

    server.plan = ()
    seen = len(server.requests)
    run(_plan(server, tmp_path, max_retries=2, keep_errors=True), Silent())
    assert len(server.requests) == seen
    run(_plan(server, tmp_path, max_retries=2), Silent())
    assert {request.case_id for request in server.requests[seen:]} == {broken}
    assert _accuracies(tmp_path) == [100.0, 100.0]


def test_a_run_without_any_reply_ends_with_status_1(loopbacks: Any, tmp_path: Path) -> None:
    """A server that only fails: the rows and tables are there, and a script that goes on after success doesn't."""
    server = loopbacks.start_process(loopbacks.rule("500"))
    command = [*_command(server, tmp_path), "--max-retries", "0"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr.endswith("bfcl-runner: not one case got a reply; the rows say why\n")
    assert _accuracies(tmp_path) == [0.0, 0.0]


@pytest.mark.parametrize(
    ("fault", "kind"), [("429", "rate_limited"), ("400", "request_refused"), ("reset", "connection")]
)
def test_kinds_of_failures(loopbacks: Any, tmp_path: Path, fault: str, kind: str) -> None:
    """Programs can tell failures apart; a request that the server refuses as such is not repeated."""
    server = loopbacks.start(loopbacks.rule(fault))
    layout = run(_plan(server, tmp_path, Selection(("base",), 1), max_retries=1), Silent()).layout
    (row,) = _rows(layout, "base")
    assert (row["error"]["kind"], row["error"]["tries"]) == (kind, 1 if fault == "400" else 2)


@pytest.mark.parametrize("status", ["401", "403", "404"])
def test_a_server_that_refuses_everything_ends_the_run(loopbacks: Any, tmp_path: Path, status: str) -> None:
    """A wrong key, path or model is one line; no row is written."""
    server = loopbacks.start(loopbacks.rule(status))
    with pytest.raises(RunnerError, match=f"the server refuses the requests: HTTP {status}"):
        run(_plan(server, tmp_path), Silent())
    assert not (tmp_path / "result").exists()


@pytest.mark.parametrize("form", ["seconds", "date", "milliseconds"])
def test_retry_after_is_honoured(loopbacks: Any, tmp_path: Path, form: str) -> None:
    """The second try comes when the server said, not earlier."""
    rule = loopbacks.rule("429", attempts=[1], turns=[0], steps=[0], retry_after=form, seconds=2.0)
    server = loopbacks.start(rule)
    run(_plan(server, tmp_path, Selection(("base",), 1)), Silent())
    first, second = server.requests[:2]
    # An HTTP date has whole seconds only, so up to one of them is lost.
    assert second.arrived - first.arrived >= (0.9 if form == "date" else 2.0)


def test_odd_replies_end_in_rows(loopbacks: Any, tmp_path: Path) -> None:
    """Prose around calls, no content, equal or missing call ids and lone surrogates are what a model may do."""
    for fault in ("prose", "null-content", "same-ids", "no-ids"):
        server = loopbacks.start(loopbacks.rule(fault))
        run(_plan(server, tmp_path / fault), Silent())
        assert _accuracies(tmp_path / fault) == [100.0, 100.0], fault
    surrogate = loopbacks.rule("emission", emission=[{"echo": json.dumps({"content": "\ud800"})}], turns=[0], steps=[0])
    server = loopbacks.start(surrogate, loopbacks.rule("emission", emission="\ud800", turns=[1]))
    layout = run(_plan(server, tmp_path / "surrogate"), Silent()).layout
    assert not any("error" in row for row in _rows(layout, "base"))


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart(loopbacks: Any, tmp_path: Path, field: str) -> None:
    """It stands in its own column and log entry, and not in what is sent back."""
    server = loopbacks.start(loopbacks.rule(field), keep_bodies=True)
    layout = run(_plan(server, tmp_path, Selection(("base",), 1)), Silent()).layout
    (row,) = _rows(layout, "base")
    assert all(text for turn in row["reasoning_content"] for text in turn)
    assert row["inference_log"][0]["step_0"][0]["reasoning_content"]
    assert field not in server.requests[-1].body.decode()


def test_hostile_replies_over_http(loopbacks: Any, tmp_path: Path) -> None:
    """Names and arguments that would make a file if evaluated, huge, deep and many ones: one row each."""
    canary = str(tmp_path / "canary")
    payloads = (
        f"open({canary!r}, 'w')",
        f"__import__('os').system('touch {canary}')",
        f"exec(\"open({canary!r},'w')\")",
    )
    hostile: list[Any] = []
    for payload in payloads:
        hostile += [
            [{payload: "{}"}],
            [{f"cd or {payload}": "{}"}],
            [{"cd": json.dumps({f"folder={payload}, x": 1})}],
            [{"cd": json.dumps({"folder": payload})}],
            [{"cd": json.dumps([payload])}],
            [{f"GorillaFileSystem.{payload}": "{}"}],
            payload,
            f"[{payload}]",
            f"<tool_call>{payload}</tool_call>",
        ]
    hostile += [
        [{"echo": json.dumps({"content": "x" * 5_000_000})}],
        [{"cd": '{"folder": ' + "[" * 50_000 + "]" * 50_000 + "}"}],
        [{"cd": '{"folder": "\\u0000"}'}],
        [{"c\x00d": "{}"}],
        [{"pwd": "{}"}] * 10_000,
        [{"": ""}],
    ]
    assert len(hostile) >= 30
    rules = [
        loopbacks.rule("emission", emission=emission, cases=[f"multi_turn_base_{number}"], turns=[0], steps=[0])
        for number, emission in enumerate(hostile)
    ]
    server = loopbacks.start(*rules)
    layout = run(_plan(server, tmp_path / "run", Selection(("base",), len(hostile)), concurrency=8), Silent()).layout
    rows = _rows(layout, "base")
    assert [f"multi_turn_base_{number}" for number in range(len(hostile))] == [row["id"] for row in rows]
    assert all(isinstance(row["result"], list) for row in rows)
    assert not (tmp_path / "canary").exists()


def test_models_of_any_name(loopbacks: Any, tmp_path: Path) -> None:
    """Slashes, colons, spaces and other scripts: one folder each, and the name comes back in the table."""
    server = loopbacks.start()
    for number, model in enumerate(["org/model_1:free@v+2 x", "模型", "../up", "a%2Fb"]):
        folder = tmp_path / str(number)
        run(_plan(server, folder, Selection(("base",), 1), model=model), Silent())
        (found,) = load_runs([folder])
        assert (found.model, found.cells[0].acc) == (model, 100.0)
    assert {path.name for path in tmp_path.iterdir()} == {"0", "1", "2", "3"}


def test_changed_sampling_is_refused(loopbacks: Any, tmp_path: Path) -> None:
    """Rows of two temperatures don't belong together, unless the user says so, and then the record tells."""
    server = loopbacks.start()
    run(_plan(server, tmp_path, Selection(("base",), 1)), Silent())
    with pytest.raises(RunnerError, match=r"sampling.temperature: 0.0 -> 0.7"):
        run(_plan(server, tmp_path, Selection(("base",), 2), temperature=0.7), Silent())
    run(_plan(server, tmp_path, Selection(("base",), 2), temperature=0.7, allow_mixed=True), Silent())
    record = json.loads((tmp_path / "run.json").read_bytes())
    assert [earlier["sampling"]["temperature"] for earlier in record["mixed_with"]] == [0.0]


def test_the_key_is_in_no_file(loopbacks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where the server repeats it in an error."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    server = loopbacks.start(loopbacks.rule("400", cases=["multi_turn_base_1"]))
    run(_plan(server, tmp_path), Silent())
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or b"sk-very-secret" not in path.read_bytes()


def test_a_key_from_a_file_with_a_line_end(loopbacks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line end isn't sent, and no error repeats the key."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret\r\n")
    server = loopbacks.start(loopbacks.rule("400", cases=["multi_turn_base_1"]))
    run(_plan(server, tmp_path), Silent())
    assert _accuracies(tmp_path) == [75.0, 100.0]
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or b"sk-very-secret" not in path.read_bytes()


@pytest.mark.parametrize(
    ("key", "url", "complaint"),
    [
        ("sk-gehe\u00efm", "http://localhost:1/v1", "OPENAI_API_KEY: holds characters that can't be sent"),
        ("sk-a\nb", "http://localhost:1/v1", "OPENAI_API_KEY: holds characters that can't be sent"),
        ("", "localhost:8000", "--base-url: expected an address such as http://localhost:8000/v1"),
        ("", "http://me:pass word@h/v1", "--base-url: expected an address such as http://localhost:8000/v1"),
        ("", "http://h:99999999/v1", "--base-url: expected an address such as http://localhost:8000/v1"),
    ],
)
def test_what_cant_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, url: str, complaint: str) -> None:
    """A key or an address that no request can carry is one line, without the secret, before anything is written."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    plan = RunPlan(ModelOptions("openai", model="m", base_url=url), tmp_path / "run", selection=FEW)
    with pytest.raises(RunnerError) as error:
        run(plan, Silent())
    assert str(error.value) == complaint
    assert not list(tmp_path.rglob("*.json"))


def _command(server: Any, folder: Path, *options: str) -> list[str]:
    command = [sys.executable, "-m", "bfcl_runner", "run", "--backend", "openai", "--model", "oracle"]
    command += ["--base-url", server.base_url, "--output-dir", str(folder), "--concurrency", "4"]
    return [*command, "--categories", "base,miss_param", "--limit", "12", *options]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopping(loopbacks: Any, tmp_path: Path, number: signal.Signals) -> None:
    """A signal lets the cases in hand finish, leaves valid files and the right status; the same command goes on."""
    server = loopbacks.start_process(latency=0.05)
    with subprocess.Popen(_command(server, tmp_path), stderr=subprocess.PIPE, text=True) as process:
        _wait_for_rows(tmp_path, 1)
        process.send_signal(number)
        _, errors = process.communicate(timeout=40)
    assert process.returncode == 128 + number
    assert "cases are done; the same command goes on from here" in errors
    before = {path: path.read_bytes().splitlines() for path in tmp_path.glob("result/*/*/*_result.json")}
    assert all(json.loads(line)["id"] for lines in before.values() for line in lines)
    subprocess.run(_command(server, tmp_path), check=True, capture_output=True, timeout=60)
    after = {path: path.read_bytes().splitlines() for path in tmp_path.glob("result/*/*/*_result.json")}
    assert all(set(lines) <= set(after[path]) for path, lines in before.items())
    assert _accuracies(tmp_path) == [100.0, 100.0]


@pytest.mark.slow
def test_cases_in_hand_are_dropped_after_the_grace_time(loopbacks: Any, tmp_path: Path) -> None:
    """A server that takes ten seconds doesn't hold up a stop with half a second of grace."""
    server = loopbacks.start_process(latency=10.0)
    with subprocess.Popen(_command(server, tmp_path, "--grace", "0.5"), stderr=subprocess.PIPE) as process:
        _wait_for(lambda: server.stats()["requests"] > 0)
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM
    assert time.monotonic() - started < 8


@pytest.mark.slow
def test_killed_at_any_moment(loopbacks: Any, tmp_path: Path) -> None:
    """Twenty kill -9 at random moments, each gone on from: the files are those of an uninterrupted run, times aside."""
    server = loopbacks.start_process(latency=0.02)
    whole = tmp_path / "whole"
    subprocess.run(_command(server, whole), check=True, capture_output=True, timeout=120)
    moments = random.Random(5)  # noqa: S311 (no secret)
    folders, kills = [tmp_path / "killed-0"], 0
    while kills < 20:
        with subprocess.Popen(_command(server, folders[-1]), stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(timeout=moments.uniform(0.3, 1.6))
                folders.append(tmp_path / f"killed-{len(folders)}")  # it got to the end: the next kills hit a new run
            except subprocess.TimeoutExpired:
                process.kill()
                kills += 1
    subprocess.run(_command(server, folders[-1]), check=True, capture_output=True, timeout=120)
    for folder in folders:
        for path in whole.glob("*/*/*/*.json"):
            assert _without_times(path) == _without_times(folder / path.relative_to(whole))
        assert not list(folder.rglob("*.partial"))


def _without_times(path: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [{key: value for key, value in line.items() if key != "latency"} for line in lines]


def _wait_for_rows(folder: Path, rows: int) -> None:
    _wait_for(lambda: sum(len(path.read_bytes().splitlines()) for path in folder.rglob("*_result.json")) >= rows)


def _wait_for(condition: Any) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "waited for 30 seconds"
        time.sleep(0.02)


def test_read_only_output(loopbacks: Any, tmp_path: Path) -> None:
    """A directory that can't be written to is one line before anything is asked of the model."""
    if os.geteuid() == 0:
        (tmp_path / "result").touch()  # root may write anywhere; a file in the folder's place stops root too
        reason = "Not a directory|File exists"
    else:
        tmp_path.chmod(0o500)
        reason = "Permission denied"
    server = loopbacks.start()
    with pytest.raises(RunnerError, match=reason):
        run(_plan(server, tmp_path, Selection(("base",), 1)), Silent())


def test_more_cases_are_added_to_a_run(loopbacks: Any, tmp_path: Path) -> None:
    """Another selection of the same configuration goes into the same directory; what is there isn't asked again."""
    server = loopbacks.start()
    run(_plan(server, tmp_path, Selection(("base",), 2)), Silent())
    seen = len(server.requests)
    run(_plan(server, tmp_path, Selection(("base", "miss_func"), 3)), Silent())
    asked = {request.case_id for request in server.requests[seen:]}
    assert asked == {"multi_turn_base_2", *(case.id for case in load_cases("miss_func")[:3])}
    (found,) = load_runs([tmp_path])
    assert [(cell.category, cell.n) for cell in found.cells] == [("base", 3), ("miss_func", 3)]
