"""The command line: its output, its one-line refusals, its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from calibration_probes import __version__
from calibration_probes.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STATE = (
    "State observed so far, from successful tool results:\n"
    "filesystem.last_path_transition.destination: archive\n"
    "filesystem.last_path_transition.op: mv\n"
    "filesystem.last_path_transition.source: notes.txt\n"
    'message.messages_sent: [{"message": "The notes are in the archive.", "receiver_id": "USR002"}]\n'
    "vehicle.doors_locked: True\n"
)


def refusal(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    """The one line that the command fails with."""
    status = main([str(argument) for argument in argv])
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("calibration-probes: ")
    return err.removeprefix("calibration-probes: ").removesuffix("\n")


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    """One line for each variant of each probe."""
    assert main(["list"]) == 0
    lines = [line.split("  ", 1) for line in capsys.readouterr().out.splitlines()]
    assert [name for name, _ in lines if name.startswith(("cri:", "sri:"))] == [
        "cri:v1", "cri:bypass", "sri:v1", "sri:ablation_no_history", "sri:ablation_no_state", "sri:ablation_no_recon",
        "sri:decision_routed_v1", "sri:decision_routed_v2_a",
    ]  # fmt: skip
    assert all(summary.strip() for _, summary in lines)


@pytest.mark.parametrize(
    "probe", ["sri", "sri:v1", "sri:ablation_no_history", "sri:decision_routed_v1", "cri", "cri:v1"]
)
def test_show(capsys: pytest.CaptureFixture[str], probe: str) -> None:
    """The instruction with a sample state."""
    assert main(["show", probe]) == 0
    out = capsys.readouterr().out
    assert f"\n\n{STATE}\n" in out
    assert out.startswith("[State reconciliation]\n" if probe.startswith("sri") else "[Call reconciliation]\n")


def test_show_of_special_variants(capsys: pytest.CaptureFixture[str]) -> None:
    """What the ablations and the abstention consist of."""
    assert main(["show", "sri:ablation_no_recon"]) == 0
    assert capsys.readouterr().out == STATE
    assert main(["show", "sri:ablation_no_state"]) == 0
    assert "vehicle" not in capsys.readouterr().out
    assert main(["show", "cri:bypass"]) == 0
    assert capsys.readouterr().out.startswith("I can't proceed with this yet")


def test_replay(golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The golden file is replayed to the last decision."""
    assert main(["replay", str(golden)]) == 0
    assert capsys.readouterr().out == "1818/1818 decisions equal\n"


@pytest.fixture
def conversation() -> dict[str, Any]:
    """A small conversation as a line of a replay file."""
    return {
        "case_id": "multi_turn_miss_func_1",
        "function_calling_mode": True,
        "sri_mode": "sri_only",
        "sri_variant": "v1",
        "cri_mode": "cri_only",
        "cri_variant": "v1",
        "functions": [{"name": "ls"}],
        "missed_function": {"1": [{"name": "fly"}]},
        "gold_turn": 0,
        "turns": [
            {
                "user": "u",
                "steps": [
                    {
                        "response": {"model_responses": [{"fly": "{}"}]},
                        "expected": {"seam": "call", "triggered": True, "reason": "over_action_suspect"},
                    },
                    {
                        "response": {"model_responses": "Done."},
                        "expected": {"seam": "halt", "retry": True, "suppressed_by_gate": False, "drop_reply": True},
                    },
                ],
            },
            {
                "user": "u",
                "steps": [
                    {
                        "response": {"model_responses": "", "model_responses_decoded": ["fly()"]},
                        "results": ["failed"],
                        "expected": {"seam": "call", "reason": "not_suspect", "snapshot": None, "errors": [True]},
                    }
                ],
            },
        ],
    }


@pytest.fixture
def write(tmp_path: Path, conversation: dict[str, Any]) -> Callable[..., Path]:
    """``write(path, value)`` sets the value at a dotted path of the conversation and gives the file."""

    def written(place: str = "", value: object = None) -> Path:
        *parents, last = [int(key) if key.isdecimal() else key for key in place.split(".")]
        holder: Any = conversation
        for key in parents:
            holder = holder[key]
        if value is ...:
            del holder[last]
        elif place:
            holder[last] = value
        path = tmp_path / "talk.jsonl"
        path.write_text(json.dumps(conversation) + "\n")
        return path

    return written


def test_replay_of_differences(write: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Each field that differs is a line that says where, and the status is 1."""
    path = write("turns.0.steps.1.expected", {"seam": "halt", "retry": False, "drop_reply": 1})
    assert main(["replay", str(path)]) == 1
    place = f"{path}:1: multi_turn_miss_func_1, turn 0, step 1"
    assert capsys.readouterr().out == (
        f"{place}: retry: expected false, got true\n{place}: drop_reply: expected 1, got true\n2/3 decisions equal\n"
    )


def test_replay_of_another_seam(write: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    """A step taken for one of the other seam differs in all that is expected of it."""
    path = write("turns.0.steps.1.expected", {"seam": "call", "reason": "not_suspect"})
    assert main(["replay", str(path)]) == 1
    out = capsys.readouterr().out
    assert 'step 1: seam: expected "call", got "halt"\n' in out
    assert 'step 1: reason: expected "not_suspect", got null\n' in out


@pytest.mark.parametrize(
    ("place", "value", "complaint"),
    [
        ("case_id", ..., "case_id: missing"),
        ("sri_mode", "cri_only", "sri_mode: 'cri_only' is none of off, passive_log, sri_only"),
        ("cri_variant", "v2", "cri_variant: 'v2' is none of v1, bypass"),
        ("functions", None, "functions: expected a list, found null"),
        ("functions", ["ls"], "functions[0]: expected an object, found a string"),
        ("gold_turn", "1", "gold_turn: expected a whole number, found a string"),
        ("missed_function", {"x": []}, "missed_function.x: expected the index of a turn"),
        ("missed_function", {"0": {}}, "missed_function.0: expected a list, found an object"),
        ("turns.0.user", 1.5, "turns[0].user: expected a string, found a number"),
        ("turns.0.steps.1.response", [], "turns[0].steps[1].response: expected an object, found a list"),
        ("turns.0.steps.1.expected.seam", "end", "turns[0].steps[1].expected.seam: 'end' is none of halt, call"),
        ("turns.0.steps.1.expected.x", 1, "turns[0].steps[1].expected.x: none of seam, retry, suppressed_by_gate, "),
        ("turns.1.steps.0.results", "x", "turns[1].steps[0].results: expected a list, found a string"),
    ],
)
def test_bad_replay_files(
    write: Callable[..., Path], capsys: pytest.CaptureFixture[str], place: str, value: object, complaint: str
) -> None:
    """File, line and field, down into the conversation."""
    path = write(place, value)
    status = main(["replay", str(path)])
    err = capsys.readouterr().err
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith(f"calibration-probes: {path}:1: {complaint}")


def test_nothing_to_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty file proves nothing."""
    (tmp_path / "empty").touch()
    assert refusal(capsys, "replay", tmp_path / "empty") == f"{tmp_path}/empty: no conversation to replay"
    assert refusal(capsys, "replay", tmp_path / "no") == f"{tmp_path}/no: can't be read: No such file or directory"


def test_bad_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bad usage is one line too."""
    required = "the following arguments are required: COMMAND (see calibration-probes --help)"
    assert refusal(capsys) == required
    assert refusal(capsys, "show", "sry").startswith("unknown probe 'sry'; installed: ")
    assert refusal(capsys, "show", "cri:v2") == "probe cri has no variant 'v2'; it has v1, bypass"
    assert refusal(capsys, "events", tmp_path).startswith(f"{tmp_path}: can't be read: ")
    assert refusal(capsys, "events", tmp_path, "--format", "xml").startswith("argument --format: invalid choice: 'xml'")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """--version names the distribution."""
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["--version"])
    assert capsys.readouterr().out == f"calibration-probes {__version__}\n"


def test_module_entry(tmp_path: Path) -> None:
    """``python -m calibration_probes`` is the same command, its exit status included."""
    command = [sys.executable, "-m", "calibration_probes", "events"]
    (tmp_path / "log").touch()
    done = subprocess.run([*command, tmp_path / "log"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "no events of sri or cri\n", "")
    failed = subprocess.run([*command, tmp_path / "no"], capture_output=True, text=True, check=False)
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr == f"calibration-probes: {tmp_path}/no: can't be read: No such file or directory\n"


def test_closed_pipe(write: Callable[..., Path]) -> None:
    """A reader that stops reading causes no traceback."""
    path = write("turns.0.steps.1.expected.retry", False)
    path.write_text(path.read_text() * 3000)
    command = [sys.executable, "-m", "calibration_probes", "replay", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().endswith(b"retry: expected false, got true\n")
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_narrow_encoding(write: Callable[..., Path]) -> None:
    """A name that the output's encoding lacks is escaped."""
    path = write("case_id", "é")
    path = write("turns.0.steps.1.expected.retry", False)
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-X", "utf8=0", "-m", "calibration_probes", "replay", str(path)]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    assert b": \\xe9, turn 0, step 1: retry" in done.stdout
