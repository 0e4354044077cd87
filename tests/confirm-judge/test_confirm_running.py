"""Runs that stop and go on: the file ends up as if nothing had happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from confirm_judge.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Judged = Callable[..., tuple[int, list[dict[str, Any]]]]

KILLS = 20
WRITES = 60


def rules(results: Path, out: Path, *options: str, model: str = "m") -> int:
    """The status of a run of the rules."""
    return main(["run", "--judge", "rules", "--run", model, "airline", str(results), "--out", str(out), *options])


@pytest.fixture
def judged(tmp_path: Path, small_run: Callable[..., Path]) -> tuple[Path, Path]:
    """A run with four writes, and the file in which the rules judged them."""
    results, out = small_run(tmp_path / "run"), tmp_path / "judged.jsonl"
    assert rules(results, out) == 0
    return results, out


def test_a_finished_file_stays(judged: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """The same command judges nothing again, and says the same."""
    results, out = judged
    content = out.read_bytes()
    assert rules(results, out) == 0
    assert (capsys.readouterr().out, out.read_bytes()) == ("4 writes: 2 confirmed first, 2 not\n", content)


def test_every_cut(judged: tuple[Path, Path]) -> None:
    """Wherever the last line was cut off, the file is whole again afterwards; one that lacks its end only is kept."""
    results, out = judged
    whole = out.read_bytes()
    start = whole[:-1].rindex(b"\n") + 1
    for end in (*range(start, len(whole), 9), len(whole) - 2, len(whole) - 1):
        out.write_bytes(whole[:end])
        assert rules(results, out) == 0
        assert out.read_bytes() == whole


def test_more_runs_in_one_file(
    judged: tuple[Path, Path], tmp_path: Path, small_run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another run is added to the file, and the record beside it knows both."""
    out = judged[1]
    capsys.readouterr()
    assert rules(small_run(tmp_path / "other", 2), out, model="another") == 0
    assert capsys.readouterr().out == "2 writes: 1 confirmed first, 1 not\n"
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["model"] for line in lines] == ["m"] * 4 + ["another"] * 2
    record = json.loads(out.with_name("judged.jsonl.meta.json").read_bytes())
    assert [(run["model"], run["run"], run["events"]) for run in record["runs"]] == [
        ("m", "run", 4),
        ("another", "other", 2),
    ]
    assert record["ended"] >= record["started"]


def test_another_configuration_is_refused(
    server: Any, judge: Judged, tmp_path: Path, small_run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another judge, another prompt or another server doesn't get into the file, which says what differs."""
    results = small_run(tmp_path / "run")
    _, before = judge(results, "--judge-model", "first")
    asked = len(server.asks)
    (tmp_path / "prompt.txt").write_text("Judge. $schema", encoding="utf-8")
    for options, difference in (
        (("--judge-model", "second"), "judge: first, now second"),
        (("--judge-model", "first", "--prompt", str(tmp_path / "prompt.txt")), "prompt_sha256: "),
        (("--judge-model", "first", "--base-url", "http://localhost:1/v1"), "endpoint_host: 127.0.0.1, now localhost"),
    ):
        assert judge(results, *options) == (2, before)
        message = capsys.readouterr().err.splitlines()[-1]
        assert f"holds judgments of another configuration ({difference}" in message
    assert rules(results, tmp_path / "judged.jsonl") == 2
    assert len(server.asks) == asked


def test_nothing_judged_binds_nobody(tmp_path: Path, small_run: Any, server: Any, judge: Judged) -> None:
    """A file in which nothing stands yet may become another configuration's."""
    server.script = lambda ask: pytest.fail("nothing to ask")
    empty = small_run(tmp_path / "empty", 1)
    content = json.loads(empty.read_bytes())
    content["simulations"][0]["messages"].pop()
    empty.write_text(json.dumps(content), encoding="utf-8")
    assert judge(empty) == (0, [])
    assert rules(small_run(tmp_path / "run"), tmp_path / "judged.jsonl") == 0
    assert json.loads((tmp_path / "judged.jsonl.meta.json").read_bytes())["configuration"]["judge"] == "rules"


@pytest.mark.parametrize("content", ["", "{}", "{", '{"a": 1}\n', "notes\n"])
def test_foreign_files_are_safe(
    tmp_path: Path, small_run: Any, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    """A file of somebody else's is refused and left as it is; an empty one may be filled."""
    out = tmp_path / "notes"
    out.write_text(content, encoding="utf-8")
    status = rules(small_run(tmp_path / "run"), out)
    if content:
        assert (status, out.read_text(encoding="utf-8")) == (2, content)
        assert "notes: holds something else, or judgments without" in capsys.readouterr().err
    else:
        assert status == 0


def test_a_damaged_line_is_an_error(judged: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """A line that no kill can leave behind is not repaired: file, line and field are named."""
    results, out = judged
    lines = out.read_text(encoding="utf-8").splitlines(keepends=True)
    out.write_text("".join([lines[0], lines[1].replace("true", '"true"', 1), *lines[2:]]), encoding="utf-8")
    content = out.read_bytes()
    assert rules(results, out) == 2
    assert (
        capsys.readouterr()
        .err.splitlines()[-1]
        .endswith("judged.jsonl:2: confirmed: expected true or false, found a string")
    )
    assert out.read_bytes() == content


def test_changed_results_are_refused(judged: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Where a call was judged, another call or another outcome is not what was judged."""
    results, out = judged
    content = results.read_text(encoding="utf-8")
    for old, new, words in (
        ("cancel_res", "book_res", "was cancel_reservation, passed False, when it was judged, and is book_reservation"),
        ('"reward": 0.0', '"reward": 1.0', "and is cancel_reservation, passed True, now: the results have changed"),
    ):
        assert old in content
        results.write_text(content.replace(old, new), encoding="utf-8")
        assert rules(results, out) == 2
        assert words in capsys.readouterr().err


def test_one_run_at_a_time(judged: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """While a run has the file, another one can't write into it."""
    from confirm_judge.journal import open_journal

    results, out = judged
    with open_journal(out):
        assert rules(results, out) == 2
    assert "another run is writing this file" in capsys.readouterr().err
    assert rules(results, out) == 0


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([("m", "retail", "run")], "the file is about domain airline, not retail"),
        ([("m", "airline", "run"), ("m", "airline", "run")], "is there twice: give each run a model name of its own"),
        ([("m", "airline", "twins")], "twins/results.json: simulation 1 of m, airline, is there twice"),
        ([("m", "airline", "nowhere")], "no such file or folder"),
    ],
)
def test_bad_runs(
    tmp_path: Path,
    small_run: Any,
    write_run: Any,
    simulation: Any,
    said: Any,
    capsys: pytest.CaptureFixture[str],
    runs: list[tuple[str, ...]],
    message: str,
) -> None:
    """One line says what is wrong, and no file is made."""
    small_run(tmp_path / "run")
    write = said("assistant", None, {"name": "cancel_reservation", "arguments": {}})
    write_run(tmp_path / "twins", [simulation("1", [write])] * 2)
    options = [text for model, domain, name in runs for text in ("--run", model, domain, str(tmp_path / name))]
    assert main(["run", "--judge", "rules", *options, "--out", str(tmp_path / "judged.jsonl")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "judged.jsonl").exists()


def test_cost_of_what_failed(
    server: Any, judge: Judged, loopback_judge: Any, tmp_path: Path, small_run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tokens that bought no verdict are counted too, after the write has got one by another run."""
    results = small_run(tmp_path / "run", 1)
    server.script = lambda ask: loopback_judge.Reply("No.")
    judge(results)
    server.script = loopback_judge.honest
    _, lines = judge(results)
    assert [line["input_tokens"] for line in lines] == [400, 100]
    assert capsys.readouterr().out.endswith("1 writes: 0 confirmed first, 1 not; 500 tokens in, 50 out\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_a_pipe_is_no_journal(tmp_path: Path, small_run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """What can't be read again is no place for judgments."""
    os.mkfifo(tmp_path / "pipe")
    assert rules(small_run(tmp_path / "run"), tmp_path / "pipe") == 2
    assert capsys.readouterr().err.endswith("pipe: is no ordinary file\n")


def test_cost(server: Any, judge: Judged, tmp_path: Path, small_run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Tokens of all writes are added up, and cost what a million of them costs; both prices or none."""
    results = small_run(tmp_path / "run")
    assert judge(results, "--price-in", "2.5", "--price-out", "10")[0] == 0
    said = "4 writes: 2 confirmed first, 2 not; 400 tokens in, 40 out, cost 0.0014\n"
    assert capsys.readouterr().out == said
    assert judge(results, "--price-in", "2.5")[0] == 2
    assert "--price-in and --price-out go together" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on the size of files")
def test_full_disk(tmp_path: Path, small_run: Any) -> None:
    """A judgment that doesn't fit leaves nothing of itself behind, and is made once there is room."""
    results, out = small_run(tmp_path / "run", 20), tmp_path / "judged.jsonl"
    command = ["run", "--judge", "rules", "--run", "m", "airline", str(results), "--out", str(out)]
    limited = (
        "import resource, sys\nfrom confirm_judge.cli import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))\nsys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run([sys.executable, "-c", limited, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "the judgments before this one are safe" in done.stderr
    content = out.read_bytes()
    assert content.endswith(b"\n")
    assert 0 < len([json.loads(line) for line in content.splitlines()]) < 20
    assert main(command) == 0
    assert out.read_bytes().startswith(content)
    assert len(out.read_bytes().splitlines()) == 20


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 on this system")
def test_kill_9(server: Any, judge: Judged, loopback_judge: Any, tmp_path: Path, small_run: Any) -> None:
    """Killed at twenty moments and gone on with each time, the file holds the lines of an uninterrupted run."""
    results = small_run(tmp_path / "run", WRITES)
    _, expected = judge(results)
    server.asks.clear()

    out = tmp_path / "killed.jsonl"
    command = [sys.executable, "-m", "confirm_judge", "run", "--run", "m", "airline", str(results), "--out", str(out)]
    command += ["--base-url", server.base_url, "--concurrency", "3"]
    running: list[subprocess.Popen[bytes]] = []
    fatal: list[int] = []

    def script(ask: Any) -> Any:
        # Or any later one: a request of a process that is dead may still come in, and be counted.
        if ask.number >= fatal[-1]:
            running[-1].send_signal(signal.SIGKILL)
        return loopback_judge.honest(ask)

    server.script = script
    for number in range(KILLS):
        fatal.append(len(server.asks) + number % 4)  # before the first judgment of this run, or after some
        running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        assert running[-1].wait() == -signal.SIGKILL
        if number % 3 == 0 and out.exists() and out.stat().st_size:
            with out.open("rb+") as stream:  # what a kill in the middle of a write leaves behind
                stream.truncate(out.stat().st_size - 1 - number)
        if number % 5 == 4:
            out.with_name("killed.jsonl.meta.json.partial").write_text("{", encoding="utf-8")
    server.script = loopback_judge.honest
    assert subprocess.run(command, capture_output=True, check=False, env=dict(os.environ)).returncode == 0
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert by_simulation(lines) == by_simulation(expected)
    assert len(lines) == len({line["sim_id"] for line in lines}) == WRITES


def by_simulation(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines in the order of their simulations."""
    return sorted(lines, key=lambda line: str(line["sim_id"]))
