"""The command ``confirm-judge`` as a user meets it: help, usage, faults, streams; and the README's examples."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

import confirm_judge
from confirm_judge.cli import main

if TYPE_CHECKING:
    from pathlib import Path

FILES = re.compile(r"`(demo/\S+\.jsonl?)`:\n\n```json\n(.*?)```", re.DOTALL)
COMMANDS = re.compile(r"```console\n\$ confirm-judge (.*?)\n(.*?)```", re.DOTALL)
HEAVY = ("openai", "httpx", "pydantic", "rich")


@pytest.fixture
def readme(repository: Path) -> Path:
    """The package's README."""
    return repository / "packages" / "confirm-judge" / "README.md"


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """The command, run as a program."""
    command = [sys.executable, "-m", "confirm_judge", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    """Help answers without the SDK and what it brings along, and without the bar."""
    code = (
        "import sys\nfrom confirm_judge.cli import main\n"
        f"try:\n    main({arguments!r})\nexcept SystemExit as end:\n    assert not end.code\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "[]\n")
    assert "confirm-judge" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND (see confirm-judge --help)"),
        (["judge"], "argument COMMAND: invalid choice: 'judge'"),
        (["run", "--out", "o"], "the following arguments are required: --run (see confirm-judge run --help)"),
        (["run", "--run", "a", "b", "--out", "o"], "argument --run: expected 3 arguments"),
        (
            ["run", "--run", "a", "b", "c", "--out", "o", "--concurrency", "0"],
            "a whole number of at least 1, got 0",
        ),
        (["run", "--run", "a", "b", "c", "--out", "o", "--concurrency", "x"], "a whole number of at least 1, got x"),
        (["run", "--run", "", "b", "c", "--out", "o"], "argument --run: must not be empty"),
        (["run", "--run", "a", "b", "c", "--out", "o", "--base-url", ""], "argument --base-url: must not be empty"),
        (["run", "--run", "a", "b", "c", "--out", "o", "--judge-model", "\udcff"], "--judge-model: must be UTF-8"),
        (["run", "--run", "a", "b", "c", "--out", "o", "--timeout", "0"], "must be a number of at least 0.001, got 0"),
        (["run", "--run", "a", "b", "c", "--out", "o", "--price-in", "nan"], "must be a number of at least 0, got nan"),
        (["table", "no\nfile"], "no\\nfile: can't be read: No such file or directory"),
        (["collect", "nowhere"], "nowhere: no such file or folder"),
    ],
)
def test_usage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    """What is wrong is one line, with status 2."""
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("confirm-judge: ")
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_closed_pipe(tmp_path: Path, small_run: Any) -> None:
    """A reader that goes away ends the command quietly."""
    results = small_run(tmp_path, 2000)
    command = [sys.executable, "-m", "confirm_judge", "collect", str(results)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 141


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for other processes")
def test_interrupt(server: Any, loopback_judge: Any, tmp_path: Path, small_run: Any) -> None:
    """Ctrl-C ends a run with status 130 and no traceback; what was judged is in the file."""
    out = tmp_path / "judged.jsonl"

    def script(ask: Any) -> Any:
        return loopback_judge.Reply(loopback_judge.verdict(True), delay=30.0 if ask.number >= 2 else 0.0)

    server.script = script
    arguments = ["run", "--run", "m", "airline", str(small_run(tmp_path / "run")), "--out", str(out)]
    command = [sys.executable, "-m", "confirm_judge", *arguments, "--base-url", server.base_url, "--concurrency", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        while len(server.asks) < 3 and running.poll() is None:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        _, error = running.communicate()
        server.script = loopback_judge.honest
    assert (running.returncode, error) == (130, "4 writes, 0 of them judged already\n")
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")  # noqa: PTH110
def test_full_disk(tmp_path: Path, small_run: Any) -> None:
    """Output that can't be written is one line too."""
    results = small_run(tmp_path)
    with open("/dev/full", "w") as full:  # noqa: PTH123 (a device)
        command = [sys.executable, "-m", "confirm_judge", "collect", str(results)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "confirm-judge: standard output: No space left on device\n")


@pytest.mark.skipif(os.name == "nt", reason="the limits of names are others on Windows")
def test_long_name(tmp_path: Path, small_run: Any) -> None:
    """A file whose record's name would be too long is one line that names it."""
    results, out = small_run(tmp_path), "x" * 250
    run = ["run", "--judge", "rules", "--run", "m", "airline", str(results), "--out", out]
    done = program(*run, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"confirm-judge: {out}.meta.json: File name too long\n")


def test_bar(tmp_path: Path, small_run: Any) -> None:
    """On a terminal a bar is drawn, elsewhere plain lines."""
    from rich.console import Console

    from confirm_judge.display import Display
    from confirm_judge.running import JudgeOptions, Source, run_judge
    from gar_metrics.tau2 import WRITE_TOOLS

    source = Source("m", "airline", small_run(tmp_path / "run"))
    shown = []
    for terminal in (True, False):
        with (tmp_path / "screen").open("w+", encoding="utf-8") as screen:
            display = Display(Console(file=screen, force_terminal=terminal, width=100))
            out = tmp_path / f"judged-{terminal}.jsonl"
            run_judge([source], out, JudgeOptions(None, None), tools=WRITE_TOOLS, concurrency=2, display=display)
            screen.seek(0)
            shown.append(screen.read())
    assert "4/4 writes" in shown[0]
    assert "\x1b[" in shown[0]
    assert shown[1] == "4 writes, 0 of them judged already\n"


def test_readme_commands(
    readme: Path, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command shown with what it prints prints it, from the files that are shown, in their order."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(repository / "data")
    text = readme.read_text(encoding="utf-8")
    files = FILES.findall(text)
    assert len(files) == 2
    for name, content in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    shown = [(arguments, output) for arguments, output in COMMANDS.findall(text) if output]
    assert len(shown) == 5
    for arguments, output in shown:
        assert main(shlex.split(arguments)) == 0
        assert capsys.readouterr().out == output


def test_docstring() -> None:
    """The example in the package's docstring is true."""
    assert doctest.testmod(confirm_judge) == (0, 2)


def test_public_names(readme: Path) -> None:
    """The README's list of names and the exports are the same, and the exports exist."""
    text = readme.read_text(encoding="utf-8")
    names = set(re.findall(r"`([A-Za-z_]+)`", text[text.index("## Names") :]))
    assert names == set(confirm_judge.__all__) - {"__version__"} | {"GarError"}
    assert [name for name in confirm_judge.__all__ if not hasattr(confirm_judge, name)] == []
