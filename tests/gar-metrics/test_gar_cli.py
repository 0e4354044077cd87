"""The command line: its formats, its one-line refusals, its exit status."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gar_metrics import __version__
from gar_metrics.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

CELLS = {"base": [(True, True), (True, False)], "miss_func": [(False, True), (True, True)]}


@pytest.fixture
def run_folder(tmp_path: Path, write_run: Callable[..., Path]) -> Path:
    """A scored run directory with two categories of two cases."""
    write_run(tmp_path / "run" / "result" / "m", CELLS, scores=tmp_path / "run" / "score" / "m")
    return tmp_path / "run"


def refusal(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    """The one line that the command fails with."""
    status = main([str(argument) for argument in argv])
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("gar: ")
    return err.removeprefix("gar: ").removesuffix("\n")


@pytest.mark.parametrize("options", [[], ["--format", "text"], ["--ruleset", "paper"]])
def test_table(run_folder: Path, capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    """Text is the default format, paper the default ruleset."""
    assert main(["table", str(run_folder), *options]) == 0
    out, err = capsys.readouterr()
    assert (out.splitlines()[0], err) == ("m, ruleset paper", "")
    assert out.endswith("overall Acc  75.00% (mean of 2 of 4 categories: base, miss_func)\n")


def test_table_formats(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every format tells of the same cells."""
    main(["table", str(run_folder), "--format", "json"])
    assert list(json.loads(capsys.readouterr().out)["runs"][0]["categories"]) == ["base", "miss_func"]
    main(["table", str(run_folder), "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["category"] for row in rows] == ["base", "miss_func"]
    main(["table", str(run_folder), "--format", "md"])
    assert "| m | paper | miss_func | REFUSE | 2 | 50.0 | 100.0 | -50.0 | 50.0 |" in capsys.readouterr().out


def test_pair(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Results and scores can be named one by one."""
    (run_folder / "score").rename(run_folder / "elsewhere")
    assert main(["table", "--results", str(run_folder / "result"), "--scores", str(run_folder / "elsewhere")]) == 0
    assert "overall Acc  75.00%" in capsys.readouterr().out


def test_cases(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One JSON object a line for each case, with the place of its row."""
    assert main(["cases", str(run_folder)]) == 0
    cases = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [case["id"][len("multi_turn_") :] for case in cases] == ["base_0", "base_1", "miss_func_0", "miss_func_1"]
    assert cases[1] == {
        "model": "m",
        "folder": str(run_folder / "result" / "m"),
        "category": "base",
        "id": "multi_turn_base_1",
        "gold": "tool_call",
        "emitted": ["tool_call", "other"],
        "gold_emitted": True,
        "passed": False,
        "outcome": "execution_failure",
        "error_row": False,
        "gold_turn": None,
        "gold_turn_class": None,
        "gold_turn_hit": None,
        "file": str(run_folder / "result" / "m" / "BFCL_v4_multi_turn_base_result.json"),
        "line": 2,
    }


def test_chosen_cases(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--category and --outcome choose; none chosen is no error, and CSV then keeps its head line."""
    main(["cases", str(run_folder), "--outcome", "masked_pass", "--format", "csv"])
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["id"], row["emitted"], row["passed"]) == ("multi_turn_miss_func_0", "other", "true")
    assert main(["cases", str(run_folder), "--category", "base", "--outcome", "masked_pass", "--format", "csv"]) == 0
    assert capsys.readouterr().out.count("\n") == 1


def test_cases_without_scores(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without scores the cases are listed with null outcomes, but can't be chosen by outcome."""
    shutil.rmtree(run_folder / "score")
    main(["cases", str(run_folder), "--category", "base"])
    cases = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(case["passed"], case["outcome"]) for case in cases] == [(None, None)] * 2
    path = run_folder / "result" / "m" / "BFCL_v4_multi_turn_base_result.json"
    expected = f"{path}: outcomes aren't known: no score file belongs to it"
    assert expected == refusal(capsys, "cases", run_folder, "--outcome", "masked_pass")


def test_bad_file(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A broken file ends the command with file, line and field, and no part of a table."""
    path = run_folder / "result" / "m" / "BFCL_v4_multi_turn_miss_func_result.json"
    path.write_text('{"id": "multi_turn_miss_func_0", "result": 5}\n')
    expected = f"{path}:1: result: expected a list of turns or an error message, found a number"
    assert expected == refusal(capsys, "table", run_folder)
    assert expected == refusal(capsys, "cases", run_folder)


def test_bad_arguments(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bad usage is one line too."""
    assert refusal(capsys) == "the following arguments are required: COMMAND (see gar --help)"
    assert refusal(capsys, "table") == "nothing to read: name a PATH, or --results and --scores"
    assert refusal(capsys, "table", run_folder / "no") == f"{run_folder / 'no'}: no such file or folder"
    message = refusal(capsys, "table", run_folder, "--format", "xml")
    assert message.startswith("argument --format: invalid choice: 'xml'")
    assert message.endswith("(see gar table --help)")
    assert refusal(capsys, "cases", run_folder, "--ruleset", "papier").startswith("argument --ruleset: invalid choice")
    assert refusal(capsys, "cases", run_folder, "--category", "long_context") == "no results for category long_context"


def test_runs_of_one_model(tmp_path: Path, write_run: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    """In CSV, too, two runs of one model are told apart, by their folders."""
    folders = [str(write_run(tmp_path / run / "result" / "m", {"base": [(True, True)]})) for run in ("a", "b")]
    for command in ("table", "cases"):
        assert main([command, str(tmp_path), "--format", "csv"]) == 0
        rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
        assert [(row["model"], row["folder"]) for row in rows] == [("m", folder) for folder in folders]


def test_empty_paths(run_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty path, as of a shell variable that isn't set, doesn't mean the working directory."""
    monkeypatch.chdir(run_folder)
    what = "an empty path names nothing; the working directory is ."
    assert refusal(capsys, "table", "") == f"PATH: {what}"
    assert refusal(capsys, "cases", ".", "") == f"PATH: {what}"
    assert refusal(capsys, "table", "--results", "", "--scores", "score") == f"--results: {what}"
    assert refusal(capsys, "table", "--results", "result", "--scores", "") == f"--scores: {what}"
    assert main(["table", "."]) == 0


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """--version names the distribution."""
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["--version"])
    assert capsys.readouterr().out == f"gar-metrics {__version__}\n"


def test_module_entry(run_folder: Path) -> None:
    """``python -m gar_metrics`` is the same command, its exit status included."""
    command = [sys.executable, "-m", "gar_metrics", "table"]
    done = subprocess.run([*command, run_folder], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[0], done.stderr) == (0, "m, ruleset paper", "")
    failed = subprocess.run([*command, run_folder / "no"], capture_output=True, text=True, check=False)
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr == f"gar: {run_folder / 'no'}: no such file or folder\n"


def test_narrow_encoding(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """A name that the output's encoding lacks is escaped."""
    write_run(tmp_path / "modèle", CELLS)
    command = [sys.executable, "-X", "utf8=0", "-m", "gar_metrics", "table", str(tmp_path)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, b"mod\\xe8le, ruleset paper")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "command",
    ["-m gar_metrics table .", "-m gar_metrics cases .", "-u -m gar_metrics cases .", "-m gar_metrics --help"],
)
def test_full_disk(run_folder: Path, command: str) -> None:
    """Output that can't be written is one line and status 2; with nowhere to complain the status remains."""
    line = [sys.executable, *command.split()]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(line, cwd=run_folder, env=buffered, stdout=full, stderr=subprocess.PIPE, check=False)
        unheard = subprocess.run(line, cwd=run_folder, env=buffered, stdout=full, stderr=full, check=False)
    assert (done.returncode, done.stderr) == (2, b"gar: standard output: No space left on device\n")
    assert unheard.returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_interrupt(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """Ctrl-C ends the command at once, without a traceback, also while nobody takes its output."""
    write_run(tmp_path, {"base": [(True, True)] * 2000})
    command = [sys.executable, "-m", "gar_metrics", "cases", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b'{"model"')
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stderr.read() == b""


def test_closed_pipe(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """A reader that stops reading causes no traceback."""
    write_run(tmp_path, {"base": [(True, True)] * 2000})
    command = [sys.executable, "-m", "gar_metrics", "cases", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b'{"model"')
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141
