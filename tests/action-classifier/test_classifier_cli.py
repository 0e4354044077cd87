"""The command action-classifier, run as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from action_classifier import CUES
from action_classifier.cli import main


def _classified(
    capsys: pytest.CaptureFixture[str], path: Path, lines: list[str], *options: str
) -> list[dict[str, Any]]:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert main(["classify", str(path), *options]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_shapes_of_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Strings, lists, null, messages and BFCL rows are each read as what they are."""
    lines = [
        '\ufeff"I cannot."',
        "",
        '[{"f": "{}"}]',
        "null",
        '{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "function": {"name": "f"}}]}',
        '{"role": "assistant", "content": [{"type": "text", "text": "All done."}, {"type": "image"}]}',
        '{"role": "assistant", "content": null, "refusal": "I cannot do that."}',
        '{"role": "assistant", "content": "", "refusal": "I cannot do that."}',
        '{"role": "assistant", "refusal": "I cannot do that."}',
        '{"role": "assistant", "content": "All done.", "refusal": "I cannot do that."}',
        '{"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot do that."}]}',
        '{"role": "assistant", "content": [{"type": "image"}], "refusal": "I cannot do that."}',
        '{"role": "assistant", "content": null, "refusal": null}',
        '{"role": "user", "content": "Which?"}',
        '{"id": "multi_turn_base_3", "result": [["Hm.", "Which?"], "All set.", []], "latency": 1}',
        '{"id": "multi_turn_base_4", "result": "Error during inference: 500"}',
        '{"emission": "Which?", "paper": "ask"}',
    ]
    assert _classified(capsys, tmp_path / "in.jsonl", lines) == [
        {"action": "refuse"},
        {"action": "tool_call"},
        {"action": None},
        {"role": "assistant", "action": "tool_call"},
        {"role": "assistant", "action": "confirm"},
        {"role": "assistant", "action": "refuse"},
        {"role": "assistant", "action": "refuse"},
        {"role": "assistant", "action": "refuse"},
        {"role": "assistant", "action": "confirm"},
        {"role": "assistant", "action": "refuse"},
        {"role": "assistant", "action": "refuse"},
        {"role": "assistant", "action": None},
        {"role": "user", "action": None},
        {"id": "multi_turn_base_3", "turn": 0, "step": 0, "action": "other"},
        {"id": "multi_turn_base_3", "turn": 0, "step": 1, "action": "ask"},
        {"id": "multi_turn_base_3", "turn": 1, "step": 0, "action": "confirm"},
        {"action": "ask"},
    ]


def test_field_and_evidence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """--field names the emission's key whatever else the object holds; --explain adds the evidence."""
    lines = ['{"id": 1, "result": [], "text": "Could you \\ud800?"}', '{"text": ""}']
    assert _classified(capsys, tmp_path / "in.jsonl", lines, "--field", "text", "--explain") == [
        {"action": "ask", "rule": "question_mark", "cue": "?", "span": [11, 12]},
        {"action": None, "rule": None, "cue": None, "span": None},
    ]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"{bad\n", "not JSON"),
        (b'"x\xff"\n', "not UTF-8 (byte 2)"),
        (b"[" * 100_000 + b"\n", "nested too deeply"),
        (b'{"x": 1}\n', "name its key with --field"),
        (b'{"id": 1, "result": 7}\n', "result: expected a list of turns or an error text, got int"),
    ],
)
def test_bad_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path, line: bytes, complaint: str) -> None:
    """A bad line ends the command with one line that says where, after the answers to the lines before it."""
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'"ok"\n' + line)
    assert main(["classify", str(path)]) == 2
    output = capsys.readouterr()
    assert output.out == '{"action": "other"}\n'
    assert output.err.startswith(f"action-classifier: {path}:2: ")
    assert complaint in output.err
    assert output.err.count("\n") == 1


def test_missing_field(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The message names the field that is not there."""
    path = tmp_path / "in.jsonl"
    path.write_text('{"x": 1}\n', encoding="utf-8")
    assert main(["classify", str(path), "--field", "text"]) == 2
    assert capsys.readouterr().err == f"action-classifier: {path}:1: text: no such field in this object\n"


def test_missing_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """So does a file that is not there."""
    assert main(["classify", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err == f"action-classifier: {tmp_path / 'none'}: No such file or directory\n"


def test_unreadable_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A folder is no file to read, and a line end in a name doesn't break the line."""
    folder = tmp_path / "a\nb"
    folder.mkdir()
    assert main(["classify", str(folder)]) == 2
    assert capsys.readouterr().err == f"action-classifier: {tmp_path}/a\\nb: Is a directory\n"


@pytest.mark.parametrize(
    ("arguments", "complaint", "program"),
    [
        ([], "the following arguments are required: COMMAND", "action-classifier"),
        (["classify", "--ruleset", "x"], "argument --ruleset: invalid choice: 'x'", "action-classifier classify"),
        (["rules", "--format", "x\ny"], "argument --format: invalid choice: 'x\\ny'", "action-classifier rules"),
        (["rules", "x\ny"], "unrecognized arguments: x\\ny", "action-classifier"),
    ],
)
def test_bad_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str, program: str) -> None:
    """Bad usage is one line and status 2, like every other fault."""
    with pytest.raises(SystemExit, match=r"^2$"):
        main(arguments)
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"action-classifier: {complaint}")
    assert output.err.endswith(f"(see {program} --help)\n")
    assert output.err.count("\n") == 1


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """The tables are printed for people and for programs."""
    assert main(["rules"]) == 0
    text = capsys.readouterr().out
    assert main(["rules", "--format", "json"]) == 0
    tables = json.loads(capsys.readouterr().out)
    assert list(tables) == ["tool_call", "refuse", "ask", "confirm"]
    for action, cues in CUES.items():
        assert list(cues) == tables[action.value]
        assert all(f"  {cue}\n" in text for cue in cues)


def test_module_reads_standard_input() -> None:
    """``python -m action_classifier`` classifies what is piped into it."""
    done = subprocess.run(
        [sys.executable, "-m", "action_classifier", "classify"], input=b'"Which?"\n', capture_output=True, check=True
    )
    assert done.stdout.decode().split() == ['{"action":', '"ask"}']


def test_closed_pipe(tmp_path: Path) -> None:
    """A reader that stops early (``| head``) gets its lines and no traceback."""
    path = tmp_path / "in.jsonl"
    path.write_text('"x"\n' * 100_000, encoding="utf-8")
    command = [sys.executable, "-m", "action_classifier", "classify", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().strip() == b'{"action": "other"}'
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_interrupt() -> None:
    """Ctrl-C ends a command that waits for input with status 130, no traceback, and the answers so far."""
    command = [sys.executable, "-u", "-m", "action_classifier", "classify"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b'"x"\n')
        process.stdin.flush()
        assert process.stdout.readline() == b'{"action": "other"}\n'
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("-m action_classifier classify", b'"x"\n'),
        ("-m action_classifier classify", b'"x"\n' * 10_000),
        ("-m action_classifier classify", b'"x"\n{bad\n'),
        ("-u -m action_classifier classify", b'"x"\n'),
        ("-m action_classifier rules", b""),
        ("-m action_classifier --help", b""),
    ],
    ids=["at the end", "before the end", "before a bad line", "at once", "rules", "help"],
)
def test_full_disk(command: str, lines: bytes) -> None:
    """Output that can't be written is one line and status 2; with nowhere to complain the status remains."""
    line = [sys.executable, *command.split()]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(line, input=lines, env=buffered, stdout=full, stderr=subprocess.PIPE, check=False)
        unheard = subprocess.run(line, input=lines, env=buffered, stdout=full, stderr=full, check=False)
    assert (done.returncode, done.stderr) == (2, b"action-classifier: standard output: No space left on device\n")
    assert unheard.returncode == 2
