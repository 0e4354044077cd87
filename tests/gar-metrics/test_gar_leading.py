"""Decoding the first fields of a line gives what decoding all of it gives, on real files and on whatever JSON holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gar_metrics import GarError, read_results, read_score
from gar_metrics.jsonl import numbered_objects
from gar_metrics.leading import FIRST_PIECE, LAST_PIECE, Leading
from gar_metrics.read import FAILURE_FIELDS, RESULT_FIELDS

if TYPE_CHECKING:
    from pathlib import Path

ID = "multi_turn_base_0"

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(["id", "result", "latency", "inference_log", "valid", 'i"d', "i\\d"]) | st.text(max_size=6)
ROWS = st.dictionaries(KEYS, VALUES, max_size=6)
SPACES = st.text(" \t\r", max_size=2)
LOG = [{"role": "tool", "content": "x" * (2 * FIRST_PIECE)}]


def whole(line: bytes) -> dict[str, Any] | None:
    """What the standard parser makes of a line: its object, or None if it isn't one."""
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def same(found: dict[str, object] | None, line: bytes, leading: Leading) -> bool:
    """Whether a line wasn't answered for, or with what the whole line has. As JSON: NaN is no NaN's equal."""
    if found is None:
        return True
    row = whole(line)
    return row is not None and json.dumps(found) == json.dumps({name: row[name] for name in leading.fields})


def line_of(row: dict[str, Any], **style: Any) -> bytes:
    """A row as a line; lone surrogates, which UTF-8 can't hold, as escapes."""
    try:
        return f"{json.dumps(row, **style)}\n".encode()
    except UnicodeEncodeError:
        return f"{json.dumps(row)}\n".encode()


@given(ROWS, st.booleans(), st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", "\t: ")]), SPACES)
@example({"id": "a", "result": [], "log": {"result": 1, "id": 2}}, True, (", ", ": "), "")
@example({"id": "\u20ac", "result": ["\ud800", "\U0001f600"]}, False, (",", ":"), " ")
def test_any_row(row: dict[str, Any], ascii_only: bool, separators: tuple[str, str], space: str) -> None:
    """Whatever a row holds, in whatever order and spacing: the same fields, or none and the whole line is decoded."""
    text = line_of(row, ensure_ascii=ascii_only, separators=separators).decode().removesuffix("\n")
    line = f"{space}{text}{space}\n".encode()
    for leading in (RESULT_FIELDS, Leading(("id",)), FAILURE_FIELDS):
        found = leading.of(line)
        assert same(found, line, leading)
    if list(row) == ["id", "result"] and not space:
        assert RESULT_FIELDS.of(line) is not None


@given(VALUES, VALUES, st.booleans())
def test_first_fields_are_found(result: Any, log: Any, ascii_only: bool) -> None:
    """A row as BFCL writes it never needs the whole line, however long its log is."""
    line = line_of({"id": ID, "result": result, "latency": log, "inference_log": LOG}, ensure_ascii=ascii_only)
    found = RESULT_FIELDS.of(line)
    assert found is not None
    assert json.dumps(found) == json.dumps({"id": ID, "result": result})


@given(ROWS, st.data())
def test_truncated_lines(row: dict[str, Any], data: st.DataObject) -> None:
    """A line that was cut anywhere isn't answered for, unless what is left ends in a brace, as a whole one does."""
    line = line_of({"id": ID, "result": [], **row}, ensure_ascii=False)
    cut = line[: data.draw(st.integers(0, len(line) - 2))] + b"\n"
    found = RESULT_FIELDS.of(cut)
    assert same(found, cut, RESULT_FIELDS) or cut.endswith(b"}\n")


def test_cut_at_every_byte(tmp_path: Path) -> None:
    """A file that ends anywhere but after its last line end is refused."""
    rows = [{"id": f"multi_turn_base_{n}", "result": [["é"]], "log": {"a": {"b": "{}"}}} for n in range(2)]
    content = b"".join(line_of(row, ensure_ascii=False) for row in rows)
    first = content.index(b"\n") + 1
    path = tmp_path / "file.json"
    for end in [*range(1, first), *range(first + 1, len(content))]:
        path.write_bytes(content[:end])
        with pytest.raises(GarError, match=r":(1|2): (lacks its line end|invalid (JSON|UTF-8))"):
            read_results(path, "base")
    path.write_bytes(content)
    assert len(read_results(path, "base").rows) == 2


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": "a", "result": [] "log": 1}\n',
        b'{"id": "a", "result": []}}\n',
        b'{"id": "a", "result": [], }\n',
        b'{"id": "a", "result": 12x, "log": {}}\n',
        b'{"id": "a", "result": [], "log": [1, 2]\n',
        b'{"id": "\xff", "result": [], "log": {}}\n',
        b'{"id": "a", "result": "\xc3", "log": {}}\n',
        b'["id", "a", "result", {}}\n',
        b'{"\\u0069d": "a", "result": {}}\n',
        b'\xef\xbb\xbf{"id": "a", "result": {}}\n',
        b'{"id": "a", "result": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
        b'{"id": "a", "result": ' + b"9" * 5000 + b"}\n",
        b"}\n",
        b"\n",
    ],
)
def test_not_answered(line: bytes) -> None:
    """Faults that show before the log, and spellings that nobody uses, are left to the decoder of whole lines."""
    assert RESULT_FIELDS.of(line) is None


@pytest.mark.parametrize("later", ['"result": "Error"', '"result":[]', '"id": "multi_turn_base_7"'])
def test_fields_named_again(later: str) -> None:
    """The standard parser takes the last of several values; a line whose end names a field again is decoded whole."""
    for log in ("1", json.dumps(LOG)):
        line = f'{{"id": "{ID}", "result": [["a"]], "log": {log}, {later}}}\n'.encode()
        assert len(later) < LAST_PIECE
        assert RESULT_FIELDS.of(line) is None


def test_log_is_not_looked_at(tmp_path: Path) -> None:
    """What is wrong in a log that ends in a brace goes unseen, bad bytes included."""
    path = tmp_path / "file.json"
    path.write_bytes(b'{"id": "%s", "result": [["ok"]], "inference_log": [\xff, {]}\n' % ID.encode())
    assert [row.id for row in read_results(path, "base").rows] == [ID]


def test_long_results() -> None:
    """A result longer than the piece that is tried first is found too, also where the piece ends within a letter."""
    for length in range(FIRST_PIECE - 40, FIRST_PIECE + 3):
        row = {"id": ID, "result": ["a" * length + "é" * 9], "log": LOG}
        assert RESULT_FIELDS.of(line_of(row, ensure_ascii=False)) == {"id": ID, "result": row["result"]}


def test_real_files(shared_data: Path) -> None:
    """Every line of every real result and score file gives the same fields both ways, and rows need no second way."""
    files = sorted((shared_data / "bfcl_runs").rglob("*_result.json"))
    assert files
    for path in files:
        lines = path.read_bytes().splitlines(keepends=True)
        found = [RESULT_FIELDS.of(line) for line in lines]
        assert None not in found
        assert [{name: json.loads(line)[name] for name in ("id", "result")} for line in lines] == found
    for path in sorted((shared_data / "bfcl_runs").rglob("*_score.json")):
        lines = path.read_bytes().splitlines(keepends=True)
        assert all(same(FAILURE_FIELDS.of(line), line, FAILURE_FIELDS) for line in lines)


def test_results_of_real_files(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows and scores of real files are those that whole lines give."""
    files = sorted((shared_data / "bfcl_runs").rglob("*_base_result.json"))
    scores = sorted((shared_data / "bfcl_runs").rglob("*_base_score.json"))
    fast = [read_results(path, "base") for path in files], [read_score(path, "base") for path in scores]
    monkeypatch.setattr(Leading, "of", lambda self, line: None)
    assert fast == ([read_results(path, "base") for path in files], [read_score(path, "base") for path in scores])


def test_failing_case_that_is_valid(tmp_path: Path) -> None:
    """A line that calls its case valid is refused however little of it is decoded."""
    case = {"id": ID, "model_name": "m", "test_category": "multi_turn_base", "valid": True, "prompt": {"log": LOG}}
    head = {"accuracy": 0.5, "correct_count": 1, "total_count": 2}
    path = tmp_path / "score.json"
    path.write_bytes(line_of(head) + line_of(case))
    ((_, _), (_, failing)) = numbered_objects(path, FAILURE_FIELDS)
    assert list(failing) == list(FAILURE_FIELDS.fields)
    with pytest.raises(GarError, match=r":2: valid: true on a line"):
        read_score(path, "base")
