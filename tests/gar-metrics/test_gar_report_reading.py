"""What a report reads beside the metrics: logs, verdicts, probe events, and emissions made readable."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_classifier import classify
from gar_metrics import load_runs
from gar_metrics.report.emissions import pretty_call, shown_emission
from gar_metrics.report.logs import StepLog, turn_logs
from gar_metrics.report.packing import TEXT_LIMIT, Pool, browser_span, packed
from gar_metrics.report.probe_events import read_events
from gar_metrics.report.transcripts import transcripts
from gar_metrics.report.verdicts import read_verdicts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

V3_TURN = {
    "begin_of_turn_query": [{"role": "user", "content": "List the files."}],
    "step_0": [
        {"role": "assistant", "content": '[{"name": "ls", "arguments": {}}]'},
        {"role": "handler_log", "content": "Decoded.", "model_response_decoded": ["ls()"]},
        {"role": "tool", "content": '{"files": []}'},
    ],
    "step_1": [
        {"role": "assistant", "content": "None."},
        {"role": "handler_log", "content": "Error decoding.", "error": "no call"},
        {"role": "handler_log", "content": "A probe asks again.", "reason": "sri_halt"},
    ],
}
V4_TURN = {
    "begin_of_turn_query": [{"role": "user", "content": [{"type": "text", "text": "List"}, {"text": "them."}]}],
    "step_0": [
        {"role": "inference_input", "content": {"message": "...", "tools": []}},
        {"role": "assistant", "content": [{"ls": "{}"}]},
        {"role": "handler_log", "content": "Decoded.", "model_response_decoded": ["ls()", "pwd()"]},
        {"role": "tool", "content": "a"},
        {"role": "tool", "content": {"not": "a text"}},
    ],
}
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_logs_of_both_layouts() -> None:
    """Users, calls, results and notes come out of v3 and v4 logs, state between the turns is passed over."""
    first, second = turn_logs([[{"role": "state_info"}], V3_TURN, [], V4_TURN])
    assert first.users == ("List the files.",)
    assert first.steps[0] == StepLog(("ls()",), ('{"files": []}',), ())
    assert first.steps[1].notes == ("Error decoding. (no call)", "A probe asks again. (sri_halt)")
    assert second.users == ("List\nthem.",)
    assert second.steps == (StepLog(("ls()", "pwd()"), ("a", '{"not": "a text"}'), ()),)


@given(JSON_VALUES)
def test_no_log_breaks_the_report(log: object) -> None:
    """Whatever stands where a log should: turns or none, never an error."""
    assert isinstance(turn_logs(log), tuple)
    assert isinstance(turn_logs([{"begin_of_turn_query": log, "step_0": log, "step_1": [log, {"role": log}]}]), tuple)


def test_transcripts(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """A turn that is one emission, a turn without its log, a logged turn that gave no emission, an error row."""
    rows = [
        {"id": "multi_turn_base_0", "result": ["Hello.", ["x", "y"]], "inference_log": [V3_TURN]},
        {"id": "multi_turn_base_1", "result": [["x"]], "inference_log": [V3_TURN, V4_TURN]},
        {"id": "multi_turn_base_2", "result": "Error during inference: gone"},
        {"id": "multi_turn_base_2", "result": "Error during inference: gone"},
    ]
    path = write_lines(tmp_path / "m" / "BFCL_v4_multi_turn_base_result.json", rows)
    (run,) = load_runs([path])
    read = dict(transcripts(run.cells[0]))
    one, two, three = (read[case] for case in run.cells[0].cases)
    assert [[step.emission for step in turn.steps] for turn in one.turns] == [["Hello."], ["x", "y"]]
    assert (one.turns[0].steps[0].log.calls, one.turns[1].users) == (("ls()",), ())
    assert [(len(turn.steps), turn.users) for turn in two.turns] == [(1, ("List the files.",)), (0, ("List\nthem.",))]
    assert (three.turns, three.error) == ((), "Error during inference: gone")


def test_verdicts(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """Kind, message (a text or a list) and details of each failing case; nothing where the file says nothing."""
    error = {"error_type": "multi_turn:force_terminated", "error_message": ["Stopped."], "details": {"turns": 1}}
    head = {"accuracy": 0.25, "correct_count": 1, "total_count": 4}
    failing = [
        {"id": "a", "error": error},
        {"id": "a", "error": "a second line"},
        {"id": "b"},
        {"id": "c", "error": ["plain"]},
    ]
    verdicts = read_verdicts(write_lines(tmp_path / "score.json", [head, *failing]))
    assert [(v.kind, v.message) for v in verdicts.values()] == [
        ("force_terminated", "Stopped."),
        ("", ""),
        ("", "plain"),
    ]
    assert json.loads(verdicts["a"].details) == {"turns": 1}


def test_probe_events(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """Events are found in the run directory, by case, with the fields that don't place them as their details."""
    folder = tmp_path / "result" / "m"
    folder.mkdir(parents=True)
    event = {"case_id": "c", "event": "sri_halt_candidate", "turn_idx": 1, "mode": "active", "variant": "v1"}
    write_lines(tmp_path / "sri_event_log.jsonl", [{**event, "retry": True, "text": "a\nb"}, {"case_id": "c"}])
    events, note = read_events(folder)
    assert note is None
    first, second = events["c"]
    assert (first.name, first.turn, first.details) == ("sri_halt_candidate (v1, active)", 1, "retry: true\ntext: a\nb")
    assert (second.name, second.turn, second.details) == ("event", -1, "")


def test_no_probe_events(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """No log is no matter; one that is damaged or fits several models is left out with a note."""
    folder = tmp_path / "result" / "m"
    folder.mkdir(parents=True)
    assert read_events(folder) == ({}, None)
    assert read_events(tmp_path / "elsewhere") == ({}, None)
    log = write_lines(tmp_path / "sri_event_log.jsonl", [{"case_id": "c"}])
    (tmp_path / "result" / "other").mkdir()
    assert "which model" in str(read_events(folder)[1])
    (tmp_path / "result" / "other").rmdir()
    log.write_text("{\n")
    assert "sri_event_log.jsonl:1: invalid JSON" in str(read_events(folder)[1])


@pytest.mark.parametrize(
    ("emission", "text", "name", "marked"),
    [
        ("I can't do that.", "I can't do that.", "REFUSE", "can't"),
        ("Which one?", "Which one?", "ASK", "?"),
        ("Fine.", "Fine.", "OTHER", None),
        ('[{"name": "f"}]', '[{"name": "f"}]', "TOOL_CALL", '[{"name":'),
        ([{"mv": '{"source": "a", "n": 1}'}], 'mv(source="a", n=1)', "TOOL_CALL", None),
        ([{"name": "f", "arguments": {"x": None}}], "f(x=null)", "TOOL_CALL", None),
        ([{"ls": "{}"}, {"pwd": "not JSON"}], "ls()\npwd(not JSON)", "TOOL_CALL", None),
        (["wrapped", "text"], "wrapped\ntext", None, None),
        ("", "", None, None),
        (7, "7", None, None),
    ],
)
def test_emissions(emission: object, text: str, name: str | None, marked: str | None) -> None:
    """Texts stay as they are with their cue marked, calls held as data are written out."""
    shown = shown_emission(emission, "paper")
    assert (shown.text, shown.action and shown.action.name) == (text, name)
    assert (shown.span and shown.text[slice(*shown.span)]) == marked


def test_long_calls_get_a_line_for_each_argument() -> None:
    """Short calls stay on one line."""
    assert pretty_call("f", {"a": "x" * 60, "b": "y" * 60}).splitlines() == [
        "f(",
        f'    a="{"x" * 60}",',
        f'    b="{"y" * 60}",',
        ")",
    ]


@given(JSON_VALUES)
def test_any_emission_can_be_shown(emission: object) -> None:
    """Whatever a model gave, it has a text, the class that the classifier gives it, and a span within the text."""
    shown = shown_emission(emission, "paper")
    assert shown.action == classify(emission)
    assert shown.span is None or 0 <= shown.span[0] < shown.span[1] <= len(shown.text)


@given(st.text(), st.data())
def test_browser_spans(text: str, data: st.DataObject) -> None:
    """A span in UTF-16 units cuts the same piece out of the text as it is in UTF-16."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    low, high = browser_span(text, (start, end))
    units = text.encode("utf-16-le", "surrogatepass")
    assert units[2 * low : 2 * high].decode("utf-16-le", "surrogatepass") == text[start:end]


def test_pool() -> None:
    """Each text is held once; a long one is cut, and what it lacks is counted; long ones that differ stay apart."""
    pool = Pool()
    long = "x" * (TEXT_LIMIT + 5)
    assert [pool.number(text) for text in ("", "a", long, "a", f"{long}y")] == [0, 1, 2, 1, 3]
    assert pool.texts == ["", "a", "x" * TEXT_LIMIT, "x" * TEXT_LIMIT]
    assert pool.cuts == {2: 5, 3: 6}


@given(JSON_VALUES)
def test_packed_data_is_inert(document: object) -> None:
    """Base64 of gzip of JSON: it reads back the same, and no character of it means anything in HTML."""
    text = packed(document)
    assert json.loads(gzip.decompress(base64.b64decode(text, validate=True))) == document
    assert packed(document) == text
