"""The event log, and what is counted in it."""

from __future__ import annotations

import csv
import io
import json
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from calibration_probes import CRI, Case, EventLog, ProbeError, ProbeStack, Reply, Settings
from calibration_probes.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

    Play = Callable[..., object]
    MakeStack = Callable[..., ProbeStack]

MOVE = (["mv(source='a.txt', destination='box')", "ls()"], ["{}", "not found"])
PLACE = b'"case_id": "c", "variant": "v1", "mode": "active"}\n'
MISSING = (["fly(x={1, 2})"], ["{}"])


def kinds(events: list[dict[str, Any]]) -> list[tuple[str, int, int]]:
    """Kind, turn and step of each event."""
    return [(event["event"], event["turn_idx"], event["step_idx"]) for event in events]


def test_events_of_a_conversation(play: Play, make_stack: MakeStack) -> None:
    """Every event of both probes, with its place: updates and halts count up, evaluations don't."""
    events: list[dict[str, Any]] = []
    script = [("move a.txt to box", [MOVE, MISSING, "Done.", ""]), ("fly", [MISSING, "Which?"])]
    play(make_stack("sri:decision_routed_v1", "cri", emit=events.append), script, "multi_turn_base_7")
    assert kinds(events) == [
        ("sri_start_turn", 0, 0),
        ("cri_evaluate", 0, 0),
        ("sri_state_update", 0, 0),
        ("sri_state_update", 0, 1),
        ("cri_evaluate", 0, 2),
        ("sri_halt_candidate", 0, 2),
        ("sri_halt_candidate", 0, 3),
        ("sri_start_turn", 1, 0),
        ("cri_evaluate", 1, 0),
        ("sri_state_update", 1, 0),
        ("sri_halt_candidate", 1, 1),
    ]
    assert {(event["case_id"], event["test_entry_id"]) for event in events} == {("multi_turn_base_7",) * 2}
    assert {(event["event"][:3], event["variant"], event["mode"]) for event in events} == {
        ("sri", "decision_routed_v1", "active"),
        ("cri", "v1", "active"),
    }


def test_fields(play: Play, make_stack: MakeStack) -> None:
    """What each kind of event holds beside its place."""
    events: list[dict[str, Any]] = []
    script = [("move a.txt to box", [MOVE, "Done."]), ("u" * 600, [MISSING, "Which?" * 100, ""])]
    play(make_stack("sri:decision_routed_v1", "cri", emit=events.append), script)
    common = ("case_id", "test_entry_id", "event", "turn_idx", "step_idx", "mode", "variant")
    told = [{name: value for name, value in event.items() if name not in common} for event in events]
    state = "filesystem.last_path_transition.destination: box\nfilesystem.last_path_transition.op: mv\n"
    state += "filesystem.last_path_transition.source: a.txt"
    cut_text, cut_reply = "u" * 497 + "...", ("Which?" * 100)[:497] + "..."
    fine = {"mc": False, "ur": False, "ur_param": None, "suspect": False}
    assert told[0] == {"user_turn_count": 1, "user_text_excerpt": "move a.txt to box"}
    assert told[1] == {
        "triggered": False,
        "reason": "not_suspect",
        "n_calls": 2,
        "call_names": ["mv", "ls"],
        "detector": [fine, fine],
        "user_text_excerpt": "move a.txt to box",
        "state_excerpt": "No successful tool result has been observed yet.",
        "response_excerpt": "",
    }
    assert told[2] == {
        "call": {"name": "mv", "arguments": {"source": "a.txt", "destination": "box"}},
        "domain": "filesystem",
        "is_error": False,
        "state_excerpt": state,
    }
    assert told[3] == {
        "call": {"name": "ls", "arguments": {}}, "domain": "generic", "is_error": True, "state_excerpt": state,
    }  # fmt: skip
    assert (told[6]["triggered"], told[6]["reason"]) == (True, "over_action_suspect")
    assert told[6]["detector"] == [{"mc": True, "ur": False, "ur_param": None, "suspect": True}]
    assert told[7] == {
        "retry": True,
        "suppressed_by_gate": True,
        "drop_reply": True,
        "active": True,
        "decode_error": True,
        "is_empty_response": False,
        "user_turn_count": 2,
        "state_domains": ["filesystem"],
        "user_text_excerpt": cut_text,
        "state_excerpt": state,
        "response_excerpt": cut_reply,
    }


def test_retry_in_the_log_is_decided_before_the_gate(play: Play, make_stack: MakeStack) -> None:
    """A suppressed retry is logged as one; in a passive run there is none to log, and CRI never triggers."""
    for mode, halts, evaluations in (
        ("active", [(True, True, True)], [(True, "over_action_suspect"), (False, "cri_already_fired_in_case")]),
        ("passive_log", [(False, False, False)], [(False, "over_action_suspect")] * 2),
    ):
        events: list[dict[str, Any]] = []
        stack = make_stack("sri:decision_routed_v1", "cri", mode=mode, emit=events.append)
        play(stack, [("u", [MISSING, "Which?"]), ("u", [MISSING])])
        found = [event for event in events if event["event"] == "sri_halt_candidate"]
        assert halts == [(event["retry"], event["suppressed_by_gate"], event["active"]) for event in found]
        found = [event for event in events if event["event"] == "cri_evaluate"]
        assert evaluations == [(event["triggered"], event["reason"]) for event in found]


@pytest.mark.parametrize(
    ("probes", "mode", "expected"),
    [
        (["cri"], None, {("sri", "v1", "passive_log"), ("cri", "v1", "active")}),
        (["cri:bypass"], "passive_log", {("sri", "v1", "passive_log"), ("cri", "bypass", "passive_log")}),
        (["sri"], None, {("sri", "v1", "active")}),
        (["cri"], "off", set()),
        ([], None, set()),
    ],
)
def test_sri_observes_for_the_log(
    play: Play, make_stack: MakeStack, probes: list[str], mode: str | None, expected: set[tuple[str, str, str]]
) -> None:
    """With CRI alone the conversation is logged by a passive SRI; without any probe nothing is."""
    events: list[dict[str, Any]] = []
    play(make_stack(*probes, mode=mode, emit=events.append), [("u", [MOVE, "Done."])])
    assert expected == {(event["event"][:3], event["variant"], event["mode"]) for event in events}


def test_reasons_that_write_no_event() -> None:
    """Nothing is written of a turn that CRI has fired in, nor of a step without readable calls."""
    events: list[dict[str, Any]] = []
    conversation = ProbeStack([CRI(Settings(emit=events.append))]).start_case(Case("c", []))
    conversation.start_turn([], [])
    reasons = [conversation.on_call(Reply("", (call,))).reason for call in ("f(1)", "f()", "f()")]
    assert reasons == ["no_tool_call", "over_action_suspect", "cri_already_fired"]
    assert [event["reason"] for event in events] == ["over_action_suspect"]


def test_log_file(tmp_path: Path, play: Play, make_stack: MakeStack) -> None:
    """One object a line, appended to what is there, whatever the values are."""
    path = tmp_path / "log.jsonl"
    path.write_text('{"event": "before"}\n')
    with closing(EventLog(path)) as log:
        play(make_stack("cri", emit=log.write), [("\ud800 é", [(["ls(x={1: b'\\xff', (2,): ...})"], ["{}"]), "Done."])])
    lines = path.read_text(encoding="ascii").splitlines()
    assert [json.loads(line)["event"] for line in lines] == [
        "before", "sri_start_turn", "cri_evaluate", "sri_state_update", "sri_halt_candidate",
    ]  # fmt: skip
    assert json.loads(lines[3])["call"] == {"name": "ls", "arguments": {"x": {"1": "b'\\xff'"}}}


def test_lines_of_threads_stay_whole(tmp_path: Path) -> None:
    """Many threads and two writers on one file: every line is one event."""
    path = tmp_path / "log.jsonl"
    with closing(EventLog(path)) as one, closing(EventLog(path)) as two:

        def write(log: EventLog, number: int) -> None:
            for index in range(50):
                log.write({"number": number, "index": index, "filler": "x" * 5000})

        threads = [threading.Thread(target=write, args=((one, two)[number % 2], number)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    events = [json.loads(line) for line in path.read_bytes().splitlines()]
    for number in range(8):
        assert [event["index"] for event in events if event["number"] == number] == list(range(50))


def test_unwritable_log(tmp_path: Path) -> None:
    """A log that can't be opened, or runs out of space, is a one-line error that names it."""
    with pytest.raises(ProbeError) as opening:
        EventLog(tmp_path / "none" / "log.jsonl")
    assert str(opening.value) == f"{tmp_path}/none/log.jsonl: the event log can't be written: No such file or directory"
    with pytest.raises(ProbeError, match="Is a directory"):
        EventLog(tmp_path)
    full = Path("/dev/full")
    if full.exists():
        with closing(EventLog(full)) as log, pytest.raises(ProbeError, match="No space left on device"):
            log.write({})


@pytest.fixture
def log(tmp_path: Path, play: Play, make_stack: MakeStack) -> Path:
    """The log of three cases under the gate and CRI."""
    path = tmp_path / "log.jsonl"
    with closing(EventLog(path)) as writer:
        stack = make_stack("sri:decision_routed_v1", "cri", emit=writer.write)
        script = [("u", [MISSING, "Done.", MOVE, ""]), ("u", ["Which?"])]
        for case in ("multi_turn_miss_func_3", "multi_turn_base_4", "elsewhere"):
            play(stack, script, case)
        writer.write({"event": "third_party", "free": "form"})
    return path


def test_summary_as_text(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table for each probe; the columns are categories."""
    assert main(["events", str(log)]) == 0
    assert (
        capsys.readouterr().out
        == """\
sri:decision_routed_v1, active (numbers of cases and of events)
              base  miss_func  other  all
cases            1          1      1    3
halts            3          3      3    9
retries          1          1      1    3
suppressions     1          1      1    3

cri:v1, active (numbers of cases and of events)
                                base  miss_func  other  all
cases                              1          1      1    3
evaluations                        1          1      1    3
triggers                           1          1      1    3
not_suspect                        0          0      0    0
cri_post_injection_suppressed      0          0      0    0
cri_already_fired_in_case          0          0      0    0
cri_bypass_no_gold_turn_marker     0          0      0    0
cri_bypass_non_gold_turn           0          0      0    0
over_action_suspect                1          1      1    3
"""
    )


def test_summary_for_programs(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same counts as JSON and as CSV."""
    assert main(["events", str(log), "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[1] == {
        "probe": "sri", "variant": "decision_routed_v1", "mode": "active", "category": "miss_func",
        "cases": 1, "halts": 3, "retries": 1, "suppressions": 1,
    }  # fmt: skip
    assert rows[3]["triggers"] == rows[3]["reasons"]["over_action_suspect"] == 1
    assert main(["events", str(log), "--format", "csv"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(line["probe"], line["category"], line["halts"], line["triggers"]) for line in lines] == [
        ("sri", "base", "3", ""), ("sri", "miss_func", "3", ""), ("sri", "other", "3", ""),
        ("cri", "base", "", "1"), ("cri", "miss_func", "", "1"), ("cri", "other", "", "1"),
    ]  # fmt: skip


def test_empty_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run without events is no error."""
    (tmp_path / "log").touch()
    assert main(["events", str(tmp_path / "log")]) == 0
    assert capsys.readouterr().out == "no events of sri or cri\n"
    assert main(["events", str(tmp_path / "log"), "--format", "json"]) == 0
    assert capsys.readouterr().out == "[]\n"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"7x\n", "not JSON: Extra data: line 1 column 2 (char 1)\n"),
        (b"7x", "not JSON: Extra data: line 1 column 2 (char 1) (is the file cut off?)"),
        (b'"\xff"\n', "not UTF-8 (byte 1)"),
        (b"[1]\n", "expected an object, found a list"),
        (b"[" * 100_000, "JSON nested too deeply"),
        (b"{}\n", "event: missing"),
        (b'{"event": "cri_evaluate"}\n', "case_id: missing"),
        (b'{"event": "cri_evaluate", "case_id": null}\n', "case_id: expected a string, found null"),
        (b'{"event": "sri_start_turn", "case_id": "c", "variant": 1}', "variant: expected a string, found a whole nu"),
        (b'{"event": "sri_halt_candidate", "retry": 1, ' + PLACE, "retry: expected a boolean, found a whole number"),
        (b'{"event": "cri_evaluate", "triggered": 0.5, ' + PLACE, "triggered: expected a boolean, found a number"),
        (b'{"event": "cri_evaluate", "triggered": true, "reason": "x", ' + PLACE, "reason: 'x' is none of not_suspe"),
    ],
)  # fmt: skip
def test_bad_log(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: bytes, complaint: str) -> None:
    """File, line and field; nothing is counted of the rest."""
    path = tmp_path / "log"
    path.write_bytes(b'\xef\xbb\xbf{"event": "x"}\n\n' + line)
    assert main(["events", str(path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"calibration-probes: {path}:3: {complaint}")
