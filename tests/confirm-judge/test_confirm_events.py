"""Write events: which calls they are, where they stand, and what a judge gets to see of what came before."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confirm_judge import WINDOW, window_before, write_events
from confirm_judge.cli import main
from confirm_judge.reasoning import without_reasoning
from gar_metrics.tau2 import WRITE_TOOLS, Message, ToolCall, read_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

READ = {"name": "get_user_details", "arguments": {"user_id": "u"}}
CANCEL = {"name": "cancel_reservation", "arguments": {"reservation_id": "A"}}
BOOK = {"name": "book_reservation", "arguments": '{"user_id": "u"}'}

TEXTS = st.none() | st.text(max_size=30) | st.sampled_from(["<think>secret</think>Done.", "<think>secret", "yes"])
MESSAGES = st.lists(
    st.builds(
        Message,
        index=st.just(0),
        role=st.sampled_from(["assistant", "user", "tool", "system"]),
        content=TEXTS,
        calls=st.lists(st.builds(ToolCall, st.sampled_from(["a", "b"]), st.just({})), max_size=2).map(tuple),
        turn=st.none(),
    ),
    max_size=25,
)


def collected(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    """The events that the command lists."""
    assert main(["collect", *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    "name",
    ["tau2_airline_gpt-5.4_baseline", "tau2_airline_gpt-oss-120b_baseline", "tau2_retail_ft-gpt-4.1_baseline"],
)
def test_real_runs(shared_data: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Number, passes and tools of the writes in real runs are those that are known."""
    found = collected(capsys, str(shared_data / "tau2_runs" / name))
    expected = json.loads((shared_data / "parity" / "expected_tau2.json").read_bytes())["write_events"][name]
    assert expected == {
        "n": len(found),
        "passed": sum(event["passed"] is True for event in found),
        "by_tool": dict(sorted(Counter(event["tool"] for event in found).items())),
    }
    _, domain, model, _ = name.split("_")
    assert {(event["model"], event["domain"]) for event in found} == {(model, domain)}


def test_real_windows(shared_data: Path) -> None:
    """Every window of a real run is the ten messages before the one that holds the call, told by their texts."""
    run = read_run(shared_data / "tau2_runs" / "tau2_airline_gpt-oss-120b_baseline")
    simulations = {simulation.id: simulation for simulation in run.simulations}
    for event in write_events(run, WRITE_TOOLS["airline"]):
        messages = simulations[event.sim_id].messages
        before = messages[max(0, event.message_index - 10) : event.message_index]
        assert [(message.role, message.content) for message in before] == [
            (message.role, message.content) for message in event.window
        ]
        call = messages[event.message_index].calls[event.call_index]
        assert (call.name, call.arguments) == (event.tool, event.arguments)


def test_record(tmp_path: Path, write_run: Any, simulation: Any, said: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A line holds these fields; messages with calls show the names of the tools, and no reasoning is left."""
    messages = [
        said("user", "Cancel A."),
        said("assistant", "<think>Hm.</think>", READ),
        said("tool", "<think>is what it says</think>"),
        said("assistant", "<think>Now.</think>", CANCEL),
    ]
    write_run(tmp_path / "tau2_airline_m_baseline", [simulation("s1", messages, 0.5)])
    assert collected(capsys, str(tmp_path)) == [
        {
            "model": "m",
            "domain": "airline",
            "sim_id": "s1",
            "message_index": 3,
            "call_index": 0,
            "tool": "cancel_reservation",
            "arguments": {"reservation_id": "A"},
            "window": [
                {"role": "user", "content": "Cancel A."},
                {"role": "assistant", "content": "", "calls": ["get_user_details"]},
                {"role": "tool", "content": "<think>is what it says</think>"},
            ],
            "passed": True,
        }
    ]


def test_calls_that_share_a_message(
    tmp_path: Path, write_run: Any, simulation: Any, said: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each is judged on what came before the message, and says which call it was, reads counted."""
    messages = [said("user", "Do it."), said("assistant", "I do.", READ, CANCEL, BOOK), said("assistant", None, CANCEL)]
    found = collected(capsys, str(write_run(tmp_path, [simulation("s", messages)])))
    assert [(event["message_index"], event["call_index"], event["tool"]) for event in found] == [
        (1, 1, "cancel_reservation"),
        (1, 2, "book_reservation"),
        (2, 0, "cancel_reservation"),
    ]
    assert found[0]["window"] == found[1]["window"] == [{"role": "user", "content": "Do it."}]
    assert found[1]["arguments"] == {"user_id": "u"}
    assert [len(event["window"]) for event in found] == [1, 1, 2]


@pytest.mark.parametrize(("reward", "passed"), [(1.0, True), (0.5, True), (0.49, False), (0.0, False), (None, None)])
def test_passed(
    tmp_path: Path,
    write_run: Any,
    simulation: Any,
    said: Any,
    capsys: pytest.CaptureFixture[str],
    reward: float | None,
    passed: bool | None,
) -> None:
    """A reward of a half passes; without one nobody knows, and the write is an event all the same."""
    run = write_run(tmp_path, [simulation("s", [said("assistant", None, CANCEL)], reward)])
    assert [event["passed"] for event in collected(capsys, str(run))] == [passed]


def test_only_the_agents_calls(
    tmp_path: Path, write_run: Any, simulation: Any, said: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the user calls, or what the agent writes as text, is no write of the agent."""
    messages = [said("user", None, CANCEL), said("assistant", json.dumps(CANCEL)), said("assistant", None, READ)]
    assert collected(capsys, str(write_run(tmp_path, [simulation("s", messages)]))) == []


def test_write_tools_file(
    tmp_path: Path, write_run: Any, simulation: Any, said: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file adds tools to a known domain, and whole domains; without it an unknown domain is an error."""
    calls = [CANCEL, {"name": "upgrade_seat", "arguments": {}}]
    plane = write_run(tmp_path / "plane", [simulation("s", [said("assistant", None, *calls)])])
    bank = write_run(tmp_path / "bank", [simulation("s", [said("assistant", None, *calls)])], "bank")
    table = tmp_path / "tools.json"
    table.write_text('{"airline": ["upgrade_seat"], "bank": ["upgrade_seat"]}', encoding="utf-8")
    found = collected(capsys, str(plane), str(bank), "--write-tools", str(table))
    assert [(event["domain"], event["tool"]) for event in found] == [
        ("airline", "cancel_reservation"),
        ("airline", "upgrade_seat"),
        ("bank", "upgrade_seat"),
    ]
    assert main(["collect", str(bank)]) == 2
    assert "no WRITE tools are known for domain bank" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "tools.json: expected an object, found a list"),
        ('{"a": "b"}', "tools.json: a: expected a list, found a string"),
        ('{"a": [1]}', "tools.json: a: expected names of tools, found a number"),
        ('{"a": [', "tools.json:1: invalid JSON at column 8: Expecting value"),
    ],
)
def test_bad_write_tools_file(
    tmp_path: Path,
    small_run: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    content: str,
    message: str,
) -> None:
    """One line says where it is wrong."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.json").write_text(content, encoding="utf-8")
    assert main(["collect", str(small_run(tmp_path)), "--write-tools", "tools.json"]) == 2
    assert capsys.readouterr().err == f"confirm-judge: {message}\n"


@given(MESSAGES, st.integers(0, 25), st.integers(1, 12))
def test_windows(messages: list[Message], place: int, length: int) -> None:
    """A window is the messages directly before the place, up to its length, in order and without reasoning."""
    place = min(place, len(messages))
    window = window_before(messages, place, length)
    before = messages[:place][-length:]
    assert len(window) == min(place, length)
    assert [message.role for message in before] == [message.role for message in window]
    assert [tuple(call.name for call in message.calls) for message in before] == [message.calls for message in window]
    assert [message.content is None for message in before] == [message.content is None for message in window]
    assert not any("secret" in (message.content or "") for message in window if message.role in ("assistant", "user"))


@given(MESSAGES, st.integers(0, 25), MESSAGES)
def test_windows_know_nothing_of_what_follows(messages: list[Message], place: int, others: list[Message]) -> None:
    """Whatever comes at the place or after it, the window is the same."""
    place = min(place, len(messages))
    assert window_before(messages, place) == window_before([*messages[:place], *others], place)
    assert len(window_before(messages, place)) <= WINDOW


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Plain.", "Plain."),
        ("  Plain, with its spaces. ", "  Plain, with its spaces. "),
        ("<think>a</think>\n\nYes.", "Yes."),
        ("<THINKING>a\nb</THINKING>Yes.<reasoning>c</reasoning>", "Yes."),
        ("Yes. <think>never closed", "Yes."),
        ("opened in the prompt</think>Yes.", "Yes."),
        ("<|channel|>analysis<|message|>a<|end|><|start|>assistant", "<|start|>assistant"),
        ("<|channel|>analysis<|message|>a", ""),
        ("I think <b>so</b>.", "I think <b>so</b>."),
        ("<think>a</thinking>b</think>Yes.", "Yes."),
    ],
)
def test_reasoning(text: str, seen: str) -> None:
    """Blocks are removed, closed or not; everything else stays as it is."""
    assert without_reasoning(text) == seen


@given(st.lists(st.sampled_from(["<think>", "</think>", "a", " ", "<|channel|>analysis", "<|end|>"])).map("".join))
def test_reasoning_leaves_no_tag_of_a_block(text: str) -> None:
    """Nothing is left that opens or closes a block, and doing it again changes nothing."""
    seen = without_reasoning(text)
    assert "think>" not in seen
    assert without_reasoning(seen) == seen
