"""The command backend, with small programs of every temper in place of a model."""

from __future__ import annotations

import shlex
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bfcl_runner import RunnerError, load_cases, run_case
from bfcl_runner.backends.command import open_backend, prompt_text
from bfcl_runner.errors import InfrastructureError, RunStoppedError
from bfcl_runner.options import ModelOptions
from bfcl_runner.patience import ConcurrencyGate, Patience

if TYPE_CHECKING:
    from collections.abc import Callable

    from bfcl_runner.backends.base import Dialogue

    Program = Callable[[str], str]

pytestmark = pytest.mark.usefixtures("benchmark")

ANSWERING = """
    import sys
    print("Done." if "'role': 'tool'" in sys.stdin.read().rsplit("<<user>>", 1)[1] else "[pwd()]")
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Turns the source of a Python program into a command line that runs it."""

    def write(source: str) -> str:
        path = tmp_path / "a program.py"
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        return shlex.join([sys.executable, str(path)])

    return write


def _patience(tries: int = 1) -> Patience:
    return Patience(ConcurrencyGate(4), max_retries=tries - 1, max_wait=60)


def _ask(command: str, *, tries: int = 1, timeout: float = 60.0, text: str = "Hello") -> object:
    """What a program says to one message."""
    options = ModelOptions("command", command=command, timeout=timeout)
    with open_backend(options, _patience(tries)) as backend:
        return _asked(backend.open(load_cases("base")[0]), text).query().emission


def _asked(dialogue: Dialogue, text: str = "Hello") -> Dialogue:
    dialogue.add_user_turn([{"role": "user", "content": text}])
    return dialogue


def _failure(command: str, *, timeout: float = 60.0) -> tuple[str, str]:
    with pytest.raises(InfrastructureError) as caught:
        _ask(command, timeout=timeout)
    return caught.value.kind, caught.value.message


def test_conversation(program: Program) -> None:
    """A program drives a whole case: calls are read from its text, results come back to it."""
    case = load_cases("base")[0]
    with open_backend(ModelOptions("command", command=program(ANSWERING)), _patience()) as backend:
        row = run_case(case, backend)
        assert backend.decoder == "prompting"
    assert row["result"] == [["[pwd()]", "Done."]] * len(case.ground_truth)
    assert row["inference_log"][0]["step_0"][-1]["role"] == "tool"
    assert all(seconds > 0 for turn in row["latency"] for seconds in turn)


def test_prompt() -> None:
    """Every message stands under its role, and the assistant's turn is next."""
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello\nthere"}]
    assert prompt_text(messages) == (
        "Below is a conversation. A line such as <<user>> says whose message begins after it. "
        "Write the assistant's next message, and nothing else.\n\n"
        "<<system>>\nBe brief.\n\n<<user>>\nHello\nthere\n\n<<assistant>>\n"
    )


def test_whatever_characters(program: Program) -> None:
    """Text arrives as UTF-8 and comes back as it; what is none is replaced."""
    echo = """
        import sys
        text = sys.stdin.buffer.read().decode("utf-8")
        sys.stdout.buffer.write(("naïve 🦙" if "naïve 🦙" in text else "lost").encode() + b"\\xff\\n")
    """
    assert _ask(program(echo), text="naïve 🦙 \udcff") == "naïve 🦙�"


def test_no_shell_reads_the_command(tmp_path: Path, program: Program) -> None:
    """Quotes group words as in a shell; nothing is expanded, piped or redirected."""
    command = program("import sys; print(sys.argv[1:])")
    assert _ask(f"{command} 'a b' $HOME ; * > {tmp_path}/out") == repr(
        ["a b", "$HOME", ";", "*", ">", f"{tmp_path}/out"]
    )
    assert not (tmp_path / "out").exists()


def test_slow_program_ends_with_its_children(tmp_path: Path, program: Program) -> None:
    """After the time-out neither the program nor what it started is left."""
    source = f"""
        import pathlib, subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        pathlib.Path({str(tmp_path / "pids")!r}).write_text(str(child.pid))
        time.sleep(600)
    """
    kind, message = _failure(program(source), timeout=2)
    assert (kind, message) == ("timeout", f"{sys.executable}: no reply within 2 s")
    assert _is_gone(int((tmp_path / "pids").read_text()))


def _is_gone(pid: int) -> bool:
    """Whether a process ends within a moment; a zombie that nobody collects has ended."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        (
            "import sys; sys.exit('first line\\nno credit left')",
            "program_failed",
            "status 1: first line no credit left",
        ),
        ("import os; os.kill(os.getpid(), 9)", "program_failed", "status -9"),
        ("import sys; print('half a reply', flush=True); sys.exit(3)", "program_failed", "status 3"),
        ("import sys; print('  '); print('thinking', file=sys.stderr)", "empty_reply", "printed nothing: thinking"),
    ],
)
def test_failures(program: Program, source: str, kind: str, message: str) -> None:
    """A status that isn't zero or an empty reply is no answer; the end of standard error says why."""
    assert _failure(program(source)) == (kind, f"{sys.executable}: {message}")


def test_a_failure_may_pass(tmp_path: Path, program: Program) -> None:
    """A program that fails at first is asked again."""
    source = f"""
        import pathlib, sys
        mark = pathlib.Path({str(tmp_path / "mark")!r})
        if not mark.exists():
            mark.touch()
            sys.exit("overloaded")
        print("Here I am.")
    """
    assert _ask(program(source), tries=3) == "Here I am."


def test_chatty_program(program: Program) -> None:
    """Megabytes on both outputs and an input that nobody reads block nothing; only the first output counts."""
    source = """
        import sys
        sys.stderr.write("chatter " * 1_000_000)
        print("word " * 1_000_000)
    """
    assert _ask(program(source), text="x" * 2_000_000) == ("word " * 1_000_000).strip()


def test_a_child_that_stays(program: Program) -> None:
    """A child that keeps the output open doesn't keep the reply."""
    source = """
        import subprocess, sys
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"])
        print("There.")
    """
    started = time.monotonic()
    assert _ask(program(source)) == "There."
    assert time.monotonic() - started < 15


def test_end_of_the_run_kills_what_is_under_way(program: Program) -> None:
    """When the backend is closed, a waiting dialogue is over and nothing new is started."""
    raised: list[BaseException] = []
    options = ModelOptions("command", command=program("import time; time.sleep(600)"))
    with open_backend(options, _patience(tries=3)) as backend:
        dialogue = _asked(backend.open(load_cases("base")[0]))

        def wait() -> None:
            try:
                dialogue.query()
            except RunStoppedError as error:
                raised.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.5)
    thread.join(timeout=30)
    assert [type(error) for error in raised] == [RunStoppedError]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "--command: the command backend needs one"),
        ({"command": " "}, "--command: names no program"),
        ({"command": "no-such-program-anywhere -p"}, "--command: no program 'no-such-program-anywhere' is on PATH"),
        ({"command": "sh 'open"}, '--command: "sh \'open": No closing quotation'),
        ({"command": "sh", "temperature": 0.0}, "--temperature: the command backend can't pass it on to this model"),
        ({"command": "sh", "seed": 1}, "--seed: the command backend can't pass it on to this model"),
        (
            {"command": "sh", "reasoning_effort": "low"},
            "--reasoning-effort: the command backend can't pass it on to this model",
        ),
    ],
)
def test_wrong_options(given: dict[str, object], complaint: str) -> None:
    """Each is one line, before anything runs."""
    with (
        pytest.raises(RunnerError) as caught,
        open_backend(ModelOptions("command", **given), _patience()),  # type: ignore[arg-type]
    ):
        pass
    assert str(caught.value) == complaint
